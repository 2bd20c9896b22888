package curator

import (
	"context"
	"errors"

	"zoosim/recipes/zk"
)

// Delete deletes a znode in a retry loop. A retry after a lost reply ends in
// NoNode although the znode was this caller's to delete.
func (f *Framework) Delete(ctx context.Context, path string) error {
	return f.DeleteVersion(ctx, path, zk.AnyVersion)
}

// DeleteVersion is Delete of a znode in a version.
func (f *Framework) DeleteVersion(ctx context.Context, path string, version int32) error {
	for retries := 0; ; {
		err := f.ZK.Delete(ctx, path, version)
		if err == nil || !f.again(ctx, &retries, &err) {
			return err
		}
	}
}

// DeleteGuaranteed is Delete that, when it fails for the connection or the
// session or is interrupted, goes on in the background and still returns the
// error (class DeleteBuilderImpl).
func (f *Framework) DeleteGuaranteed(ctx context.Context, path string) error {
	err := f.Delete(ctx, path)
	if err != nil && (retryable(err) || cutShort(err)) {
		f.DeleteLater(path)
	}
	return err
}

// DeleteLater deletes a znode in the background, until done or until the
// client is closed (class FailedDeleteManager). The end of a session does not
// stop it: the next session's request finds nothing left.
func (f *Framework) DeleteLater(path string) {
	f.Env.Go("curator-guaranteed-delete", func(context.Context) {
		f.deleteUntilDone(f.Env.Background(), path)
	})
}

// RemoveWatchesLater removes the watches of w on a znode in the background,
// until done (class WatcherRemovalManager). That there is none is as good.
func (f *Framework) RemoveWatchesLater(path string, w zk.Watcher) {
	f.Env.Go("curator-remove-watches", func(context.Context) {
		ctx := f.Env.Background()
		for f.unfinished(f.ZK.RemoveWatches(ctx, path, w)) {
			_ = f.Env.Sleep(ctx, f.Retry.Sleep)
		}
	})
}

// deleteUntilDone is the body of a guaranteed delete's background task.
func (f *Framework) deleteUntilDone(ctx context.Context, path string) {
	for f.unfinished(f.ZK.Delete(ctx, path, zk.AnyVersion)) {
		_ = f.Env.Sleep(ctx, f.Retry.Sleep)
	}
}

// unfinished reports whether a background operation that ended with err is to
// be repeated.
func (f *Framework) unfinished(err error) bool {
	return err != nil && f.ZK.State() != zk.Closed &&
		(retryable(err) || errors.Is(err, zk.ErrInterrupted))
}
