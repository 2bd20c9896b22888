// Package sim is the kernel of the laboratory: a deterministic world of
// processes, links and virtual time in which every run is a pure function of
// its choices.
//
// A [World] owns a virtual clock that jumps from event to event, processes
// whose tasks are ordinary blocking Go code, links that carry messages in
// FIFO order per direction, and a trace with a 64-bit hash. What is not
// kernel (servers, client connections, a workload's records) is the [App],
// which the world calls when a message arrives, a timer fires, or a process
// puts something out.
//
// # One choice source
//
// Every nondeterministic decision is one call of [World.Choose]: a latency,
// the delay of a wake-up, a fault, a number drawn by a recipe. The choices
// come from a [Strategy]: [Random] draws them from a seed, [Replay] takes
// them from a [Tape]. Alternative 0 is always the most benign (smallest
// latency, no fault). The same choices give the same run, whatever
// GOMAXPROCS is and whatever else the machine does: tasks are iter.Pull
// coroutines of which one runs at a time, so nothing depends on the Go
// scheduler.
//
// # Process and world
//
// A process is code: the tasks of one client, which share Go memory. Its
// behaviour is a function of what it is told, in order: the values that
// resume its tasks and the answers to its queries. The world is plain data.
// A process never touches the world: what it puts out is noted in the running
// segment and applied, in order, when the segment ends or a query is asked.
//
//   - outputs: open a latch, unlock, notify, arm or cancel a scope (a
//     deadline), start a task, and the App's own ([Proc.Emit])
//   - scheduling points: wait for a latch, a lock, a condition, a sleep, a
//     draw, a reply ([Proc.Await]); Lock also when it is free
//   - queries: now, whether a latch is open, why a scope ended, and the App's
//     own ([Proc.Query])
//
// # Crashes
//
// A crash marks the process dead; its tasks are never resumed and nothing
// unwinds during the run. [World.Seal] ends the run: it unwinds what is left,
// with every call of a dead task ending that task at once, so that no
// deferred function can touch the world.
//
// # Time
//
// In timed mode latencies are drawn and the clock jumps to the next event
// ([World.Step]). In untimed mode any enabled transition may be next
// ([World.Moves], [World.Do]).
//
// # Memo
//
// With a [Memo] a world is plain data that can be copied and hashed: what a
// process does on what it is told is looked up, and its code runs only on what
// is new. A process may declare a checkpoint ([Proc.Checkpoint]), which lets a
// search take histories for one; [VerifyCheckpoints] shows that it may.
// Processes that are known to be the same in two worlds ([Versions]) are not
// copied.
//
// The package imports the standard library alone.
package sim
