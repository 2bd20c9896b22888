package lock

import (
	"context"
	"errors"
	"slices"
	"time"

	"zoosim/recipes/zk"
)

const (
	// seed002LockName is the lock's name in the seed's main.
	seed002LockName = "mylock"
	// seed002Timeout is the session timeout that the seed asks for.
	seed002Timeout = 5 * time.Second
	// seed002Await is how long it waits for a predecessor.
	seed002Await = 5 * time.Second
)

// errIndexOutOfBounds stands for the IndexOutOfBoundsException of a Java list.
var errIndexOutOfBounds = errors.New("lock: java.lang.IndexOutOfBoundsException")

// errTimedOut is what the repaired acquireLock throws.
var errTimedOut = errors.New("lock: the wait for the predecessor timed out")

// seed002 is the class DistributedLock of seed 002, one object and one handle
// a process, carried over field by field and step by step with its faults:
//
//   - L1 the predecessor's deletion is taken for the lock, without a look
//     at the list;
//   - L2 acquireLock drops tryLock's answer;
//   - L3 the latch is replaced after the watch is set;
//   - L4 a waiter that timed out leaves its znode;
//   - L5 no guid in the name: the node of a lost reply stays;
//   - L6, L7 holder and waiter are deaf to session events;
//   - L8 a failed delete skips the close;
//   - L9 other locks' children under the same root count as predecessors;
//   - L10 the order is that of text, minus signs included;
//   - L11 the own znode missing from the list is an exception;
//   - L12 exists and create of the root race, L13 on a handle that need not
//     be connected yet;
//   - L14 a second acquire forgets the first znode and waits for it;
//   - L15 each predecessor gets 5 s anew.
type seed002 struct {
	c        zk.Client
	e        zk.Env
	root     string
	current  string // path of the own znode
	previous string // path of the znode waited for
	latch    zk.Latch
	watcher  zk.Watcher // the object itself, in the original
	heeds    bool       // repaired: tryLock's answer false is an exception
}

// newSeed002 is the constructor. The object is the handle's default watcher,
// too.
func newSeed002(ctx context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	l := &seed002{c: c, e: e, root: dir, latch: e.NewLatch()}
	l.watcher = e.NewWatcher(l.process)
	c.AddListener(l.watcher)
	stat, err := c.Exists(ctx, dir) // L13
	if err != nil {
		return nil, err
	}
	if !stat.Exists() { // L12
		if _, err := c.Create(ctx, dir, []byte{}, zk.Persistent); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Acquire implements [Lock] (acquireLock): step 1, create (L5, L14), step 2,
// tryLock, whose answer is dropped (L2).
func (l *seed002) Acquire(ctx context.Context) error {
	path, err := l.c.Create(ctx, l.root+"/"+seed002LockName+"_", []byte{}, zk.EphemeralSequential)
	if err != nil {
		return err
	}
	l.current = path
	ok, err := l.tryLock(ctx)
	if l.heeds && !ok && err == nil {
		return errTimedOut
	}
	return err
}

// tryLock is steps 3 to 6: list, sort, look whether the own znode is the
// first, else watch the one in front and await its deletion.
func (l *seed002) tryLock(ctx context.Context) (bool, error) {
	names, err := l.c.Children(ctx, l.root)
	if err != nil {
		return false, err
	}
	slices.Sort(names) // as text, foreign children included (L9, L10)
	index := slices.Index(names, l.current[len(l.root)+1:])
	if index == 0 {
		return true, nil
	}
	if index < 0 { // children.get(-2) (L11)
		return false, errIndexOutOfBounds
	}
	l.previous = l.root + "/" + names[index-1]
	stat, err := l.c.ExistsW(ctx, l.previous, l.watcher)
	if err != nil {
		return false, err
	}
	if !stat.Exists() {
		return l.tryLock(ctx) // a recursion without bound (L15)
	}
	l.latch = l.e.NewLatch() // the event may have opened the former one by now (L3)
	timed, cancel := l.e.WithTimeout(ctx, seed002Await)
	err = l.latch.Wait(timed)
	cancel()
	if err != nil && (!errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil) {
		return false, err
	}
	// The time ran out: false, and the znode stays (L4). The latch is open:
	// true, and nobody looks at the list again (L1).
	return l.latch.IsOpen(), nil
}

// Release implements [Lock] (releaseLock): step 7, delete, then close; an
// exception of the delete skips the close (L8).
func (l *seed002) Release(ctx context.Context) error {
	if err := l.c.Delete(ctx, l.current, zk.AnyVersion); err != nil {
		return err
	}
	return l.c.Close(ctx)
}

// process is the callback of the handle and of every watch. It heeds the
// deletion of the predecessor alone (L6, L7).
func (l *seed002) process(ev zk.Event) {
	if ev.Type == zk.EventNodeDeleted && ev.Path == l.previous {
		l.latch.Open()
	}
}
