package sim

// Status is what a process is doing.
type Status uint8

// The states of a process.
const (
	Running Status = iota
	Paused         // stopped; goes on at Resume
	Crashed        // stopped for ever
)

// Proc is a process: the tasks of one client. Its exported methods are for
// the App's process side, the code that runs within tasks, unless they say
// otherwise.
//
// The world side of a process is plain data. Its process side is the code: it
// is there in a world that runs processes, and elsewhere in one that looks
// their behaviour up in a [Memo].
type Proc struct {
	w      *World
	id     ProcID
	name   string
	status Status

	// World side.
	tasks      []task
	latchOpen  []bool
	lockHolder []TaskID // noTask if free
	scopes     []scope
	held       []event
	heldBusy   int
	waits      uint32
	prompt     bool // its tasks run in the order in which they are ready
	pausedAt   Time
	pausedFor  Time // total so far
	clock      Time // untimed: due time of the last timer that fired
	memo       memoState
	version    uint64 // see [World.Touch]
	ahead      ahead

	side side
}

// side is the process side of a process.
type side struct {
	main    func()
	dead    bool // the run is over: every call ends its task
	shadow  bool // queries go to whoever feeds the process
	current TaskID
	outs    []output
	funcs   []func() // of spawned tasks
	latches int32    // made so far
	locks   int32
	scopes  int32
	tasks   []sideTask // by task
}

// sideTask is the code of a task.
type sideTask struct {
	co   *coro
	want want // what it asks for as it parks
	over bool
	// With what it is resumed.
	cause Cause
	value int64
	panic any // what it ended with
	fail  bool
}

// Spawn starts a process whose first task runs f. f may be nil in a world
// with a memo.
func (w *World) Spawn(name string, f func()) *Proc {
	if w.nprocs == len(w.procs) {
		w.procs = append(w.procs, &Proc{w: w})
	}
	p := w.procs[w.nprocs]
	p.reset(ProcID(w.nprocs), name)
	p.side.main = f
	w.nprocs++
	w.startTask(p, start{kind: startMain})
	return p
}

// SetPrompt has the tasks of a process, from now on, run in the order in which
// they become ready, and in timed mode without the delay that is drawn else. In
// untimed mode the main task may run before and between the others.
func (p *Proc) SetPrompt(on bool) { p.prompt = on }

func (p *Proc) reset(id ProcID, name string) {
	p.id, p.name, p.status = id, name, Running
	p.tasks = p.tasks[:0]
	p.latchOpen = p.latchOpen[:0]
	p.lockHolder = p.lockHolder[:0]
	p.scopes = append(p.scopes[:0], scope{parent: noScope}) // the root scope
	p.held, p.heldBusy = p.held[:0], 0
	p.waits, p.prompt = 0, false
	p.pausedAt, p.pausedFor, p.clock = 0, 0, 0
	p.memo, p.version, p.ahead = memoState{}, 0, ahead{}
	d := &p.side
	d.dead, d.shadow = false, false
	d.current = noTask
	d.outs, d.funcs, d.tasks = d.outs[:0], d.funcs[:0], d.tasks[:0]
	d.latches, d.locks, d.scopes = 0, 0, 1
}

// ID is the number of the process.
func (p *Proc) ID() ProcID { return p.id }

// Name is the name given to Spawn.
func (p *Proc) Name() string { return p.name }

// Status is what the process is doing. It is world side.
func (p *Proc) Status() Status { return p.status }

// Crash stops p for ever. Nothing unwinds before [World.Seal].
func (w *World) Crash(p *Proc) {
	w.dropHeld(p)
	p.status = Crashed
}

// Pause stops p until [World.Resume]; what arrives meanwhile is held.
func (w *World) Pause(p *Proc) {
	if p.status == Running {
		p.status = Paused
		p.pausedAt = w.now
	}
}

// Resume lets a paused process go on. What is due and what has arrived race:
// each timer that came due meanwhile is carried out in its order or a little
// later, by choice; messages keep their order.
func (w *World) Resume(p *Proc) {
	if p.status != Paused {
		return
	}
	p.status = Running
	p.pausedFor += w.now - p.pausedAt
	held := p.held
	w.dropHeld(p)
	for _, e := range held {
		e.at = w.now
		if e.kind == evScope || e.kind == evApp || e.kind == evSleep {
			e.at += Time(w.Choose(LabelResume, 2)) * resumeDelay
		}
		w.push(e)
	}
}

// resumeDelay is by how much what has arrived can come before what is due.
const resumeDelay = 2_000_000 // 2 ms

// dropHeld forgets what p held. The slice's contents stay readable until the
// next event is held.
func (w *World) dropHeld(p *Proc) {
	w.pending -= p.heldBusy
	p.held, p.heldBusy = p.held[:0], 0
}

// PausedFor is how long p has been paused so far. It is world side.
func (p *Proc) PausedFor() Time {
	if p.status == Paused {
		return p.pausedFor + p.w.now - p.pausedAt
	}
	return p.pausedFor
}

// Held counts what a paused process has missed so far, keep-alive excepted.
// It is world side.
func (w *World) Held(p *Proc) int { return p.heldBusy }

// NumTasks counts the tasks of p so far. It is world side.
func (p *Proc) NumTasks() int { return len(p.tasks) }
