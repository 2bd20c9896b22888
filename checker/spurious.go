package checker

import "strconv"

// spurious judges an operation that failed. A fault explains the operations
// that it touched while they ran, and one that ended a session also those,
// and the releases of those, that had begun under it.
func (l *Lock) spurious(c *lockClient, e *Event) {
	explained := isTouched
	if c.running == idle || c.op != e.Op {
		// The invocation is not in the history: judge by the present.
		explained = isDown | isOver | isPaused
	}
	if c.flags&explained != 0 || e.Op <= c.endedOp {
		return
	}
	l.fail(failure{
		property: spuriousIndex, reason: reason(e.Kind), client: e.Client, op: e.Op,
		at: e.At, text: e.Text,
	})
}

// panicked notes that recipe code panicked, which nothing explains.
func (l *Lock) panicked(e *Event) {
	l.fail(failure{
		property: spuriousIndex, reason: reason(Panic), client: e.Client, op: e.Op,
		at: e.At, text: e.Text,
	})
}

// spurious is the sentence about a failure of spurious-error.
func (f *failure) spurious() string {
	text := strconv.Quote(f.text)
	if Kind(f.reason) == Panic {
		return "recipe code of " + name(f.client) + " panicked at " + seconds(f.at) + ": " + text
	}
	what := f.cfg.Operation + " "
	if Kind(f.reason) == ReleaseReturn {
		what = "release of " + f.cfg.Operation + " "
	}
	return name(f.client) + "'s " + what + strconv.Itoa(int(f.op)) + " failed at " + seconds(f.at) +
		" with " + text + ", and no fault explains it"
}
