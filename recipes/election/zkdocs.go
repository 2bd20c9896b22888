package election

import (
	"context"
	"errors"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// zkDocs is the election of ZooKeeper's documentation: whoever has the lowest
// znode leads, and each other watches the one before its own. Where the text is
// silent: a candidate whose session has ended comes again, and a leader leads
// no more when it learns of that end.
type zkDocs struct {
	docs.Queue
	o      Options
	ticket docs.Ticket
	term   int64
	leads  bool
}

func newZKDocs(_ context.Context, c zk.Client, e zk.Env, o Options) (Election, error) {
	l := &zkDocs{Queue: docs.Queue{C: c, E: e, Dir: o.Dir, Marker: "-n_"}, o: o}
	c.AddListener(e.NewWatcher(l.session))
	return l, nil
}

// session hears of the session; of a former one perhaps when the process leads
// in the next.
func (l *zkDocs) session(zk.Event) {
	if l.leads && !l.Mine(&l.ticket) {
		l.leads = false
		l.o.OnLoss()
	}
}

// Campaign implements [Election].
func (l *zkDocs) Campaign(ctx context.Context) error {
	for {
		led, err := l.attempt(ctx)
		if led {
			return nil
		}
		if errors.Is(err, zk.ErrSessionExpired) && l.C.State() != zk.Closed {
			err = nil // the candidate comes again, in the next session
		}
		if err != nil {
			return err
		}
	}
}

// attempt takes a ticket and waits for its turn; false and no error if the
// ticket is worth nothing any more.
func (l *zkDocs) attempt(ctx context.Context) (bool, error) {
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
		pred, found := docs.Predecessor(names, l.Marker, l.Name(&t), t.Seq)
		switch {
		case !found:
			return false, nil
		case !l.Mine(&t):
			l.Leave(t)
			return false, nil
		case pred == "":
			l.ticket, l.term, l.leads = t, int64(t.Seq), true
			return true, nil
		}
		gone := l.E.NewLatch()
		if err := l.await(ctx, pred, gone); err != nil {
			l.Leave(t)
			return false, err
		}
	}
}

// await waits for the next event on a znode, if it is there.
func (l *zkDocs) await(ctx context.Context, name string, gone zk.Latch) error {
	for tries := 0; ; {
		stat, err := l.C.ExistsW(ctx, l.Dir+"/"+name, gone)
		switch {
		case err == nil && stat.Exists():
			return gone.Wait(ctx)
		case err == nil || !docs.Again(ctx, l.E, &tries, &err):
			return err
		}
	}
}

// Resign implements [Election]. Its delete is repeated until it is certain.
func (l *zkDocs) Resign(context.Context) error {
	l.leads = false
	if t := l.ticket; t.Path != "" {
		l.ticket = docs.Ticket{}
		l.Leave(t)
	}
	return nil
}

// Term implements [Election].
func (l *zkDocs) Term() int64 { return l.term }
