// Package gozk holds what go-zookeeper v1.0.4 puts under its lock: the
// protected create with its look-up by guid (Conn.CreateProtectedEphemeralSequential),
// the making of parents and the parsing of sequence numbers (lock.go).
//
// The library's calls take no context. ErrConnectionLoss stands for its
// ErrConnectionClosed.
//
// The package imports recipes/zk alone.
package gozk
