// Package kazoo holds what Kazoo 2.8 puts under its recipes, and the core that
// its lock and its read-write lock share:
//
//   - [Retry] (class KazooRetry) with [ErrForceRetry] and [ErrRetryFailed];
//   - [EnsurePath] (KazooClient.ensure_path);
//   - [Lock] (kazoo.recipe.lock.Lock), whose contenders are chosen by node
//     names.
//
// Python's exceptions are errors here, its threading.Event is a latch that is
// replaced when the event is cleared.
//
// The package imports recipes/zk alone.
package kazoo
