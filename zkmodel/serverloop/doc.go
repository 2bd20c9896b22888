// Package serverloop is a ZooKeeper server as bytes: it turns what arrives on
// connections into requests of a machine of zkmodel, and what the machine puts
// out into bytes, in the machine's order. It has no clock, no goroutine and no
// socket: a TCP front and a test drive it alike.
//
// A driver gives every connection a number ([Loop.Open]), hands over the bytes
// that it has ([Loop.Next]) and says when the connection is gone ([Loop.Gone]).
// The loop calls the driver's [Host] to write and to close. A [Machine] is one
// server: a [zkmodel.Server], or one of an ensemble.
//
// The package imports zkmodel, zkmodel/wire and the standard library.
package serverloop
