package lock

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"zoosim/recipes/internal/zkjava"
	"zoosim/recipes/zk"
)

// writeLock is WriteLock of zookeeper-recipes. Its lock() does not wait: it
// answers whether the lock is held and calls a listener when it comes to be,
// from the event thread if need be. Acquire waits for the listener. Faults by
// the ids of the measurements:
//
//   - zkjava:Z1 a znode found by its prefix after a lost reply is remembered
//     by its bare name, everything else by path: it counts as smaller than
//     itself, waits for itself and cannot be deleted;
//   - zkjava:Z2 a predecessor that goes between the list and the watch wakes
//     nobody;
//
// and by reading: a watch left behind by an unlock while waiting runs lock()
// again, which takes a new znode for nobody; an error of lock() in the event
// thread is logged and forgotten, and with it the wait; a failed delete
// forgets the znode all the same.
type writeLock struct {
	c   zk.Client
	e   zk.Env
	dir string
	// monitor makes lock and unlock exclude each other (synchronized).
	monitor zk.Mutex
	id      string // the own znode: a path, or a bare name (Z1)
	idName  zkjava.ZNodeName
	ownerID string   // path of the lowest znode of the last list
	granted zk.Latch // opened by the listener (lockAcquired)
}

func newWriteLock(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &writeLock{c: c, e: e, dir: dir, monitor: e.NewMutex(), granted: e.NewLatch()}, nil
}

// Acquire implements [Lock]: lock(), then the wait for the listener. A wait
// that ends early withdraws by unlock(), as its documentation says.
func (l *writeLock) Acquire(ctx context.Context) error {
	granted := l.e.NewLatch()
	l.granted = granted
	held, err := l.lock(ctx)
	if held || err != nil {
		return err
	}
	if err := granted.Wait(ctx); err != nil {
		_ = l.unlock(l.e.Background())
		return err
	}
	return nil
}

// Release implements [Lock] (unlock). Of a lock that is not held it is no
// error, as in the original.
func (l *writeLock) Release(ctx context.Context) error { return l.unlock(ctx) }

// lock is lock(): make sure of the directory, at every call, then one try in
// a retry loop.
func (l *writeLock) lock(ctx context.Context) (bool, error) {
	l.monitor.Lock()
	defer l.monitor.Unlock()
	zkjava.EnsurePathExists(ctx, l.c, l.e, l.dir)
	return zkjava.RetryOperation(ctx, l.e, func() (bool, error) { return l.execute(ctx) })
}

// process is the watcher on the predecessor (class LockWatcher): whatever the
// event, also one of the session, it runs lock() within the event thread.
func (l *writeLock) process(zk.Event) {
	_, _ = l.lock(l.e.Background())
}

// execute is LockZooKeeperOperation.execute. An empty list makes it take a new
// znode and list again; everything else ends it.
func (l *writeLock) execute(ctx context.Context) (bool, error) {
	for {
		if l.id == "" {
			prefix := "x-" + strconv.FormatInt(l.c.SessionID(), 10) + "-"
			if err := l.findPrefixInChildren(ctx, prefix); err != nil {
				return false, err
			}
			l.idName = zkjava.ParseZNodeName(l.id)
		}
		names, err := l.c.Children(ctx, l.dir)
		if err != nil {
			return false, err
		}
		if len(names) > 0 {
			return l.judge(ctx, names)
		}
		l.id = ""
	}
}

// findPrefixInChildren looks for a znode that an earlier try of this session
// made, and makes one if there is none.
func (l *writeLock) findPrefixInChildren(ctx context.Context, prefix string) error {
	names, err := l.c.Children(ctx, l.dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			l.id = name // the bare name (Z1)
			return nil
		}
	}
	path, err := l.c.Create(ctx, l.dir+"/"+prefix, []byte{0x12, 0x34}, zk.EphemeralSequential)
	if err == nil {
		l.id = path
	}
	return err
}

// judge orders the list: nobody smaller, then the listener is told; somebody
// smaller, then the largest of them is watched, and the answer is false even
// if it is gone by now (Z2).
func (l *writeLock) judge(ctx context.Context, names []string) (bool, error) {
	var first, last zkjava.ZNodeName // of all; of those before the own
	for _, name := range names {
		n := zkjava.ParseZNodeName(l.dir + "/" + name)
		if first.Name == "" || n.Compare(first) < 0 {
			first = n
		}
		if n.Compare(l.idName) < 0 && (last.Name == "" || n.Compare(last) > 0) {
			last = n
		}
	}
	l.ownerID = first.Name
	if last.Name != "" {
		_, err := l.c.ExistsW(ctx, last.Name, l.e.NewWatcher(l.process))
		return false, err
	}
	if l.id != l.ownerID {
		return false, nil
	}
	l.granted.Open() // lockAcquired
	return true, nil
}

// unlock is unlock(): one delete, after which the znode is forgotten whatever
// came of it. An interrupt is not passed on; a bare name is no path (Z1).
func (l *writeLock) unlock(ctx context.Context) error {
	l.monitor.Lock()
	defer l.monitor.Unlock()
	if l.id == "" {
		return nil
	}
	err := l.c.Delete(ctx, l.id, zk.AnyVersion)
	l.id = ""
	if errors.Is(err, zk.ErrNoNode) || errors.Is(err, zk.ErrInterrupted) {
		return nil
	}
	return err
}
