package lock

import (
	"context"
	"errors"
	"slices"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorMultiDirs are the directories of the mutexes that make one lock.
func curatorMultiDirs() []string { return []string{"/l1", "/l2"} }

// curatorMulti is Curator's InterProcessMultiLock over two mutexes, acquired
// in the order of a list. Faults by the ids of the measurements:
//
//   - curator:C13 a mutex that fails with an exception does not end the acquire:
//     it goes on to the next, waits for it, and fails afterwards;
//   - curator:C13c each mutex is given the whole time limit.
//
// An interrupt leaves the original's thread interrupted, so that what follows
// ends at once; here it ends the acquire.
type curatorMulti struct{ locks []*curator.Mutex }

func newCuratorMulti(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	m := &curatorMulti{}
	f := curatorFramework(c, e)
	for _, sub := range curatorMultiDirs() {
		m.locks = append(m.locks, curator.NewMutex(f, dir+sub))
	}
	return m, nil
}

// Acquire implements [Lock] (acquire(-1, null)).
func (m *curatorMulti) Acquire(ctx context.Context) error {
	held, err := m.acquire(ctx, func(l *curator.Mutex) (bool, error) {
		err := l.Acquire(ctx)
		return err == nil, err
	})
	if err == nil && !held {
		return curator.ErrLostConnection
	}
	return err
}

// AcquireTimeout implements [Timed].
func (m *curatorMulti) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	return m.acquire(ctx, func(l *curator.Mutex) (bool, error) { return l.AcquireWithin(ctx, limit) })
}

// TryAcquire implements [Try].
func (m *curatorMulti) TryAcquire(ctx context.Context) (bool, error) {
	return m.AcquireTimeout(ctx, 0)
}

// acquire takes each lock in turn. What it has got is given back, last first, if
// it does not get all.
func (m *curatorMulti) acquire(ctx context.Context, one func(*curator.Mutex) (bool, error)) (bool, error) {
	var acquired []*curator.Mutex
	var failed error
	for _, l := range m.locks {
		held, err := one(l)
		if held {
			acquired = append(acquired, l)
			continue
		}
		if err == nil {
			break
		}
		failed = err // and on to the next (C13)
		if errors.Is(err, zk.ErrInterrupted) || ctx.Err() != nil {
			break
		}
	}
	if len(acquired) == len(m.locks) {
		return true, nil
	}
	for _, l := range slices.Backward(acquired) {
		_ = l.Release(ctx)
	}
	return false, failed
}

// Release implements [Lock]: every lock, last first, whatever the others say.
func (m *curatorMulti) Release(ctx context.Context) error {
	var first error
	for _, l := range slices.Backward(m.locks) {
		err := l.Release(ctx)
		if errors.Is(err, curator.ErrNotHeld) {
			err = ErrNotOwner
		}
		if first == nil {
			first = err
		}
	}
	return first
}
