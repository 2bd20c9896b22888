package lock

import (
	"context"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// zkDocs is the lock of ZooKeeper's documentation, completed where the text
// is silent: what happens at a timeout, an interrupt, a lost connection and
// the end of a session.
type zkDocs struct {
	docs.Queue
	held docs.Ticket
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
	return &zkDocs{Queue: docs.Queue{C: c, E: e, Dir: dir, Marker: docs.TicketMarker}}, nil
}

// Acquire implements [Lock]. It fails with [zk.ErrSessionExpired] if the
// session ends while it waits; it may then be called again.
func (l *zkDocs) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed]: one limit for the whole acquire.
func (l *zkDocs) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.E.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return docs.TimedOut(ctx, held, err)
}

// TryAcquire implements [Try]: the ticket is given back if it is not the
// first in line.
func (l *zkDocs) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// acquire queues and, unless it need not wait, waits for its turn.
func (l *zkDocs) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.held.Path != "" && l.Mine(&l.held) {
		return false, errHeld
	}
	l.held = docs.Ticket{}
	t, err := l.Enter(ctx) // step 1: create
	if err != nil {
		return false, err
	}
	for {
		names, err := l.List(ctx) // step 2: list, without a watch
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
		case pred == "": // step 3: the lowest number holds the lock
			l.held = t
			return true, nil
		case !wait:
			l.Leave(t)
			return false, nil
		}
		gone := l.E.NewLatch()
		there, err := l.watch(ctx, pred, gone) // step 4: exists with a watch
		if err == nil && (there || l.off == recheckOff) {
			err = gone.Wait(ctx) // step 5: any event, the session's too, leads back to step 2
			if err == nil && l.off == relookOff {
				l.held = t
				return true, nil
			}
		}
		if err != nil {
			l.Leave(t)
			return false, err
		}
	}
}

// watch has gone opened by the next event on the predecessor and reports
// whether the predecessor is there at all.
func (l *zkDocs) watch(ctx context.Context, pred string, gone zk.Latch) (bool, error) {
	path := l.Dir + "/" + pred
	for tries := 0; ; {
		stat, err := l.C.ExistsW(ctx, path, gone)
		if err == nil || !docs.Again(ctx, l.E, &tries, &err) {
			return stat.Exists(), err
		}
	}
}

// Release implements [Lock]. Its delete is repeated while the connection is
// lost, whatever becomes of the context.
func (l *zkDocs) Release(context.Context) error {
	if l.held.Path == "" {
		return ErrNotOwner
	}
	t := l.held
	l.held = docs.Ticket{}
	l.Leave(t)
	return nil
}
