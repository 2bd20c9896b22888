package docs

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/zk"
)

// How these recipes meet a lost connection.
const (
	// RequestTries is how often a request is sent while it ends in
	// ConnectionLoss: its pauses add up to 5.5 s, longer than a client needs
	// to find a server of a healthy ensemble again.
	RequestTries = 8
	// firstPause is the pause before the second try; each pause doubles.
	firstPause = 100 * time.Millisecond
	// lastPause is where the pauses stop growing.
	lastPause = time.Second
)

// Pause waits before the next try, tries having been made already.
func Pause(ctx context.Context, e zk.Env, tries int) error {
	d := lastPause
	if tries < 5 { // firstPause<<4 is beyond lastPause
		d = firstPause << (tries - 1)
	}
	return e.Sleep(ctx, d)
}

// Again decides after a request that failed with *err whether to send it once
// more, and pauses first. If the pause is cut short, *err tells why.
func Again(ctx context.Context, e zk.Env, tries *int, err *error) bool {
	*tries++
	if !errors.Is(*err, zk.ErrConnectionLoss) || *tries >= RequestTries {
		return false
	}
	if cut := Pause(ctx, e, *tries); cut != nil {
		*err = cut
		return false
	}
	return true
}

// Insist repeats step until it reports that it is done: a bounded number of
// times in the foreground, then in a task of its own without end. A step is
// done at the latest when the session that it works for is over. Interrupts
// do not stop it.
func Insist(e zk.Env, name string, step func(ctx context.Context) bool) {
	ctx := e.Background()
	for tries := 1; tries < RequestTries; tries++ {
		_ = Pause(ctx, e, tries)
		if step(ctx) {
			return
		}
	}
	InsistLater(e, name, step)
}

// InsistLater is Insist without the tries in the foreground.
func InsistLater(e zk.Env, name string, step func(ctx context.Context) bool) {
	e.Go(name, func(context.Context) {
		ctx := e.Background()
		for tries := 1; !step(ctx); tries++ {
			_ = Pause(ctx, e, tries)
		}
	})
}

// Settled reports whether a clean-up request that ended with err needs no
// repetition: it did its work, found nothing to do, or its session is over.
func Settled(err error) bool {
	return !errors.Is(err, zk.ErrConnectionLoss) && !errors.Is(err, zk.ErrInterrupted)
}

// TimedOut turns the error of an acquire whose own time limit ended into
// false and no error. outer is the caller's context.
func TimedOut(outer context.Context, held bool, err error) (bool, error) {
	if errors.Is(err, context.DeadlineExceeded) && outer.Err() == nil {
		return false, nil
	}
	return held, err
}
