package sim

// Untimed mode: any enabled transition may be next. Latencies and delays are
// gone; each process has a clock of its own that shows the due time of its
// last timer, and its timers fire in the order in which they are due, at any
// moment. A search selects with [World.Moves] and [World.Do]; [World.Step] is
// for timed mode.

// SetUntimed switches runs that begin from now on to untimed mode, or back.
func (w *World) SetUntimed(on bool) { w.untimed = on }

// MoveKind is the kind of an enabled transition of the kernel.
type MoveKind uint8

// The kinds of moves.
const (
	MoveRun     MoveKind = iota // a ready task of a process runs
	MoveDeliver                 // the head of one direction of a link arrives
	MoveTimer                   // the next timer of a process fires
	MoveApp                     // a timer of the App fires
)

// Move is an enabled transition. It is valid until the world changes.
type Move struct {
	Kind  MoveKind
	Proc  ProcID // whose code or timer it is; NoProc for arrivals outside
	A, B  int32  // task; link and direction; scope or task; the App's a and b
	index int32
}

// Moves appends the enabled transitions to dst.
func (w *World) Moves(dst []Move) []Move {
	h := w.queue.h
	for i := range h {
		e := &h[i]
		if e.kind == evDeliver && w.links[e.a].blocked ||
			e.proc >= 0 && w.procs[e.proc].status != Running || w.behind(e) {
			continue
		}
		dst = append(dst, Move{moveKinds[e.kind], e.proc, e.a, e.b, int32(i)})
	}
	return dst
}

// moveKinds are the kinds of moves that events are.
var moveKinds = [...]MoveKind{evRun: MoveRun, evDeliver: MoveDeliver, evScope: MoveTimer, evSleep: MoveTimer, evApp: MoveApp}

// behind reports whether something has to happen before e: an earlier message
// of the same direction, an earlier timer of the same process, or a task of a
// prompt process that became ready earlier. The main task of such a process is
// another thread than the one that runs the rest: it may come at any moment.
func (w *World) behind(e *event) bool {
	switch e.kind {
	case evDeliver:
		for i := range w.queue.h {
			f := &w.queue.h[i]
			if f.kind == evDeliver && f.a == e.a && f.b == e.b && f.seq < e.seq {
				return true
			}
		}
	case evScope, evSleep:
		for i := range w.queue.h {
			f := &w.queue.h[i]
			if (f.kind == evScope || f.kind == evSleep) && f.proc == e.proc && f.before(e) {
				return true
			}
		}
	case evRun:
		if !w.procs[e.proc].inTurn(e) {
			return false
		}
		for i := range w.queue.h {
			if f := &w.queue.h[i]; f.proc == e.proc && f.seq < e.seq && w.procs[e.proc].inTurn(f) {
				return true
			}
		}
	}
	return false
}

// inTurn reports whether e is about a task that runs in the order in which such
// tasks become ready.
func (p *Proc) inTurn(e *event) bool { return p.prompt && e.kind == evRun && e.a != mainTask }

// mainTask is the first task of a process.
const mainTask = 0

// Can reports whether m is, as far as can be seen, a move of this world.
func (w *World) Can(m Move) bool {
	if int(m.index) >= len(w.queue.h) {
		return false
	}
	e := &w.queue.h[m.index]
	return e.proc == m.Proc && e.a == m.A && e.b == m.B
}

// Do carries out a move.
func (w *World) Do(m Move) {
	h := w.queue.h
	e := h[m.index]
	last := len(h) - 1
	h[m.index] = h[last]
	w.queue.h = h[:last]
	w.uncount(&e)
	if e.kind == evScope || e.kind == evSleep {
		p := w.procs[e.proc]
		p.clock = max(p.clock, e.at)
	}
	w.carryOut(&e)
	w.Purge()
}

// Purge drops events that mean nothing any more, so that they do not tell
// states apart. [World.Do] does; who carries out something else has to.
func (w *World) Purge() {
	h := w.queue.h
	n := 0
	for i := range h {
		e := &h[i]
		switch {
		case e.proc >= 0 && w.procs[e.proc].status == Crashed,
			e.kind == evDeliver && w.links[e.a].gen != e.gen,
			e.kind == evRun && !w.meant(e):
			w.uncount(e)
			continue
		case w.void(e):
			continue // not counted any more
		}
		if n < i {
			h[n] = *e
		}
		n++
	}
	w.queue.h = h[:n]
}

// meant reports whether the task that e resumes still waits for that.
func (w *World) meant(e *event) bool {
	t := &w.procs[e.proc].tasks[e.a]
	return t.state == taskReady && t.gen == e.gen
}

// Sleeper is the task of a process that can do nothing but end its sleep: no
// other task is alive, and no time limit runs.
func (w *World) Sleeper(p *Proc) (TaskID, bool) {
	found := TaskID(noTask)
	for i := range p.tasks {
		switch tk := &p.tasks[i]; {
		case tk.state == taskOver:
		case found != noTask, tk.state != taskWaiting, tk.wait != waitSleep, !tk.asleep:
			return 0, false
		default:
			found = TaskID(i)
		}
	}
	for i := range w.queue.h {
		if e := &w.queue.h[i]; e.kind == evScope && e.proc == p.id {
			return 0, false
		}
	}
	return found, found != noTask
}

// CopyInto makes dst, a world for an App of the same kind, a copy of w. The
// code of processes is not copied: both must have memos.
func (w *World) CopyInto(dst *World) {
	dst.untimed, dst.sealed = w.untimed, true
	dst.now, dst.seq, dst.steps, dst.resumes = w.now, w.seq, w.steps, w.resumes
	dst.pending, dst.moving = w.pending, w.moving
	dst.queue.h = append(dst.queue.h[:0], w.queue.h...)
	dst.ready, dst.readyAt = dst.ready[:0], 0
	dst.links = append(dst.links[:0], w.links...)
	dst.freeLn = append(dst.freeLn[:0], w.freeLn...)
	for len(dst.procs) < w.nprocs {
		dst.procs = append(dst.procs, &Proc{w: dst})
	}
	dst.nprocs = w.nprocs
	for i, p := range w.procs[:w.nprocs] {
		if q := dst.procs[i]; !p.Equals(q) {
			p.copyInto(q)
		}
	}
}

func (p *Proc) copyInto(dst *Proc) {
	dst.id, dst.name, dst.status, dst.prompt = p.id, p.name, p.status, p.prompt
	dst.tasks = append(dst.tasks[:0], p.tasks...)
	dst.latchOpen = append(dst.latchOpen[:0], p.latchOpen...)
	dst.lockHolder = append(dst.lockHolder[:0], p.lockHolder...)
	dst.scopes = append(dst.scopes[:0], p.scopes...)
	dst.held, dst.heldBusy = append(dst.held[:0], p.held...), p.heldBusy
	dst.waits = p.waits
	dst.pausedAt, dst.pausedFor, dst.clock = p.pausedAt, p.pausedFor, p.clock
	dst.memo, dst.version, dst.ahead = p.memo, p.version, p.ahead
}

// Proc returns the i-th process of the run.
func (w *World) Proc(i ProcID) *Proc { return w.procs[i] }

// NumProcs counts the processes of the run.
func (w *World) NumProcs() int { return w.nprocs }

// History says what of a process's history belongs to a state.
type History uint8

// The ways of writing a history.
const (
	FullHistory   History = iota
	MaskedHistory         // whoever the process is
	NoHistory             // nothing that the process still does depends on it
)

// HashProc writes what the kernel knows of a process. Messages and the App's
// timers are the App's to write.
func (w *World) HashProc(h *Hash, p *Proc, history History) {
	h.Uint64(uint64(p.status))
	if p.status == Crashed {
		return
	}
	switch history {
	case FullHistory:
		h.Uint64(p.memo.hash)
	case MaskedHistory:
		h.Uint64(p.memo.masked)
	}
	if history != NoHistory {
		h.Uint64(uint64(p.clock - p.memo.clock))
	}
	for i := range p.tasks {
		t := &p.tasks[i]
		if t.state == taskOver {
			h.Uint64(uint64(taskOver))
			continue
		}
		bits := uint64(t.state) | uint64(t.wait)<<8 | uint64(t.cause)<<16 | uint64(t.start.kind)<<24
		if t.interrupted {
			bits |= 1 << 32
		}
		h.Uint64(bits)
		target, arg := uint64(uint32(t.target)), uint64(uint32(t.start.arg))
		switch t.wait {
		case waitNone:
			target = 0 // what it has waited for does not matter any more
		case waitLatch:
			target = p.memo.latch(t.target)
		}
		if t.start.kind == startSpawned {
			arg = p.memo.spawned(t.start.arg)
		}
		h.Uint64(target<<32 | p.memo.scope(t.scope))
		h.Uint64(uint64(t.value)<<20 ^ arg)
	}
	for i, open := range p.latchOpen {
		if n := p.memo.latch(int32(i)); open && n != dead {
			h.Uint64(n + 1)
		}
	}
	for i, holder := range p.lockHolder {
		if holder != noTask {
			h.Uint64(uint64(i)<<32 | uint64(holder) | 1<<62)
		}
	}
	for i := range p.scopes {
		if n := p.memo.scope(ScopeID(i)); p.scopes[i].over && n != dead {
			h.Uint64(n<<8 | uint64(p.scopes[i].cause) | 1<<61)
		}
	}
	if p.prompt {
		w.hashTurns(h, p)
	}
	w.hashTimers(h, p)
}

// hashTurns writes the ready tasks of a prompt process in their order.
func (w *World) hashTurns(h *Hash, p *Proc) {
	for last := uint64(0); ; {
		var next *event
		for i := range w.queue.h {
			e := &w.queue.h[i]
			if e.proc == p.id && p.inTurn(e) && e.seq > last && (next == nil || e.seq < next.seq) {
				next = e
			}
		}
		if next == nil {
			return
		}
		h.Uint64(uint64(uint32(next.a)) | 1<<60)
		last = next.seq
	}
}

// hashTimers writes the timers of a process in the order in which they fire,
// with their due times from now.
func (w *World) hashTimers(h *Hash, p *Proc) {
	var last event
	for first := true; ; first = false {
		var next *event
		for i := range w.queue.h {
			e := &w.queue.h[i]
			if e.proc == p.id && (e.kind == evScope || e.kind == evSleep) &&
				(first || last.before(e)) && (next == nil || e.before(next)) {
				next = e
			}
		}
		if next == nil {
			return
		}
		a := uint64(uint32(next.a))
		if next.kind == evScope {
			a = p.memo.scope(ScopeID(next.a))
		}
		h.Uint64(uint64(next.kind)<<32 | a)
		h.Uint64(uint64(next.at - p.clock))
		last = *next
	}
}

// Ready counts the ready tasks of p. It is world side.
func (p *Proc) Ready() int {
	n := 0
	for i := range p.tasks {
		if p.tasks[i].state == taskReady {
			n++
		}
	}
	return n
}

// Told reports whether task t, which is ready, is about to be told something
// of the App's: a reply, or what a callback is about. It is world side.
func (p *Proc) Told(t TaskID) bool {
	tk := &p.tasks[t]
	return tk.state == taskReady && (tk.start.kind == startApp || tk.from == waitApp && tk.cause == CauseOK)
}

// Untimed reports whether the world is in untimed mode.
func (w *World) Untimed() bool { return w.untimed }

// HashAppTimers writes the App's timers of a process, or of [NoProc], whatever
// their order: of each the word that stands for it, if it is to be written.
func (w *World) HashAppTimers(h *Hash, owner ProcID, word func(a, b int32) (uint64, bool)) {
	var sum uint64
	for i := range w.queue.h {
		if e := &w.queue.h[i]; e.kind == evApp && e.proc == owner {
			if v, ok := word(e.a, e.b); ok {
				var x Hash
				x.Uint64(v)
				sum += x.Sum()
			}
		}
	}
	h.Uint64(sum)
}
