// Package clients runs real client libraries through their recipes: Curator,
// Kazoo and go-zookeeper. A [Program] takes the address of a server and prints
// what came of each recipe, the same on every run; so the model, on a TCP port,
// can be held against the real server.
//
// The tests of the package do that. It imports zkmodel for the codec,
// and go-zookeeper.
package clients
