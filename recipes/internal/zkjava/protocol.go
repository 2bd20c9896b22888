package zkjava

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/zk"
)

const (
	// retryCount is how often an operation is tried (RETRY_COUNT).
	retryCount = 10
	// retryDelay times the number of the failed try is the pause after it.
	retryDelay = 500 * time.Millisecond
)

// RetryOperation runs op until it ends otherwise than in a lost connection, at
// most ten times, with a pause after every failure but the first
// (ProtocolSupport.retryOperation). A pause that is interrupted ends early
// and counts as over. After ten failures the first one is returned.
func RetryOperation(ctx context.Context, e zk.Env, op func() (bool, error)) (bool, error) {
	var first error
	for attempt := range retryCount {
		done, err := op()
		if !errors.Is(err, zk.ErrConnectionLoss) {
			return done, err
		}
		if first == nil {
			first = err
		}
		if attempt > 0 {
			_ = e.Sleep(ctx, time.Duration(attempt)*retryDelay)
		}
	}
	return false, first
}

// EnsurePathExists asks for a znode and makes it if it is missing
// (ProtocolSupport.ensureExists). Every error is swallowed, an interrupt too.
func EnsurePathExists(ctx context.Context, c zk.Client, e zk.Env, path string) {
	_, _ = RetryOperation(ctx, e, func() (bool, error) {
		stat, err := c.Exists(ctx, path)
		if err == nil && !stat.Exists() {
			_, err = c.Create(ctx, path, nil, zk.Persistent)
		}
		return true, err
	})
}
