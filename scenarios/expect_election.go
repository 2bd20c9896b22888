package scenarios

import "zoosim/checker"

// electionExpectations are the rows of the elections. A leader of LeaderLatch
// stops when its connection breaks, and so in time; the others stop when they
// learn of the end of their session, or never.
func electionExpectations() []expectedFailure {
	t := expectations{family: "election"}
	add := t.add
	const (
		whyOffers = "zookeeper:Z6: an offer that goes while it is read fails the candidate, whose own offer stays and leads nobody"
		whyStale  = "CURATOR-498: a create that is repeated after the latch has made another znode replaces, and deletes, the one on which it leads"
		whyAwaits = "await sees the leadership that the event thread is about to take back, and its caller is told only as fast as that runs"
		whyOrphan = "zookeeper:Z7: an offer whose reply was lost, or that failed behind its create, leads nobody"
	)
	add("zkdocs curator-latch curator-latch-unasked zkjava", "pause", must, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add("zkdocs zkjava", "expiry", must, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add("curator-latch curator-latch-unasked", "expiry", rare, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add("curator-latch curator-latch-unasked", "cut-request cut partition", rare, whyStale, checker.Exclusion, checker.Linearizable)
	add("curator-latch", "resession", rare, whyAwaits, checker.Exclusion, checker.Linearizable)
	add("zkdocs zkjava", "partition", must, whyStopsLate, checker.Exclusion, checker.Linearizable)
	add("curator-latch-unasked", "resession", must, "CURATOR-696: leads on the znode of its old session", checker.Exclusion, checker.Linearizable)
	add("zkjava", "cut-request cut-reply cut interrupt", must, whyOrphan, checker.Progress, checker.Leak)
	add("zkjava", "none crash restart pause expiry resession partition delay-event", must, whyOffers, checker.Progress, checker.Leak)
	add("zkjava", "*", must, whyOffers, checker.SpuriousError)
	return t.rows
}
