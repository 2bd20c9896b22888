package livezk

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"time"

	"zoosim/recipes/zk"
)

// Process is one client: its tasks, its watchers and its handles.
type Process struct {
	mu      sync.Mutex // held by the task or callback that runs
	changed *sync.Cond // on mu: a request has been answered
	ctx     context.Context
	meter   *Meter
	begin   time.Time
	random  *rand.Rand
	tasks   sync.WaitGroup
	events  sync.WaitGroup // event tasks
	failed  func(panicked any)

	watchers []func(zk.Event) // by number, from 1
	handles  []*handle
	missing  string
	ended    bool
	over     chan struct{} // closed at the end
}

// NewProcess makes a process. Every wait of its tasks ends when ctx does; what
// its clients send is counted by m; a task that panics is given to failed.
func NewProcess(ctx context.Context, m *Meter, failed func(panicked any)) *Process {
	p := &Process{
		ctx: ctx, meter: m, begin: time.Now(), failed: failed, over: make(chan struct{}),
		random: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())),
	}
	p.changed = sync.NewCond(&p.mu)
	return p
}

// Start runs f as a task.
func (p *Process) Start(f func(ctx context.Context)) {
	p.meter.add(1)
	p.tasks.Go(func() {
		defer p.meter.add(-1)
		p.mu.Lock()
		defer p.mu.Unlock()
		defer func() {
			if v := recover(); v != nil {
				p.failed(v)
			}
		}()
		f(p.ctx)
	})
}

// away runs f with the process let go: other tasks and callbacks may run. At the
// end of the process it does not return: a recipe need not look at its context.
func (p *Process) away(f func()) {
	p.mu.Unlock()
	f()
	p.mu.Lock()
	if p.ended {
		runtime.Goexit()
	}
}

// Gate is where tasks wait for somebody who is no task.
type Gate struct{ through chan struct{} }

// NewGate makes a gate for one task at a time.
func NewGate() *Gate { return &Gate{make(chan struct{}, 1)} }

// Await has the task that runs wait at a gate.
func (p *Process) Await(g *Gate) {
	p.meter.add(-1)
	p.away(func() {
		select {
		case <-g.through:
		case <-p.ctx.Done():
			p.meter.add(1)
		}
	})
}

// Open lets the task through that waits at a gate.
func (p *Process) Open(g *Gate) {
	p.meter.add(1)
	g.through <- struct{}{}
}

// Flush asks the server for something on every handle and returns when it has
// answered: what it had sent before has arrived then. It must not be called by a
// task.
func (p *Process) Flush() {
	p.mu.Lock()
	all := slices.Clone(p.handles)
	p.mu.Unlock()
	for _, h := range all {
		_, _, _ = h.conn.GetACL("/") // what is broken shows elsewhere
	}
}

// Missing names an operation that a recipe needed and go-zookeeper does not
// have, "" if there was none. It is for when the tasks are over.
func (p *Process) Missing() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missing
}

// End ends the sessions that are left, and every task and callback at its next
// wait or request, and returns when they are over. It must not be called by a
// task.
func (p *Process) End() {
	p.mu.Lock()
	p.ended = true
	close(p.over)
	p.changed.Broadcast()
	all := p.handles
	p.mu.Unlock()
	for _, h := range all {
		h.end()
	}
	p.tasks.Wait()
	p.mu.Lock()
	all = p.handles[len(all):] // opened meanwhile
	p.mu.Unlock()
	for _, h := range all {
		h.end()
	}
	p.events.Wait()
}

// Env is what recipes see of time, tasks and waiting.
func (p *Process) Env() zk.Env { return env{p} }

// env implements [zk.Env].
type env struct{ p *Process }

// Background implements [zk.Env].
func (e env) Background() context.Context { return e.p.ctx }

// WithTimeout implements [zk.Env].
func (e env) WithTimeout(parent context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(parent, d)
}

// WithCancel implements [zk.Env].
func (e env) WithCancel(parent context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(parent)
}

// Now implements [zk.Env].
func (e env) Now() time.Duration { return time.Since(e.p.begin) }

// Sleep implements [zk.Env].
func (e env) Sleep(ctx context.Context, d time.Duration) (err error) {
	e.p.meter.add(-1)
	defer e.p.meter.add(1)
	e.p.away(func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
	})
	return err
}

// Go implements [zk.Env].
func (e env) Go(_ string, f func(ctx context.Context)) { e.p.Start(f) }

// Draw implements [zk.Env].
func (e env) Draw(n int) int { return e.p.random.IntN(n) }

// Spin implements [zk.Env].
func (e env) Spin(uint64) {}

// Store implements [zk.Env]: there is none.
func (e env) Store() zk.Store { return nil }

// GUID implements [zk.Env].
func (e env) GUID() string {
	var b [16]byte
	crand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// NewWatcher implements [zk.Env].
func (e env) NewWatcher(f func(zk.Event)) zk.Watcher { return e.p.newWatcher(f) }

// watcher is the number of a watcher.
type watcher int32

// WatcherID implements [zk.Watcher].
func (w watcher) WatcherID() int32 { return int32(w) }

func (p *Process) newWatcher(f func(zk.Event)) watcher {
	p.watchers = append(p.watchers, f)
	return watcher(len(p.watchers))
}

// latch implements [zk.Latch].
type latch struct {
	watcher
	p       *Process
	open    chan struct{}
	waiting int
}

// NewLatch implements [zk.Env].
func (e env) NewLatch() zk.Latch {
	l := &latch{p: e.p, open: make(chan struct{})}
	l.watcher = e.p.newWatcher(func(zk.Event) { l.Open() })
	return l
}

// Open implements [zk.Latch].
func (l *latch) Open() {
	if !l.IsOpen() {
		close(l.open)
		l.p.meter.add(l.waiting)
	}
}

// IsOpen implements [zk.Latch].
func (l *latch) IsOpen() bool {
	select {
	case <-l.open:
		return true
	default:
		return false
	}
}

// Wait implements [zk.Latch].
func (l *latch) Wait(ctx context.Context) (err error) {
	if l.IsOpen() {
		return nil
	}
	l.waiting++
	l.p.meter.add(-1)
	l.p.away(func() {
		select {
		case <-l.open:
		case <-ctx.Done():
			err = ctx.Err()
		}
	})
	if l.IsOpen() {
		return nil
	}
	l.waiting--
	l.p.meter.add(1)
	return err
}

// mutex implements [zk.Mutex]. Its fields belong to the task that runs.
type mutex struct {
	p       *Process
	held    bool
	queue   []chan struct{} // who wants it
	waiters []chan struct{} // for a notification, which takes one out
}

// NewMutex implements [zk.Env].
func (e env) NewMutex() zk.Mutex { return &mutex{p: e.p} }

// Lock implements [zk.Mutex].
func (m *mutex) Lock() {
	if !m.held {
		m.held = true
		m.p.away(func() {})
		return
	}
	mine := make(chan struct{})
	m.queue = append(m.queue, mine)
	m.p.meter.add(-1)
	m.p.away(func() {
		select {
		case <-mine:
		case <-m.p.over:
		}
	})
}

// Unlock implements [zk.Mutex]: who has waited longest has it next.
func (m *mutex) Unlock() {
	if len(m.queue) == 0 {
		m.held = false
		return
	}
	m.p.meter.add(1)
	close(m.queue[0])
	m.queue = m.queue[1:]
}

// Wait implements [zk.Mutex].
func (m *mutex) Wait(ctx context.Context) (err error) {
	told := make(chan struct{})
	m.waiters = append(m.waiters, told)
	m.Unlock()
	m.p.meter.add(-1)
	m.p.away(func() {
		select {
		case <-told:
		case <-ctx.Done():
			err = ctx.Err()
		}
	})
	if i := slices.Index(m.waiters, told); i >= 0 {
		m.waiters = slices.Delete(m.waiters, i, i+1)
		m.p.meter.add(1)
	} else {
		err = nil // told as the context ended
	}
	m.Lock()
	return err
}

// Notify implements [zk.Mutex].
func (m *mutex) Notify() {
	if len(m.waiters) > 0 {
		m.p.meter.add(1)
		close(m.waiters[0])
		m.waiters = m.waiters[1:]
	}
}

// NotifyAll implements [zk.Mutex].
func (m *mutex) NotifyAll() {
	for len(m.waiters) > 0 {
		m.Notify()
	}
}
