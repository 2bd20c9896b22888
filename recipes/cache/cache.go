package cache

import (
	"context"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// Cache mirrors znodes within one process.
type Cache interface {
	// Start begins to mirror, in the background.
	Start(ctx context.Context) error
}

// Entry is a znode as a cache shows it.
type Entry struct {
	Path string
	Data []byte
}

// Options is what a cache is made with.
type Options struct {
	// Path is the znode (an absolute path): the one that is mirrored, or the
	// one below which all is.
	Path string
	// Show is told the contents, in no particular order, whenever they may have
	// changed, from any task.
	Show func(contents []Entry)
	_    struct{}
}

// Variant describes one recipe.
type Variant struct {
	zk.Recipe
	// Node is the znode that is mirrored, below the directory, "" for what is
	// below the directory itself; Deep is true if all below it is, else its
	// children alone.
	Node string
	Deep bool
	// New makes a cache.
	New func(ctx context.Context, c zk.Client, e zk.Env, o Options) (Cache, error)
}

// framework is the client with the retry policy of the measurements.
func framework(c zk.Client, e zk.Env) *curator.Framework {
	return &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
}
