package checker

import "strconv"

// progress judges the end of a run: whoever is alive and waits now waits for
// ever.
func (l *Lock) progress() {
	first, others := l.waiting()
	if first < 0 {
		return
	}
	c := &l.clients[first]
	l.fail(failure{
		property: progressIndex, reason: reason(l.end), client: int32(first), op: c.op, mode: c.mode,
		at: l.endAt, since: c.since, a: int64(c.running), b: int64(others),
	})
}

// Excuse lets the client's running operation wait for ever: progress does not
// speak about it.
func (l *Lock) Excuse(client int) { l.clients[client].running = idle }

// Acquiring reports whether an acquire of the client runs.
func (l *Lock) Acquiring(client int) bool { return l.clients[client].running == acquiring }

// lateService is the reason of a grant that came too late; other reasons are
// the kinds of a run's end.
const lateService = reason(255)

// disturb notes the moment of an event behind which waiting begins anew.
func (l *Lock) disturb(c *lockClient, e *Event) {
	switch e.Kind {
	case Fault, Crash, Restart, Pause, Resume, Down:
		l.disturbed = e.At
	case Up:
		if c.flags&(isDown|isOver) != 0 {
			l.disturbed = e.At
		}
	}
}

// served judges how long an acquire that is granted has waited undisturbed.
func (l *Lock) served(c *lockClient, e *Event) {
	from := max(c.since, l.disturbed)
	if l.cfg.WaiterBound == 0 || c.running != acquiring || !l.mustProgress(e.Client) || e.At-from <= l.cfg.WaiterBound {
		return
	}
	l.fail(failure{
		property: progressIndex, reason: lateService, client: e.Client, op: e.Op, mode: c.mode,
		at: e.At, since: from, limit: l.cfg.WaiterBound, a: int64(acquiring),
	})
}

// mustProgress reports whether a client is one of those that are healed.
func (l *Lock) mustProgress(client int32) bool { return l.cfg.Core == 0 || int(client) < l.cfg.Core }

// waiting is the first client whose operation has not ended, -1 for none, and
// how many more there are. A crash and the end of a program end operations.
func (l *Lock) waiting() (first, others int) {
	first = -1
	for i := range l.clients {
		switch {
		case l.clients[i].running == idle || !l.mustProgress(int32(i)):
		case first < 0:
			first = i
		default:
			others++
		}
	}
	return first, others
}

// undecidedProgress says why a run that was stopped early shows nothing, or
// is empty if every program was over.
func (l *Lock) undecidedProgress() (why string, client int32) {
	if first, _ := l.waiting(); first >= 0 {
		c := &l.clients[first]
		return l.stopped() + " while " + name(int32(first)) + " waited " + l.cfg.waitingFor(c.running, c.op, c.mode) +
			" since " + seconds(c.since), int32(first)
	}
	for i := range l.clients {
		if l.clients[i].flags&(isCrashed|isDone) == 0 && l.mustProgress(int32(i)) {
			return l.stopped() + " before the program of " + name(int32(i)) + " was over", int32(i)
		}
	}
	return "", -1
}

// stopped says how a run ended of which the end is not known.
func (l *Lock) stopped() string {
	if l.end == CutOff {
		return "the run was cut off at " + seconds(l.endAt)
	}
	return "the history ends"
}

// waitingFor says what an operation waits for.
func (cfg *LockConfig) waitingFor(what running, op int32, mode Mode) string {
	number := strconv.Itoa(int(op))
	if what == releasing {
		return "for its release of " + cfg.Operation + " " + number + " to return"
	}
	return "for " + cfg.Object + " (" + cfg.Operation + " " + number + ", " + mode.String() + ")"
}

// progress is the sentence about a failure of progress.
func (f *failure) progress() string {
	if f.reason == lateService {
		return name(f.client) + " was granted " + f.cfg.Object + " (" + f.cfg.Operation + " " + strconv.Itoa(int(f.op)) + ", " + f.mode.String() + ") at " +
			seconds(f.at) + ", and nothing had disturbed it since " + seconds(f.since) + ": later than the bound of " + seconds(f.limit)
	}
	why := name(f.client) + " waits " + f.cfg.waitingFor(running(f.a), f.op, f.mode) + " since " + seconds(f.since)
	switch f.b {
	case 0:
	case 1:
		why += ", another client waits too"
	default:
		why += ", " + strconv.FormatInt(f.b, 10) + " more clients wait too"
	}
	if Kind(f.reason) == Horizon {
		return why + ", and the horizon " + seconds(f.at) + " is over"
	}
	return why + ", and from " + seconds(f.at) + " on nothing can happen any more"
}
