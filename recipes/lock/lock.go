package lock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/zk"
)

// Lock is a mutual-exclusion lock of one process. Unless a variant says
// otherwise it is used by one task at a time.
type Lock interface {
	// Acquire blocks until the lock is granted (nil) or fails. The error of
	// an Acquire whose context ended is the context's.
	Acquire(ctx context.Context) error
	// Release gives the lock back.
	Release(ctx context.Context) error
}

// Timed is implemented by locks whose original has an acquire with a time
// limit.
type Timed interface {
	// AcquireTimeout is Acquire that gives up after limit: false and no error.
	AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error)
}

// Try is implemented by locks whose original has a non-blocking acquire.
type Try interface {
	// TryAcquire is Acquire that never waits for another holder: false and no
	// error if the lock is taken.
	TryAcquire(ctx context.Context) (bool, error)
}

// Tokened is implemented by locks that hand out fencing tokens.
type Tokened interface {
	// Token is the fencing token of the last grant: the czxid of its ticket, or
	// the version of a row.
	Token() int64
}

// Leased is implemented by locks whose holds end by themselves.
type Leased interface {
	// Live reports whether the lease of the hold still runs, by the client's own
	// clock. Where it does not, the lock may be another's; where it does, the
	// store may have lost it all the same.
	Live() bool
}

// Canceler is implemented by locks whose original has a call, apart from any
// context, that ends another task's acquire.
type Canceler interface {
	Cancel()
}

// ErrNotOwner is returned by Release when the lock is not held.
var ErrNotOwner = errors.New("lock: not the owner")

// errHeld answers an acquire on an object that holds its lock already. None
// of this package's own variants is re-entrant.
var errHeld = errors.New("lock: acquired twice without a release")

// Variant describes one lock recipe.
type Variant struct {
	// Name is family/name, as "lock/curator".
	Name string
	// Source says where the algorithm comes from: library, class, release.
	Source string
	// Algorithm tells it in a few lines.
	Algorithm string
	// Correct is false for variants with known faults.
	Correct bool
	// Library is the client library under the recipe.
	Library zk.Library
	// Store and Lease are as in [zk.Recipe]. A lock on a store is made without
	// a client.
	Store zk.StoreKind
	Lease time.Duration
	// SessionTimeout is what the original asks for; 0 leaves it to the
	// scenario.
	SessionTimeout time.Duration
	// Timed, Try and Tokens say which of the interfaces [Timed], [Try] and
	// [Tokened] the variant's locks implement.
	Timed, Try, Tokens bool
	// FIFO is true if grants follow the order of the tickets.
	FIFO bool
	// MaxFanOut is the most notifications that one release may cause; 0 means
	// that the variant promises nothing.
	MaxFanOut int
	// StopsAtDisconnect is true if the holder stops believing at Disconnected
	// rather than at Expired.
	StopsAtDisconnect bool
	// Interruptible is true if the original reacts to a thread's interrupt
	// (or, where it implements [Canceler], to Cancel).
	Interruptible bool
	// InterruptsRequests is true if an interrupt also ends a request, its
	// outcome unknown, as in Java's client.
	InterruptsRequests bool
	// Reentrant is true if a holder may acquire again.
	Reentrant bool
	// ClosesClient is true if Release also closes the client's session.
	ClosesClient bool
	// NoFinally is true if the original's own code releases the lock behind the
	// work, and not in a finally: an exception in the work leaves it held.
	NoFinally bool
	// Dirs and Tickets are as in [zk.Recipe].
	Dirs    []string
	Tickets int
	// New makes the lock of one process on the directory dir (an existing
	// znode, an absolute path). It may send requests; ctx is the process's
	// root context.
	New func(ctx context.Context, c zk.Client, e zk.Env, dir string) (Lock, error)
}
