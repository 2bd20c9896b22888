package sim

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// echo is the App of the kernel's own tests: a server that answers each
// message of a process with one message.
type echo struct {
	w      *World
	links  []LinkID // by process
	wait   []waiter
	log    []string
	panics []any
}

type waiter struct {
	p    *Proc
	t    TaskID
	seq  uint32
	busy bool
}

func newEcho(o Options) *echo {
	e := &echo{}
	e.w = NewWorld(e, o)
	return e
}

func (e *echo) begin(s Strategy) {
	e.links, e.wait, e.log, e.panics = e.links[:0], e.wait[:0], e.log[:0], nil
	e.w.Begin(s)
}

func (e *echo) spawn(f func(p *Proc)) *Proc {
	var p *Proc
	p = e.w.Spawn("p", func() { f(p) })
	e.links = append(e.links, e.w.Dial(p.ID()))
	e.wait = append(e.wait, waiter{})
	return p
}

func (e *echo) run() {
	for e.w.Step() {
	}
	e.w.Seal()
}

func (e *echo) Deliver(l LinkID, d Dir) {
	if d == ToServer {
		e.w.Send(l, ToClient, false)
		return
	}
	for i := range e.wait {
		if wt := &e.wait[i]; e.links[i] == l && wt.busy {
			wt.busy = false
			e.w.Complete(wt.p, wt.t, wt.seq)
		}
	}
}
func (e *echo) Timer(owner ProcID, a, b int32)          {}
func (e *echo) Output(p *Proc, t TaskID, out int32)     {}
func (e *echo) Query(p *Proc, kind, arg int32) int64    { return int64(kind) + int64(arg) }
func (e *echo) Segment(p *Proc)                         {}
func (e *echo) Start(p *Proc, t TaskID, a int32) func() { return nil }
func (e *echo) Interrupted(p *Proc, t TaskID)           {}
func (e *echo) Panicked(p *Proc, t TaskID, v any)       { e.panics = append(e.panics, v) }
func (e *echo) Await(p *Proc, t TaskID, out int32) {
	e.wait[p.ID()] = waiter{p, t, p.WaitSeq(t), true}
	e.w.Send(e.links[p.ID()], ToServer, false)
}

func TestLatchWakesAndTimesOut(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	var causes []Cause
	var at []Time
	e.spawn(func(p *Proc) {
		l := p.NewLatch()
		p.Go(func() {
			p.Sleep(RootScope, time.Second)
			p.Open(l)
		})
		short := p.NewScope(RootScope, 300*time.Millisecond)
		causes = append(causes, p.WaitLatch(short, l))
		at = append(at, p.Now())
		causes = append(causes, p.WaitLatch(RootScope, l))
		at = append(at, p.Now())
		causes = append(causes, p.WaitLatch(short, l)) // open: the latch wins over the ended scope
	})
	e.run()
	require.Equal(t, []Cause{CauseTimeout, CauseOK, CauseOK}, causes)
	require.Equal(t, []Time{300 * time.Millisecond, time.Second}, at)
}

func TestCancelEndsDerivedScopes(t *testing.T) {
	e := newEcho(Options{})
	e.begin(NewRandom(1))
	var c Cause
	e.spawn(func(p *Proc) {
		outer := p.NewScope(RootScope, -1)
		inner := p.NewScope(outer, time.Hour)
		p.Go(func() {
			p.Sleep(RootScope, time.Millisecond)
			p.Cancel(outer)
		})
		c = p.Sleep(inner, time.Minute)
	})
	e.run()
	require.Equal(t, CauseCanceled, c)
	require.Less(t, e.w.Now(), 2*time.Hour)
}

func TestMonitorLosesNoWakeUp(t *testing.T) {
	for seed := uint64(0); seed < 200; seed++ {
		e := newEcho(Options{})
		e.begin(NewRandom(seed))
		got := 0
		e.spawn(func(p *Proc) {
			m, items := p.NewLock(), 0
			for range 3 {
				p.Go(func() {
					p.Lock(m)
					for items == 0 {
						p.WaitNotify(RootScope, m)
					}
					items--
					got++
					p.Unlock(m)
				})
			}
			for range 3 {
				p.Lock(m)
				items++
				p.Notify(m, true)
				p.Unlock(m)
			}
		})
		e.run()
		require.Equal(t, 3, got, "seed %d", seed)
	}
}

func TestConditionTimeoutTakesTheLockBack(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	var order []string
	e.spawn(func(p *Proc) {
		m := p.NewLock()
		p.Go(func() {
			p.Sleep(RootScope, 50*time.Millisecond)
			p.Lock(m)
			p.Sleep(RootScope, 100*time.Millisecond)
			order = append(order, "other")
			p.Unlock(m)
		})
		p.Lock(m)
		c := p.WaitNotify(p.NewScope(RootScope, 70*time.Millisecond), m)
		require.Equal(t, CauseTimeout, c)
		order = append(order, "waiter")
		p.Unlock(m)
	})
	e.run()
	require.Equal(t, []string{"other", "waiter"}, order)
}

func TestInterrupt(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	var causes []Cause
	p0 := e.spawn(func(p *Proc) {
		l := p.NewLatch()
		causes = append(causes, p.WaitLatch(RootScope, l)) // interrupted while waiting
		causes = append(causes, p.Await(0, false))         // a request that ignores it
		causes = append(causes, p.Sleep(RootScope, time.Second))
		causes = append(causes, p.Sleep(RootScope, time.Millisecond))
	})
	e.w.After(time.Millisecond, NoProc, 0, 0, false)
	for e.w.Step() {
		if e.w.Now() == time.Millisecond && len(causes) == 0 {
			require.True(t, e.w.Interrupt(p0, 0))
		}
		if len(causes) == 1 {
			if _, waiting := p0.Waiting(0); waiting {
				e.w.Interrupt(p0, 0) // sets the flag: the next sleep ends at once
			}
		}
	}
	e.w.Seal()
	require.Equal(t, []Cause{CauseInterrupted, CauseOK, CauseInterrupted, CauseOK}, causes)
	require.Less(t, e.w.Now(), time.Second)
}

func TestPauseHoldsAndResumeDelivers(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	var done Time
	p0 := e.spawn(func(p *Proc) {
		p.Await(0, false)
		done = p.Now()
	})
	e.w.Step() // the task sends
	e.w.Pause(p0)
	e.w.After(3*time.Second, NoProc, 0, 0, false)
	for e.w.Step() {
		if e.w.Now() == 3*time.Second && p0.Status() == Paused {
			require.Zero(t, done)
			e.w.Resume(p0)
			require.Equal(t, 3*time.Second-e.w.links[0].last[ToServer]+e.w.links[0].last[ToServer], p0.PausedFor()+0)
		}
	}
	e.w.Seal()
	require.GreaterOrEqual(t, done, 3*time.Second)
	require.True(t, e.w.Quiet())
}

func TestWaitedLeavesOutPausesAndRequests(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	p0 := e.spawn(func(p *Proc) {
		p.Await(0, false)
		p.Sleep(RootScope, time.Second)
		p.WaitLatch(p.NewScope(RootScope, 2*time.Second), p.NewLatch())
	})
	e.w.After(1500*time.Millisecond, NoProc, 1, 0, false)
	e.w.After(1900*time.Millisecond, NoProc, 2, 0, false)
	for e.w.Step() {
		switch e.w.Now() {
		case 1500 * time.Millisecond:
			e.w.Pause(p0)
		case 1900 * time.Millisecond:
			e.w.Resume(p0)
		}
	}
	require.Equal(t, 1600*time.Millisecond, p0.Waited(0).Round(10*time.Millisecond))
}

func TestCrashNeverUnwindsDuringTheRun(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	deferred, after := false, false
	p0 := e.spawn(func(p *Proc) {
		defer func() {
			deferred = true
			recover() // cannot bring the task back
			p.Open(p.NewLatch())
			after = true
		}()
		p.Await(0, false)
		after = true
	})
	e.w.Step()
	e.w.Crash(p0)
	for e.w.Step() {
	}
	require.False(t, deferred)
	e.w.Seal()
	require.True(t, deferred)
	require.False(t, after, "a dead task touched the world")
	require.Empty(t, e.panics)
}

func TestPanicEndsTheTaskAndIsTold(t *testing.T) {
	e := newEcho(Options{})
	e.begin(NewRandom(1))
	e.spawn(func(*Proc) { panic("boom") })
	e.run()
	require.Equal(t, []any{"boom"}, e.panics)
}

func TestBlockedLinkKeepsOrderAndHeals(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	var done Time
	e.spawn(func(p *Proc) { p.Await(0, false); done = p.Now() })
	e.w.Block(e.links[0])
	e.w.After(time.Second, NoProc, 0, 0, false)
	for e.w.Step() {
		require.False(t, e.w.Quiet() && done == 0)
		if e.w.Now() == time.Second {
			e.w.Unblock(e.links[0])
		}
	}
	e.w.Seal()
	require.Greater(t, done, time.Second)
}

func TestCutDropsWhatIsUnderWay(t *testing.T) {
	e := newEcho(Options{Wake: Mostly(1)})
	e.begin(NewRandom(1))
	e.spawn(func(p *Proc) { p.Await(0, false); t.Error("the reply arrived") })
	e.w.Step()
	e.w.Cut(e.links[0])
	e.run()
	require.True(t, e.w.Quiet())
}

// benchRun is a run of 38 messages: three processes with six round trips and
// a sixth of two notices.
func benchRun(e *echo, s Strategy) uint64 {
	e.begin(s)
	for range 3 {
		e.spawn(func(p *Proc) {
			for range 6 {
				p.Await(0, false)
			}
		})
	}
	e.w.Send(e.links[0], ToClient, false)
	e.w.Send(e.links[1], ToClient, false)
	e.run()
	return e.w.TraceHash()
}

func TestReplayRepeatsTheTrace(t *testing.T) {
	e := newEcho(Options{})
	seen := map[uint64]bool{}
	for seed := uint64(0); seed < 100; seed++ {
		rec := NewRecorder(NewRandom(seed))
		h := benchRun(e, rec)
		require.False(t, seen[h], "different seeds give different traces")
		seen[h] = true
		rep := NewReplay(rec.Tape())
		require.Equal(t, h, benchRun(e, rep))
		require.NoError(t, rep.Err())
		require.Equal(t, h, benchRun(newEcho(Options{}), NewRandom(seed)), "a used world equals a fresh one")
	}
}

func TestReplaySaysWhatNoLongerFits(t *testing.T) {
	e := newEcho(Options{})
	rec := NewRecorder(NewRandom(1))
	benchRun(e, rec)
	tape := rec.Tape()
	tape[3].N++
	rep := NewReplay(tape)
	benchRun(e, rep)
	require.ErrorContains(t, rep.Err(), "choice 3")
	rep = NewReplay(append(rec.Tape(), Choice{LabelDraw, 2, 1}))
	benchRun(e, rep)
	require.ErrorContains(t, rep.Err(), "the tape holds")
}

// BenchmarkKernel measures the kernel alone: tasks, links and queue, 38
// messages a run.
func BenchmarkKernel(b *testing.B) {
	e := newEcho(Options{})
	r := NewRandom(0)
	b.ReportAllocs()
	steps := 0
	for i := 0; b.Loop(); i++ {
		r.Seed(uint64(i))
		benchRun(e, r)
		steps += e.w.Steps()
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "events/s")
}
