// Package stores holds the machines behind the locks that are no ZooKeeper's:
// [Database], one row with a lease, and [Redis], one key with an expiry time on
// a primary with one asynchronous replica. Both are a [Machine].
//
// They are pure: what a request does depends on the state, the request and the
// time that is passed in, which must not decrease. The time is the store's own
// clock. A world without a clock passes 0 and says itself, with End, when a
// lease is over.
//
// The package imports the standard library alone.
package stores
