package lock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/internal/kazoo"
	"zoosim/recipes/zk"
)

// kazooNodeName is Lock._NODE_NAME, and the one name that excludes a Lock.
const kazooNodeName = "__lock__"

// kazooLock is Kazoo's Lock. The algorithm is [kazoo.Lock]'s, which Kazoo's
// read-write lock shares.
type kazooLock struct {
	lock *kazoo.Lock
}

func newKazooLock(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &kazooLock{lock: kazoo.NewLock(c, e, dir, kazooNodeName, kazooNodeName)}, nil
}

// Acquire implements [Lock] (acquire()).
func (l *kazooLock) Acquire(ctx context.Context) error {
	_, err := l.lock.Acquire(ctx, true, kazoo.NoLimit)
	return err
}

// AcquireTimeout implements [Timed] (acquire(timeout=limit), whose LockTimeout
// is false here).
func (l *kazooLock) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	held, err := l.lock.Acquire(ctx, true, limit)
	if errors.Is(err, kazoo.ErrLockTimeout) {
		return false, nil
	}
	return held, err
}

// TryAcquire implements [Try] (acquire(blocking=False)).
func (l *kazooLock) TryAcquire(ctx context.Context) (bool, error) {
	return l.lock.Acquire(ctx, false, kazoo.NoLimit)
}

// Cancel implements [Canceler] (cancel()). The ended acquire returns
// [kazoo.ErrCancelled], a context.Canceled.
func (l *kazooLock) Cancel() { l.lock.Cancel() }

// Release implements [Lock] (release(), whose False is [ErrNotOwner] here).
func (l *kazooLock) Release(ctx context.Context) error {
	released, err := l.lock.Release(ctx)
	if err == nil && !released {
		return ErrNotOwner
	}
	return err
}
