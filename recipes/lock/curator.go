package lock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorLockName is InterProcessMutex.LOCK_NAME.
const curatorLockName = "lock-"

// errLostConnection is the IOException of InterProcessMutex.acquire().
var errLostConnection = errors.New("lock: lost connection while trying to acquire")

// curatorMutex is Curator's InterProcessMutex. The original counts re-entries
// per thread in a map; here one object is used by one task at a time, so the
// count is the object's.
type curatorMutex struct {
	internals *curator.Internals
	path      string // of the znode that holds the lock
	count     int    // acquires not yet released
}

func newCuratorMutex(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	f := &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
	return &curatorMutex{
		internals: curator.NewInternals(f, dir, curatorLockName, curator.Standard(curatorLockName)),
	}, nil
}

// Acquire implements [Lock] (InterProcessMutex.acquire()).
func (m *curatorMutex) Acquire(ctx context.Context) error {
	held, err := m.lock(ctx, curator.Forever)
	if err == nil && !held {
		return errLostConnection
	}
	return err
}

// AcquireTimeout implements [Timed] (InterProcessMutex.acquire(time, unit)).
func (m *curatorMutex) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	return m.lock(ctx, limit)
}

// TryAcquire implements [Try]: acquire(0, unit), which still watches the
// znode in front before it finds that there is no time to wait.
func (m *curatorMutex) TryAcquire(ctx context.Context) (bool, error) {
	return m.lock(ctx, 0)
}

// lock answers a re-entry from memory and never asks whether the session
// still lives (internalLock).
func (m *curatorMutex) lock(ctx context.Context, limit time.Duration) (bool, error) {
	if m.count > 0 {
		m.count++
		return true, nil
	}
	path, err := m.internals.Attempt(ctx, limit)
	if err != nil || path == "" {
		return false, err
	}
	m.path, m.count = path, 1
	return true, nil
}

// Release implements [Lock]. The object forgets the lock even if the delete
// failed, so that the release cannot be repeated; the background goes on
// with it (CURATOR-486).
func (m *curatorMutex) Release(ctx context.Context) error {
	if m.count == 0 {
		return ErrNotOwner // IllegalMonitorStateException
	}
	m.count--
	if m.count > 0 {
		return nil
	}
	path := m.path
	m.path = ""
	return m.internals.Release(ctx, path)
}
