package lock

import (
	"context"
	"time"

	"zoosim/recipes/zk"
)

// herdChildren is the naive lock with tickets: everybody watches the whole
// queue, so that every change of it wakes everybody.
type herdChildren struct {
	queue
	held ticket
}

func newHerdChildren(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &herdChildren{queue: queue{c: c, e: e, dir: dir, viaGo: true}}, nil
}

// Acquire implements [Lock].
func (l *herdChildren) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed].
func (l *herdChildren) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.e.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return timedOut(ctx, held, err)
}

// TryAcquire implements [Try].
func (l *herdChildren) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// acquire queues and looks at the whole queue, with a watch each time, until
// its ticket is the lowest. The watch of the last look stays behind and fires
// at the holder's own release.
func (l *herdChildren) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.held.path != "" && l.mine(&l.held) {
		return false, errHeld
	}
	l.held = ticket{}
	t, err := l.enter(ctx)
	if err != nil {
		return false, err
	}
	for {
		changed := l.e.NewLatch()
		names, err := l.look(ctx, changed)
		if err != nil {
			l.leave(t)
			return false, err
		}
		pred, found := predecessor(names, ticketMarker, l.name(&t), t.seq)
		switch {
		case !found:
			return false, zk.ErrSessionExpired
		case !l.mine(&t):
			l.leave(t)
			return false, zk.ErrSessionExpired
		case pred == "":
			l.held = t
			return true, nil
		case !wait:
			l.leave(t)
			return false, nil
		}
		if err := changed.Wait(ctx); err != nil {
			l.leave(t)
			return false, err
		}
	}
}

// look lists the queue and has changed opened by its next change.
func (l *herdChildren) look(ctx context.Context, changed zk.Latch) ([]string, error) {
	for tries := 0; ; {
		names, _, err := l.c.Children2W(ctx, l.dir, changed)
		if err == nil || !again(ctx, l.e, &tries, &err) {
			return names, err
		}
	}
}

// Release implements [Lock].
func (l *herdChildren) Release(context.Context) error {
	if l.held.path == "" {
		return ErrNotOwner
	}
	t := l.held
	l.held = ticket{}
	l.leave(t)
	return nil
}
