package semaphore

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/zk"
)

// Semaphore is one process's end of a semaphore, used by one task at a time.
type Semaphore interface {
	// Acquire blocks until n leases, at least one, are granted (nil) or fails.
	Acquire(ctx context.Context, n int) error
	// Release gives back all leases of the last Acquire.
	Release(ctx context.Context) error
}

// Timed is implemented by semaphores whose original has an acquire with a time
// limit.
type Timed interface {
	// AcquireTimeout is Acquire that gives up after limit: false and no error.
	AcquireTimeout(ctx context.Context, n int, limit time.Duration) (bool, error)
}

// ErrNotOwner is returned by Release when nothing is held.
var ErrNotOwner = errors.New("semaphore: not the owner")

// errHeld answers an acquire on an object that holds leases already, where that
// is not allowed.
var errHeld = errors.New("semaphore: acquired twice without a release")

// Variant describes one semaphore recipe.
type Variant struct {
	zk.Recipe
	// Timed is true if the semaphores implement [Timed].
	Timed bool
	// New makes the semaphore of one process, of that many leases, on the
	// directory dir (an existing znode, an absolute path, with Recipe.Dirs below
	// it). It may send requests; ctx is the process's root context.
	New func(ctx context.Context, c zk.Client, e zk.Env, dir string, leases int) (Semaphore, error)
}

// Variants returns every semaphore variant, in a fixed order.
func Variants() []Variant { return []Variant{ticketsVariant(), curatorVariant()} }
