package lock

import (
	"context"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorFramework is the client under the locks of Curator.
func curatorFramework(c zk.Client, e zk.Env) *curator.Framework {
	return &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
}

// curatorMutex is Curator's InterProcessMutex.
type curatorMutex struct{ *curator.Mutex }

func newCuratorMutex(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return curatorMutex{curator.NewMutex(curatorFramework(c, e), dir)}, nil
}

// AcquireTimeout implements [Timed] (InterProcessMutex.acquire(time, unit)).
func (m curatorMutex) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	return m.AcquireWithin(ctx, limit)
}

// TryAcquire implements [Try]: acquire(0, unit).
func (m curatorMutex) TryAcquire(ctx context.Context) (bool, error) {
	return m.AcquireWithin(ctx, 0)
}

// Release implements [Lock].
func (m curatorMutex) Release(ctx context.Context) error {
	if !m.Held() {
		return ErrNotOwner
	}
	return m.Mutex.Release(ctx)
}
