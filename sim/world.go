package sim

import "time"

// ProcID numbers the processes of a run in order of creation; NoProc owns
// what belongs to no process (servers).
type ProcID int32

// NoProc is no process.
const NoProc ProcID = -1

// App is what a [World] drives besides its kernel. All calls come from within
// [World.Step], on one goroutine.
type App interface {
	// Deliver hands over the head of one direction of a link. The App keeps
	// the messages; the kernel says when and whether.
	Deliver(l LinkID, d Dir)
	// Timer fires a timer set with [World.After].
	Timer(owner ProcID, a, b int32)
	// Output applies one output that a process noted with [Proc.Emit].
	Output(p *Proc, t TaskID, out int32)
	// Await starts what a task waits for with [Proc.Await]; the App ends it
	// with [World.Complete].
	Await(p *Proc, t TaskID, out int32)
	// Query answers a question of a process ([Proc.Query]).
	Query(p *Proc, kind, arg int32) int64
	// Segment is told that code of p is about to run: what it left behind so
	// far has been applied.
	Segment(p *Proc)
	// Start returns what task t, started with [World.StartTask], runs.
	Start(p *Proc, t TaskID, arg int32) func()
	// Interrupted is told that an interrupt has ended a wait of a task.
	Interrupted(p *Proc, t TaskID)
	// Panicked is told that a task of p ended with a panic.
	Panicked(p *Proc, t TaskID, v any)
}

// Options are the settings of a [World].
type Options struct {
	// Latency of a message; default 0.2 ms plus an exponential part of mean
	// 0.5 ms, in 256 values.
	Latency Dist
	// Wake is how long a ready task waits for its processor; default mostly
	// 0, at times up to 5 ms.
	Wake Dist
	_    struct{}
}

func (o *Options) setDefaults() {
	if o.Latency == nil {
		o.Latency = Exponential(200*time.Microsecond, 500*time.Microsecond, 256)
	}
	if o.Wake == nil {
		o.Wake = Mostly(32, 50*time.Microsecond, 200*time.Microsecond, 500*time.Microsecond,
			time.Millisecond, 2*time.Millisecond, 5*time.Millisecond)
	}
}

// World is one simulated world. It is used for one run after another:
// [World.Begin], [World.Step] until it returns false or the caller has seen
// enough, [World.Seal]. It is not for concurrent use; parallel searches have
// one World a worker.
type World struct {
	app      App
	o        Options
	strategy Strategy
	untimed  bool
	memo     *Memo
	// Without a memo: see LearnHistories.
	learned   learned
	surprised bool

	now     Time
	seq     uint64
	steps   int
	resumes int // timers that resumed a task
	pending int // events that are not idle, and ready tasks
	moving  int // of these, messages under way and ready tasks
	queue   queue
	ready   []event // evRun due now, in FIFO order
	readyAt int

	procs    []*Proc
	nprocs   int
	versions *Versions // of processes; nil numbers none
	links    []link
	freeLn   []LinkID

	trace  trace
	pool   pool
	parked []*coro // scratch of Seal
	sealed bool
}

// NewWorld returns a world for the given App.
func NewWorld(app App, o Options) *World {
	o.setDefaults()
	return &World{app: app, o: o, sealed: true}
}

// Begin starts a run whose choices come from s; nil takes the first
// alternative always. The world keeps its memory.
func (w *World) Begin(s Strategy) {
	if !w.sealed {
		w.Seal()
	}
	w.sealed = false
	w.strategy = s
	w.now, w.seq, w.steps, w.resumes, w.pending, w.moving = 0, 0, 0, 0, 0, 0
	w.queue.h = w.queue.h[:0]
	w.ready, w.readyAt = w.ready[:0], 0
	w.nprocs = 0
	w.links, w.freeLn = w.links[:0], w.freeLn[:0]
	w.trace.hash.Reset()
	w.trace.entries = nil
	if s != nil {
		s.Begin()
	}
}

// Record sets whether runs that begin from now on keep the text of their
// trace.
func (w *World) Record(on bool) { w.trace.record = on }

// Seal ends the run: the tasks that are left are unwound, and the strategy is
// told. Nothing in the world changes any more.
func (w *World) Seal() {
	if w.sealed {
		return
	}
	w.sealed = true
	w.parked = w.parked[:0]
	for _, p := range w.procs[:w.nprocs] {
		p.kill(&w.parked)
	}
	if len(w.parked) > 0 {
		unwind(w.parked)
	}
	if w.strategy != nil {
		w.strategy.End(w.TraceHash())
	}
}

// kill ends the process side for good and collects the coroutines to unwind.
func (p *Proc) kill(parked *[]*coro) {
	p.side.dead = true
	for i := range p.side.tasks {
		if c := p.side.tasks[i].co; c != nil {
			*parked = append(*parked, c)
			p.side.tasks[i].co = nil
		}
	}
}

// Close seals the run and ends the pooled coroutines.
func (w *World) Close() {
	w.Seal()
	w.pool.close()
}

// Now is the virtual time.
func (w *World) Now() Time { return w.now }

// Steps counts the transitions so far.
func (w *World) Steps() int { return w.steps }

// Resumes counts the timers that have resumed a task so far.
func (w *World) Resumes() int { return w.resumes }

// Choose makes a choice among n >= 1 alternatives; in untimed mode it is the
// first.
func (w *World) Choose(label Label, n int) int {
	if n <= 1 || w.untimed || w.strategy == nil {
		return 0
	}
	return w.strategy.Choose(label, n)
}

// ChooseMove picks one of the n >= 1 transitions that are enabled in untimed
// mode, where it is the only kind of choice.
func (w *World) ChooseMove(n int) int {
	if n <= 1 || w.strategy == nil {
		return 0
	}
	return w.strategy.Choose(LabelMove, n)
}

// Draw makes a choice and returns the value of d it stands for.
// In untimed mode it is the first.
func (w *World) Draw(label Label, d Dist) Time {
	if w.untimed {
		return d[0]
	}
	return d[w.Choose(label, len(d))]
}

// Quiet reports whether nothing but keep-alive can happen: no task is ready,
// no message is under way and no timer armed but those marked idle.
func (w *World) Quiet() bool { return w.pending == 0 }

// Still reports whether no task is ready and no message under way, keep-alive
// excepted; timers may be armed.
func (w *World) Still() bool { return w.moving == 0 }

func (w *World) push(e event) {
	w.seq++
	e.seq = w.seq
	if !e.idle {
		w.pending++
		if e.kind <= evDeliver {
			w.moving++
		}
	}
	w.queue.push(e)
}

// After calls App.Timer(owner, a, b) after d. A timer of a process is held
// while the process is paused and dropped when it crashes. Timers cannot be
// cancelled: the App must know whether it still means one. idle marks
// keep-alive.
func (w *World) After(d Time, owner ProcID, a, b int32, idle bool) {
	w.push(event{at: w.now + max(d, 0), kind: evApp, proc: owner, a: a, b: b, idle: idle})
}

// NextAt is the time of the next transition; false if there is none.
func (w *World) NextAt() (Time, bool) {
	if w.readyAt < len(w.ready) {
		return w.now, true
	}
	if len(w.queue.h) > 0 {
		return w.queue.h[0].at, true
	}
	return 0, false
}

// Step selects the next transition and carries it out; false if there is
// none.
func (w *World) Step() bool {
	var e event
	switch {
	case w.readyAt < len(w.ready):
		e = w.ready[w.readyAt]
		w.readyAt++
		if w.readyAt == len(w.ready) {
			w.ready, w.readyAt = w.ready[:0], 0
		}
	case len(w.queue.h) > 0:
		e = w.queue.pop()
	default:
		return false
	}
	w.uncount(&e)
	w.now = e.at
	w.carryOut(&e)
	return true
}

// uncount takes an event that leaves the queue out of the counts.
func (w *World) uncount(e *event) {
	if !e.idle && !w.void(e) {
		w.pending--
		if e.kind <= evDeliver {
			w.moving--
		}
	}
}

// void reports whether e is a timer that was disarmed; pending does not count
// it any more.
func (w *World) void(e *event) bool {
	switch e.kind {
	case evScope:
		return w.procs[e.proc].scopes[e.a].over
	case evSleep:
		t := &w.procs[e.proc].tasks[e.a]
		return t.gen != e.gen
	}
	return false
}

// carryOut performs one event, whoever selected it.
func (w *World) carryOut(e *event) {
	var p *Proc
	if e.proc >= 0 {
		p = w.procs[e.proc]
		if p.status == Crashed || w.void(e) {
			return
		}
		if p.status == Paused {
			p.held = append(p.held, *e)
			if !e.idle {
				p.heldBusy++
				w.pending++
			}
			return
		}
	}
	switch e.kind {
	case evDeliver:
		l := &w.links[e.a]
		if l.gen != e.gen {
			return
		}
		if l.blocked {
			l.held[e.b]++
			w.pending++ // it goes on when the link heals
			return
		}
		w.step(e)
		w.app.Deliver(LinkID(e.a), Dir(e.b))
	case evRun:
		t := &p.tasks[e.a]
		if t.state != taskReady || t.gen != e.gen {
			return
		}
		w.step(e)
		w.run(p, TaskID(e.a))
	case evScope:
		w.step(e)
		w.endScope(p, ScopeID(e.a), CauseTimeout)
	case evSleep:
		w.step(e)
		w.resumes++
		w.wake(p, TaskID(e.a), CauseOK)
	case evApp:
		w.app.Timer(e.proc, e.a, e.b)
	}
}

// step counts and notes a transition.
func (w *World) step(e *event) {
	w.steps++
	w.Note(uint64(e.at)<<8 ^ uint64(e.kind)<<4 ^ uint64(e.proc+1)<<40 ^ uint64(e.a)<<20 ^ uint64(e.b))
}
