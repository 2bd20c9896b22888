package election

import "zoosim/recipes/zk"

// Variants returns every election variant, in a fixed order.
func Variants() []Variant {
	return []Variant{zkDocsVariant(), curatorLatchVariant(), curatorLatchUnaskedVariant(), zkJavaVariant()}
}

func zkDocsVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "election/zkdocs",
			Source: "ZooKeeper documentation, Recipes and Solutions, Leader Election (3.8)",
			Algorithm: `Create <guid>-n_<number>, ephemeral sequential. List; lowest: leads.
Else exists with a watch on the one before; gone: list again; any event: list again.
A leader whose session has ended leads no more; a candidate comes again in the next session.`,
			Correct:            true,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		FIFO: true, MaxFanOut: 1,
		New: newZKDocs,
	}
}

func curatorLatchVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "election/curator-latch",
			Source: "Apache Curator, LeaderLatch with the owner's check of CURATOR-696, with RetryNTimes(3, 1000)",
			Algorithm: `start: create _c_<uuid>-latch-<number>, protected, ephemeral sequential; list; all in the background.
First: getData of the own znode; of the present session: leads, else another znode. Not in the list: another znode.
Else getData with a watch on the one before; deleted or gone: list. Disconnected: leads no more; connected: list.
close: guaranteed delete.
Known fault: a create that is repeated after the latch has made another znode replaces the one on which it leads,
and deletes it (CURATOR-498).`,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		MaxFanOut: 1, StopsAtDisconnect: true, EventThread: true, Once: true,
		New: newCuratorLatch(false),
	}
}

func curatorLatchUnaskedVariant() Variant {
	v := curatorLatchVariant()
	v.Name = "election/curator-latch-unasked"
	v.Source = "Apache Curator 5.4.0, LeaderLatch, with RetryNTimes(3, 1000)"
	v.Algorithm = `election/curator-latch that leads on the first znode without asking whose session it is of (CURATOR-696).`
	v.New = newCuratorLatch(true)
	return v
}

func zkJavaVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "election/zkjava",
			Source: "Apache ZooKeeper 3.8.0, zookeeper-recipes, LeaderElectionSupport",
			Algorithm: `Create n_<number>, ephemeral sequential. List and getData of every offer; lowest: elected;
else exists with a watch on the one before; gone: again. Deleted: again. Any error: FAILED.
Known faults: an offer that goes while it is read fails the candidate (Z6); a lost create reply leaves an offer (Z7).`,
			Library:            zk.LibraryJava,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		FIFO: true, MaxFanOut: 1,
		New: newZKJava,
	}
}
