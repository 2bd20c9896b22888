package queue

import (
	"context"
	"time"

	"zoosim/recipes/zk"
)

// Queue is one process's end of a distributed queue, used by one task at a
// time.
type Queue interface {
	// Put adds an item. Of an error the caller cannot know, in general,
	// whether the item is in the queue.
	Put(ctx context.Context, data []byte) error
	// Take removes the item that is next and returns it; it waits for one.
	Take(ctx context.Context) ([]byte, error)
}

// Timed is implemented by queues whose original has a take with a time limit.
type Timed interface {
	// TakeTimeout is Take that gives up after limit: false and no error.
	TakeTimeout(ctx context.Context, limit time.Duration) ([]byte, bool, error)
}

// Try is implemented by queues whose original has a take that never waits.
type Try interface {
	// TryTake is Take that finds the queue empty rather than wait: false and
	// no error.
	TryTake(ctx context.Context) ([]byte, bool, error)
}

// Prioritized is implemented by queues with priorities.
type Prioritized interface {
	// PutPriority is Put with a priority from 0 to 999; lower is served first.
	PutPriority(ctx context.Context, data []byte, priority int) error
}

// Acker is implemented by queues that lock an item for its taker and delete it
// when it is dealt with.
type Acker interface {
	// Ack says that the item last taken is dealt with.
	Ack(ctx context.Context) error
}

// Herd is the [Variant.MaxFanOut] of queues of which each consumer watches the
// items, and all go for the head, as their sources say.
const Herd = -1

// Variant describes one queue recipe.
type Variant struct {
	zk.Recipe
	// Timed, Try and Locks say which of the interfaces [Timed], [Try] and
	// [Acker] the variant's queues implement; NeverBlocks that Take does not
	// wait, and ends as TryTake does.
	Timed, Try, Locks, NeverBlocks bool
	// Priorities is true if the queue serves by priority ([Prioritized]).
	Priorities bool
	// FIFO is true if items are taken in the order in which they were put,
	// within a priority.
	FIFO bool
	// MaxFanOut is the most notifications that one put may cause. A negative
	// number, [Herd], says that every consumer may be told; 0 promises nothing.
	MaxFanOut int
	// AtMostOnce is true if the queue says that a take whose client crashes, or
	// whose reply is lost, may lose its item.
	AtMostOnce bool
	// LockDir is the directory of the consumers' locks within the queue's, ""
	// if there is none; ItemDir that of the items, "" for the queue's own.
	LockDir, ItemDir string
	// New makes the queue of one process on the directory dir (an absolute
	// path). It may send requests; ctx is the process's root context.
	New func(ctx context.Context, c zk.Client, e zk.Env, dir string) (Queue, error)
}
