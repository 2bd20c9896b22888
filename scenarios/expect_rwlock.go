package scenarios

import "zoosim/checker"

// rwlockExpectations are the rows of the read-write locks.
func rwlockExpectations() []expectedFailure {
	t := expectations{family: "rwlock"}
	add := t.add
	const whySeed000 = "seed000:R2, R3: two writers watch one reader, and whoever is woken does not look again"
	add("zkdocs curator kazoo", "pause expiry", must, whyCannotBeTold, checker.RWExclusion)
	add("zkdocs curator kazoo", "partition", must, whyStopsLate, checker.RWExclusion)
	add("curator kazoo", "resession", must, whyOldSession, checker.RWExclusion)
	add("curator", "interrupt", must, "CURATOR-486: an interrupted release has given up the ownership, and the lock cannot be released again", checker.SpuriousError)
	add("kazoo", "*", must, "K11: the time limit starts anew at each wake-up", checker.Deadline)
	add("kazoo", "cut-request cut-reply cut", rare, "K12: the error of the clean-up delete is swallowed", checker.Leak, checker.Progress)
	add("seed000", "*", must, whySeed000, checker.RWExclusion)
	add("seed000", "*", must, "seed000:R1, R4: nothing to watch, and nothing that ends the wait", checker.Progress)
	add("seed000", "cut-request cut-reply cut interrupt", must, "no guid: a lost create reply leaves a znode, and so does an error behind the create", checker.Leak)
	add("seed000", "partition pause expiry resession", rare, "an error behind the create leaves its znode", checker.Leak)
	add("seed000", "cut-reply interrupt", must, "a release whose delete was applied cannot be repeated", checker.SpuriousError)
	add("seed000", "cut-request cut resession expiry pause partition", rare, "a release whose delete was applied cannot be repeated", checker.SpuriousError)
	return t.rows
}
