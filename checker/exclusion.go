package checker

// The ways in which the witness of linearizability breaks.
const (
	heldByOther reason = iota
	heldBySelf
)

// exclusion judges a grant by the beliefs that are on, and with it the
// witness of linearizable: as long as no two beliefs overlap, acquires in
// grant order and releases in invocation order are a mutex's. It is true for
// a re-entrant grant.
func (l *Lock) exclusion(e *Event) (again bool) {
	if len(l.holds) == 0 {
		return false
	}
	if h := l.holds.other(e.Client); h != nil {
		f := failure{
			property: exclusionIndex, reason: heldByOther, client: e.Client, other: h.client,
			op: e.Op, at: e.At, since: h.since,
		}
		l.fail(f)
		f.property = linearizableIndex
		l.fail(f)
	}
	h := l.holds.of(e.Client)
	if h != nil && !l.cfg.Reentrant {
		l.fail(failure{
			property: linearizableIndex, reason: heldBySelf, client: e.Client, other: h.client,
			op: e.Op, at: e.At, since: h.since,
		})
	}
	return h != nil
}

// overlap is the sentence about a grant that breaks the witness.
func (f *failure) overlap() string {
	if f.reason == heldBySelf {
		return name(f.client) + " was granted the lock again at " + seconds(f.at) +
			" while it held it since " + seconds(f.since) + ", and the lock is not re-entrant"
	}
	return name(f.client) + " was granted the lock at " + seconds(f.at) +
		" while " + name(f.other) + " held it since " + seconds(f.since)
}
