package checker

import "time"

// GateMonitor judges [BarrierCount] of a barrier that is closed and opened:
// nobody passes who waited only while it was closed. A barrier is open at
// first. The zero value is ready after Reset.
type GateMonitor struct {
	closed   bool
	closedAt time.Duration
	waiting  []gateWaiter
	result   Result
}

// gateWaiter is a client at the barrier.
type gateWaiter struct {
	waits bool
	since time.Duration
	open  bool // it was open at some moment since
}

// Reset forgets everything.
func (m *GateMonitor) Reset() {
	*m = GateMonitor{waiting: m.waiting[:0], result: passed(BarrierCount, LevelRun)}
}

// Observe judges the next event.
func (m *GateMonitor) Observe(e *BarrierEvent) {
	switch e.Kind {
	case GateClosed:
		if !m.closed {
			m.closed, m.closedAt = true, e.At
		}
		return
	case GateOpened:
		m.closed = false
		for i := range m.waiting {
			m.waiting[i].open = true
		}
		return
	}
	if e.Client < 0 {
		return
	}
	for int(e.Client) >= len(m.waiting) {
		m.waiting = append(m.waiting, gateWaiter{})
	}
	w := &m.waiting[e.Client]
	switch e.Kind {
	case WaitInvoke:
		*w = gateWaiter{waits: true, since: e.At, open: !m.closed}
	case WaitReturn:
		if w.waits && !w.open && m.result.Verdict != Failed {
			m.result.Verdict, m.result.Client, m.result.At = Failed, e.Client, e.At
			m.result.Why = name(e.Client) + ", which waited since " + seconds(w.since) + ", passed the barrier at " +
				seconds(e.At) + ", and it was closed since " + seconds(m.closedAt)
		}
		w.waits = false
	case WaitFail, BarrierGone:
		w.waits = false
	}
}

// Failed is true as soon as the property has failed.
func (m *GateMonitor) Failed() bool { return m.result.Verdict == Failed }

// Finish is the result so far.
func (m *GateMonitor) Finish() Result { return m.result }
