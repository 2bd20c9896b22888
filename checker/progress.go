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

// waiting is the first client whose operation has not ended, -1 for none, and
// how many more there are. A crash and the end of a program end operations.
func (l *Lock) waiting() (first, others int) {
	first = -1
	for i := range l.clients {
		switch {
		case l.clients[i].running == idle:
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
		if l.clients[i].flags&(isCrashed|isDone) == 0 {
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
