package zk

import "context"

// StoreKind is the server under a recipe that uses no ZooKeeper.
type StoreKind uint8

// The kinds of stores.
const (
	StoreNone     StoreKind = iota // the recipe uses ZooKeeper
	StoreDatabase                  // one row with a lease and a version
	StoreRedis                     // one key with an expiry time, on a primary with an asynchronous replica
)

// String names the kind.
func (k StoreKind) String() string {
	switch k {
	case StoreNone:
		return "zookeeper"
	case StoreDatabase:
		return "database"
	case StoreRedis:
		return "redis"
	}
	return "StoreKind(?)"
}

// Store is a server that keeps one lock: who owns it and until when, by the
// clock of the server. It sends nothing but answers.
//
// A request waits for the server's answer. It returns [ErrConnectionLoss] if
// the connection goes, or no answer comes for 2 s (the default of Redis' client
// Jedis): the request was carried out, is yet to be, or never will be, and the
// caller cannot know. A request whose context is already over is not sent and
// returns the context's error; a context does not end one that is under way.
//
// An owner is any string but "".
type Store interface {
	// Claim gives the lock to owner until lease from now, if nobody has it.
	Claim(ctx context.Context, owner string, lease Duration) (StoreAnswer, error)
	// Extend lets the lease of owner run until lease from now, if owner has the
	// lock.
	Extend(ctx context.Context, owner string, lease Duration) (StoreAnswer, error)
	// Drop takes the lock from owner, if owner has it.
	Drop(ctx context.Context, owner string) (StoreAnswer, error)
	// Clear takes the lock from whoever has it.
	Clear(ctx context.Context) (StoreAnswer, error)
}

// StoreAnswer is the answer to a request.
type StoreAnswer struct {
	// Done reports whether the store did what was asked.
	Done bool
	// Token is, behind a Claim or an Extend that was done, the fencing token of
	// the hold: it grows from claim to claim. 0 where the store has none.
	Token int64
}
