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
type Proc struct {
	w      *World
	id     ProcID
	name   string
	status Status
	dead   bool // the run is over, or the process crashed: calls end the task

	// Process side.
	current TaskID
	outs    []output
	funcs   []func() // of spawned tasks, by TaskID
	latches int32    // made so far
	locks   int32
	scopeN  int32

	// World side.
	tasks      []task
	latchOpen  []bool
	lockHolder []TaskID // noTask if free
	scopes     []scope
	held       []event
	heldBusy   int
	waits      uint32
	pausedAt   Time
	pausedFor  Time // total so far
}

// Spawn starts a process whose first task runs f.
func (w *World) Spawn(name string, f func()) *Proc {
	if w.nprocs == len(w.procs) {
		w.procs = append(w.procs, &Proc{w: w})
	}
	p := w.procs[w.nprocs]
	p.reset(ProcID(w.nprocs), name)
	w.nprocs++
	p.funcs = append(p.funcs, f)
	w.startTask(p, 0)
	return p
}

func (p *Proc) reset(id ProcID, name string) {
	p.id, p.name = id, name
	p.status, p.dead = Running, false
	p.current = noTask
	p.outs, p.funcs = p.outs[:0], p.funcs[:0]
	p.latches, p.locks = 0, 0
	p.scopeN = 1
	p.tasks = p.tasks[:0]
	p.latchOpen = p.latchOpen[:0]
	p.lockHolder = p.lockHolder[:0]
	p.scopes = append(p.scopes[:0], scope{parent: -1}) // the root scope
	p.held, p.heldBusy = p.held[:0], 0
	p.waits = 0
	p.pausedAt, p.pausedFor = 0, 0
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
