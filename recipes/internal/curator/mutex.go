package curator

import (
	"context"
	"errors"

	"zoosim/recipes/zk"
)

// mutexName is InterProcessMutex.LOCK_NAME.
const mutexName = "lock-"

// ErrLostConnection is the IOException of InterProcessMutex.acquire().
var ErrLostConnection = errors.New("curator: lost connection while trying to acquire")

// ErrNotHeld is the IllegalMonitorStateException of a release by one who does
// not hold the lock.
var ErrNotHeld = errors.New("curator: the lock is not held")

// Mutex is an InterProcessMutex. The original counts re-entries per thread in
// a map; here one object is used by one task at a time, so the count is the
// object's.
type Mutex struct {
	internals *Internals
	path      string // of the znode that holds the lock
	count     int    // acquires not yet released
}

// NewMutex makes a mutex on the directory dir.
func NewMutex(f *Framework, dir string) *Mutex {
	return NewMutexOf(NewInternals(f, dir, mutexName, Standard(mutexName)))
}

// NewMutexOf makes a mutex with a loop of its own, as those of a read-write
// lock have.
func NewMutexOf(in *Internals) *Mutex { return &Mutex{internals: in} }

// Acquire is acquire().
func (m *Mutex) Acquire(ctx context.Context) error {
	held, err := m.AcquireWithin(ctx, Forever)
	if err == nil && !held {
		return ErrLostConnection
	}
	return err
}

// AcquireWithin is acquire(time, unit): false if the time ran out. It answers a
// re-entry from memory and never asks whether the session still lives
// (internalLock). Without time it still watches the znode in front before it
// finds that there is none to wait.
func (m *Mutex) AcquireWithin(ctx context.Context, limit zk.Duration) (bool, error) {
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

// Release is release(). The object forgets the lock even if the delete failed,
// so that the release cannot be repeated; the background goes on with it
// (CURATOR-486).
func (m *Mutex) Release(ctx context.Context) error {
	if m.count == 0 {
		return ErrNotHeld
	}
	m.count--
	if m.count > 0 {
		return nil
	}
	path := m.path
	m.path = ""
	return m.internals.Release(ctx, path)
}

// Held reports whether the object takes the lock for its own.
func (m *Mutex) Held() bool { return m.count > 0 }

// Path is that of the znode that holds the lock.
func (m *Mutex) Path() string { return m.path }
