// Package checker judges histories of coordination recipes. It knows nothing
// of the simulator or of ZooKeeper: it reads [Event] values, in the order in
// which they happened, and answers with one [Result] a property.
//
// [Lock] is the set of monitors for mutual-exclusion locks: small automata
// with plain state that look at each event once, so that a run is judged
// while it runs. [LockMetrics] counts what the run cost. [MutexLinearizable]
// decides whether the operations have a linearization: first along the
// witness order, and only when that fails with Porcupine. [Mean95],
// [Paired95] and [Quantile] turn the numbers of many runs into a few.
//
// For histories of other kinds, [Decide] says whether the [Operation] values on
// the objects of a [Model] (locks, queues, registers, counters, a znode map, ...)
// have a linearization, unknown outcomes included, and on which operations a
// refusal rests. [QueueMonitor], [RWMonitor], [CapacityMonitor],
// [BarrierMonitor], [GateMonitor] and [ViewMonitor] judge what is no matter of
// linearizability, [Views] all of a group or a cache, [Sale] all of a sale;
// [Service] holds a ZooKeeper service to the guarantees of its sessions and
// watches.
//
// The properties are defined at their constants. A verdict is never a guess:
// what cannot be decided is [Unknown], and that is no pass.
//
// The package imports no other package of zoosim.
package checker
