package simzk

import (
	"context"
	"time"

	"zoosim/recipes/zk"
	"zoosim/sim"
)

// Env implements [zk.Env] for one process.
type Env struct {
	p    *Process
	root scopeCtx
}

var _ zk.Env = (*Env)(nil)

// scopeCtx is a context of a process: a scope of the kernel.
type scopeCtx struct {
	p        *Process
	id       sim.ScopeID
	parent   context.Context
	deadline time.Time
	limited  bool
}

// scopeKey finds the innermost scope behind contexts that recipes derive with
// context.WithValue.
type scopeKey struct{}

// Deadline implements context.Context; the time counts from the zero Unix
// time.
func (c *scopeCtx) Deadline() (time.Time, bool) { return c.deadline, c.limited }

// Done implements context.Context. It returns nil: there is nothing to
// receive from in a simulated world.
func (c *scopeCtx) Done() <-chan struct{} { return nil }

// Err implements context.Context.
func (c *scopeCtx) Err() error {
	cause, over := c.p.sp.ScopeErr(c.id)
	if !over {
		return nil
	}
	return causeError(cause)
}

// Value implements context.Context.
func (c *scopeCtx) Value(key any) any {
	if key == (scopeKey{}) {
		return c
	}
	if c.parent != nil {
		return c.parent.Value(key)
	}
	return nil
}

// scopeOf is the scope behind a context; a context from elsewhere never ends.
func scopeOf(ctx context.Context) sim.ScopeID {
	c, ok := ctx.(*scopeCtx)
	if !ok {
		if c, ok = ctx.Value(scopeKey{}).(*scopeCtx); !ok {
			return sim.RootScope
		}
	}
	return c.id
}

func (p *Process) ctxErr(ctx context.Context) error {
	id := scopeOf(ctx)
	if id == sim.RootScope {
		return nil
	}
	if cause, over := p.sp.ScopeErr(id); over {
		return causeError(cause)
	}
	return nil
}

func causeError(c sim.Cause) error {
	switch c {
	case sim.CauseTimeout:
		return context.DeadlineExceeded
	case sim.CauseCanceled:
		return context.Canceled
	case sim.CauseInterrupted:
		return zk.ErrInterrupted
	}
	return nil
}

// Background implements [zk.Env].
func (e *Env) Background() context.Context { return &e.root }

// WithTimeout implements [zk.Env].
func (e *Env) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	sp := e.p.sp
	d = max(d, 0)
	c := &scopeCtx{
		p: e.p, id: sp.NewScope(scopeOf(parent), d), parent: parent,
		deadline: time.Unix(0, int64(sp.Now()+d)), limited: true,
	}
	if at, ok := parent.Deadline(); ok && at.Before(c.deadline) {
		c.deadline = at
	}
	return c, func() { sp.Cancel(c.id) }
}

// WithCancel implements [zk.Env].
func (e *Env) WithCancel(parent context.Context) (context.Context, context.CancelFunc) {
	sp := e.p.sp
	c := &scopeCtx{p: e.p, id: sp.NewScope(scopeOf(parent), -1), parent: parent}
	c.deadline, c.limited = parent.Deadline()
	return c, func() { sp.Cancel(c.id) }
}

// Now implements [zk.Env].
func (e *Env) Now() time.Duration { return e.p.sp.Now() }

// Sleep implements [zk.Env].
func (e *Env) Sleep(ctx context.Context, d time.Duration) error {
	return causeError(e.p.sp.Sleep(scopeOf(ctx), d))
}

// Go implements [zk.Env].
func (e *Env) Go(_ string, f func(ctx context.Context)) {
	e.p.sp.Go(func() { f(&e.root) })
}

// Draw implements [zk.Env].
func (e *Env) Draw(n int) int { return e.p.sp.Draw(n) }

// GUID implements [zk.Env]: the number of the process's first session, in
// order of connecting, and a counter of the process. It has the form and the
// length of a UUID.
func (e *Env) GUID() string {
	serial := e.p.sp.Query(querySerial, 0)
	e.p.guids++
	b := []byte("00000000-0000-4000-8000-000000000000")
	putHex(b[:8], uint64(serial))
	putHex(b[24:], uint64(e.p.guids))
	return string(b)
}

func putHex(b []byte, x uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = "0123456789abcdef"[x&15]
		x >>= 4
	}
}

// watcherRef is a code watcher as recipes hold it.
type watcherRef int32

// WatcherID implements [zk.Watcher].
func (r watcherRef) WatcherID() int32 { return int32(r) }

// NewWatcher implements [zk.Env].
func (e *Env) NewWatcher(f func(zk.Event)) zk.Watcher {
	return watcherRef(e.p.newWatcher(f, watcherCode))
}

// newWatcher numbers a watcher: a callback, or the given latch.
func (p *Process) newWatcher(f func(zk.Event), latch int32) int32 {
	p.callbacks = append(p.callbacks, f)
	p.sp.Emit(outWatcher | latch)
	return int32(len(p.callbacks))
}

// latch implements [zk.Latch].
type latch struct {
	p  *Process
	id sim.LatchID
	w  int32
}

// NewLatch implements [zk.Env].
func (e *Env) NewLatch() zk.Latch {
	l := &latch{p: e.p, id: e.p.sp.NewLatch()}
	l.w = e.p.newWatcher(nil, int32(l.id))
	return l
}

// WatcherID implements [zk.Watcher].
func (l *latch) WatcherID() int32 { return l.w }

// Open implements [zk.Latch].
func (l *latch) Open() { l.p.sp.Open(l.id) }

// IsOpen implements [zk.Latch].
func (l *latch) IsOpen() bool { return l.p.sp.IsOpen(l.id) }

// Wait implements [zk.Latch].
func (l *latch) Wait(ctx context.Context) error {
	return causeError(l.p.sp.WaitLatch(scopeOf(ctx), l.id))
}

// mutex implements [zk.Mutex].
type mutex struct {
	p  *Process
	id sim.LockID
}

// NewMutex implements [zk.Env].
func (e *Env) NewMutex() zk.Mutex { return &mutex{e.p, e.p.sp.NewLock()} }

// Lock implements [zk.Mutex].
func (m *mutex) Lock() { m.p.sp.Lock(m.id) }

// Unlock implements [zk.Mutex].
func (m *mutex) Unlock() { m.p.sp.Unlock(m.id) }

// Wait implements [zk.Mutex].
func (m *mutex) Wait(ctx context.Context) error {
	return causeError(m.p.sp.WaitNotify(scopeOf(ctx), m.id))
}

// Notify implements [zk.Mutex].
func (m *mutex) Notify() { m.p.sp.Notify(m.id, false) }

// NotifyAll implements [zk.Mutex].
func (m *mutex) NotifyAll() { m.p.sp.Notify(m.id, true) }
