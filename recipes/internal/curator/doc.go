// Package curator holds what Apache Curator 5.4 puts under its recipes:
//
//   - [Framework], the client whose every request runs in a retry loop
//     ([RetryPolicy]; classes RetryLoop, CuratorFrameworkImpl);
//   - protected creates and the look-up of a lost reply (CreateBuilderImpl,
//     ProtectedMode, FindAndDeleteProtectedNodeInBackground);
//   - guaranteed deletes (DeleteBuilderImpl, FailedDeleteManager);
//   - [Internals], the waiting loop under the mutex and the read-write lock
//     (LockInternals, StandardLockInternalsDriver), and the mutex itself
//     ([Mutex]), of which other recipes are made;
//   - [Semaphore], the leases under the semaphore and the mutex made of it;
//   - [ChildrenCache], under the queue;
//   - [TreeCache], as far as a recipe here uses it.
//
// Curator's background operations are asynchronous requests; here each is a
// task of its own. Its executors (postSafeNotify, the caches' executors) are
// not modelled: what they would run, the event task runs.
//
// The package imports recipes/zk alone.
package curator
