// Package explore searches the states of untimed worlds.
//
// A [Model] is what the search needs of a world: copy it, list the enabled
// transitions, carry one out, tell states apart, say which properties have
// failed. [Prove] visits every state once, depth first, on several workers, and
// can be saved and go on ([Progress]); [Shortest] goes in the order of cost and
// so gives the cheapest way to each failure. A model that is a [Repeater] spares
// Prove transitions that lead where others have led. Neither runs any code of a process
// twice: a world whose processes have a memo (sim.Memo) is plain data.
// [Reexecute] asks less of a world: it comes to each state by a run from the
// beginning.
//
// A search of runs instead takes its runs from a [Source], such as [Seeds] of
// one [Kind] (random, PCT, delay-bounded, swarm), [Faults] at every step, or a
// [Portfolio] of several; a [Player] makes their choices. It, too, can be saved:
// a [Cursor] says how far a source has got.
//
// The package imports sim and the standard library alone.
package explore
