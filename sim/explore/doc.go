// Package explore searches the states of untimed worlds.
//
// A [Model] is what the search needs of a world: copy it, list the enabled
// transitions, carry one out, tell states apart, say which properties have
// failed. [Prove] visits every state once, depth first, on several workers;
// [Shortest] goes breadth first and so gives the shortest way to each failure.
// Neither runs any code of a process twice: a world whose processes have a
// memo (sim.Memo) is plain data.
//
// The package imports sim and the standard library alone.
package explore
