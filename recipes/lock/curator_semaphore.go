package lock

import (
	"context"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorSemaphoreMutex is Curator's InterProcessSemaphoreMutex: a semaphore of
// one lease. It is not re-entrant: who holds it and acquires again waits for
// itself. Its faults are the semaphore's.
type curatorSemaphoreMutex struct {
	semaphore *curator.Semaphore
	lease     string
}

func newCuratorSemaphoreMutex(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &curatorSemaphoreMutex{semaphore: curator.NewSemaphore(curatorFramework(c, e), dir, 1)}, nil
}

// Acquire implements [Lock].
func (m *curatorSemaphoreMutex) Acquire(ctx context.Context) error {
	held, err := m.acquire(ctx, curator.Forever)
	if err == nil && !held {
		return curator.ErrLostConnection // the original goes on with an empty list, and fails
	}
	return err
}

// AcquireTimeout implements [Timed].
func (m *curatorSemaphoreMutex) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	return m.acquire(ctx, limit)
}

// TryAcquire implements [Try]: acquire(0, unit).
func (m *curatorSemaphoreMutex) TryAcquire(ctx context.Context) (bool, error) {
	return m.acquire(ctx, 0)
}

func (m *curatorSemaphoreMutex) acquire(ctx context.Context, limit time.Duration) (bool, error) {
	leases, err := m.semaphore.Acquire(ctx, 1, limit)
	if err != nil || len(leases) == 0 {
		return false, err
	}
	m.lease = leases[0]
	return true, nil
}

// Release implements [Lock]. The object forgets its lease first.
func (m *curatorSemaphoreMutex) Release(ctx context.Context) error {
	if m.lease == "" {
		return ErrNotOwner
	}
	lease := m.lease
	m.lease = ""
	return m.semaphore.Return(ctx, lease)
}
