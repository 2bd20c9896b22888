package rwlock

import "zoosim/recipes/zk"

// Variants returns every read-write lock variant, in a fixed order.
func Variants() []Variant {
	return []Variant{zkDocsVariant(), curatorVariant(), kazooVariant(), seed000Variant()}
}

func zkDocsVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "rwlock/zkdocs",
			Source: "ZooKeeper documentation, Recipes and Solutions, Shared Locks, with Recoverable Errors and the GUID (3.8)",
			Algorithm: `Create <guid>-read-<number> or <guid>-write-<number>, ephemeral sequential; after a lost reply look for the guid.
List without a watch. A reader with no smaller writer, a writer with nobody smaller, still in the session that owns it: hold.
Else exists with a watch on the closest smaller writer, or the closest smaller one of all; any event: list again.
M writers in front of K readers cost K + M - 1 notifications.`,
			Correct:            true,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Timed: true,
		New:   newZKDocs,
	}
}

func curatorVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "rwlock/curator",
			Source: "Apache Curator 5.4.0, InterProcessReadWriteLock over LockInternals, with RetryNTimes(3, 1000)",
			Algorithm: `Two mutexes on one directory, znodes _c_<uuid>-__READ__<number> and __WRIT__; one order of the numbers, as text.
A writer waits for the one in front of it, a reader for the oldest writer in front (M x K + M - 1 notifications).
A writer may read: its reading znode takes the number of the writing one. Re-entrant.
Known fault: after a new session an old session's znode may be taken for the lock (CURATOR-604).`,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Timed: true, Reentrant: true,
		New: newCurator,
	}
}

func kazooVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "rwlock/kazoo",
			Source: "Kazoo 2.8.0, kazoo.recipe.lock.ReadLock and WriteLock",
			Algorithm: `lock/kazoo with two kinds of znodes: a reader waits for the closest smaller __lock__, a writer for the closest
smaller __lock__ or __rlock__. Known faults: K10, K11, K12.`,
			Library:       zk.LibraryKazoo,
			Interruptible: true,
		},
		Timed: true,
		New:   newKazoo,
	}
}

func seed000Variant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "rwlock/seed000",
			Source: "seed 000 (herd effect and its remedy), read-write lock as the text says, over the plain Java client",
			Algorithm: `Create read-<number> or write-<number>; list; smallest of all: hold.
Else a reader watches the last smaller writer, a writer the last smaller reader; that one deleted: hold.
Nothing to watch: wait. Known faults: R1 to R4, R10.`,
			Library:            zk.LibraryJava,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		New: newSeed000,
	}
}
