// Package lock holds the lock recipes, one file a variant, and the table of
// the variants ([Variants]).
//
// A variant is the algorithm of a real library, of ZooKeeper's documentation
// or of a published text, carried over step by step in its own structure,
// with its faults: many bugs live in that structure. What a variant promises
// stands beside it ([Variant]); what verdicts follow under which faults
// stands in package scenarios.
//
// The package imports recipes/zk and recipes/internal alone.
package lock
