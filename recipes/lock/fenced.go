package lock

import (
	"context"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// fenced is the documentation's lock for a holder that shares a resource with
// fencing tokens. It differs from [zkDocs] in three things: holder and waiter
// give up at Disconnected, while the server still keeps the session; each
// grant carries the czxid of its ticket; and a grant needs a connected client
// in the session that owns the ticket, and an answer of the server that is
// younger than a session can end.
type fenced struct {
	docs.Queue
	held  docs.Ticket
	token int64
	lost  bool // held was given up at Disconnected; its clean-up runs
}

func newFenced(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	l := &fenced{Queue: docs.Queue{C: c, E: e, Dir: dir, Marker: docs.TicketMarker}}
	c.AddListener(e.NewWatcher(l.sessionEvent))
	return l, nil
}

// sessionEvent is the session listener: when the connection, or the session,
// is gone the holder's ticket is given back. An event that comes late, the
// client being back in the ticket's session, says nothing about this hold,
// which may have been granted since.
func (l *fenced) sessionEvent(zk.Event) {
	if l.held.Path != "" && !l.lost && l.doubt(&l.held) != nil {
		l.lost = true
		l.LeaveLater(l.held)
	}
}

// Acquire implements [Lock]. It fails with [zk.ErrConnectionLoss] if the
// connection goes while it waits and with [zk.ErrSessionExpired] if the
// session ends; it may then be called again.
func (l *fenced) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed].
func (l *fenced) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.E.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return docs.TimedOut(ctx, held, err)
}

// TryAcquire implements [Try].
func (l *fenced) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// Token implements [Tokened].
func (l *fenced) Token() int64 { return l.token }

// acquire queues and, unless it need not wait, waits for its turn.
func (l *fenced) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.held.Path != "" && !l.lost && l.Mine(&l.held) {
		return false, errHeld
	}
	l.held, l.lost = docs.Ticket{}, false
	t, err := l.Enter(ctx)
	if err != nil {
		return false, err
	}
	for {
		asked := l.E.Now()
		names, err := l.C.Children(ctx, l.Dir)
		if err != nil {
			return false, l.giveUp(t, err)
		}
		pred, found := docs.Predecessor(names, docs.TicketMarker, l.Name(&t), t.Seq)
		if !found {
			return false, zk.ErrSessionExpired
		}
		if err := l.doubt(&t); err != nil {
			return false, l.giveUp(t, err)
		}
		if pred == "" {
			if l.stale(asked) {
				continue
			}
			l.held, l.token = t, t.Stat.Czxid()
			return true, nil
		}
		if !wait {
			l.Leave(t)
			return false, nil
		}
		gone := l.E.NewLatch()
		stat, err := l.C.ExistsW(ctx, l.Dir+"/"+pred, gone)
		if err == nil && stat.Exists() {
			if err = gone.Wait(ctx); err == nil {
				err = l.doubt(&t) // a session event opens the latch as well
			}
		}
		if err != nil {
			return false, l.giveUp(t, err)
		}
	}
}

// doubt says why the ticket must not be granted, or waited with, now: its
// session is not this client's, or there is no connection.
func (l *fenced) doubt(t *docs.Ticket) error {
	if !l.Mine(t) {
		return zk.ErrSessionExpired
	}
	if l.C.State() != zk.Connected {
		return zk.ErrConnectionLoss
	}
	return nil
}

// stale reports whether an answer to a request of the given moment is too old
// to be granted on. The server kept the session for a whole timeout from the
// request on, and the client notices a silence of two thirds of it; after a
// pause of the process neither need hold.
func (l *fenced) stale(asked zk.Duration) bool {
	return l.E.Now()-asked >= l.C.SessionTimeout()*2/3
}

// giveUp gives the ticket back because of err: at once while there is a
// connection, else in a task of its own, since giving up must not wait for
// the next connection.
func (l *fenced) giveUp(t docs.Ticket, err error) error {
	if l.C.State() == zk.Connected {
		l.Leave(t)
	} else {
		l.LeaveLater(t)
	}
	return err
}

// Release implements [Lock]. A hold that was given up at Disconnected is
// being cleaned up already.
func (l *fenced) Release(context.Context) error {
	if l.held.Path == "" {
		return ErrNotOwner
	}
	t, lost := l.held, l.lost
	l.held, l.lost = docs.Ticket{}, false
	if !lost {
		l.Leave(t)
	}
	return nil
}
