package rwlock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/internal/kazoo"
	"zoosim/recipes/zk"
)

// The node names of kazoo.recipe.lock.ReadLock and WriteLock.
const (
	kazooRead  = "__rlock__"
	kazooWrite = "__lock__"
)

// kazooSide is Kazoo's ReadLock or WriteLock: its Lock with another node name
// and another list of names to wait for. Its faults are those of the lock
// (kazoo:K10, K11, K12).
type kazooSide struct{ *kazoo.Lock }

func newKazoo(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	return &sides{
		read:  &kazooSide{kazoo.NewLock(c, e, dir, kazooRead, kazooWrite)},
		write: &kazooSide{kazoo.NewLock(c, e, dir, kazooWrite, kazooWrite, kazooRead)},
	}, nil
}

// Acquire implements [Side].
func (s *kazooSide) Acquire(ctx context.Context) error {
	got, err := s.Lock.Acquire(ctx, true, kazoo.NoLimit)
	if err == nil && !got {
		err = kazoo.ErrLockTimeout
	}
	return err
}

// AcquireTimeout implements [Timed].
func (s *kazooSide) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	got, err := s.Lock.Acquire(ctx, true, limit)
	if errors.Is(err, kazoo.ErrLockTimeout) {
		err = nil
	}
	return got, err
}

// Release implements [Side].
func (s *kazooSide) Release(ctx context.Context) error {
	released, err := s.Lock.Release(ctx)
	if err == nil && !released {
		return ErrNotOwner
	}
	return err
}
