// Package faults says what goes wrong in a run. A [Plan] is a list of faults,
// each with the moment at which it strikes: at a transition, at a time, or at
// a client's n-th request. A [Generator] draws plans within a [Budget] of
// faults per kind. An [Injector] carries a plan out on a [World], the small
// interface through which the package acts, and counts what each fault
// changed: a run on which no fault bit is vacuous.
//
// The package imports the standard library alone.
package faults
