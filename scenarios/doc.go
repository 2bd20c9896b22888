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
// scenarios/simzk binds the simulated ZooKeeper to the recipe interface.
package scenarios
