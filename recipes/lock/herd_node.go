package lock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// herdNode is the naive lock on one znode: who creates it holds the lock, all
// others watch it and race when it goes.
//
// The name is fixed, so a delete may hit another holder's znode. The znode's
// data, a guid of the acquire, says whose it is, and it is deleted only under
// the session that owns it.
type herdNode struct {
	c    zk.Client
	e    zk.Env
	path string
	held claim
}

// claim is one acquire's hold, or attempt at a hold, on the znode.
type claim struct {
	guid  string // the znode's data
	owner int64  // the session that created it; 0 if that is not known
}

func newHerdNode(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &herdNode{c: c, e: e, path: dir + "/lock"}, nil
}

// Acquire implements [Lock].
func (l *herdNode) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed].
func (l *herdNode) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.e.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return docs.TimedOut(ctx, held, err)
}

// TryAcquire implements [Try].
func (l *herdNode) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// acquire races for the znode and, unless it need not wait, waits for its
// deletion and races again.
func (l *herdNode) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.held.guid != "" && l.live(l.held.owner) {
		return false, errHeld
	}
	l.held = claim{}
	mine := claim{guid: l.e.GUID()}
	for {
		held, err := l.create(ctx, &mine)
		if err != nil {
			return false, err
		}
		if held {
			l.held = mine
			return true, nil
		}
		if !wait {
			return false, nil
		}
		gone := l.e.NewLatch()
		there, err := l.watch(ctx, gone)
		if err == nil && there {
			err = gone.Wait(ctx)
		}
		if err != nil {
			return false, err
		}
	}
}

// create tries to make the znode; false and no error say that another client
// holds it. A lost reply is looked up by the znode's data. If create fails,
// no znode of this claim is left behind.
func (l *herdNode) create(ctx context.Context, mine *claim) (bool, error) {
	for tries := 1; ; tries++ {
		mine.owner = l.c.SessionID()
		_, err := l.c.Create(ctx, l.path, []byte(mine.guid), zk.Ephemeral)
		if mine.owner == 0 && err == nil { // issued before the first session
			mine.owner = l.c.SessionID()
		}
		switch {
		case err == nil && !l.live(mine.owner):
			l.leave(claim{guid: mine.guid})
			return false, zk.ErrSessionExpired
		case err == nil:
			return true, nil
		case errors.Is(err, zk.ErrNodeExists):
			return false, nil
		case errors.Is(err, zk.ErrInterrupted): // sent, and perhaps applied
			l.leave(claim{guid: mine.guid})
			return false, err
		case !errors.Is(err, zk.ErrConnectionLoss):
			return false, err
		}
		var found finding
		if tries < docs.RequestTries {
			if err = docs.Pause(ctx, l.e, tries); err == nil {
				found, err = l.lookUp(ctx, mine)
			}
		}
		if err != nil {
			l.leave(claim{guid: mine.guid})
			return false, err
		}
		if found != missing {
			return found == own, nil
		}
	}
}

// finding is what a look at the znode shows.
type finding uint8

const (
	missing finding = iota
	own
	another
)

// lookUp finds out whose the znode is after a create whose reply was lost.
func (l *herdNode) lookUp(ctx context.Context, mine *claim) (finding, error) {
	for tries := 0; ; {
		data, stat, err := l.c.Get(ctx, l.path)
		switch {
		case errors.Is(err, zk.ErrNoNode):
			return missing, nil
		case err != nil:
			if !docs.Again(ctx, l.e, &tries, &err) {
				return missing, err
			}
		case string(data) != mine.guid:
			return another, nil
		default:
			if mine.owner = stat.EphemeralOwner(); !l.live(mine.owner) {
				return missing, zk.ErrSessionExpired
			}
			return own, nil
		}
	}
}

// watch has gone opened by the next event on the znode and reports whether it
// is there at all.
func (l *herdNode) watch(ctx context.Context, gone zk.Latch) (bool, error) {
	for tries := 0; ; {
		stat, err := l.c.ExistsW(ctx, l.path, gone)
		if err == nil || !docs.Again(ctx, l.e, &tries, &err) {
			return stat.Exists(), err
		}
	}
}

// live reports whether owner is this client's session and not known to be
// over.
func (l *herdNode) live(owner int64) bool {
	if l.c.SessionID() != owner {
		return false
	}
	state := l.c.State()
	return state == zk.Connected || state == zk.Connecting
}

// Release implements [Lock].
func (l *herdNode) Release(context.Context) error {
	if l.held.guid == "" {
		return ErrNotOwner
	}
	mine := l.held
	l.held = claim{}
	l.leave(mine)
	return nil
}

// leave deletes the claim's znode if it is there; where the owner is not
// known, after a look at it.
func (l *herdNode) leave(mine claim) {
	if !l.remove(l.e.Background(), mine, mine.owner != 0) {
		l.insistOnLeave(mine)
	}
}

// insistOnLeave is apart from leave so that only a failure costs the closure.
func (l *herdNode) insistOnLeave(mine claim) {
	docs.Insist(l.e, "lock-leave", func(ctx context.Context) bool { return l.remove(ctx, mine, false) })
}

// remove tries once to delete the claim's znode and reports whether nothing
// is left to do. Only right after a grant does a client know without a look
// that the znode is its own (sure). A delete is sent only while its owner's
// session is connected: one that waited for a connection could be sent in the
// next session, when the znode is another client's.
func (l *herdNode) remove(ctx context.Context, mine claim, sure bool) bool {
	if !sure {
		data, stat, err := l.c.Get(ctx, l.path)
		if err != nil {
			return docs.Settled(err)
		}
		if string(data) != mine.guid {
			return true
		}
		mine.owner = stat.EphemeralOwner()
	}
	if l.c.SessionID() != mine.owner {
		return true // its session is over, or ends without this client
	}
	switch l.c.State() {
	case zk.Connected:
		return docs.Settled(l.c.Delete(ctx, l.path, zk.AnyVersion))
	case zk.Connecting:
		return false
	}
	return true
}
