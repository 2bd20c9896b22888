package checker

// deadline judges how long a timed or non-blocking acquire waited, at its
// end.
func (l *Lock) deadline(c *lockClient, e *Event) {
	if c.mode == Blocking || c.running != acquiring || c.op != e.Op {
		return
	}
	limit := c.limit
	if c.mode == TryMode {
		limit = 0
	}
	if e.Waited <= limit+max(l.cfg.DeadlineSlack, 0) {
		return
	}
	l.fail(failure{
		property: deadlineIndex, reason: reason(e.Kind), client: e.Client, op: e.Op, mode: c.mode,
		at: e.At, since: e.Waited, limit: limit,
	})
}

// deadline is the sentence about a failure of deadline.
func (f *failure) deadline() string {
	end := "was granted"
	switch Kind(f.reason) {
	case Refuse:
		end = "was refused"
	case Fail:
		end = "failed"
	}
	if f.mode == TryMode {
		return name(f.client) + "'s non-blocking " + f.cfg.Operation + " waited " + seconds(f.since) +
			" before it " + end + " at " + seconds(f.at)
	}
	return name(f.client) + "'s " + f.cfg.Operation + " with limit " + seconds(f.limit) + " waited " + seconds(f.since) +
		" before it " + end + " at " + seconds(f.at)
}
