package lock

import (
	"context"
	"errors"

	"zoosim/recipes/internal/gozk"
	"zoosim/recipes/zk"
)

// errGoDeadlock is zk.ErrDeadlock of go-zookeeper.
var errGoDeadlock = errors.New("lock: trying to acquire a lock twice (gozk)")

// goLock is go-zookeeper's zk.Lock. Its calls take no context, so neither
// deadline nor cancellation nor interrupt reaches them. Faults by the ids of
// the measurements:
//
//   - gozk:G1, G2 every error after the create leaves the znode to a session
//     that lives on;
//   - gozk:G3 so does a sibling whose name has no number;
//   - gozk:G4, G5 an unlock whose delete failed, or found the session over,
//     leaves the object locked for ever;
//   - gozk:G6 the holder is not told that its session ended;
//
// and by reading: with negative numbers the search for the previous one, which
// starts at -1, finds none, and the path watched ends in "/".
type goLock struct {
	c        zk.Client
	e        zk.Env
	path     string
	lockPath string
}

func newGoLock(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &goLock{c: c, e: e, path: dir}, nil
}

// Acquire implements [Lock] (Lock.LockWithData).
func (l *goLock) Acquire(context.Context) error {
	if l.lockPath != "" { // G4, G5
		return errGoDeadlock
	}
	ctx := l.e.Background()
	path, err := gozk.CreateInDir(ctx, l.c, l.e, l.path, "lock-")
	if err != nil {
		return err
	}
	seq, err := gozk.ParseSeq(path)
	if err != nil {
		return err
	}
	for {
		names, _, err := l.c.Children2(ctx, l.path)
		if err != nil {
			return err // G1
		}
		prev, lowest, err := previous(names, seq)
		if err != nil {
			return err // G3
		}
		if lowest {
			break
		}
		if err := l.await(ctx, l.path+"/"+prev); err != nil {
			return err // G2
		}
	}
	l.lockPath = path
	return nil
}

// previous finds the closest smaller number's name, above -1, and reports
// whether seq is the lowest.
func previous(names []string, seq int) (name string, lowest bool, err error) {
	lowest = true
	prev := -1
	for _, n := range names {
		s, err := gozk.ParseSeq(n)
		if err != nil {
			return "", false, err
		}
		if s < seq {
			lowest = false
			if s > prev {
				name, prev = n, s
			}
		}
	}
	return name, lowest, nil
}

// await watches a znode and waits for the event; a znode that is gone is no
// error. The watch's channel is a callback here, which keeps the event: the
// end of the session is an error, everything else a reason to look again.
func (l *goLock) await(ctx context.Context, path string) error {
	var got zk.Event
	told := l.e.NewLatch()
	w := l.e.NewWatcher(func(ev zk.Event) { // called once, as the library closes the channel
		got = ev
		told.Open()
	})
	_, _, err := l.c.GetW(ctx, path, w)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := told.Wait(ctx); err != nil {
		return err
	}
	if got.Type == zk.EventSession && got.State == zk.Expired {
		return zk.ErrSessionExpired
	}
	return nil
}

// Release implements [Lock] (Lock.Unlock). The path is forgotten only when the
// delete succeeds (G4, G5).
func (l *goLock) Release(context.Context) error {
	if l.lockPath == "" {
		return ErrNotOwner
	}
	if err := l.c.Delete(l.e.Background(), l.lockPath, zk.AnyVersion); err != nil {
		return err
	}
	l.lockPath = ""
	return nil
}
