package election

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"zoosim/recipes/zk"
)

// zkJavaOffer begins the name of an offer.
const zkJavaOffer = "n_"

// zkJava is LeaderElectionSupport of zookeeper-recipes. Faults by the ids of
// the measurements:
//
//   - zookeeper:Z6 every offer is read; one that goes between the listing and
//     its read ends the candidacy of whoever reads it, for good;
//   - zookeeper:Z7 an offer whose create reply was lost stays, and leads nobody;
//
// and by reading: the end of the session is not heeded, and an own offer that
// is missing from the listing leaves the candidate waiting for ever.
type zkJava struct {
	c       zk.Client
	e       zk.Env
	o       Options
	watcher zk.Watcher // the object itself, in the original
	offer   string     // the path of the own one
	term    int64
	elected bool
	stopped bool
	failed  error
	changed zk.Latch // opens when one of these changes
}

func newZKJava(_ context.Context, c zk.Client, e zk.Env, o Options) (Election, error) {
	l := &zkJava{c: c, e: e, o: o, changed: e.NewLatch()}
	l.watcher = e.NewWatcher(l.process)
	return l, nil
}

func (l *zkJava) now(elected bool, failed error) {
	l.elected, l.failed = elected, failed
	changed := l.changed
	l.changed = l.e.NewLatch()
	changed.Open()
}

// Campaign implements [Election]: start, and a wait for ELECTED or FAILED.
func (l *zkJava) Campaign(ctx context.Context) error {
	if !l.elected {
		l.stopped, l.failed = false, nil
		err := l.makeOffer(ctx)
		if err == nil {
			err = l.determine(ctx)
		}
		if err != nil {
			l.now(false, err)
		}
	}
	for !l.elected && l.failed == nil {
		changed := l.changed
		if err := changed.Wait(ctx); err != nil {
			return err
		}
	}
	return l.failed
}

// makeOffer creates the offer (Z7).
func (l *zkJava) makeOffer(ctx context.Context) error {
	path, err := l.c.Create(ctx, l.o.Dir+"/"+zkJavaOffer, nil, zk.EphemeralSequential)
	if err == nil {
		l.offer = path
	}
	return err
}

// zkJavaEntry is an offer as it was read.
type zkJavaEntry struct {
	id   int
	path string
}

// determine is determineElectionStatus.
func (l *zkJava) determine(ctx context.Context) error {
	for {
		names, err := l.c.Children(ctx, l.o.Dir)
		if err != nil {
			return err
		}
		var offers []zkJavaEntry
		for _, name := range names {
			path := l.o.Dir + "/" + name
			if _, _, err := l.c.Get(ctx, path); err != nil { // Z6
				return err
			}
			id, err := strconv.Atoi(name[min(len(zkJavaOffer), len(name)):])
			if err != nil {
				return fmt.Errorf("election: java.lang.NumberFormatException: %w", err)
			}
			offers = append(offers, zkJavaEntry{id, path})
		}
		slices.SortFunc(offers, func(a, b zkJavaEntry) int { return a.id - b.id })
		at := slices.IndexFunc(offers, func(x zkJavaEntry) bool { return x.path == l.offer })
		switch {
		case at < 0: // silent: DETERMINE for ever
			return nil
		case at == 0:
			l.term = int64(offers[0].id)
			l.now(true, nil)
			return nil
		}
		stat, err := l.c.ExistsW(ctx, offers[at-1].path, l.watcher)
		if err != nil || stat.Exists() {
			return err
		}
	}
}

// process is the callback of every watch.
func (l *zkJava) process(ev zk.Event) {
	if ev.Type != zk.EventNodeDeleted || ev.Path == l.offer || l.stopped {
		return
	}
	if err := l.determine(l.e.Background()); err != nil {
		l.now(false, err)
	}
}

// Resign implements [Election]: stop, whose error makes the candidate FAILED
// and reaches nobody.
func (l *zkJava) Resign(ctx context.Context) error {
	l.stopped, l.elected = true, false
	if l.offer != "" {
		_ = l.c.Delete(ctx, l.offer, zk.AnyVersion)
		l.offer = ""
	}
	return nil
}

// Term implements [Election].
func (l *zkJava) Term() int64 { return l.term }
