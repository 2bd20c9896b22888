package checker

// SharedGrant is the Text of a Grant for reading. Any other Text is a grant
// that excludes others.
const SharedGrant = "read"

// RWMonitor judges [RWExclusion] over the events of a read-write lock, each
// looked at once and in order: Grant (Text says what for), ReleaseInvoke, and
// what ends beliefs (Lost, Crash, Restart, and Down for those who stop there).
// A client's own beliefs may overlap: a re-entrant writer may read.
//
// The zero value is ready after Reset.
type RWMonitor struct {
	stopsAtDisconnect bool
	beliefs           beliefList
	result            Result
}

// Reset forgets everything. StopsAtDisconnect is true if a broken connection
// ends a belief.
func (m *RWMonitor) Reset(stopsAtDisconnect bool) {
	*m = RWMonitor{
		stopsAtDisconnect: stopsAtDisconnect, beliefs: m.beliefs[:0],
		result: passed(RWExclusion, LevelBelief),
	}
}

// Observe judges the next event.
func (m *RWMonitor) Observe(e *Event) {
	if e.Kind != Grant {
		m.beliefs.follow(e, m.stopsAtDisconnect)
		return
	}
	shared := e.Text == SharedGrant
	for _, b := range m.beliefs {
		if b.client == e.Client || b.shared && shared || m.result.Verdict == Failed {
			continue
		}
		m.result.Verdict, m.result.Client, m.result.At = Failed, e.Client, e.At
		m.result.Why = name(e.Client) + " was granted the lock for " + purposeOf(shared) + " at " + seconds(e.At) +
			" while " + name(b.client) + " held it for " + purposeOf(b.shared) + " since " + seconds(b.since)
	}
	m.beliefs = append(m.beliefs, belief{client: e.Client, op: e.Op, since: e.At, shared: shared})
}

func purposeOf(shared bool) string {
	if shared {
		return "reading"
	}
	return "writing"
}

// Failed is true as soon as the property has failed.
func (m *RWMonitor) Failed() bool { return m.result.Verdict == Failed }

// Finish is the result so far.
func (m *RWMonitor) Finish() Result { return m.result }
