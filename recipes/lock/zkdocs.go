package lock

import (
	"context"
	"time"

	"zoosim/recipes/zk"
)

// zkDocs is the lock of ZooKeeper's documentation, completed where the text
// is silent: what happens at a timeout, an interrupt, a lost connection and
// the end of a session.
type zkDocs struct {
	queue
	held ticket
	off  zkDocsStep // the step that is left out
}

// zkDocsStep is a step of the lock that an ablation leaves out.
type zkDocsStep uint8

const (
	nothingOff zkDocsStep = iota
	relookOff             // a waiter that is woken does not list again
	recheckOff            // a waiter waits also if the znode to watch is gone
)

func newZKDocs(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &zkDocs{queue: queue{c: c, e: e, dir: dir}}, nil
}

// Acquire implements [Lock]. It fails with [zk.ErrSessionExpired] if the
// session ends while it waits; it may then be called again.
func (l *zkDocs) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed]: one limit for the whole acquire.
func (l *zkDocs) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.e.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return timedOut(ctx, held, err)
}

// TryAcquire implements [Try]: the ticket is given back if it is not the
// first in line.
func (l *zkDocs) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// acquire queues and, unless it need not wait, waits for its turn.
func (l *zkDocs) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.held.path != "" && l.mine(&l.held) {
		return false, errHeld
	}
	l.held = ticket{}
	t, err := l.enter(ctx) // step 1: create
	if err != nil {
		return false, err
	}
	for {
		names, err := l.list(ctx) // step 2: list, without a watch
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
		case pred == "": // step 3: the lowest number holds the lock
			l.held = t
			return true, nil
		case !wait:
			l.leave(t)
			return false, nil
		}
		gone := l.e.NewLatch()
		there, err := l.watch(ctx, pred, gone) // step 4: exists with a watch
		if err == nil && (there || l.off == recheckOff) {
			err = gone.Wait(ctx) // step 5: any event, the session's too, leads back to step 2
			if err == nil && l.off == relookOff {
				l.held = t
				return true, nil
			}
		}
		if err != nil {
			l.leave(t)
			return false, err
		}
	}
}

// watch has gone opened by the next event on the predecessor and reports
// whether the predecessor is there at all.
func (l *zkDocs) watch(ctx context.Context, pred string, gone zk.Latch) (bool, error) {
	path := l.dir + "/" + pred
	for tries := 0; ; {
		stat, err := l.c.ExistsW(ctx, path, gone)
		if err == nil || !again(ctx, l.e, &tries, &err) {
			return stat.Exists(), err
		}
	}
}

// Release implements [Lock]. Its delete is repeated while the connection is
// lost, whatever becomes of the context.
func (l *zkDocs) Release(context.Context) error {
	if l.held.path == "" {
		return ErrNotOwner
	}
	t := l.held
	l.held = ticket{}
	l.leave(t)
	return nil
}
