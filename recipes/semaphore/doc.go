// Package semaphore holds the semaphore recipes, one file a variant, and the
// table of the variants ([Variants]).
//
// A variant is the algorithm of a real library, carried over step by step with
// its faults, or one completed from what ZooKeeper's documentation says of
// locks. What verdicts follow under which faults stands in package scenarios.
//
// The package imports recipes/zk and recipes/internal alone.
package semaphore
