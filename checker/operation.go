package checker

import (
	"math"
	"time"
)

// Operation is one operation of one client on one object: the unit that
// [Decide] judges. Which fields an operation uses stands at its [OpKind];
// fields that it does not use are ignored.
type Operation struct {
	// Object is what the operation acts on. Objects are judged apart, which
	// loses nothing: a history is linearizable if and only if its part on each
	// object is (Herlihy and Wing, Linearizability, section 3.1).
	Object  string
	Kind    OpKind
	Outcome Outcome
	Client  int32 // 0-based
	// Call and Return are order stamps: an operation is over before another
	// begins if its Return is less than the other's Call, and equal stamps
	// are no order. Return does not count if the outcome is unknown.
	Call, Return int64
	// CallAt and ReturnAt are the same moments in virtual or wall-clock time,
	// for sentences alone.
	CallAt, ReturnAt time.Duration
	In, In2          int64
	Out, Out2        int64
	Key              string
	Data             string
	Result           string
	// Accesses belongs to OpTransaction.
	Accesses []Access
}

// Access is one read or write within a transaction on several registers.
type Access struct {
	Key   string
	Write bool
	// Value is what was read or is written; None is nothing.
	Value int64
}

// None stands for no value where a field holds one: a register without a
// value, a queue that was found empty, a put that was refused.
const None int64 = math.MinInt64

// OpKind is what an operation does.
type OpKind uint8

// The kinds of operations, with the models that have them and the fields that
// they use. An owner is whatever one hold is told from another by: the client,
// or better one belief of it, since after a loss the same client is another
// owner. Owner 0 for all makes holds anonymous.
const (
	_ OpKind = iota

	// Locks and semaphores. In is the owner.

	OpAcquire      // mutex, reentrant-mutex; semaphore: In2 permits, 0 for one
	OpRelease      // the same; it ends one hold, or In2 permits
	OpAcquireRead  // rw-lock, reentrant-rw-lock
	OpAcquireWrite // the same
	OpReleaseRead  // the same
	OpReleaseWrite // the same
	OpLose         // all of these: every hold of the owner ends

	// Queues. In is the value, In2 its priority (lower is served first).

	OpEnqueue // Out: None if the bounded queue was full
	OpDequeue // Out: the value, None if the queue was empty

	// Registers, counters, stocks, elections.

	OpRead        // Out: the value; the counter; what is left of the stock; the leader of term In2, None for none yet
	OpWrite       // cas-register: In
	OpCAS         // cas-register: from In to In2; Out is 1 if it was swapped, 0 if the value was another
	OpTransaction // multi-register: Accesses, all at one moment
	OpAdd         // counter: In; Out is the sum after it, None if it was not told
	OpBuy         // sale: In pieces; Out is 1 if they were sold, 0 if they were refused
	OpLead        // election: candidate In leads in term In2

	// Znodes. Key is the path and Out2 ZooKeeper's error code, 0 for success.

	OpCreate   // Data; In is the session that owns an ephemeral node, 0 for none; In2 is 1 for a sequential node; Result is the path
	OpDelete   // In is the expected version, -1 for any
	OpSet      // Data; In is the expected version, -1 for any; Out is the version after it
	OpGet      // Result is the data, Out the version
	OpExists   // Out is the version
	OpChildren // Result is the names, sorted and joined by commas; Out is the parent's cversion
	OpClose    // session In ends, and its ephemeral nodes with it

	opKinds
)

// opNames are the kinds as sentences and files write them.
var opNames = [opKinds]string{
	OpAcquire: "acquire", OpRelease: "release", OpLose: "lose",
	OpAcquireRead: "acquire-read", OpAcquireWrite: "acquire-write",
	OpReleaseRead: "release-read", OpReleaseWrite: "release-write",
	OpEnqueue: "enqueue", OpDequeue: "dequeue",
	OpRead: "read", OpWrite: "write", OpCAS: "cas", OpTransaction: "transaction",
	OpAdd: "add", OpBuy: "buy", OpLead: "lead",
	OpCreate: "create", OpDelete: "delete", OpSet: "set", OpGet: "get",
	OpExists: "exists", OpChildren: "children", OpClose: "close",
}

// String is the kind's name in sentences and files.
func (k OpKind) String() string {
	if k == 0 || k >= opKinds {
		return "kind(?)"
	}
	return opNames[k]
}

// readOnly is true for kinds that change nothing: of unknown outcome they
// tell nothing either.
func (k OpKind) readOnly() bool {
	switch k {
	case OpRead, OpGet, OpExists, OpChildren:
		return true
	}
	return false
}

// Outcome is what is known of an operation's effect.
type Outcome uint8

// The outcomes.
const (
	// OutcomeOK: it took effect between Call and Return, with the output that
	// its fields tell. A refusal that tells something (an empty queue, a node
	// that exists) is an output like any other.
	OutcomeOK Outcome = iota
	// OutcomeFailed: it had no effect and tells nothing.
	OutcomeFailed
	// OutcomeUnknown: it takes effect at some time from Call on, or never; its
	// output is not known.
	OutcomeUnknown
)

// end is when the operation is over at the latest.
func (o *Operation) end() int64 {
	if o.Outcome == OutcomeUnknown {
		return math.MaxInt64
	}
	return o.Return
}

// certain is true if the operation took effect with a known output.
func (o *Operation) certain() bool { return o.Outcome == OutcomeOK }
