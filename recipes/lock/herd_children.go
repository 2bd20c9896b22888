package lock

import (
	"context"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// herdChildren is the naive lock with tickets: everybody watches the whole
// queue, so that every change of it wakes everybody.
type herdChildren struct {
	docs.Queue
	held docs.Ticket
}

func newHerdChildren(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &herdChildren{Queue: docs.Queue{C: c, E: e, Dir: dir, Marker: docs.TicketMarker, ViaGo: true}}, nil
}

// Acquire implements [Lock].
func (l *herdChildren) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed].
func (l *herdChildren) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.E.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return docs.TimedOut(ctx, held, err)
}

// TryAcquire implements [Try].
func (l *herdChildren) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// acquire queues and looks at the whole queue, with a watch each time, until
// its ticket is the lowest. The watch of the last look stays behind and fires
// at the holder's own release.
func (l *herdChildren) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.held.Path != "" && l.Mine(&l.held) {
		return false, errHeld
	}
	l.held = docs.Ticket{}
	t, err := l.Enter(ctx)
	if err != nil {
		return false, err
	}
	for {
		changed := l.E.NewLatch()
		names, err := l.look(ctx, changed)
		if err != nil {
			l.Leave(t)
			return false, err
		}
		pred, found := docs.Predecessor(names, docs.TicketMarker, l.Name(&t), t.Seq)
		switch {
		case !found:
			return false, zk.ErrSessionExpired
		case !l.Mine(&t):
			l.Leave(t)
			return false, zk.ErrSessionExpired
		case pred == "":
			l.held = t
			return true, nil
		case !wait:
			l.Leave(t)
			return false, nil
		}
		if err := changed.Wait(ctx); err != nil {
			l.Leave(t)
			return false, err
		}
	}
}

// look lists the queue and has changed opened by its next change.
func (l *herdChildren) look(ctx context.Context, changed zk.Latch) ([]string, error) {
	for tries := 0; ; {
		names, _, err := l.C.Children2W(ctx, l.Dir, changed)
		if err == nil || !docs.Again(ctx, l.E, &tries, &err) {
			return names, err
		}
	}
}

// Release implements [Lock].
func (l *herdChildren) Release(context.Context) error {
	if l.held.Path == "" {
		return ErrNotOwner
	}
	t := l.held
	l.held = docs.Ticket{}
	l.Leave(t)
	return nil
}
