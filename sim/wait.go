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
	w := p.w
	for i := 0; i < len(p.outs); i++ {
		o := p.outs[i]
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
				w.push(event{at: w.now + o.d, kind: evScope, proc: p.id, a: o.a})
			}
		case outCancel:
			w.endScope(p, ScopeID(o.a), CauseCanceled)
		case outSpawn:
			w.startTask(p, TaskID(o.a))
		case outApp:
			w.app.Output(p, t, o.a)
		}
	}
	p.outs = p.outs[:0]
}

func (p *Proc) growScopes(id ScopeID) {
	for int(id) >= len(p.scopes) {
		p.scopes = append(p.scopes, scope{})
	}
}

func (p *Proc) emit(o output) {
	p.check()
	p.outs = append(p.outs, o)
}

// Emit notes an output of the App's own; App.Output is called with out when
// the segment's outputs are applied.
func (p *Proc) Emit(out int32) { p.emit(output{kind: outApp, a: out}) }

// Query asks the App a question about the world as it is after the outputs of
// the segment so far.
func (p *Proc) Query(kind, arg int32) int64 {
	p.check()
	p.flush(p.current)
	return p.w.app.Query(p, kind, arg)
}

// Await waits for something of the App's: App.Await is called with out at the
// end of the segment. If canInterrupt, an interrupt ends the wait.
func (p *Proc) Await(out int32, canInterrupt bool) Cause {
	return p.park(want{kind: waitApp, target: out, scope: noScope, canInterrupt: canInterrupt})
}

// Now is the virtual time.
func (p *Proc) Now() Time {
	p.check()
	return p.w.now
}

// Current is the running task.
func (p *Proc) Current() TaskID { return p.current }

// Go starts a task.
func (p *Proc) Go(f func()) {
	p.check()
	p.funcs = append(p.funcs, f)
	p.outs = append(p.outs, output{kind: outSpawn, a: int32(len(p.funcs) - 1)})
}

// StartTask starts a task of p from the world side: an event's callback.
func (w *World) StartTask(p *Proc, f func()) TaskID {
	p.funcs = append(p.funcs, f)
	t := TaskID(len(p.funcs) - 1)
	w.startTask(p, t)
	return t
}

// Draw returns a number in [0, n).
func (p *Proc) Draw(n int) int {
	p.park(want{kind: waitDraw, scope: noScope, d: Time(n)})
	return int(p.tasks[p.current].value)
}

// Sleep waits for d.
func (p *Proc) Sleep(s ScopeID, d Time) Cause {
	return p.park(want{kind: waitSleep, scope: s, d: d, canInterrupt: true})
}

// NewLatch makes a closed latch.
func (p *Proc) NewLatch() LatchID {
	p.check()
	p.latches++
	for int(p.latches) > len(p.latchOpen) {
		p.latchOpen = append(p.latchOpen, false)
	}
	return LatchID(p.latches - 1)
}

// Open opens a latch.
func (p *Proc) Open(l LatchID) { p.emit(output{kind: outOpen, a: int32(l)}) }

// IsOpen reports whether a latch is open.
func (p *Proc) IsOpen(l LatchID) bool {
	p.check()
	p.flush(p.current)
	return p.latchOpen[l]
}

// WaitLatch waits until a latch is open.
func (p *Proc) WaitLatch(s ScopeID, l LatchID) Cause {
	return p.park(want{kind: waitLatch, scope: s, target: int32(l), canInterrupt: true})
}

// OpenLatch opens a latch from the world side and wakes its waiters.
func (w *World) OpenLatch(p *Proc, l LatchID) {
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
	p.locks++
	for int(p.locks) > len(p.lockHolder) {
		p.lockHolder = append(p.lockHolder, noTask)
	}
	return LockID(p.locks - 1)
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
	if p.lockHolder[tk.target] == noTask {
		p.lockHolder[tk.target] = t
		w.makeReady(p, t)
	}
}

// unlock frees a lock and gives it to the task that has waited longest.
func (w *World) unlock(p *Proc, l int32) {
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
	id := ScopeID(p.scopeN)
	p.scopeN++
	p.outs = append(p.outs, output{kind: outArm, a: int32(id), b: int32(parent), d: d})
	return id
}

// Cancel ends a scope and disarms its timer.
func (p *Proc) Cancel(s ScopeID) { p.emit(output{kind: outCancel, a: int32(s)}) }

// ScopeErr reports whether a scope has ended, and why.
func (p *Proc) ScopeErr(s ScopeID) (Cause, bool) {
	p.check()
	p.flush(p.current)
	return p.scopeEnd(s)
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
