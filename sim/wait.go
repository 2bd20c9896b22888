package sim

// LatchID, LockID and ScopeID number the latches, locks and scopes of a
// process in order of creation.
type (
	LatchID int32
	LockID  int32
	ScopeID int32
)

const noScope ScopeID = -1

// RootScope never ends.
const RootScope ScopeID = 0

type outputKind uint8

const (
	outOpen outputKind = iota
	outUnlock
	outNotify
	outNotifyAll
	outArm
	outCancel
	outSpawn
	outApp
	outMark
)

// output is one output of a segment.
type output struct {
	kind outputKind
	a, b int32
	d    Time
}

// scope is a deadline or cancellation that ends waits. Scopes form a tree.
type scope struct {
	parent ScopeID
	armed  bool // a timer of it is queued
	over   bool
	cause  Cause // once it is over
}

// flush applies the outputs of the running segment in order.
func (p *Proc) flush(t TaskID) {
	p.apply(t, p.side.outs)
	p.side.outs = p.side.outs[:0]
}

// apply applies outputs in order.
func (p *Proc) apply(t TaskID, outs []output) {
	w := p.w
	for i := range outs {
		o := outs[i]
		switch o.kind {
		case outOpen:
			w.OpenLatch(p, LatchID(o.a))
		case outUnlock:
			w.unlock(p, o.a)
		case outNotify, outNotifyAll:
			w.notify(p, o.a, o.kind == outNotifyAll)
		case outArm:
			p.growScopes(ScopeID(o.a))
			s := &p.scopes[o.a]
			s.parent = ScopeID(o.b)
			if o.d >= 0 {
				s.armed = true
				w.push(event{at: w.clockOf(p) + o.d, kind: evScope, proc: p.id, a: o.a})
			}
		case outCancel:
			w.endScope(p, ScopeID(o.a), CauseCanceled)
		case outSpawn:
			w.startTask(p, start{kind: startSpawned, arg: o.a})
		case outApp:
			w.app.Output(p, t, o.a)
		case outMark:
			p.mark(t, &o)
		}
	}
}

func (p *Proc) growLatches(l int32) {
	for int(l) >= len(p.latchOpen) {
		p.latchOpen = append(p.latchOpen, false)
	}
}

func (p *Proc) growLocks(l int32) {
	for int(l) >= len(p.lockHolder) {
		p.lockHolder = append(p.lockHolder, noTask)
	}
}

func (p *Proc) growScopes(id ScopeID) {
	for int(id) >= len(p.scopes) {
		p.scopes = append(p.scopes, scope{})
	}
}

func (p *Proc) emit(o output) {
	p.check()
	p.side.outs = append(p.side.outs, o)
}

// Emit notes an output of the App's own; App.Output is called with out when
// the segment's outputs are applied.
func (p *Proc) Emit(out int32) { p.emit(output{kind: outApp, a: out}) }

// Query asks the App a question about the world as it is after the outputs of
// the segment so far.
func (p *Proc) Query(kind, arg int32) int64 { return p.query(kind, arg) }

// The kernel's own questions; those of Apps are not negative.
const (
	queryNow int32 = -1 - iota
	queryOpen
	queryScope
	queryMark
)

// query asks the world, or, in a shadow, whoever feeds the process.
func (p *Proc) query(kind, arg int32) int64 {
	p.check()
	d := &p.side
	if d.shadow {
		p.park(want{kind: waitQuery, scope: ScopeID(kind), target: arg})
		return d.tasks[d.current].value
	}
	if p.w.learned != nil {
		p.w.learn(p, piece{asks: true, kind: kind, arg: arg})
	}
	p.flush(d.current)
	v := p.w.answer(p, kind, arg)
	if p.w.learned != nil {
		p.w.isAnswered(p, kind, v)
	}
	return v
}

// answer answers a question of a process.
func (w *World) answer(p *Proc, kind, arg int32) int64 {
	switch kind {
	case queryNow:
		return int64(w.clockOf(p))
	case queryOpen:
		p.growLatches(arg)
		if p.latchOpen[arg] {
			return 1
		}
		return 0
	case queryMark:
		return 0
	case queryScope:
		if c, over := p.scopeEnd(ScopeID(arg)); over {
			return int64(c) + 1
		}
		return 0
	}
	return w.app.Query(p, kind, arg)
}

// clockOf is the time that a process sees.
func (w *World) clockOf(p *Proc) Time {
	if w.untimed {
		return p.clock
	}
	return w.now
}

// Await waits for something of the App's: App.Await is called with out at the
// end of the segment. If canInterrupt, an interrupt ends the wait.
func (p *Proc) Await(out int32, canInterrupt bool) Cause {
	return p.park(want{kind: waitApp, target: out, scope: noScope, canInterrupt: canInterrupt})
}

// Now is the time that the process sees.
func (p *Proc) Now() Time { return Time(p.query(queryNow, 0)) }

// Current is the running task.
func (p *Proc) Current() TaskID { return p.side.current }

// Go starts a task.
func (p *Proc) Go(f func()) {
	p.check()
	d := &p.side
	d.funcs = append(d.funcs, f)
	d.outs = append(d.outs, output{kind: outSpawn, a: int32(len(d.funcs) - 1)})
}

// StartTask starts a task of p from the world side: it runs what App.Start
// returns for arg.
func (w *World) StartTask(p *Proc, arg int32) TaskID {
	return w.startTask(p, start{kind: startApp, arg: arg})
}

// Draw returns a number in [0, n).
func (p *Proc) Draw(n int) int {
	p.park(want{kind: waitDraw, scope: noScope, d: Time(n)})
	return int(p.side.tasks[p.side.current].value)
}

// Sleep waits for d.
func (p *Proc) Sleep(s ScopeID, d Time) Cause {
	return p.park(want{kind: waitSleep, scope: s, d: d, canInterrupt: true})
}

// NewLatch makes a closed latch.
func (p *Proc) NewLatch() LatchID {
	p.check()
	p.side.latches++
	return LatchID(p.side.latches - 1)
}

// Open opens a latch.
func (p *Proc) Open(l LatchID) { p.emit(output{kind: outOpen, a: int32(l)}) }

// IsOpen reports whether a latch is open.
func (p *Proc) IsOpen(l LatchID) bool { return p.query(queryOpen, int32(l)) != 0 }

// WaitLatch waits until a latch is open.
func (p *Proc) WaitLatch(s ScopeID, l LatchID) Cause {
	return p.park(want{kind: waitLatch, scope: s, target: int32(l), canInterrupt: true})
}

// OpenLatch opens a latch from the world side and wakes its waiters.
func (w *World) OpenLatch(p *Proc, l LatchID) {
	p.growLatches(int32(l))
	if p.latchOpen[l] {
		return
	}
	p.latchOpen[l] = true
	for t := range p.tasks {
		if tk := &p.tasks[t]; tk.state == taskWaiting && tk.wait == waitLatch && tk.target == int32(l) {
			w.wake(p, TaskID(t), CauseOK)
		}
	}
}

// NewLock makes a free lock.
func (p *Proc) NewLock() LockID {
	p.check()
	p.side.locks++
	return LockID(p.side.locks - 1)
}

// Lock takes a lock; it cannot be interrupted.
func (p *Proc) Lock(l LockID) {
	p.park(want{kind: waitLock, scope: noScope, target: int32(l)})
}

// Unlock frees a lock.
func (p *Proc) Unlock(l LockID) { p.emit(output{kind: outUnlock, a: int32(l)}) }

// WaitNotify frees a lock, waits for a notification and takes the lock again.
func (p *Proc) WaitNotify(s ScopeID, l LockID) Cause {
	return p.park(want{kind: waitCond, scope: s, target: int32(l), canInterrupt: true})
}

// Notify wakes the task that has waited longest, or all of them.
func (p *Proc) Notify(l LockID, all bool) {
	k := outNotify
	if all {
		k = outNotifyAll
	}
	p.emit(output{kind: k, a: int32(l)})
}

// takeLock gives the lock to t if it is free, else lets t wait for it. The
// cause with which t goes on then is set already.
func (w *World) takeLock(p *Proc, t TaskID) {
	tk := &p.tasks[t]
	tk.wait = waitLock
	tk.gen++
	p.growLocks(tk.target)
	if p.lockHolder[tk.target] == noTask {
		p.lockHolder[tk.target] = t
		w.makeReady(p, t)
	}
}

// unlock frees a lock and gives it to the task that has waited longest.
func (w *World) unlock(p *Proc, l int32) {
	p.growLocks(l)
	p.lockHolder[l] = noTask
	next := noTask
	for t := range p.tasks {
		tk := &p.tasks[t]
		if tk.state == taskWaiting && tk.wait == waitLock && tk.target == l &&
			(next == noTask || tk.order < p.tasks[next].order) {
			next = TaskID(t)
		}
	}
	if next == noTask {
		return
	}
	p.lockHolder[l] = next
	w.makeReady(p, next)
}

// notify wakes tasks that wait for a condition, the longest waiting first.
func (w *World) notify(p *Proc, l int32, all bool) {
	for {
		next := noTask
		for t := range p.tasks {
			tk := &p.tasks[t]
			if tk.state == taskWaiting && tk.wait == waitCond && tk.target == l &&
				(next == noTask || tk.order < p.tasks[next].order) {
				next = TaskID(t)
			}
		}
		if next == noTask {
			return
		}
		w.wake(p, next, CauseOK)
		if !all {
			return
		}
	}
}

// NewScope derives a scope from parent: one that ends after d, or for d < 0
// only when it is cancelled.
func (p *Proc) NewScope(parent ScopeID, d Time) ScopeID {
	p.check()
	id := ScopeID(p.side.scopes)
	p.side.scopes++
	p.side.outs = append(p.side.outs, output{kind: outArm, a: int32(id), b: int32(parent), d: d})
	return id
}

// Cancel ends a scope and disarms its timer.
func (p *Proc) Cancel(s ScopeID) { p.emit(output{kind: outCancel, a: int32(s)}) }

// ScopeErr reports whether a scope has ended, and why.
func (p *Proc) ScopeErr(s ScopeID) (Cause, bool) {
	if c := p.query(queryScope, int32(s)); c > 0 {
		return Cause(c - 1), true
	}
	return CauseOK, false
}

// scopeEnd looks for the end of a scope, its own or inherited.
func (p *Proc) scopeEnd(s ScopeID) (Cause, bool) {
	for s >= 0 {
		if sc := &p.scopes[s]; sc.over {
			return sc.cause, true
		}
		s = p.scopes[s].parent
	}
	return CauseOK, false
}

// within reports whether s is anc or derived from it.
func (p *Proc) within(s, anc ScopeID) bool {
	for s >= 0 {
		if s == anc {
			return true
		}
		s = p.scopes[s].parent
	}
	return false
}

// endScope ends a scope and the waits within it.
func (w *World) endScope(p *Proc, s ScopeID, c Cause) {
	sc := &p.scopes[s]
	if sc.over {
		return
	}
	sc.over, sc.cause = true, c
	if sc.armed && c != CauseTimeout {
		w.pending-- // its timer is void from now on
	}
	for t := range p.tasks {
		tk := &p.tasks[t]
		if tk.state == taskWaiting && (tk.wait == waitLatch || tk.wait == waitCond || tk.wait == waitSleep) &&
			p.within(tk.scope, s) {
			if c == CauseTimeout {
				w.resumes++
			}
			w.wake(p, TaskID(t), c)
		}
	}
}
