package zk

import (
	"context"
	"time"
)

// Duration is a length of virtual time (or of real time, live).
type Duration = time.Duration

// Env is a process's view of time, tasks and waiting. Everything that can
// block takes a context of this Env and ends with that context's error
// (context.DeadlineExceeded or context.Canceled) or with [ErrInterrupted].
type Env interface {
	// Background is the root context of the process: never cancelled.
	Background() context.Context
	// WithTimeout derives a context that ends after d. The cancel function
	// must be called; it disarms the timer.
	WithTimeout(parent context.Context, d Duration) (context.Context, context.CancelFunc)
	// WithCancel derives a context that ends when the function is called.
	WithCancel(parent context.Context) (context.Context, context.CancelFunc)

	// Now is the process's clock, counted from an arbitrary moment.
	Now() Duration
	// Sleep waits for d, or until ctx ends or the task is interrupted.
	Sleep(ctx context.Context, d Duration) error
	// Go starts a task of this process. The name is for traces.
	Go(name string, f func(ctx context.Context))
	// Draw returns a number in [0, n), n >= 1, from the run's tape.
	Draw(n int) int
	// GUID returns a string that no other call of any process returns.
	GUID() string

	// Spin says that the caller is at the head of a loop that asks until the
	// answer is another one, and that what it does from here on depends on state,
	// on the time that passes from here on, and on nothing else that it was told
	// since the loop began. It does nothing: a search takes the passes for one,
	// and checks that they are. No other task of the process may be alive.
	Spin(state uint64)

	// Store is the server of a recipe whose [Recipe.Store] names one; nil for
	// others, and where there is none.
	Store() Store

	// NewWatcher makes a watcher that runs f on the client's event task:
	// one callback at a time, in the order of the events. The event task is
	// an actor of its own beside the tasks of the process.
	NewWatcher(f func(Event)) Watcher
	// NewLatch makes a closed latch.
	NewLatch() Latch
	// NewMutex makes a free mutex.
	NewMutex() Mutex
}

// Watcher receives events. It is made by an Env, never by a recipe, so that
// the same object registered twice can be told from two objects.
type Watcher interface {
	// WatcherID is the watcher's number within its process.
	WatcherID() int32
}

// Latch is a gate that opens once. As a watcher it opens at the first event
// it is given, whatever its type.
type Latch interface {
	Watcher
	// Open opens the latch and wakes its waiters. Idempotent.
	Open()
	// IsOpen reports whether the latch is open.
	IsOpen() bool
	// Wait returns nil once the latch is open.
	Wait(ctx context.Context) error
}

// Mutex is a lock with one condition, as Java's monitors have it. Taking it
// cannot be interrupted; it is not re-entrant.
type Mutex interface {
	Lock()
	Unlock()
	// Wait unlocks, waits for a notification, and locks again, also when it
	// returns an error. There are no spurious wake-ups.
	Wait(ctx context.Context) error
	// Notify wakes the task that has waited longest.
	Notify()
	// NotifyAll wakes every waiting task.
	NotifyAll()
}
