package stores

import "time"

// Op is what a request asks for.
type Op uint8

// The requests.
const (
	Claim  Op = iota // the lock for Owner until now + Lease, if nobody has it
	Extend           // Owner's lease until now + Lease, if Owner has the lock
	Drop             // take the lock from Owner, if Owner has it
	Clear            // take the lock from whoever has it
)

// String names the request.
func (o Op) String() string { return [...]string{"claim", "extend", "drop", "clear"}[o] }

// Request is what a client asks of a store. Owner is not empty; it is what
// tells one hold from another, so no two holds share one.
type Request struct {
	Op    Op
	Owner string
	Lease time.Duration // more than 0; of Claim and Extend
}

// Answer is a store's answer: whether it did what was asked, and, of Claim and
// Extend, the fencing token of the hold, 0 where the store has none.
type Answer struct {
	Done  bool
	Token int64
}

// Machine is a store of one lock.
type Machine interface {
	// Handle carries a request out.
	Handle(now time.Duration, r Request) Answer
	// Owner is who has the lock, "" if nobody has.
	Owner(now time.Duration) string
	// End ends the lease of whoever has the lock, as if its time were over. It
	// reports whether anybody had it.
	End(now time.Duration) bool
}

// entry is who has the lock, and until when: the contents of a row or a key.
type entry struct {
	owner string
	until time.Duration
}

// holder is who has the lock now.
func (e *entry) holder(now time.Duration) string {
	if now < e.until {
		return e.owner
	}
	return ""
}

// change is what a request makes of the entry, and whether it is done.
func (e *entry) change(now time.Duration, r Request) (entry, bool) {
	holder := e.holder(now)
	switch r.Op {
	case Claim:
		if holder == "" {
			return entry{r.Owner, now + r.Lease}, true
		}
	case Extend:
		if holder == r.Owner {
			return entry{r.Owner, now + r.Lease}, true
		}
	case Drop:
		if holder == r.Owner {
			return entry{}, true
		}
	case Clear:
		return entry{}, holder != ""
	}
	return *e, false
}
