// Package simzk binds the kernel (package sim), the ZooKeeper machines (package
// zkmodel) and the stores (package stores) to the interface that recipes see
// (package recipes/zk).
//
// A [World] holds one simulated server, or the servers of an ensemble and the
// links between them, and the connection machines of all clients. In untimed
// mode whoever searches selects what happens next, messages between servers
// included. A [Process] is one incarnation of a client: its program gets an
// [Env] and opens handles with [Process.Connect]. What a program asks for
// goes into the outputs of its running segment; what the machines answer
// comes back with the value that resumes its task.
//
// Beside the server stand a resource that fencing tokens protect and, for
// recipes that use no ZooKeeper, a store (package stores), which such a program
// asks through [Env.Store].
//
// Everything that judges or measures listens through an [Observer].
package simzk
