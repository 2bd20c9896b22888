package rwlock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/zk"
)

// Lock is a read-write lock of one process, used by one task at a time. Any
// number of clients may hold it for reading, or one for writing.
type Lock interface {
	// Read is the side on which readers queue, Write that of writers. Each call
	// returns the same object.
	Read() Side
	Write() Side
}

// Side is one side of a read-write lock.
type Side interface {
	// Acquire blocks until the side is granted (nil) or fails.
	Acquire(ctx context.Context) error
	// Release gives it back.
	Release(ctx context.Context) error
}

// Timed is implemented by sides whose original has an acquire with a time
// limit.
type Timed interface {
	// AcquireTimeout is Acquire that gives up after limit: false and no error.
	AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error)
}

// ErrNotOwner is returned by Release when the side is not held.
var ErrNotOwner = errors.New("rwlock: not the owner")

// errHeld answers an acquire on a side that is held already, where the lock is
// not re-entrant.
var errHeld = errors.New("rwlock: acquired twice without a release")

// Variant describes one read-write lock recipe.
type Variant struct {
	zk.Recipe
	// Timed is true if the sides implement [Timed].
	Timed bool
	// Reentrant is true if a holder may acquire its side again, and a writer
	// may acquire the reading side (a downgrade).
	Reentrant bool
	// New makes the lock of one process on the directory dir (an existing
	// znode, an absolute path). It may send requests; ctx is the process's
	// root context.
	New func(ctx context.Context, c zk.Client, e zk.Env, dir string) (Lock, error)
}

// sides is a lock made of two sides.
type sides struct{ read, write Side }

// Read implements [Lock].
func (s *sides) Read() Side { return s.read }

// Write implements [Lock].
func (s *sides) Write() Side { return s.write }
