package kazoo

import (
	"context"
	"errors"
	"slices"
	"strings"

	"zoosim/recipes/zk"
)

// Lock is kazoo.recipe.lock.Lock: one object a contender, znodes named
// <uuid><NodeName><number>, the uuid being the object's for life. Its faults
// by the ids of the measurements:
//
//   - kazoo:K10 the holder is never told that its session ended;
//   - kazoo:K11 each wake-up restarts the whole timeout;
//   - kazoo:K12 the clean-up of a failed acquire is tried once and its error
//     swallowed;
//
// and by reading: the numbers are compared as text (kazoo#606), a znode found
// by its prefix is not asked for its session, and the clean-up prefers a
// remembered node name, which may be that of an acquire long over.
type Lock struct {
	client   zk.Client
	env      zk.Env
	path     string
	prefix   string   // uuid and node name
	excludes []string // node names in front of which this lock waits

	wake         zk.Latch // wake_event: replaced to clear it
	onNode       zk.Watcher
	onSession    zk.Watcher
	node         string // self.node, kept beyond a failed acquire
	createTried  bool
	acquired     bool // is_acquired, which survives the session
	assuredPath  bool
	cancelled    bool
	acquireTaken bool // _acquire_method_lock
}

// NewLock makes a lock object whose znodes carry nodeName and which waits for
// smaller ones that carry a name among excludes.
func NewLock(client zk.Client, env zk.Env, path, nodeName string, excludes ...string) *Lock {
	l := &Lock{
		client: client, env: env, path: path,
		prefix: env.GUID() + nodeName, excludes: excludes,
		wake: env.NewLatch(),
	}
	l.onNode = env.NewWatcher(l.set)
	l.onSession = env.NewWatcher(l.set)
	return l
}

// set is _watch_predecessor and _watch_session: any event sets the wake event.
func (l *Lock) set(zk.Event) { l.wake.Open() }

// Acquired is is_acquired.
func (l *Lock) Acquired() bool { return l.acquired }

// Cancel ends a pending acquire (cancel). The mark stays until an acquire
// fails.
func (l *Lock) Cancel() {
	l.cancelled = true
	l.wake.Open()
}

// Acquire is acquire(blocking, timeout): true if the lock was got, false if it
// was not and need not be waited for, [ErrLockTimeout] if the time ran out. A
// second acquire of an acquired lock blocks for ever (kazoo#282).
func (l *Lock) Acquire(ctx context.Context, blocking bool, timeout zk.Duration) (bool, error) {
	retry := Retry{Env: l.env, Deadline: timeout}
	if l.acquireTaken {
		if !blocking {
			return false, nil
		}
		if _, err := retry.Call(ctx, l.turn); err != nil {
			if errors.Is(err, ErrRetryFailed) {
				err = nil
			}
			return false, err
		}
	}
	l.acquireTaken = true
	defer func() { l.acquireTaken = false }()
	already := l.acquired
	got, err := retry.Call(ctx, func() (bool, error) { return l.inner(ctx, blocking, timeout) })
	if err != nil && !errors.Is(err, ErrRetryFailed) {
		if !already {
			l.bestEffortCleanup()
			l.cancelled = false
		}
		return false, err
	}
	if got {
		l.acquired = true
	} else if !already {
		l.bestEffortCleanup()
	}
	return got, nil
}

// turn waits, by retries, until no other task is in Acquire.
func (l *Lock) turn() (bool, error) {
	if l.acquireTaken {
		return false, ErrForceRetry
	}
	return true, nil
}

// inner is _inner_acquire, run anew by the retry loop at each error that it
// repeats.
func (l *Lock) inner(ctx context.Context, blocking bool, timeout zk.Duration) (bool, error) {
	if l.acquired {
		if !blocking {
			return false, nil
		}
		return false, ErrForceRetry
	}
	if !l.assuredPath {
		if err := EnsurePath(ctx, l.client, l.path); err != nil {
			return false, err
		}
		l.assuredPath = true
	}
	node, err := l.ownNode(ctx)
	if err != nil {
		return false, err
	}
	l.node = node
	for {
		l.wake = l.env.NewLatch() // wake_event.clear()
		if l.cancelled {
			return false, ErrCancelled
		}
		pred, err := l.predecessor(ctx, node)
		if err != nil {
			return false, err
		}
		if pred == "" {
			return true, nil
		}
		if !blocking {
			return false, nil
		}
		if err := l.await(ctx, pred, timeout); err != nil {
			return false, err
		}
	}
}

// ownNode creates the znode at the object's first try and looks for it by its
// prefix at every later one.
func (l *Lock) ownNode(ctx context.Context) (string, error) {
	if l.createTried {
		if node, err := l.findNode(ctx); err != nil || node != "" {
			return node, err
		}
	}
	l.createTried = true
	path, err := l.client.Create(ctx, l.path+"/"+l.prefix, nil, zk.EphemeralSequential)
	if err != nil {
		return "", err
	}
	return path[len(l.path)+1:], nil
}

// await watches the predecessor, and the session while it does, and waits for
// the wake event; each call waits for the whole timeout (kazoo:K11).
func (l *Lock) await(ctx context.Context, pred string, timeout zk.Duration) error {
	l.client.AddListener(l.onSession)
	defer l.client.RemoveListener(l.onSession)
	_, _, err := l.client.GetW(ctx, l.path+"/"+pred, l.onNode)
	if errors.Is(err, zk.ErrNoNode) { // released meanwhile: look again
		return nil
	}
	if err != nil {
		return err
	}
	if timeout == NoLimit {
		return l.wake.Wait(ctx)
	}
	timed, cancel := l.env.WithTimeout(ctx, timeout)
	err = l.wake.Wait(timed)
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
		if !l.wake.IsOpen() {
			err = ErrLockTimeout
		}
	}
	return err
}

// predecessor is _get_predecessor: the largest smaller contender, numbers
// compared as text (kazoo#606), or nothing. A list without the own znode
// forces a retry.
func (l *Lock) predecessor(ctx context.Context, node string) (string, error) {
	names, err := l.client.Children(ctx, l.path)
	if err != nil {
		return "", err
	}
	mine := node[len(l.prefix):]
	pred, closest, found := "", "", false
	for _, name := range names {
		seq, ok := contender(name, l.excludes)
		if ok && seq < mine && seq > closest {
			pred, closest = name, seq
		}
		found = found || name == node
	}
	if !found {
		return "", ErrForceRetry
	}
	return pred, nil
}

// findNode is _find_node: the child with the object's prefix, or nothing.
func (l *Lock) findNode(ctx context.Context) (string, error) {
	names, err := l.client.Children(ctx, l.path)
	if err != nil {
		return "", err
	}
	at := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, l.prefix) })
	if at < 0 {
		return "", nil
	}
	return names[at], nil
}

// bestEffortCleanup is _best_effort_cleanup: one try, its error swallowed
// (kazoo:K12).
func (l *Lock) bestEffortCleanup() {
	ctx := l.env.Background()
	node := l.node
	if node == "" {
		node, _ = l.findNode(ctx)
	}
	if node != "" {
		_ = l.client.Delete(ctx, l.path+"/"+node, zk.AnyVersion)
	}
}

// Release is release: false if the lock is not acquired. Its delete is
// repeated without end; that the znode is gone is no error, so a holder whose
// session ended hears nothing (kazoo:K10).
func (l *Lock) Release(ctx context.Context) (bool, error) {
	return Retry{Env: l.env, Deadline: NoLimit}.Call(ctx, func() (bool, error) {
		if !l.acquired {
			return false, nil
		}
		err := l.client.Delete(ctx, l.path+"/"+l.node, zk.AnyVersion)
		if err != nil && !errors.Is(err, zk.ErrNoNode) {
			return false, err
		}
		l.acquired, l.node = false, ""
		return true, nil
	})
}
