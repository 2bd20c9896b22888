package checker

import "time"

// defaultDeadlineSlack is a round trip or two of the simulated network.
const defaultDeadlineSlack = 50 * time.Millisecond

// LockConfig says what a lock promises and so what [Lock] judges.
type LockConfig struct {
	// Clients is the number of clients; more are made room for when their
	// events come.
	Clients int
	// FIFO is true if the variant promises that grants follow the order of
	// the tickets; else fifo is n/a.
	FIFO bool
	// MaxFanOut is the most notifications that the end of one ticket may
	// cause; 0 makes fan-out n/a.
	MaxFanOut int
	// Tokens is true if grants carry fencing tokens; else fenced is n/a.
	Tokens bool
	// StopsAtDisconnect is true if a holder stops believing when its
	// connection breaks (Down) rather than when its session is over (Lost).
	StopsAtDisconnect bool
	// Reentrant is true if a holder may acquire again.
	Reentrant bool
	// Shared is true for what several clients may be granted at once, or what
	// is no lock at all: exclusion, fenced, linearizable and fifo are not
	// judged.
	Shared bool
	// Outlives is true for grants that are not lost with the client's session:
	// the membership in a group, which is the recipe's to restore.
	Outlives bool
	// Object and Operation are what sentences call the object and an acquire;
	// default "the lock" and "acquire".
	Object, Operation string
	// DeadlineSlack is how much longer than its limit a timed operation may
	// wait: 0 means 50 ms, a negative value none.
	DeadlineSlack time.Duration
	// WaiterBound is how long one acquire may wait behind its invocation or,
	// if that was later, behind the last disturbance: a fault, the end of a
	// pause, a restart, a connection that broke or came back. It is for locks
	// that promise an order; 0 leaves each waiter the whole run.
	WaiterBound time.Duration
	// Tickets is how many tickets a client may have for one acquire, the newest
	// ones; 0 means one.
	Tickets int
	// Leases is true for a lock without tickets, whose holds end by themselves:
	// leak is n/a.
	Leases bool
	// Core is the number of clients, the first ones, that must make progress;
	// the others may be stopped for ever. 0 means all.
	Core int
	_    struct{}
}

// The properties as indices, in the order of [LockProperties].
const (
	exclusionIndex = iota
	fencedIndex
	linearizableIndex
	fifoIndex
	progressIndex
	deadlineIndex
	leakIndex
	spuriousIndex
	fanOutIndex
	lockPropertyCount
)

// lockProperty is LockProperties()[i] without the slice.
func lockProperty(i int) Property {
	return [lockPropertyCount]Property{
		Exclusion, Fenced, Linearizable, FIFO, Progress, Deadline, Leak, SpuriousError, FanOut,
	}[i]
}

// Lock is the monitors of a mutual-exclusion lock. It looks at each event
// once, in order, and keeps only what later verdicts need, so that a run is
// judged while it runs and a search can keep it in its states. A client is
// taken to run one operation at a time.
//
// The zero value is ready after Reset. A Lock that is used again allocates
// nothing as long as every property holds.
type Lock struct {
	cfg     LockConfig
	clients []lockClient
	queue   ticketQueue
	holds   holdList
	fence   fence
	// leftWatches counts the tickets that ended before their release and the
	// sessions that the server holds though their clients have left them: each
	// may have left a watch behind.
	leftWatches int32
	timed       bool          // a timed or non-blocking acquire was invoked
	disturbed   time.Duration // the last disturbance
	end         Kind          // Quiescent, Horizon, CutOff, or 0 before the end
	endAt       time.Duration
	failed      uint32    // bit i: property i
	fails       []failure // the first failure of each property in failed
	results     []Result
}

// failure is what is known when a property fails, so that the sentence is
// only written when somebody reads it.
type failure struct {
	property int
	reason   reason
	client   int32
	other    int32
	op       int32
	mode     Mode
	at       time.Duration
	since    time.Duration
	limit    time.Duration
	a, b     int64
	text     string
	cfg      *LockConfig
}

// reason tells apart the ways in which one property fails.
type reason uint8

// Reset forgets everything and judges by cfg from now on.
func (l *Lock) Reset(cfg LockConfig) {
	if cfg.Object == "" {
		cfg.Object, cfg.Operation = "the lock", "acquire"
	}
	if cfg.DeadlineSlack == 0 {
		cfg.DeadlineSlack = defaultDeadlineSlack
	}
	l.cfg = cfg
	l.clients = l.clients[:0]
	l.growTo(cfg.Clients)
	l.queue.reset()
	l.holds = l.holds[:0]
	l.fence = fence{}
	l.leftWatches = 0
	l.timed = false
	l.disturbed = 0
	l.end, l.endAt = 0, 0
	l.failed = 0
	clear(l.fails)
	l.fails = l.fails[:0]
}

// growTo makes room for n clients.
func (l *Lock) growTo(n int) {
	for len(l.clients) < n {
		l.clients = append(l.clients, lockClient{lastOp: -1, endedOp: -1, upOp: -1})
	}
}

// Failed is true as soon as some property has failed. That linearizable has
// is known here by the witness alone; Finish asks again.
func (l *Lock) Failed() bool { return l.failed != 0 }

// FailedBits has bit i set when property i of [LockProperties] has failed.
func (l *Lock) FailedBits() uint32 { return l.failed }

// fail notes the first failure of a property.
func (l *Lock) fail(f failure) {
	if l.failed&(1<<f.property) != 0 {
		return
	}
	l.failed |= 1 << f.property
	f.cfg = &l.cfg
	l.fails = append(l.fails, f)
}

// Observe judges the next event.
func (l *Lock) Observe(e *Event) {
	switch e.Kind {
	case Request, Notify, Listing:
		return
	case Quiescent, Horizon, CutOff:
		l.ended(e)
		return
	}
	if uint(e.Client) >= uint(len(l.clients)) {
		if e.Client < 0 {
			l.serverEvent(e)
			return
		}
		l.growTo(int(e.Client) + 1)
	}
	c := &l.clients[e.Client]
	switch e.Kind {
	case Invoke:
		l.timed = l.timed || e.Mode != Blocking
		c.begin(acquiring, e)
	case Grant:
		l.deadline(c, e)
		l.served(c, e)
		l.grant(c, e)
		c.running = idle
	case Refuse:
		l.deadline(c, e)
		c.running = idle
	case Fail:
		l.deadline(c, e)
		l.spurious(c, e)
		c.running = idle
	case ReleaseInvoke:
		l.holds.release(e.Client, e.Op)
		c.begin(releasing, e)
		if l.cfg.MaxFanOut > 0 {
			l.queue.free(e.Client)
		}
	case ReleaseReturn:
		if e.Text != "" {
			l.spurious(c, e)
		}
		c.running = idle
	case TicketCreate:
		l.queue.add(ticket{zxid: e.Arg, at: e.At, client: e.Client})
		c.tickets.added(e.Arg)
	case TicketDelete:
		l.fanOut(e)
		t, ok := l.queue.remove(e.Arg, e.Client)
		if !t.freed {
			l.leftWatches++
		}
		if ok {
			c.tickets.removed(&l.queue, t)
		}
	case WriteAccepted, WriteRefused:
		l.write(e)
	default:
		l.lifeEvent(c, e)
	}
}

// grant judges a grant by exclusion and the witness, fenced and fifo. The
// last two do not speak about re-entrant grants.
func (l *Lock) grant(c *lockClient, e *Event) {
	if again := l.cfg.Shared || l.exclusion(e); !again {
		if l.cfg.Tokens {
			l.token(e)
		}
		if l.cfg.FIFO {
			l.order(c, e)
		}
	}
	l.holds.grant(e)
}

// lifeEvent handles what happens to a client and its session.
func (l *Lock) lifeEvent(c *lockClient, e *Event) {
	l.disturb(c, e)
	switch e.Kind {
	case Lost:
		c.lost()
		if !l.cfg.Outlives {
			l.holds.lose(e.Client)
		}
	case Deposed:
		l.holds.lose(e.Client)
	case Panic:
		l.panicked(e)
		c.running = idle
	case Done:
		c.flags |= isDone
		c.running = idle
	case Crash:
		c.flags |= isCrashed
		c.running = idle
		l.holds.lose(e.Client)
	case Restart:
		l.holds.lose(e.Client)
		l.queue.abandon(e.Client)
		c.restart()
	case Pause:
		c.flags |= isPaused | isTouched
	case Resume:
		c.flags &^= isPaused
	case Fault:
		c.flags |= isTouched
	case Down:
		c.flags |= isDown | isTouched
		if l.cfg.StopsAtDisconnect {
			l.holds.lose(e.Client)
		}
	case Up:
		if c.up(e.Arg) {
			l.leftWatches++
		}
	case SessionEnd:
		if c.sessionEnd(e.Arg) {
			l.leftWatches-- // they go with it
		}
	}
}

// serverEvent handles an event without a client: a fault of the service
// touches every operation that runs.
func (l *Lock) serverEvent(e *Event) {
	if e.Kind != Fault {
		return
	}
	l.disturbed = e.At
	for i := range l.clients {
		l.clients[i].flags |= isTouched
	}
}

// ended judges the properties that speak about the end of a run.
func (l *Lock) ended(e *Event) {
	l.end, l.endAt = e.Kind, e.At
	if e.Kind == CutOff {
		return
	}
	l.progress()
	l.leak()
}
