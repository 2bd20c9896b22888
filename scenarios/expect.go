package scenarios

import (
	"fmt"
	"strings"

	"zoosim/checker"
)

// Expectation is what a variant's runs under a fault class are expected to
// show for a property.
type Expectation struct {
	Verdict checker.Verdict
	// Rare says that a failure is possible but that a comparison need not
	// meet it.
	Rare bool
	// Why says where the failure comes from.
	Why string
}

// expectedFailure is a row of the expectation table.
type expectedFailure struct {
	family   string
	variants string // names without family, separated by blanks; * for all
	classes  string // fault classes; * for all
	property checker.Property
	rare     bool
	why      string
}

// Expected looks an expectation up; what the table does not name passes.
func Expected(variant, class string, p checker.Property) Expectation {
	for _, row := range expectationsOf(familyName(variant)) {
		if row.property == p && has(row.variants, shortName(variant)) && has(row.classes, class) {
			return Expectation{checker.Failed, row.rare, row.why}
		}
	}
	return Expectation{Verdict: checker.Pass}
}

func has(list, word string) bool {
	if list == "*" {
		return true
	}
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

// unexpected says how a verdict differs from the table, "" if it does not.
// That an expected failure was not met counts only in a standard comparison.
func unexpected(v *ClassVerdict, variant string, standard bool) string {
	e := Expected(variant, v.Faults, v.Property)
	switch {
	case v.Verdict == checker.NotApplicable, v.Verdict == e.Verdict:
		return ""
	case e.Verdict == checker.Failed && v.Verdict == checker.Pass && (e.Rare || !standard):
		return ""
	}
	s := fmt.Sprintf("%s, faults %s: %s is %s, expected %s", variant, v.Faults, v.Property, v.Verdict, e.Verdict)
	if v.Why != "" {
		s += ": " + v.Why
	}
	return s
}

// The reasons of the table.
const (
	whyCannotBeTold = "a paused process, or one whose session the server ends while it lives, cannot be told"
	whyStopsLate    = "the holder stops only when it learns of the expiry, not at Disconnected"
	whySeed002      = "seed002:L1, L2: enters when its wait times out, and does not look again when woken"
	whySeed003      = "seed003:T2, T3: does not look again when woken; the latch is never renewed"
	whyOutlived     = "a server that lags goes on serving a client whose session the leader has ended"
	whyAppliedLater = "a create in flight is applied behind the clean-up that looks for it: a server that lags has not applied it, or it waits for the quorum to come back"
	whyLeaseEnds    = "a lease ends while its holder works on: it has been paused, or the clock of the store has jumped"
	whyNotThere     = "the primary answers before the replica has the key, and the replica goes on without it"
	whyOldSession   = "CURATOR-604 (C11): takes a znode of its old session for its own"
)

// expectationTable is the table of variant, fault class and property: what is
// known to fail. What it does not name must pass. The ids are those of
// [Findings] and of the catalogue that each variant's source names.
func expectationTable() []expectedFailure {
	var all []expectedFailure
	for _, f := range families() {
		all = append(all, expectationsOf(f.name)...)
	}
	return all
}

// expectationsOf are the rows of a family.
func expectationsOf(family string) []expectedFailure {
	switch family {
	case "lock":
		return lockExpectations()
	case "rwlock":
		return rwlockExpectations()
	case "semaphore":
		return semaphoreExpectations()
	case "sale":
		return saleExpectations()
	case "queue":
		return queueExpectations()
	case "group":
		return groupExpectations()
	case "election":
		return electionExpectations()
	case "cache":
		return nil
	}
	return nil
}

// must and rare say whether a comparison has to meet a failure.
const must, rare = false, true

// expectations collects the rows of a family.
type expectations struct {
	family string
	rows   []expectedFailure
}

func (t *expectations) add(variants, classes string, rare bool, why string, ps ...checker.Property) {
	for _, p := range ps {
		t.rows = append(t.rows, expectedFailure{t.family, variants, classes, p, rare, why})
	}
}

// lockExpectations are the rows of the locks.
func lockExpectations() []expectedFailure {
	t := expectations{family: "lock"}
	add := t.add
	seeds := "seed002 seed003"

	add("herd-node herd-children zkdocs curator kazoo gozk zkjava", "pause expiry", must, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add("fenced", "pause", must, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add("fenced", "expiry", rare, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add("herd-node herd-children zkdocs curator kazoo gozk zkjava", "partition", must, whyStopsLate, checker.Exclusion, checker.Linearizable)

	add("herd-node herd-children zkdocs curator kazoo gozk zkjava fenced", "lag", rare, whyOutlived, checker.Exclusion, checker.Linearizable)
	add("herd-node herd-children zkdocs fenced", "lag", rare, whyAppliedLater, checker.Leak, checker.Progress)

	add("curator kazoo", "resession", must, whyOldSession, checker.Exclusion, checker.Linearizable)
	add("gozk", "resession", rare, whyOldSession, checker.Exclusion, checker.Linearizable)
	add("curator", "interrupt", must, "CURATOR-486: an interrupted release has given up the ownership, and the lock cannot be released again", checker.SpuriousError)

	multi := "curator-semaphore-mutex curator-multi"
	add(multi, "pause expiry", must, whyCannotBeTold, checker.Exclusion, checker.Linearizable)
	add(multi, "partition", must, whyStopsLate, checker.Exclusion, checker.Linearizable)
	add(multi, "resession", must, whyOldSession, checker.Exclusion, checker.Linearizable)
	add(multi, "lag", rare, whyOutlived, checker.Exclusion, checker.Linearizable)
	add(multi, "interrupt", must, "CURATOR-486: an interrupted release has given up the ownership, and the lock cannot be released again", checker.SpuriousError)
	add("curator-semaphore-mutex", "resession expiry pause partition", rare, whyTwoFronts, checker.Progress)
	add("curator-semaphore-mutex", "interrupt", must, whyForgotten, checker.Leak, checker.Progress)
	add("curator-multi", "*", rare, "C13c: each lock is given the whole time limit", checker.Deadline)

	add("database redis", "pause expiry", must, whyLeaseEnds, checker.Exclusion, checker.Linearizable)
	add("redis", "leader-crash", must, whyNotThere, checker.Exclusion, checker.Linearizable)

	add("kazoo", "*", must, "K11: the time limit starts anew at each wake-up", checker.Deadline)
	add("kazoo", "cut-request", must, "K12: the error of the clean-up delete is swallowed", checker.Leak)
	add("kazoo", "cut-request", rare, "K12: waiters queue behind the znode that was left", checker.Progress)
	add("kazoo", "cut-reply cut", rare, "the clean-up deletes the znode it remembers, not the one whose create reply was lost", checker.Leak, checker.Progress)

	add("gozk", "cut-request cut-reply cut", must, "G1, G2: an error behind the create leaves the znode", checker.Leak, checker.Progress)
	add("gozk", "cut-reply cut", must, "G4: after a lost delete reply every further release fails", checker.SpuriousError)
	add("gozk", "pause expiry resession partition", must, "G5: after an expiry every further release and acquire fails", checker.SpuriousError)

	add("zkjava", "*", must, "Z2: the predecessor goes between list and exists; Z1: waits on its own znode", checker.Progress)
	add("zkjava", "cut cut-request interrupt pause partition", rare, "unlock forgets the znode whose delete failed", checker.Leak)

	add("seed002", "*", must, whySeed002, checker.Exclusion, checker.Linearizable, checker.FIFO)
	add("seed003", "*", must, whySeed003, checker.Exclusion, checker.Linearizable, checker.FIFO)
	add("seed003", "*", must, "seed003:T1, T10: the predecessor vanishes before the cache starts, and nothing ends the wait", checker.Progress)
	add("seed003", "*", must, "seed003:T8: caches are never closed and go on watching", checker.FanOut)
	add("seed003", "cut-reply cut partition interrupt", must, "seed003:T4: a create repeated after a lost reply makes a second znode", checker.Leak)
	add("seed003", "pause expiry resession restart", rare, "seed003:T4", checker.Leak)
	add(seeds, "cut-reply cut interrupt", must, "seed002:L8, seed003:T7: a release whose delete was applied cannot be repeated", checker.SpuriousError)
	add(seeds, "pause partition cut-request expiry resession", rare, "seed002:L8, seed003:T7", checker.SpuriousError)
	add("seed002", "*", rare, "a waiter that entered by its time limit leaves its watch behind", checker.FanOut)
	return t.rows
}
