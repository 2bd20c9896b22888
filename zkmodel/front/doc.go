// Package front puts the simulated ZooKeeper on TCP ports, in real time, for
// clients that know nothing of it: [Start] with [Options], [Front.Close] at the
// end. Behind the ports stands one server, or an ensemble with a port a server.
//
// It answers the four-letter words, and it can do harm by script: a [Rule]
// waits for the n-th request of a kind and then loses a reply, expires a
// session or cuts a client off. [ParseRules] reads rules from YAML;
// [Front.AddRules] and the admin page ([Options].Admin) take them while it runs.
//
// Whatever clients send, the front goes on: a connection that breaks the
// protocol is closed, and what one connection can make it keep is bounded
// ([Options].MaxQueue and the frame limit).
//
// This is the one place below zkmodel with a clock, goroutines and sockets. It
// imports zkmodel, its codec and server loop, and a YAML parser.
package front
