package lock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/zk"
)

// How this package's own variants (herd-node, herd-children, zkdocs, fenced)
// meet a lost connection. The variants taken from a library retry as that
// library does.
const (
	// requestTries is how often a request is sent while it ends in
	// ConnectionLoss: its pauses add up to 5.5 s, longer than a client needs
	// to find a server of a healthy ensemble again.
	requestTries = 8
	// firstPause is the pause before the second try; each pause doubles.
	firstPause = 100 * time.Millisecond
	// lastPause is where the pauses stop growing.
	lastPause = time.Second
)

// pause waits before the next try, tries having been made already.
func pause(ctx context.Context, e zk.Env, tries int) error {
	d := lastPause
	if tries < 5 { // firstPause<<4 is beyond lastPause
		d = firstPause << (tries - 1)
	}
	return e.Sleep(ctx, d)
}

// again decides after a request that failed with *err whether to send it once
// more, and pauses first. If the pause is cut short, *err tells why.
func again(ctx context.Context, e zk.Env, tries *int, err *error) bool {
	*tries++
	if !errors.Is(*err, zk.ErrConnectionLoss) || *tries >= requestTries {
		return false
	}
	if cut := pause(ctx, e, *tries); cut != nil {
		*err = cut
		return false
	}
	return true
}

// insist repeats step until it reports that it is done: a bounded number of
// times in the foreground, then in a task of its own without end. A step is
// done at the latest when the session that it works for is over. Interrupts
// do not stop it.
func insist(e zk.Env, name string, step func(ctx context.Context) bool) {
	ctx := e.Background()
	for tries := 1; tries < requestTries; tries++ {
		_ = pause(ctx, e, tries)
		if step(ctx) {
			return
		}
	}
	insistLater(e, name, step)
}

// insistLater is insist without the tries in the foreground.
func insistLater(e zk.Env, name string, step func(ctx context.Context) bool) {
	e.Go(name, func(context.Context) {
		ctx := e.Background()
		for tries := 1; !step(ctx); tries++ {
			_ = pause(ctx, e, tries)
		}
	})
}

// settled reports whether a clean-up request that ended with err needs no
// repetition: it did its work, found nothing to do, or its session is over.
func settled(err error) bool {
	return !errors.Is(err, zk.ErrConnectionLoss) && !errors.Is(err, zk.ErrInterrupted)
}

// timedOut turns the error of an acquire whose own time limit ended into
// false and no error, the answer of [Timed]. outer is the caller's context.
func timedOut(outer context.Context, held bool, err error) (bool, error) {
	if errors.Is(err, context.DeadlineExceeded) && outer.Err() == nil {
		return false, nil
	}
	return held, err
}

// errHeld answers an acquire on an object that holds its lock already. None
// of this package's own variants is re-entrant.
var errHeld = errors.New("lock: acquired twice without a release")
