package scenarios

import (
	"slices"

	"zoosim/checker"
)

// saleExpectations are the rows of the sales. What a lock does not keep under a
// fault class, a sale under it does not either; where beliefs overlap, pieces
// may be sold twice in the shop that takes every write.
func saleExpectations() []expectedFailure {
	t := expectations{family: "sale"}
	add := t.add
	const locks = "herd-node herd-children zkdocs curator curator-semaphore-mutex curator-multi kazoo gozk zkjava"
	add("none", "*", must, "two buyers read the same stock", checker.Oversold)
	add("seed002 seed003", "*", must, "seed002:L1, L2, seed003:T2, T3: two buyers have the lock", checker.Oversold)
	add(locks, "pause expiry", must, whyCannotBeTold, checker.Oversold)
	add("fenced", "pause expiry partition", rare, whyCannotBeTold, checker.Oversold)
	add("herd-node herd-children zkdocs zkjava fenced", "resession", rare, "a write that is under way when a buyer leaves its session may come behind the next buyer's", checker.Oversold)
	add("fenced", "cut", rare, "it gives its ticket up when its connection breaks; a write that is under way may come behind the next buyer's", checker.Oversold)
	add(locks, "partition", rare, whyStopsLate, checker.Oversold)
	add("database redis", "expiry", must, whyLeaseEnds, checker.Oversold)
	add("database redis", "pause", rare, whyLeaseEnds, checker.Oversold)
	add("redis", "leader-crash", rare, whyNotThere, checker.Oversold)
	add("curator curator-semaphore-mutex curator-multi kazoo gozk", "resession", rare, whyOldSession, checker.Oversold)
	add(locks+" fenced", "lag", rare, whyOutlived, checker.Oversold)
	for _, row := range lockExpectations() {
		if slices.Contains(checker.RunProperties(), row.property) {
			add(row.variants, row.classes, rare, row.why, row.property)
		}
	}
	return t.rows
}
