package reports

import (
	"fmt"

	"zoosim/checker"
	"zoosim/scenarios"
)

// standing is how a verdict stands to what was expected.
type standing int

const (
	notJudged        standing = iota // no run, or the property is not judged there
	notApplicable                    // the variant does not promise it
	passed                           // no run failed
	vacuous                          // no run failed, but no fault changed anything in any
	notSeen                          // the table expects a failure and no run failed
	undecided                        // some run was not decided and none failed
	failedExpected                   // a run failed, as the table expects
	failedUnexpected                 // a run failed, and the table does not expect it
)

// standings lists all, in the order of legends.
func standings() []standing {
	return []standing{passed, failedExpected, failedUnexpected, notSeen, undecided, vacuous, notApplicable, notJudged}
}

// standingOf judges nothing anew: it holds a verdict against its expectation.
func standingOf(v *scenarios.ClassVerdict) standing {
	if v == nil {
		return notJudged
	}
	switch v.Verdict {
	case checker.Failed:
		if v.Expected == checker.Failed {
			return failedExpected
		}
		return failedUnexpected
	case checker.Unknown:
		return undecided
	case checker.NotApplicable:
		return notApplicable
	case checker.Pass:
		switch {
		case v.Expected == checker.Failed:
			return notSeen
		case v.Faults != scenarios.NoFaults && v.Runs > 0 && v.Vacuous == v.Runs:
			return vacuous
		}
		return passed
	}
	return notJudged
}

// word is what a cell of the verdict tables shows.
func (s standing) word() string {
	return [...]string{"-", "n/a", "pass", "vacuous", "not seen", "unknown", "fail", "FAIL!"}[s]
}

// class is the class of a cell in HTML.
func (s standing) class() string {
	return [...]string{"none", "na", "pass", "vacuous", "notseen", "unknown", "fail", "unexpected"}[s]
}

// meaning explains the word in a legend.
func (s standing) meaning() string {
	return [...]string{
		"not judged", "the variant does not promise it", "no run failed",
		"no run failed, but no fault changed anything in any",
		"the table expects a failure, no run failed",
		"a run was not decided and none failed",
		"a run failed, as the table expects",
		"a run failed, which the table does not expect",
	}[s]
}

// counts says in how many runs a property failed.
func counts(v *scenarios.ClassVerdict) string {
	if v.Failures == 0 {
		return count(v.Runs, "run")
	}
	return fmt.Sprintf("%d of %s failed, among them seed %d", v.Failures, count(v.Runs, "run"), v.Seed)
}

// letters stand for the properties where there is little room.
var letters = [...]struct {
	property checker.Property
	upper    string
	lower    string
}{
	{checker.Exclusion, "X", "x"},
	{checker.Fenced, "F", "f"},
	{checker.Linearizable, "L", "l"},
	{checker.FIFO, "O", "o"},
	{checker.Progress, "P", "p"},
	{checker.Deadline, "D", "d"},
	{checker.Leak, "K", "k"},
	{checker.SpuriousError, "E", "e"},
	{checker.FanOut, "H", "h"},
	{checker.ServiceGuarantees, "S", "s"},
}

// mark is the short form of a property's standing: a letter for a failure,
// with ! if it is not expected, a small one if it is expected and did not
// show, with ? if it is not decided; "" if there is nothing to say.
func (s standing) mark(p checker.Property) string {
	upper, lower := "["+string(p)+"]", "["+string(p)+" not seen]"
	for _, l := range letters {
		if l.property == p {
			upper, lower = l.upper, l.lower
		}
	}
	switch s {
	case failedExpected:
		return upper
	case failedUnexpected:
		return upper + "!"
	case undecided:
		return upper + "?"
	case notSeen:
		return lower
	}
	return ""
}
