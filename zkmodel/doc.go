// Package zkmodel is ZooKeeper as pure state machines: given a state, an
// input and the time, a machine changes its state and says what it puts out.
// No clock, no goroutine, no randomness and no map lives inside; the standard
// library is all it imports.
//
// [Server] is one standalone server: znode tree, watches, sessions, ACLs,
// containers and TTL znodes; all requests but those of SASL and reconfiguration.
// [Peer] is one server of an ensemble: a Server, the log that leads to its
// state, and the part it plays in elections and replication.
// [Client] is the machine inside a client library: it keeps a session over
// many connections, answers for what was in flight when one broke, and sets
// watches again. [Request] and [Response] are the frames between them.
//
// Every machine is plain data. CopyInto copies it into a given target without
// allocating once the target has grown, and Hash writes it into a [Hasher] so
// that two states that behave alike from now on write the same, whatever the
// order of their tables.
//
// What the machines do follows measurements of Apache ZooKeeper 3.8.0
// (tickTime 2000 ms by default); where its documentation differs, the
// measurement wins.
package zkmodel
