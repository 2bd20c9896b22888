package rwlock

import (
	"context"
	"slices"
	"strings"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// The names of InterProcessReadWriteLock: READ_LOCK_NAME and WRITE_LOCK_NAME.
const (
	curatorRead  = "__READ__"
	curatorWrite = "__WRIT__"
)

// curatorSide is one of the two mutexes of Curator's InterProcessReadWriteLock,
// each an InterProcessMutex with its own driver.
type curatorSide struct{ *curator.Mutex }

// curatorLock has a reader wait for the oldest writer in front, whichever is
// the closest (curator:C5: with M writers in front of K readers each of the M
// releases wakes all K), and lets a writer read: the reading znode then takes
// the number of the writing one (CURATOR-621). Known fault, as of the mutex:
// after a new session an old session's znode may be taken for the lock
// (CURATOR-604).
type curatorLock struct {
	f           *curator.Framework
	dir         string
	read, write curatorSide
}

func newCurator(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	f := &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
	l := &curatorLock{f: f, dir: dir}
	l.write = curatorSide{curator.NewMutexOf(curator.NewInternals(f, dir, curatorWrite, curator.SortedBy(curatorSuffix)))}
	read := curator.NewInternals(f, dir, curatorRead, l.readPredicate)
	read.CreateBy(l.createRead)
	l.read = curatorSide{curator.NewMutexOf(read)}
	return l, nil
}

// Read implements [Lock].
func (l *curatorLock) Read() Side { return &l.read }

// Write implements [Lock].
func (l *curatorLock) Write() Side { return &l.write }

// curatorSuffix is what children are sorted by: the number behind either name
// (SortingLockInternalsDriver.fixForSorting).
func curatorSuffix(name string) string {
	return curator.Suffix(curator.Suffix(name, curatorRead), curatorWrite)
}

// createRead makes the reading znode; that of a writer gets the number of its
// writing one and is not sequential.
func (l *curatorLock) createRead(ctx context.Context) (string, error) {
	if !l.write.Held() {
		return l.f.CreateProtected(ctx, l.dir, curatorRead, nil, zk.EphemeralSequential)
	}
	number := curatorSuffix(l.write.Path()[len(l.dir)+1:])
	return l.f.CreateProtected(ctx, l.dir, curatorRead+number, nil, zk.Ephemeral)
}

// readPredicate decides for a reader: it holds the lock if no writer stands
// before it, or if it holds the writing side itself; else it waits for the
// first writer of all.
func (l *curatorLock) readPredicate(names []string, own string) (watch string, held bool, err error) {
	if l.write.Held() {
		return "", true, nil
	}
	slices.SortStableFunc(names, func(a, b string) int { return strings.Compare(curatorSuffix(a), curatorSuffix(b)) })
	for _, name := range names {
		switch {
		case strings.Contains(name, curatorWrite):
			if watch == "" {
				watch = name
			}
		case strings.HasPrefix(name, own):
			return watch, watch == "", nil
		}
	}
	return "", false, zk.ErrNoNode
}

// AcquireTimeout implements [Timed].
func (s *curatorSide) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	return s.AcquireWithin(ctx, limit)
}

// Release implements [Side].
func (s *curatorSide) Release(ctx context.Context) error {
	if !s.Held() {
		return ErrNotOwner // IllegalMonitorStateException
	}
	return s.Mutex.Release(ctx)
}
