package curator

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/zk"
)

// RetryPolicy bounds a retry loop: after Retries retries the error goes to the
// caller. It stands for RetryNTimes and, with Doubling, for
// ExponentialBackoffRetry without its random part.
type RetryPolicy struct {
	Retries  int
	Sleep    zk.Duration // before the first retry
	Doubling bool        // double Sleep from retry to retry
}

// delay is the pause before retry n, counted from 0.
func (p RetryPolicy) delay(n int) zk.Duration {
	if p.Doubling {
		return p.Sleep << n
	}
	return p.Sleep
}

// Framework is the client as Curator's recipes see it.
type Framework struct {
	ZK    zk.Client
	Env   zk.Env
	Retry RetryPolicy
}

// retryable reports whether a retry loop may repeat what failed with err
// (RetryPolicy.allowRetry's default). SessionExpired is among them: Curator
// has a new session by the time of the retry.
func retryable(err error) bool {
	return errors.Is(err, zk.ErrConnectionLoss) || errors.Is(err, zk.ErrSessionExpired)
}

// again decides after a failed request whether the loop goes on, and sleeps
// before it does (RetryLoop.takeException). A sleep cut short ends the loop
// with its own error.
func (f *Framework) again(ctx context.Context, retries *int, err *error) bool {
	if !retryable(*err) || f.ZK.State() == zk.Closed {
		return false
	}
	return f.allow(ctx, retries, err)
}

// allow asks the policy alone, whatever the error (RetryPolicy.allowRetry).
func (f *Framework) allow(ctx context.Context, retries *int, err *error) bool {
	if *retries >= f.Retry.Retries {
		return false
	}
	pause := f.Retry.delay(*retries)
	*retries++
	if cut := f.Env.Sleep(ctx, pause); cut != nil {
		*err = cut
		return false
	}
	return true
}

// Children2 lists a znode's children.
func (f *Framework) Children2(ctx context.Context, path string) ([]string, error) {
	for retries := 0; ; {
		names, _, err := f.ZK.Children2(ctx, path)
		if err == nil || !f.again(ctx, &retries, &err) {
			return names, err
		}
	}
}

// Children2W is Children2 with a watch.
func (f *Framework) Children2W(ctx context.Context, path string, w zk.Watcher) ([]string, zk.Stat, error) {
	for retries := 0; ; {
		names, stat, err := f.ZK.Children2W(ctx, path, w)
		if err == nil || !f.again(ctx, &retries, &err) {
			return names, stat, err
		}
	}
}

// Get reads a znode.
func (f *Framework) Get(ctx context.Context, path string) ([]byte, zk.Stat, error) {
	for retries := 0; ; {
		data, stat, err := f.ZK.Get(ctx, path)
		if err == nil || !f.again(ctx, &retries, &err) {
			return data, stat, err
		}
	}
}

// GetW reads a znode and leaves a watch.
func (f *Framework) GetW(ctx context.Context, path string, w zk.Watcher) ([]byte, zk.Stat, error) {
	for retries := 0; ; {
		data, stat, err := f.ZK.GetW(ctx, path, w)
		if err == nil || !f.again(ctx, &retries, &err) {
			return data, stat, err
		}
	}
}

// ExistsW asks for a znode and leaves a watch, for its creation if need be.
func (f *Framework) ExistsW(ctx context.Context, path string, w zk.Watcher) (zk.Stat, error) {
	for retries := 0; ; {
		stat, err := f.ZK.ExistsW(ctx, path, w)
		if err == nil || !f.again(ctx, &retries, &err) {
			return stat, err
		}
	}
}

// create2 is one create within a caller's retry loop; missing parents are made
// (creatingParentsIfNeeded).
func (f *Framework) create2(ctx context.Context, path string, data []byte, mode zk.CreateMode) (string, error) {
	made, _, err := f.ZK.Create2(ctx, path, data, mode)
	if !errors.Is(err, zk.ErrNoNode) {
		return made, err
	}
	if err := f.mkdirs(ctx, path[:strings.LastIndexByte(path, '/')]); err != nil {
		return "", err
	}
	made, _, err = f.ZK.Create2(ctx, path, data, mode)
	return made, err
}

// Mkdirs makes path and its ancestors in a retry loop (EnsureContainers).
func (f *Framework) Mkdirs(ctx context.Context, path string) error {
	for retries := 0; ; {
		err := f.mkdirs(ctx, path)
		if err == nil || !f.again(ctx, &retries, &err) {
			return err
		}
	}
}

// mkdirs makes path and its ancestors (ZKPaths.mkdirs). Curator makes
// containers; the recipe interface has no such znodes, so they are persistent.
func (f *Framework) mkdirs(ctx context.Context, path string) error {
	for at := 1; at <= len(path); at++ {
		if at < len(path) && path[at] != '/' {
			continue
		}
		stat, err := f.ZK.Exists(ctx, path[:at])
		if err == nil && !stat.Exists() {
			_, _, err = f.ZK.Create2(ctx, path[:at], nil, zk.Persistent)
		}
		if err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	return nil
}
