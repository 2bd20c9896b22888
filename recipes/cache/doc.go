// Package cache holds Curator's caches, one file a variant, and the table of
// the variants ([Variants]).
//
// A variant is the algorithm of the original, carried over step by step. What
// verdicts follow under which faults stands in package scenarios.
//
// The package imports recipes/zk and recipes/internal alone.
package cache
