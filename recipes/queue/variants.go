package queue

import "zoosim/recipes/zk"

// Variants returns every queue variant, in a fixed order.
func Variants() []Variant {
	return []Variant{
		zkDocsVariant(), zkDocsEphemeralVariant(), zkJavaVariant(), seed002Variant(),
		curatorSimpleVariant(), curatorVariant(), curatorLockedVariant(), kazooVariant(), kazooLockingVariant(),
	}
}

func zkDocsVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/zkdocs",
			Source: "ZooKeeper documentation, Recipes and Solutions, Queues (3.8), with persistent items",
			Algorithm: `Put: create queue-<number>, persistent sequential.
Take: work through the last listing in the order of the numbers, getData and delete each, until one delete succeeds.
Listing exhausted: list with a watch; empty: wait for any event. Reads are repeated over lost connections.
A create or delete whose reply is lost is told to the caller: at most once, and no item comes twice.`,
			Correct:            true,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Timed: true, Try: true, FIFO: true, AtMostOnce: true, MaxFanOut: Herd,
		New: newZKDocs(zk.PersistentSequential),
	}
}

func zkDocsEphemeralVariant() Variant {
	v := zkDocsVariant()
	v.Name = "queue/zkdocs-ephemeral"
	v.Source = "ZooKeeper documentation, Recipes and Solutions, Queues (3.8), as the text says"
	v.Algorithm = `queue/zkdocs with ephemeral items, as the text has it: an item goes with its producer's session.`
	v.Correct = false
	v.New = newZKDocs(zk.EphemeralSequential)
	return v
}

func zkJavaVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/zkjava",
			Source: "Apache ZooKeeper 3.8.0, zookeeper-recipes, DistributedQueue",
			Algorithm: `offer: create qn-<number>, persistent sequential; NoNode: create the directory.
take: list with a watch of a new latch; empty: await it; else in the order of the numbers getData and delete,
NoNode: the next; exhausted: from the start. Every other error goes to the caller.
Known faults: a take whose delete reply is lost throws and the item is gone (Z3); unguarded create of the directory (Z5).`,
			Library:            zk.LibraryJava,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Try: true, FIFO: true, MaxFanOut: Herd,
		New: newZKJava,
	}
}

func seed002Variant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/seed002",
			Source: "seed 002 (ZooKeeper Recipes), class DistributedQueue over the plain Java client",
			Algorithm: `enqueue: create item_<number>, EPHEMERAL sequential.
dequeue: list with a watch; empty: wait on the object's monitor, which the watch notifies; sort as text,
getData and delete the first, NoNode: from the start. Known faults: Q1 to Q8.`,
			Library:            zk.LibraryJava,
			SessionTimeout:     seed002Timeout,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		FIFO: true, MaxFanOut: 1,
		New: newSeed002,
	}
}

func curatorSimpleVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/curator-simple",
			Source: "Apache Curator 5.4.0, SimpleDistributedQueue, with RetryNTimes(3, 1000)",
			Algorithm: `As queue/zkjava on a client that repeats requests over lost connections, with a limit to the wait if asked.
Known faults: a delete repeated after a lost reply finds nothing and the item is lost, without an error (C6);
a create repeated makes a second item (C8).`,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Timed: true, Try: true, FIFO: true, MaxFanOut: Herd,
		New: newCuratorSimple,
	}
}

func curatorVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/curator",
			Source: "Apache Curator 5.4.0, DistributedQueue without a lock path, with RetryNTimes(3, 1000)",
			Algorithm: `put: create queue-<number>, persistent sequential, unprotected.
A children cache lists with a watch in the background, at each event and connection. For each new listing,
in the order of text: getData, delete in that version, call the consumer. NoNode, BadVersion: another has it.
Known faults: a delete repeated after a lost reply loses the item silently (C7); C8.`,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		FIFO: true, MaxFanOut: Herd,
		New: newCurator(false),
	}
}

func curatorLockedVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/curator-locked",
			Source: "Apache Curator 5.4.0, DistributedQueue with a lock path, with RetryNTimes(3, 1000)",
			Algorithm: `As queue/curator, but per item: create an ephemeral lock, getData, call the consumer, delete the item,
guaranteed delete of the lock. At least once: a consumer whose session ends goes on, and another has the item too (CURATOR-605).
Known fault: C8.`,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Locks: true, LockDir: "/locks", ItemDir: "/queue", MaxFanOut: Herd,
		New: newCurator(true),
	}
}

func kazooVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/kazoo",
			Source: "Kazoo 2.8.0, kazoo.recipe.queue.Queue",
			Algorithm: `put: create entry-<priority>-<number>, persistent sequential, not retried.
get, never waiting: list if the kept listing is empty; getData and delete its first, NoNode: the next.
A KazooRetry around it all. Known faults: a delete repeated after a lost reply loses the item (K2);
the kept listing passes over newcomers of higher priority (K3).`,
			Library:       zk.LibraryKazoo,
			Interruptible: true,
		},
		Try: true, NeverBlocks: true, Priorities: true, FIFO: true, MaxFanOut: 1,
		New: newKazoo,
	}
}

func kazooLockingVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "queue/kazoo-locking",
			Source: "Kazoo 2.8.0, kazoo.recipe.queue.LockingQueue",
			Algorithm: `put: create entries/entry-<priority>-<number>, persistent sequential.
get: list entries and taken, each with a watch; of what is not taken create taken/<first>, ephemeral, and getData;
another took it: wait for the next event. consume: sync, getData of the lock, then one transaction that deletes both.
At least once: an item whose taker's session ends comes again.`,
			Library:       zk.LibraryKazoo,
			Interruptible: true,
		},
		Timed: true, Locks: true, LockDir: kazooTaken, ItemDir: kazooEntries, Priorities: true, FIFO: true, MaxFanOut: Herd,
		New: newKazooLocking,
	}
}
