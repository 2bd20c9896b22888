package election

import (
	"context"

	"zoosim/recipes/zk"
)

// Election is one candidate of an election, used by one task at a time.
type Election interface {
	// Campaign makes the process a candidate, if it is none, and returns once it
	// leads. Called again after the leadership was lost it waits for the next.
	Campaign(ctx context.Context) error
	// Resign ends the leadership or the candidacy.
	Resign(ctx context.Context) error
	// Term is the number of the znode on which the process leads, or led last.
	Term() int64
}

// Options is what a candidate is made with.
type Options struct {
	// Dir is the directory of the election (an absolute path).
	Dir string
	// OnLoss is called, from any task, when the recipe learns that the process
	// leads no more without having resigned.
	OnLoss func()
	_      struct{}
}

// Variant describes one recipe.
type Variant struct {
	zk.Recipe
	// FIFO is true if leaders follow one another in the order of their znodes.
	FIFO bool
	// MaxFanOut is the most notifications that the end of one candidacy may
	// cause.
	MaxFanOut int
	// StopsAtDisconnect is true if the leader stops when its connection breaks.
	StopsAtDisconnect bool
	// EventThread is true if the original's code runs on the event thread of its
	// client, callbacks of requests included.
	EventThread bool
	// Once is true if a candidate that has resigned cannot come again.
	Once bool
	// New makes a candidate. It may send requests; ctx is the process's root
	// context.
	New func(ctx context.Context, c zk.Client, e zk.Env, o Options) (Election, error)
}
