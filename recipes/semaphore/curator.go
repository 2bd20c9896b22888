package semaphore

import (
	"context"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

func curatorVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "semaphore/curator",
			Source: "Apache Curator 5.4.0, InterProcessSemaphoreV2, with RetryNTimes(3, 1000)",
			Algorithm: `For each lease that is asked for: acquire a mutex on <dir>/locks; create <dir>/leases/_c_<uuid>-lease-<number>;
list the leases with a watch until the own is there and they are no more than allowed, and wait in between;
ask for the watch to be removed (checkWatches alone: the server's stays); release the mutex. Release deletes the leases.
With one lease 10N - 3 requests and 3N - 2 notifications for N clients.
Known faults: several leases are taken one by one (C4); a lease that was got is forgotten when the release of the mutex
fails behind it; after a new session a lease of the old one may be taken for the own (CURATOR-604).`,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
			Dirs:               curator.SemaphoreDirs(),
			Tickets:            2,
		},
		Timed: true,
		New:   newCurator,
	}
}

// curatorSemaphore is Curator's InterProcessSemaphoreV2, whose leases are
// returned together (returnAll, which logs what goes wrong).
type curatorSemaphore struct {
	s      *curator.Semaphore
	leases []string
}

func newCurator(_ context.Context, c zk.Client, e zk.Env, dir string, leases int) (Semaphore, error) {
	f := &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
	return &curatorSemaphore{s: curator.NewSemaphore(f, dir, leases)}, nil
}

// Acquire implements [Semaphore].
func (s *curatorSemaphore) Acquire(ctx context.Context, n int) error {
	held, err := s.acquire(ctx, n, curator.Forever)
	if err == nil && !held {
		return curator.ErrLostConnection // the client was closed
	}
	return err
}

// AcquireTimeout implements [Timed].
func (s *curatorSemaphore) AcquireTimeout(ctx context.Context, n int, limit time.Duration) (bool, error) {
	return s.acquire(ctx, n, limit)
}

func (s *curatorSemaphore) acquire(ctx context.Context, n int, limit time.Duration) (bool, error) {
	leases, err := s.s.Acquire(ctx, n, limit)
	if err != nil || len(leases) == 0 {
		return false, err
	}
	s.leases = leases
	return true, nil
}

// Release implements [Semaphore].
func (s *curatorSemaphore) Release(context.Context) error {
	if len(s.leases) == 0 {
		return ErrNotOwner
	}
	s.s.ReturnAll(s.leases)
	s.leases = nil
	return nil
}
