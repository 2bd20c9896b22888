// Package wire is ZooKeeper's wire protocol: frames, and the jute records in
// them, between bytes and the [zkmodel.Request] and [zkmodel.Response] of the
// machines.
//
// A connection opens with a connect request ([DecodeConnectRequest],
// [AppendConnectResponse]); every later frame is a request ([DecodeRequest],
// [AppendRequest]) or a reply or event ([DecodeResponse], [AppendResponse]).
// [CutFrame] takes frames off a stream. A reply does not say what it answers:
// a client remembers the type of each request it has sent.
//
// Decoding accepts and refuses what ZooKeeper 3.8.0 does, never panics, and
// takes memory bounded by a small multiple of the input. What it returns
// shares nothing with the input.
//
// A field that a new request type needs goes into zkmodel's types, its layout
// into appendBody and readBody of request.go or of response.go; the property
// tests draw every type that is listed there.
//
// The package imports zkmodel and the standard library.
package wire
