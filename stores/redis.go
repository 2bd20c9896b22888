package stores

import "time"

// Redis is one key on a primary with one asynchronous replica. The commands are
// those of Redis' page "Distributed Locks with Redis":
//
//	SET lock <owner> NX PX <lease>                                      Claim
//	if redis.call("get", "lock") == <owner> then "pexpire" ... end      Extend
//	if redis.call("get", "lock") == <owner> then "del" ... end          Drop
//	DEL lock                                                            Clear
//
// The primary answers before the replica has a change; changes reach the
// replica in their order, each when Replicate says so. There is no token.
//
// The zero value is a primary without the key whose replica has all of it.
type Redis struct {
	primary, replica entry
	stream           []entry // what the key became, not yet at the replica
	single           bool    // the replica is down
}

var _ Machine = (*Redis)(nil)

// Handle implements [Machine].
func (r *Redis) Handle(now time.Duration, q Request) Answer {
	e, done := r.primary.change(now, q)
	if done {
		r.set(e)
	}
	return Answer{Done: done}
}

// Owner implements [Machine].
func (r *Redis) Owner(now time.Duration) string { return r.primary.holder(now) }

// End implements [Machine]. That a key has expired the replica is told as of any
// other change.
func (r *Redis) End(now time.Duration) bool {
	had := r.Owner(now) != ""
	if had {
		r.set(entry{})
	}
	return had
}

func (r *Redis) set(e entry) {
	r.primary = e
	if !r.single {
		r.stream = append(r.stream, e)
	}
}

// Behind counts the changes that the replica does not have.
func (r *Redis) Behind() int { return len(r.stream) }

// Replicate lets the oldest change that the replica does not have reach it.
func (r *Redis) Replicate() {
	if len(r.stream) > 0 {
		r.replica = r.stream[0]
		r.stream = r.stream[:copy(r.stream, r.stream[1:])]
	}
}

// FailOver stops the primary and lets the replica go on with what it has; what
// it does not have is lost. It reports false, and does nothing, if there is no
// replica.
func (r *Redis) FailOver() bool {
	if r.single {
		return false
	}
	r.primary, r.replica, r.stream, r.single = r.replica, entry{}, r.stream[:0], true
	return true
}

// Rejoin starts the server that FailOver stopped as replica of the other, from
// which it copies everything.
func (r *Redis) Rejoin() {
	if r.single {
		r.replica, r.single = r.primary, false
	}
}

// CopyInto makes dst an independent copy.
func (r *Redis) CopyInto(dst *Redis) {
	stream := append(dst.stream[:0], r.stream...)
	*dst = *r
	dst.stream = stream
}

// Reset makes r a new one.
func (r *Redis) Reset() { *r = Redis{stream: r.stream[:0]} }

// Owners calls f for each value that the key has, or had, as far as it may still
// matter, whatever the time: on the primary, on the replica, and under way to
// it; "" is none.
func (r *Redis) Owners(f func(owner string)) {
	f(r.primary.owner)
	if r.single {
		return
	}
	f(r.replica.owner)
	for i := range r.stream {
		f(r.stream[i].owner)
	}
}

// Detach stops the replica; Rejoin starts it.
func (r *Redis) Detach() { r.replica, r.stream, r.single = entry{}, r.stream[:0], true }

// Single reports whether the replica is down.
func (r *Redis) Single() bool { return r.single }
