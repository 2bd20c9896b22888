package checker

import "time"

// Kind is the kind of an event.
type Kind uint8

// The kinds of events. Which fields of an Event carry meaning stands behind
// each; Client and At always do.
const (
	_ Kind = iota

	// What a client does and is told, recorded by the workload around the
	// recipe.

	Invoke        // an acquire begins: Op, Mode, Limit
	Grant         // it returned success: Op, Arg (fencing token, 0 for none), Waited
	Refuse        // it returned without the lock and without an error: Op, Waited
	Fail          // it returned an error: Op, Text, Waited
	ReleaseInvoke // a release begins: Op (of the acquire it ends)
	ReleaseReturn // it returned: Op, Text (empty for success)
	Lost          // the client was told that its session is over
	Panic         // recipe code panicked: Text
	Done          // the client's program is over

	// What happens to a client.

	Crash   // the process stopped for ever
	Restart // a new process runs the same client's program
	Pause   // the process stopped for a while
	Resume  // it goes on
	Fault   // a fault took effect on the client: Text (its kind)
	Down    // the client's connection broke
	Up      // the client has a connection and a live session: Arg (session id)

	// What the server does.

	SessionEnd   // the client's session was closed or expired: Arg (session id)
	TicketCreate // a ticket of the client was created: Arg (its zxid), Text (path)
	TicketDelete // a ticket of the client was deleted: Arg (its zxid at creation), N (notifications that the deletion caused), Text (path)
	Notify       // a watch event was sent to the client: Text (path)
	Request      // a recipe request of the client reached the server: Text (name of its type)
	Listing      // a list of children was sent to the client: N (bytes of the names)

	// What the fenced resource does.

	WriteAccepted // a write by the client: Arg (token)
	WriteRefused  // the same; FirstInLine says whether the client's ticket and session live and no ticket is older

	// How the run ended (Client is -1).

	Quiescent // nothing can happen any more
	Horizon   // the time by which every live waiter must have been served is over
	CutOff    // the run was stopped early: nothing follows from what did not happen

	// What a queue adds. A take is an acquire: its Grant carries the item (N),
	// and its release, where there is one, says that the item is dealt with.

	Put        // a put begins: Op, N (item), Arg (priority; lower is served first)
	PutEnd     // it returned: Op, N, Text (empty for success)
	ItemCreate // a znode that holds an item was created: N, Text (path), Arg (notifications that this caused)
	ItemDelete // one was deleted: N, Text (path), Arg (1 if by a session that the client has given up)
	ItemLock   // a consumer locked an item, so that others pass over it: N
	ItemUnlock // it is no longer locked: N

	// What a group or a cache adds.

	SetChange  // the znodes changed: Text, the whole set after it, names joined by blanks
	ViewAsk    // the client sent a request that a view may rest on: Arg (its number, which grows)
	ViewShow   // the client shows a view: Text, as SetChange has it
	ViewOpen   // what the client shows is to follow the set from now on
	Deposed    // the recipe told the client that its grant is lost
	ViewHide   // it is no longer
	ViewAnswer // the client has the reply to a request: Arg (its number)

	// What a sale adds. Beside the shop that takes every write stands one that
	// refuses stale tokens.

	Buy    // a purchase of one piece begins: Op, Arg (the shop: PlainShop or FencedShop)
	BuyEnd // it ended: Op, Arg, N (1: sold, 0: sold out), Text (not empty: refused, and nothing was sold)
)

// Mode is the way of acquiring.
type Mode uint8

// The modes.
const (
	Blocking Mode = iota
	TimedMode
	TryMode
)

// String is the mode's name on the command line.
func (m Mode) String() string {
	switch m {
	case Blocking:
		return "blocking"
	case TimedMode:
		return "timed"
	case TryMode:
		return "try"
	}
	return "mode(?)"
}

// Event is one entry of a history.
type Event struct {
	At     time.Duration // virtual time
	Kind   Kind
	Client int32 // 0-based; -1 for none
	Op     int32 // number of the operation within its client, from 0; a restart goes on counting
	Mode   Mode
	// FirstInLine belongs to WriteRefused.
	FirstInLine bool
	Arg         int64
	N           int64
	// Limit is the time limit of a timed operation.
	Limit time.Duration
	// Waited is the part of a finished operation's duration in which its
	// client waited for something other than a reply: neither requests in
	// flight, nor back-off sleeps, nor pauses of the process.
	Waited time.Duration
	Text   string
}

// Level says what a property speaks about.
type Level string

// The levels.
const (
	LevelBelief  Level = "belief"
	LevelFenced  Level = "fenced"
	LevelService Level = "service"
	LevelRun     Level = "run"
)

// Property is the name of a property, the same in code, flags and JSON.
type Property string

// The properties of locks.
const (
	// Exclusion fails when two beliefs overlap. A belief reaches from the
	// grant to the earliest of: release invoked; Lost (Down for variants that
	// stop there); the client's crash. A paused process goes on believing.
	Exclusion Property = "exclusion"
	// Fenced fails when tokens do not grow strictly in grant order or two
	// grants share one; when a write of an earlier grant is accepted after a
	// later grant's write; when a write is refused although its holder is
	// first in line.
	Fenced Property = "fenced"
	// Linearizable fails when the operations have no linearization as a mutex.
	Linearizable Property = "linearizable"
	// FIFO fails when a grant overtakes an earlier live ticket.
	FIFO Property = "fifo"
	// Progress fails when nothing can happen any more and a live client waits,
	// or when the horizon passes and a live client still waits.
	Progress Property = "progress"
	// Deadline fails when a timed operation waits longer than its limit.
	Deadline Property = "deadline"
	// Leak fails when at quiescence a ticket of a live session remains that
	// nobody holds.
	Leak Property = "leak"
	// SpuriousError fails when an operation fails with an error that no fault
	// and no misuse explains, or when recipe code panics.
	SpuriousError Property = "spurious-error"
	// FanOut fails when one release, or one put of a queue, causes more
	// notifications than promised.
	FanOut Property = "fan-out"
	// Livelock fails when, without faults and with fair scheduling, transitions
	// repeat for ever and no operation comes to its end. No history shows it;
	// it is judged by a search.
	Livelock Property = "livelock"
)

// LockProperties lists the properties that [Lock] judges, in the order of its
// results.
func LockProperties() []Property {
	return []Property{Exclusion, Fenced, Linearizable, FIFO, Progress, Deadline, Leak, SpuriousError, FanOut}
}

// LevelOf is the level of a property.
func LevelOf(p Property) Level {
	switch p {
	case Exclusion, Linearizable, FIFO, RWExclusion, Capacity, Priority, Oversold, Undersold:
		return LevelBelief
	case Fenced, FencedSale:
		return LevelFenced
	}
	return LevelRun
}

// Verdict is the outcome of judging one property.
type Verdict string

// The verdicts. Unknown is never a pass.
const (
	Pass          Verdict = "pass"
	Failed        Verdict = "fail"
	Unknown       Verdict = "unknown"
	NotApplicable Verdict = "n/a"
)

// Result is the verdict on one property of one history.
type Result struct {
	Property Property
	Level    Level
	Verdict  Verdict
	// Why explains a verdict other than pass in one sentence that names
	// clients as A, B, C... and times in seconds.
	Why string
	// Client is the client at fault, -1 if none can be named.
	Client int32
	// At is when the property failed.
	At time.Duration
}
