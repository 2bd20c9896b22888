// Package conform holds the model of zkmodel against the real Apache ZooKeeper,
// byte for byte: the same [Script] runs on two arms, a [ModelArm] in process
// and a [LiveArm] over TCP to a [RealServer], and what comes back is compared.
//
// A script is a list of steps, such as a connect, a batch of requests on one
// connection, a drop, the expiry of a session. [Run] carries one out and shows
// what each connection received as lines of text, in which zxids, session ids
// and times are relative, so that the lines of the two arms can be compared.
// What the real server leaves open, such as the order of children, is compared
// as a set; the table [Open] lists these cases, each with its reason.
//
// The tests of the package draw scripts at random, and keep recorded ones as
// golden files, which run on the model alone where there is no real server.
// The package imports zkmodel, zkmodel/wire and zkmodel/serverloop. It lives on
// the wall clock; nothing on the simulated side may import it.
package conform
