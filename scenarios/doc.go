// Package scenarios runs recipes in the laboratory and judges the runs.
//
// A [Scenario] is a variant, a workload, a cluster and faults; it can be
// written as a YAML file ([ReadFile]). A [Runner] carries it out under a
// strategy, as often as wanted, and says what it saw ([Outcome]): verdicts,
// metrics, the hash of the trace. [Compare] runs every variant of a family
// under every fault class on the same seeds and holds the verdicts against
// the expectation table ([Expected]); [Sweep] counts what the standard
// workload costs as the number of clients grows; [Replay] re-executes a saved
// counterexample.
//
//	s := scenarios.Default("lock/zkdocs")
//	s.Faults[faults.Crash] = 1
//	r, err := scenarios.NewRunner(s)
//	...
//	out := r.Run(sim.NewRandom(7))
//	for _, v := range out.Results { ... }
//
// Two kinds of search look for runs in which a property fails. [Explore] makes
// runs under a strategy (random, PCT, delay-bounded, a fault or a pair of them at
// every step, swarm, a portfolio of all), shrinks one counterexample for each
// property and tells its [Story]; [Check] does so within a test of the user's
// own. [Exhaustive] visits every state of an untimed scenario by looking the
// behaviour of processes up in a memo, with [Reductions] that tests compare with
// the search without them; [Reexecute] does the same with real tasks in every
// step. A long exhaustive search can be killed and goes on from a file
// ([SearchOptions]). [FindLivelock] walks fairly through untimed runs.
//
// [Findings] lists the known faults with the scenarios in which a search is to
// find them; [Zoo] looks for each, and then for any in the correct variants.
// [RunLive] runs the standard workload on a real ZooKeeper.
//
// scenarios/simzk binds the simulated ZooKeeper to the recipe interface,
// scenarios/livezk a real one.
package scenarios
