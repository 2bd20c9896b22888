// Package election holds the leader elections, one file a variant, and the
// table of the variants ([Variants]).
//
// A variant is the algorithm of a real library or of ZooKeeper's
// documentation, carried over step by step with its faults. What verdicts
// follow under which faults stands in package scenarios.
//
// The package imports recipes/zk and recipes/internal alone.
package election
