package kazoo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zoosim/recipes/zk"
)

// The exceptions of kazoo.retry and kazoo.exceptions that its recipes raise.
var (
	// ErrForceRetry asks the retry loop around it to run the function again.
	ErrForceRetry = errors.New("kazoo: ForceRetryError")
	// ErrRetryFailed ends a retry loop whose deadline is too near.
	ErrRetryFailed = errors.New("kazoo: RetryFailedError")
	// ErrLockTimeout is raised by a waiter whose time is over.
	ErrLockTimeout = errors.New("kazoo: LockTimeout")
	// ErrCancelled is raised in a waiter by cancel().
	ErrCancelled = fmt.Errorf("kazoo: CancelledError: %w", context.Canceled)
)

const (
	// retryDelay is KazooRetry's delay before the first retry; each doubles.
	retryDelay = 100 * time.Millisecond
	// retryMaxDelay is its max_delay.
	retryMaxDelay = 60 * time.Second
	// NoLimit as a timeout is Python's None.
	NoLimit zk.Duration = -1
)

// Retry is a KazooRetry with max_tries None: it calls a function until that
// fails with anything but a lost connection, an expired session (ignore_expire)
// or [ErrForceRetry]. The jitter, up to 40 % of each delay, is left out.
type Retry struct {
	Env zk.Env
	// Deadline is how long after the call no further retry is begun, NoLimit
	// for none.
	Deadline zk.Duration
}

// Call runs f in the loop.
func (r Retry) Call(ctx context.Context, f func() (bool, error)) (bool, error) {
	var stop zk.Duration
	if r.Deadline != NoLimit {
		stop = r.Env.Now() + r.Deadline
	}
	for delay := retryDelay; ; delay = min(2*delay, retryMaxDelay) {
		done, err := f()
		if err == nil || !retryable(err) {
			return done, err
		}
		if r.Deadline != NoLimit && r.Env.Now()+delay >= stop {
			return false, ErrRetryFailed
		}
		if err := r.Env.Sleep(ctx, delay); err != nil {
			return false, err
		}
	}
}

// retryable reports whether a KazooRetry repeats what failed with err.
func retryable(err error) bool {
	return errors.Is(err, zk.ErrConnectionLoss) || errors.Is(err, zk.ErrSessionExpired) ||
		errors.Is(err, ErrForceRetry)
}
