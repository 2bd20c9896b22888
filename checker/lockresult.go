package checker

// Finish gives one result a property, in the order of [LockProperties]. The
// slice is used again by the next Finish. History is the events that were
// observed; it is read only if the witness of linearizable is broken, and for
// the path of a leaked ticket. With a nil history a broken witness decides by
// itself, which is as good: see [MutexLinearizable].
func (l *Lock) Finish(history []Event) []Result {
	if l.results == nil {
		l.results = make([]Result, lockPropertyCount)
	}
	for i := range l.results {
		l.results[i] = l.result(i, history)
	}
	return l.results
}

// result is the verdict on one property.
func (l *Lock) result(i int, history []Event) Result {
	p := lockProperty(i)
	r := Result{Property: p, Level: LevelOf(p), Verdict: Pass, Client: -1}
	if why := l.notApplicable(i); why != "" {
		r.Verdict, r.Why = NotApplicable, why
		return r
	}
	if l.failed&(1<<i) != 0 {
		return l.failedResult(r, i, history)
	}
	if l.end == Quiescent || l.end == Horizon {
		return r
	}
	switch i {
	case progressIndex:
		r.Why, r.Client = l.undecidedProgress()
	case leakIndex:
		r.Why = l.stopped() + ": a ticket may still be deleted"
		if l.end == CutOff {
			r.Why = l.stopped() + ", and tickets may still come and go"
		}
	}
	if r.Why != "" {
		r.Verdict, r.At = Unknown, l.endAt
	}
	return r
}

// notApplicable says why a property does not speak about this run, or is
// empty.
func (l *Lock) notApplicable(i int) string {
	switch {
	case i == fencedIndex && !l.cfg.Tokens:
		return "the lock hands out no tokens"
	case i == fifoIndex && !l.cfg.FIFO:
		return "the lock promises no order"
	case i == leakIndex && l.cfg.Leases:
		return "what is left ends with its lease"
	case i == deadlineIndex && !l.timed:
		return "no timed or non-blocking acquire was invoked"
	case i == fanOutIndex && l.cfg.MaxFanOut == 0:
		return "the lock promises no fan-out"
	}
	return ""
}

// failedResult completes the result of a property that has failed.
func (l *Lock) failedResult(r Result, i int, history []Event) Result {
	if i == linearizableIndex && history != nil {
		return MutexLinearizable(history, LinearizableOptions{
			Reentrant:         l.cfg.Reentrant,
			StopsAtDisconnect: l.cfg.StopsAtDisconnect,
		})
	}
	f := l.failure(i)
	r.Verdict, r.Client, r.At = Failed, f.client, f.at
	switch i {
	case exclusionIndex:
		r.Why = f.overlap()
	case fencedIndex:
		r.Why = f.fenced()
	case linearizableIndex:
		r.Why = noLinearization + f.overlap()
	case fifoIndex:
		r.Why = f.fifo()
	case progressIndex:
		r.Why = f.progress()
	case deadlineIndex:
		r.Why = f.deadline()
	case leakIndex:
		r.Why = f.leak(history)
	case spuriousIndex:
		r.Why = f.spurious()
	case fanOutIndex:
		r.Why = f.fanOut()
	}
	return r
}

// failure is what is known of the failure of a property in failed.
func (l *Lock) failure(i int) *failure {
	k := 0
	for l.fails[k].property != i {
		k++
	}
	return &l.fails[k]
}
