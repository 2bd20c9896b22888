package rwlock

import (
	"context"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// The marks by which tickets say what they are for.
const (
	readMark  = "-read-"
	writeMark = "-write-"
)

// zkDocsSide is one side of the shared lock of ZooKeeper's documentation,
// completed as the exclusive lock of package lock is: what happens at a
// timeout, an interrupt, a lost connection and the end of a session.
type zkDocsSide struct {
	docs.Queue
	held docs.Ticket
}

func newZKDocs(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	side := func(mark string) Side {
		return &zkDocsSide{Queue: docs.Queue{C: c, E: e, Dir: dir, Marker: mark}}
	}
	return &sides{side(readMark), side(writeMark)}, nil
}

// Acquire implements [Side]. It fails with [zk.ErrSessionExpired] if the
// session ends while it waits; it may then be called again.
func (l *zkDocsSide) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx)
	return err
}

// AcquireTimeout implements [Timed]: one limit for the whole acquire.
func (l *zkDocsSide) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.E.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed)
	return docs.TimedOut(ctx, held, err)
}

func (l *zkDocsSide) acquire(ctx context.Context) (bool, error) {
	if l.held.Path != "" && l.Mine(&l.held) {
		return false, errHeld
	}
	l.held = docs.Ticket{}
	t, err := l.Enter(ctx)
	if err != nil {
		return false, err
	}
	for {
		names, err := l.List(ctx)
		if err != nil {
			l.Leave(t)
			return false, err
		}
		pred, found := l.front(names, &t)
		switch {
		case !found:
			return false, zk.ErrSessionExpired
		case !l.Mine(&t):
			l.Leave(t)
			return false, zk.ErrSessionExpired
		case pred == "":
			l.held = t
			return true, nil
		}
		gone := l.E.NewLatch()
		there, err := l.watch(ctx, pred, gone)
		if err == nil && there {
			err = gone.Wait(ctx)
		}
		if err != nil {
			l.Leave(t)
			return false, err
		}
	}
}

// front is the ticket to wait for: the closest smaller one, for a reader the
// closest smaller one of a writer; empty if there is none. found reports
// whether the own ticket is in the list.
func (l *zkDocsSide) front(names []string, t *docs.Ticket) (pred string, found bool) {
	own := l.Name(t)
	var closest int32
	for _, name := range names {
		n, ok := docs.Sequence(name, writeMark)
		if !ok {
			n, ok = docs.Sequence(name, readMark)
			ok = ok && (l.Marker == writeMark || name == own)
		}
		switch {
		case !ok:
		case name == own:
			found = true
		case docs.Before(n, t.Seq) && (pred == "" || docs.Before(closest, n)):
			pred, closest = name, n
		}
	}
	return pred, found
}

// watch has gone opened by the next event on the predecessor and reports
// whether the predecessor is there at all.
func (l *zkDocsSide) watch(ctx context.Context, pred string, gone zk.Latch) (bool, error) {
	for tries := 0; ; {
		stat, err := l.C.ExistsW(ctx, l.Dir+"/"+pred, gone)
		if err == nil || !docs.Again(ctx, l.E, &tries, &err) {
			return stat.Exists(), err
		}
	}
}

// Release implements [Side].
func (l *zkDocsSide) Release(context.Context) error {
	if l.held.Path == "" {
		return ErrNotOwner
	}
	t := l.held
	l.held = docs.Ticket{}
	l.Leave(t)
	return nil
}
