package lock

import (
	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// Variants returns every lock variant, in a fixed order.
//
// MaxFanOut counts the watches of waiters that wait. A waiter that gave up
// leaves its watch behind, as in the originals, and is notified once more.
func Variants() []Variant {
	return []Variant{
		herdNodeVariant(), herdChildrenVariant(), zkDocsVariant(), curatorVariant(),
		curatorSemaphoreMutexVariant(), curatorMultiVariant(), kazooVariant(), gozkVariant(), zkJavaVariant(), seed002Variant(), seed003Variant(), fencedVariant(),
		databaseVariant(), redisVariant(),
	}
}

// ByName returns the variant or the ablation with the given name.
func ByName(name string) (Variant, bool) {
	for _, list := range [][]Variant{Variants(), Ablations()} {
		for _, v := range list {
			if v.Name == name {
				return v, true
			}
		}
	}
	return Variant{}, false
}

func herdNodeVariant() Variant {
	return Variant{
		Name:   "lock/herd-node",
		Source: "naive lock, as measured over go-zookeeper v1.0.4 (measurements, 1.1 naive (a))",
		Algorithm: `All clients create one ephemeral znode <dir>/lock with a guid as data; who creates it holds the lock.
NodeExists: exists with a watch; wait for its deletion; race again. Release deletes it.
A lost create reply is looked up by the data; a delete is sent only in the session that owns the znode.
N clients cost N(N+1)/2 creates, N(N-1)/2 exists and N deletes; release i wakes N-i.`,
		Correct:       true,
		Library:       zk.LibraryGo,
		Timed:         true,
		Try:           true,
		Interruptible: true,
		New:           newHerdNode,
	}
}

func herdChildrenVariant() Variant {
	return Variant{
		Name:   "lock/herd-children",
		Source: "naive lock, as measured over go-zookeeper v1.0.4 (measurements, 1.1 naive (b))",
		Algorithm: `Create an ephemeral sequential znode with a guid in its name.
List the directory with a watch on it, every time; lowest number: hold; else wait for any change and list again.
Release deletes the znode. A lost create reply is looked up by the guid.
N clients cost N creates, N deletes and N^2-N+1 lists, each of which is notified.`,
		Correct:       true,
		Library:       zk.LibraryGo,
		Timed:         true,
		Try:           true,
		FIFO:          true,
		Interruptible: true,
		New:           newHerdChildren,
	}
}

func zkDocsVariant() Variant {
	return Variant{
		Name:   "lock/zkdocs",
		Source: "ZooKeeper documentation, Recipes and Solutions, Locks, with Recoverable Errors and the GUID (3.8)",
		Algorithm: `Create <guid>-lock-<number>, ephemeral sequential; after a lost reply list and look for the guid.
List without a watch; lowest number, and still in the session that owns it: hold.
Else exists with a watch on the closest smaller one; absent: list again; any event: list again.
Requests are repeated over lost connections; whatever ends an acquire deletes the znode.
Release deletes it, in the background if need be.`,
		Correct:            true,
		Library:            zk.LibraryCurator,
		Timed:              true,
		Try:                true,
		FIFO:               true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		New:                newZKDocs,
	}
}

func curatorVariant() Variant {
	return Variant{
		Name:   "lock/curator",
		Source: "Apache Curator 5.4.0, InterProcessMutex over LockInternals, with RetryNTimes(3, 1000)",
		Algorithm: `Create _c_<uuid>-lock-<number> in protection mode; list; first in the order of the numbers as text: hold.
Else, under the object's monitor, getData with a watch on the one in front and wait for a notification; list again.
Own znode missing: the whole attempt again under the retry policy. One time limit in all.
Timeout, interrupt or error: guaranteed delete of the own znode. Release: guaranteed delete. Re-entrant.
Known fault: after a new session an old session's znode may be taken for the lock (C11, CURATOR-604).`,
		Library:            zk.LibraryCurator,
		Timed:              true,
		Try:                true,
		FIFO:               true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		Reentrant:          true,
		New:                newCuratorMutex,
	}
}

func curatorSemaphoreMutexVariant() Variant {
	return Variant{
		Name:   "lock/curator-semaphore-mutex",
		Source: "Apache Curator 5.4.0, InterProcessSemaphoreMutex over InterProcessSemaphoreV2, with RetryNTimes(3, 1000)",
		Algorithm: `A semaphore (semaphore/curator) of one lease: mutex, create the lease, list with a watch, wait until it is alone,
ask for the watch to be removed, release the mutex; release deletes the lease. Not re-entrant.
10N - 3 requests and 3N - 2 notifications for N clients.
Known faults: a lease that was got is forgotten when the release of the mutex fails behind it; CURATOR-604.`,
		Library:            zk.LibraryCurator,
		Timed:              true,
		Try:                true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		Dirs:               curator.SemaphoreDirs(),
		Tickets:            2,
		New:                newCuratorSemaphoreMutex,
	}
}

func curatorMultiVariant() Variant {
	return Variant{
		Name:   "lock/curator-multi",
		Source: "Apache Curator 5.4.0, InterProcessMultiLock over two InterProcessMutex, with RetryNTimes(3, 1000)",
		Algorithm: `Acquire lock/curator on one directory after the other, each with the whole limit; release in the other order.
One that is refused ends the acquire; one that fails does not. What was got is released if not all were.
Known faults: it goes on behind an exception (C13), the limit counts for each lock anew (C13c); CURATOR-604.`,
		Library:            zk.LibraryCurator,
		Timed:              true,
		Try:                true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		Reentrant:          true,
		Dirs:               curatorMultiDirs(),
		Tickets:            len(curatorMultiDirs()),
		New:                newCuratorMulti,
	}
}

func kazooVariant() Variant {
	return Variant{
		Name:   "lock/kazoo",
		Source: "Kazoo 2.8.0, kazoo.recipe.lock.Lock",
		Algorithm: `Make sure of the directory once; create <uuid>__lock__<number>, the uuid being the object's; at a later try look for it.
List; no contender with a smaller number, compared as text: hold. Not blocking: best-effort delete, false.
Else listen to the session, getData with a watch on the largest smaller one, wait; any wake-up: list again.
A KazooRetry around it all repeats lost connections, expired sessions and a missing own znode.
Known faults: the timeout restarts at each wake-up (K11), the clean-up is tried once (K12), K10.`,
		Library:       zk.LibraryKazoo,
		Timed:         true,
		Try:           true,
		FIFO:          true,
		MaxFanOut:     1,
		Interruptible: true,
		New:           newKazooLock,
	}
}

func gozkVariant() Variant {
	return Variant{
		Name:   "lock/gozk",
		Source: "go-zookeeper/zk v1.0.4, Lock",
		Algorithm: `Create _c_<guid>-lock-<number>, up to three times; after a lost connection look for the guid among the children.
List; own number the lowest: hold. Else getData with a watch on the closest smaller one; wait; list again.
The end of the session ends the wait with an error. Unlock deletes the znode.
Known faults: an error after the create leaves the znode (G1, G2, G3); a failed unlock locks the object for ever (G4, G5).`,
		Library:   zk.LibraryGo,
		FIFO:      true,
		MaxFanOut: 1,
		New:       newGoLock,
	}
}

func zkJavaVariant() Variant {
	return Variant{
		Name:   "lock/zkjava",
		Source: "Apache ZooKeeper 3.8.0, zookeeper-recipes, WriteLock",
		Algorithm: `At every lock(): exists on the directory; without a znode list for the prefix x-<session>-, else create one; list.
Nobody smaller: hold, tell the listener. Else exists with a watch on the largest smaller one and return false.
Any event, session events too, runs lock() again in the event thread; Acquire waits for the listener.
Lost connections are retried ten times with growing pauses. unlock() deletes once and forgets the znode.
Known faults: a lost create reply (Z1), a predecessor that goes before the watch is set (Z2).`,
		Library:            zk.LibraryJava,
		FIFO:               true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		New:                newWriteLock,
	}
}

func seed002Variant() Variant {
	return Variant{
		Name:   "lock/seed002",
		Source: "seed 002 (ZooKeeper Recipes), class DistributedLock over the plain Java client",
		Algorithm: `The constructor makes the root. acquireLock: create mylock_<number>, list, sort as text; first: hold.
Else exists with a watch on the one in front, gone: from the list again; a new latch; await its deletion for 5 s.
Deleted: hold. Timed out: the answer false is dropped, so hold as well.
releaseLock: delete, then close the client. Known faults: L1 to L15.`,
		Library:            zk.LibraryJava,
		SessionTimeout:     seed002Timeout,
		FIFO:               true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		ClosesClient:       true,
		NoFinally:          true,
		New:                newSeed002,
	}
}

func seed003Variant() Variant {
	return Variant{
		Name:   "lock/seed003",
		Source: "seed 003, class ZookeeperUtils over Curator with RetryNTimes(3, 5000)",
		Algorithm: `Create lock-<number> without protection; list, sort by number; first: open the latch.
Else start a TreeCache on the one in front, whose NODE_REMOVED opens the latch; await the latch: hold.
The latch is the object's one and only; the cache is never closed.
releaseLock: delete. Known faults: T1 to T10.`,
		Library:            zk.LibraryCurator,
		SessionTimeout:     seed003Timeout,
		FIFO:               true,
		MaxFanOut:          1,
		Interruptible:      true,
		InterruptsRequests: true,
		NoFinally:          true,
		New:                newSeed003,
	}
}

func fencedVariant() Variant {
	return Variant{
		Name:   "lock/fenced",
		Source: "ZooKeeper documentation, Locks, with fencing tokens (Junqueira, 2016-02-10: note on fencing)",
		Algorithm: `As lock/zkdocs; the token of a grant is the czxid of its ticket.
A session listener gives the holder's ticket back at Disconnected; a waiter's acquire fails there.
A grant needs a connected client whose session owns the ticket.
What cannot be deleted at once is deleted in the background.`,
		Correct:            true,
		Library:            zk.LibraryCurator,
		Timed:              true,
		Try:                true,
		Tokens:             true,
		FIFO:               true,
		MaxFanOut:          1,
		StopsAtDisconnect:  true,
		Interruptible:      true,
		InterruptsRequests: true,
		New:                newFenced,
	}
}

func databaseVariant() Variant {
	return Variant{
		Name:   "lock/database",
		Source: "seed 001, which names a lock in a database: a row with a lease (UPDATE ... WHERE until <= now())",
		Algorithm: `Claim the row for 30 s: set owner, end of the lease and version + 1 if the lease in it is over.
Refused: again after 100, 200, 400, 400, ... ms. The token of a grant is the version.
After a lost answer extend the own lease first; only if there is none claim again.
Release: end the lease if the owner is still the own one. Nobody is told of anything, no order is kept.
The lease is not renewed, and its end not noticed: a longer hold overlaps the next, which a fenced resource sees.`,
		Correct:       true,
		Store:         zk.StoreDatabase,
		Lease:         leaseLength,
		Timed:         true,
		Try:           true,
		Tokens:        true,
		Interruptible: true,
		New:           newTokened,
	}
}

func redisVariant() Variant {
	return Variant{
		Name:   "lock/redis",
		Source: "seed 001, which names a lock in Redis; Redis documentation, Distributed Locks, single instance with a replica",
		Algorithm: `SET lock <guid> NX PX 30000. Refused: again after 100, 200, 400, 400, ... ms.
After a lost answer extend the own key first (compare and pexpire); only if it is not there claim again.
Release: compare and delete. Nobody is told of anything, no order is kept, there is no token.
The key is not renewed, and its end not noticed. Known fault: the primary answers before the replica has the key,
and a fail-over loses it (redis:F1).`,
		Store:         zk.StoreRedis,
		Lease:         leaseLength,
		Timed:         true,
		Try:           true,
		Interruptible: true,
		New:           newLeased,
	}
}
