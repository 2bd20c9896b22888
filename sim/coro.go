package sim

import (
	"iter"
	"runtime"
)

// coro is a pooled coroutine: it runs one task after another, and within a
// task it is switched by next (from the kernel) and park (from the task).
type coro struct {
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
	job   func()
}

// pool keeps idle coroutines.
type pool struct{ idle []*coro }

func (p *pool) get() *coro {
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return c
	}
	c := &coro{}
	c.next, c.stop = iter.Pull(c.loop)
	return c
}

func (p *pool) put(c *coro) { p.idle = append(p.idle, c) }

// close ends the idle coroutines.
func (p *pool) close() {
	for _, c := range p.idle {
		c.stop()
	}
	p.idle = nil
}

func (c *coro) loop(yield func(struct{}) bool) {
	c.yield = yield
	for {
		c.job()
		c.job = nil
		if !yield(struct{}{}) {
			return
		}
	}
}

// park gives control back to the kernel. It returns when the task is resumed,
// or not at all: a stopped task ends with runtime.Goexit, so that no recover
// in recipe code can catch it.
func (c *coro) park() {
	if !c.yield(struct{}{}) {
		runtime.Goexit()
	}
}

// unwind ends parked coroutines. Goexit crosses iter.Pull into the caller of
// stop, hence one helper goroutine each; they run one after another.
func unwind(cs []*coro) {
	for _, c := range cs {
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.stop()
		}()
		<-done
	}
}
