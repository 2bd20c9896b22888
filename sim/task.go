package sim

import "runtime"

// TaskID numbers the tasks of a process in order of their start; 0 is the
// first.
type TaskID int32

const noTask TaskID = -1

type taskState uint8

const (
	taskNew taskState = iota
	taskReady
	taskRunning
	taskWaiting
	taskOver
)

type waitKind uint8

const (
	waitNone waitKind = iota
	waitLatch
	waitLock
	waitCond // for a notification; the lock is given up
	waitSleep
	waitDraw
	waitApp   // for World.Complete
	waitQuery // for the answer to a question (shadow processes)
)

// Cause says why a wait ended. The first cause wins.
type Cause uint8

// The causes.
const (
	CauseOK          Cause = iota // opened, notified, slept, answered
	CauseTimeout                  // the scope's deadline
	CauseCanceled                 // the scope was cancelled
	CauseInterrupted              // the task was interrupted
)

// startKind says what a new task runs.
type startKind uint8

const (
	startNone    startKind = iota // it runs already
	startMain                     // the process's program
	startSpawned                  // what the process gave to Go; arg is its number
	startApp                      // what App.Start returns for arg
)

type start struct {
	kind startKind
	arg  int32
}

// task is a task as the world sees it.
type task struct {
	state        taskState
	wait         waitKind
	cause        Cause // with which it is or will be resumed
	interrupted  bool  // the flag of an interrupt that found no wait
	canInterrupt bool
	counts       bool     // the wait counts as waiting (latch, condition)
	asleep       bool     // a timer of the sleep is queued
	start        start    // what it runs when it is resumed for the first time
	from         waitKind // the wait that it is resumed from
	target       int32
	scope        ScopeID
	gen          uint32 // of the wait; ends of earlier waits are void
	order        uint32 // of waiting, for locks and conditions
	since        Time
	paused       Time // PausedFor at since
	waited       Time // total in waits that count
	value        int64
}

// want is what a parking task asks for.
type want struct {
	kind         waitKind
	target       int32
	scope        ScopeID
	d            Time
	canInterrupt bool
}

// startTask makes a task ready for the first time, in the first free place.
func (w *World) startTask(p *Proc, x start) TaskID {
	t := 0
	for t < len(p.tasks) && p.tasks[t].state != taskOver {
		t++
	}
	gen := uint32(0)
	if t == len(p.tasks) {
		p.tasks = append(p.tasks, task{})
	} else {
		gen = p.tasks[t].gen + 1
	}
	p.tasks[t] = task{state: taskReady, scope: noScope, start: x, gen: gen}
	w.schedule(p, TaskID(t))
	return TaskID(t)
}

// schedule queues a ready task; the delay until it runs is drawn.
func (w *World) schedule(p *Proc, t TaskID) {
	d := Time(0)
	if !p.prompt {
		d = w.Draw(LabelWake, w.o.Wake)
	}
	if w.untimed {
		w.push(event{kind: evRun, proc: p.id, a: int32(t), gen: p.tasks[t].gen})
		return
	}
	e := event{at: w.now + d, kind: evRun, proc: p.id, a: int32(t), gen: p.tasks[t].gen}
	if d > 0 {
		w.push(e)
		return
	}
	w.pending++
	w.moving++
	w.ready = append(w.ready, e)
}

// run resumes a ready task and carries out its segment.
func (w *World) run(p *Proc, t TaskID) {
	tk := &p.tasks[t]
	tk.state = taskRunning
	if w.memo != nil {
		w.memo.run(w, p, t)
		return
	}
	if w.learned != nil {
		w.goesOn(p, t)
	}
	w.app.Segment(p)
	p.resume(t, tk.start, tk.cause, tk.value)
	tk.start = start{}
	if w.learned != nil {
		st := &p.side.tasks[t]
		w.learn(p, piece{awaits: !st.over && st.want.kind == waitApp})
	}
	p.flush(t)
	w.endSegment(p, t, &p.side.tasks[t])
}

// endSegment does what a segment ended with: the task is over, or it waits.
func (w *World) endSegment(p *Proc, t TaskID, st *sideTask) {
	if !st.over {
		w.startWait(p, t, st.want)
		return
	}
	p.tasks[t].state = taskOver
	if st.fail {
		w.app.Panicked(p, t, st.panic)
	}
}

// resume switches to the code of a task until it parks or is over.
func (p *Proc) resume(t TaskID, x start, c Cause, value int64) {
	d := &p.side
	for int(t) >= len(d.tasks) {
		d.tasks = append(d.tasks, sideTask{})
	}
	if x.kind != startNone {
		co := p.w.pool.get()
		f := p.startFunc(t, x)
		co.job = func() { p.job(t, f) }
		d.tasks[t] = sideTask{co: co}
	}
	st := &d.tasks[t]
	st.cause, st.value = c, value
	co := st.co
	d.current = t
	co.next()
	d.current = noTask
	if st = &d.tasks[t]; st.over {
		st.co = nil
		p.w.pool.put(co)
	}
}

// startFunc is the function that a new task runs.
func (p *Proc) startFunc(t TaskID, x start) func() {
	switch x.kind {
	case startMain:
		return p.side.main
	case startSpawned:
		return p.side.funcs[x.arg]
	}
	return p.w.app.Start(p, t, x.arg)
}

// job is the body of a task's coroutine.
func (p *Proc) job(t TaskID, f func()) {
	over := false
	defer func() {
		if over || p.side.dead {
			return
		}
		// A panic, or a Goexit of the task's own: both end the task, and
		// neither is passed on while the run goes on.
		st := &p.side.tasks[t]
		st.panic, st.over, st.fail = recover(), true, true
	}()
	f()
	over = true
	p.side.tasks[t].over = true
}

// check ends the calling task if its process is dead.
func (p *Proc) check() {
	if p.side.dead {
		runtime.Goexit()
	}
}

// park waits for what the current task wants and returns the cause of its
// end.
func (p *Proc) park(x want) Cause {
	p.check()
	d := &p.side
	t := d.current
	st := &d.tasks[t]
	st.want = x
	st.co.park()
	p.check()
	return d.tasks[t].cause
}

// wake makes a waiting task ready.
func (w *World) wake(p *Proc, t TaskID, c Cause) {
	tk := &p.tasks[t]
	if tk.counts {
		tk.waited += w.now - tk.since - (p.PausedFor() - tk.paused)
		tk.counts = false
	}
	tk.cause = c
	if c == CauseInterrupted {
		w.app.Interrupted(p, t)
	}
	if tk.wait == waitSleep && tk.asleep && c != CauseOK {
		w.pending-- // its timer is void from now on
	}
	tk.asleep = false
	if tk.wait == waitCond {
		w.takeLock(p, t) // it needs its lock back first
		return
	}
	w.makeReady(p, t)
}

func (w *World) makeReady(p *Proc, t TaskID) {
	tk := &p.tasks[t]
	tk.gen++
	tk.from, tk.wait = tk.wait, waitNone
	tk.state = taskReady
	w.schedule(p, t)
}

// startWait puts a parked task to sleep, or makes it ready at once if what it
// wants is there.
func (w *World) startWait(p *Proc, t TaskID, x want) {
	tk := &p.tasks[t]
	p.waits++
	tk.state, tk.wait, tk.target, tk.scope = taskWaiting, x.kind, x.target, x.scope
	tk.canInterrupt, tk.order = x.canInterrupt, p.waits
	tk.since, tk.paused = w.now, p.pausedFor
	tk.counts = x.kind == waitLatch || x.kind == waitCond
	switch x.kind {
	case waitLock:
		tk.cause = CauseOK
		w.takeLock(p, t)
		return
	case waitCond:
		w.unlock(p, x.target)
	case waitLatch:
		p.growLatches(x.target)
		if p.latchOpen[x.target] {
			w.wake(p, t, CauseOK)
			return
		}
	case waitDraw:
		tk.value = int64(w.Choose(LabelDraw, int(x.d)))
		w.wake(p, t, CauseOK)
		return
	case waitApp:
		w.app.Await(p, t, x.target)
		tk = &p.tasks[t]
		if tk.state != taskWaiting || tk.wait != waitApp {
			return // completed at once
		}
		if tk.canInterrupt && tk.interrupted {
			tk.interrupted = false
			w.wake(p, t, CauseInterrupted)
		}
		return
	}
	if c, ended := p.scopeEnd(x.scope); ended {
		w.wake(p, t, c)
		return
	}
	if tk.interrupted && tk.canInterrupt {
		tk.interrupted = false
		w.wake(p, t, CauseInterrupted)
		return
	}
	if x.kind == waitSleep {
		tk.asleep = true
		w.push(event{at: w.clockOf(p) + max(x.d, 0), kind: evSleep, proc: p.id, a: int32(t), gen: tk.gen})
	}
}

// Complete ends what task t of p waits for since [App.Await]. It is world
// side. seq is what [Proc.WaitSeq] said then; a task that waits for something
// else meanwhile is left alone, and Complete returns false.
func (w *World) Complete(p *Proc, t TaskID, seq uint32) bool {
	tk := &p.tasks[t]
	if p.status == Crashed || tk.state != taskWaiting || tk.wait != waitApp || tk.gen != seq {
		return false
	}
	w.wake(p, t, CauseOK)
	return true
}

// WaitSeq identifies the present wait of a task. It is world side.
func (p *Proc) WaitSeq(t TaskID) uint32 { return p.tasks[t].gen }

// Waiting reports whether the task waits, and since when. It is world side.
func (p *Proc) Waiting(t TaskID) (since Time, ok bool) {
	tk := &p.tasks[t]
	return tk.since, tk.state == taskWaiting
}

// Waited is the total time that a task has spent waiting for latches and
// conditions, pauses of the process excepted. It is world side.
func (p *Proc) Waited(t TaskID) Time { return p.tasks[t].waited }

// Interrupt interrupts a task, as Java's Thread.interrupt does: a wait that
// can be interrupted ends; otherwise the next such wait ends at once. It
// reports whether a wait ended. A process that does not run cannot be
// interrupted. It is world side.
func (w *World) Interrupt(p *Proc, t TaskID) bool {
	tk := &p.tasks[t]
	if tk.state == taskOver || p.status != Running {
		return false
	}
	if tk.state == taskWaiting && tk.canInterrupt && tk.wait != waitLock {
		w.wake(p, t, CauseInterrupted)
		return true
	}
	tk.interrupted = true
	return false
}
