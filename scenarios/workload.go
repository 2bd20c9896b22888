package scenarios

import (
	"context"
	"time"

	"zoosim/checker"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// The labels of the choices that a workload makes.
const (
	LabelArrival sim.Label = "arrival"
	LabelMode    sim.Label = "mode"
	LabelLimit   sim.Label = "limit"
	LabelHold    sim.Label = "hold"
)

// What a workload draws from; the most benign stand first.
var (
	arrivalTable = sim.Dist{
		0, 0, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond,
		100 * time.Millisecond, time.Second,
	}
	limitTable = sim.Dist{5 * time.Second, 2 * time.Second, 500 * time.Millisecond, 10 * time.Millisecond}
	holdTable  = sim.Dist{
		0, time.Millisecond, 5 * time.Millisecond, 100 * time.Millisecond, time.Second,
		3 * time.Second, 7 * time.Second, 15 * time.Second,
	}
)

// The gates of a program.
const (
	gateAcquire int32 = iota // before an acquire of the standard workload
	gateRelease              // before its release
	gateEnd                  // before the session is closed
)

// acquisition is one acquire of a client's program, drawn before the run.
type acquisition struct {
	mode  checker.Mode
	limit time.Duration
	hold  time.Duration
}

// program is what one client does. It is a value that its processes share
// with nobody; all that a process learns later comes from its calls.
type program struct {
	variant *Variant
	dir     string // of the recipe's object
	client  int
	role    role
	// purpose is what the client acquires for, in families that tell grants
	// apart; permits is how many of how many leases it acquires of a semaphore.
	purpose   string
	permits   int
	leases    int
	downgrade bool // see [Scenario.Downgrade]
	samePut   bool // see [Scenario.SamePut]
	itemBytes int  // see [Scenario.ItemBytes]
	renew     bool // see [Scenario.Renew]
	usage     Usage
	options   zkmodel.ClientOptions
	arrival   time.Duration
	list      []acquisition
	serial    bool
	// attempts is how often an acquire or a release that failed is made.
	attempts int
}

// progress is where a restarted client goes on.
type progress struct {
	next int   // acquisition
	op   int32 // number of its next operation
}

// process is what runs a program: a [simzk.Process], or one that lives on a real
// ZooKeeper.
type process interface {
	Env() zk.Env
	Connect(o zkmodel.ClientOptions) zk.Client
	Record(r simzk.Record)
	Write(token int64) (accepted bool)
	Stock(shop int, token int64) (n int64, ok bool)
	SetStock(shop int, token, n int64) bool
	OnInterrupt(f func())
	AwaitGate(gate int32)
	Keep()
	Checkpoint(k sim.MarkKind, locals uint64)
	Round(locals uint64)
}

// run is the program's main task.
func (g *program) run(p process, from progress) {
	env := p.Env()
	ctx := env.Background()
	w := worker{g: g, p: p, op: from.op}
	w.open()
	if g.arrival > 0 && from.next == 0 {
		_ = env.Sleep(ctx, g.arrival)
	}
	for i := from.next; i < len(g.list); i++ {
		w.round = i
		if g.variant.ClosesClient && i > from.next {
			w.open()
		}
		switch {
		case !g.serial:
		case i == from.next:
			p.AwaitGate(gateAcquire)
		case g.role == roleProducer:
			p.AwaitGate(gateRelease)
		}
		w.actor.perform(ctx, &w, &g.list[i])
		w.record(nextAcquisition, 0, int64(i+1), 0, "")
		if i+1 < len(g.list) {
			w.p.Checkpoint(simzk.CheckpointRound, w.known())
		}
	}
	w.record(checker.Done, 0, 0, 0, "")
	p.AwaitGate(gateEnd)
	if w.client != nil {
		_ = w.client.Close(ctx)
	}
}

// nextAcquisition is a record for the runner alone: where a restart goes on.
const nextAcquisition checker.Kind = 255

// worker is the state of a running program.
type worker struct {
	g      *program
	p      process
	client zk.Client
	actor  actor
	round  int
	op     int32
}

// open opens a handle; the object on it is made within the first operation.
func (w *worker) open() {
	if w.g.variant.Store == zk.StoreNone {
		w.client = w.p.Connect(w.g.options)
	}
	w.actor = w.g.variant.actor()
}

func (w *worker) record(k checker.Kind, op int32, arg, arg2 int64, text string) {
	w.p.Record(simzk.Record{Kind: int32(k), Op: op, Arg: arg, Arg2: arg2, Text: text})
}

// known is what the worker knows of its past, beside what it holds.
func (w *worker) known() uint64 { return uint64(w.round)<<32 | uint64(w.op) }

// acquire makes an acquire, again while it fails, and returns the number of the
// operation that got the lock. attempt calls the recipe once; grant is
// what the grant carries: a token, and a number.
func (w *worker) acquire(a *acquisition, attempt func() (bool, error), grant func() (arg, n int64)) (int32, bool) {
	for n := 0; n < w.g.attempts; n++ {
		op := w.op
		w.op++
		w.p.Round(w.known()<<8 | uint64(n))
		w.record(checker.Invoke, op, int64(a.mode), int64(a.limit), w.g.purpose)
		granted, err := attempt()
		switch {
		case err != nil:
			w.record(checker.Fail, op, 0, 0, err.Error())
		case !granted:
			w.record(checker.Refuse, op, 0, 0, "")
			return op, false
		default:
			arg, count := grant()
			w.record(checker.Grant, op, arg, count, w.g.purpose)
			w.p.Checkpoint(simzk.CheckpointGrant, w.known()^uint64(arg)<<16)
			return op, true
		}
	}
	return 0, false
}

// invoke makes an operation that grants nothing, again while it fails.
func (w *worker) invoke(a *acquisition, do func() error) {
	for range w.g.attempts {
		op := w.op
		w.op++
		w.record(checker.Invoke, op, int64(a.mode), int64(a.limit), w.g.purpose)
		err := do()
		if err == nil {
			w.record(checker.Refuse, op, 0, 0, "")
			return
		}
		w.record(checker.Fail, op, 0, 0, err.Error())
	}
}

// hold is the time between a grant and its release.
func (w *worker) hold(ctx context.Context, a *acquisition) {
	switch {
	case w.g.serial:
		w.p.AwaitGate(gateRelease)
	case a.hold > 0:
		_ = w.p.Env().Sleep(ctx, a.hold)
	}
}

// release makes a release, again while it fails.
func (w *worker) release(op int32, release func() error) {
	for n := 0; n < w.g.attempts; n++ {
		w.record(checker.ReleaseInvoke, op, 0, 0, "")
		err := release()
		w.record(checker.ReleaseReturn, op, 0, 0, errText(err))
		if err == nil {
			return
		}
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
