package checker

import "strconv"

// CapacityMonitor judges [Capacity] over the events of a semaphore, each
// looked at once and in order: Grant (N permits, 0 for one), ReleaseInvoke (of
// the whole grant), and what ends beliefs (Lost, Crash, Restart, and Down for
// those who stop there).
//
// The zero value is ready after Reset.
type CapacityMonitor struct {
	permits           int64
	stopsAtDisconnect bool
	beliefs           beliefList
	result            Result
}

// Reset forgets everything and judges a semaphore of that many permits.
// StopsAtDisconnect is true if a broken connection ends a belief.
func (m *CapacityMonitor) Reset(permits int, stopsAtDisconnect bool) {
	*m = CapacityMonitor{
		permits: int64(permits), stopsAtDisconnect: stopsAtDisconnect, beliefs: m.beliefs[:0],
		result: passed(Capacity, LevelBelief),
	}
}

// Observe judges the next event.
func (m *CapacityMonitor) Observe(e *Event) {
	if e.Kind != Grant {
		m.beliefs.follow(e, m.stopsAtDisconnect)
		return
	}
	m.beliefs = append(m.beliefs, belief{client: e.Client, op: e.Op, since: e.At, permits: max(e.N, 1)})
	held := int64(0)
	for _, b := range m.beliefs {
		held += b.permits
	}
	if held <= m.permits || m.result.Verdict == Failed {
		return
	}
	m.result.Verdict, m.result.Client, m.result.At = Failed, e.Client, e.At
	why := name(e.Client) + " was granted " + strconv.FormatInt(max(e.N, 1), 10) + " at " + seconds(e.At)
	for i, b := range m.beliefs[:len(m.beliefs)-1] {
		joint := " while "
		if i > 0 {
			joint = " and "
		}
		why += joint + name(b.client) + " held " + strconv.FormatInt(b.permits, 10) + " since " + seconds(b.since)
	}
	m.result.Why = why + ", and there are " + strconv.FormatInt(m.permits, 10) + " in all"
}

// Failed is true as soon as the property has failed.
func (m *CapacityMonitor) Failed() bool { return m.result.Verdict == Failed }

// Finish is the result so far.
func (m *CapacityMonitor) Finish() Result { return m.result }
