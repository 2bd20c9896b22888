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
	variants string // names without family, separated by blanks; * for all
	classes  string // fault classes; * for all
	property checker.Property
	rare     bool
	why      string
}

// Expected looks an expectation up; what the table does not name passes.
func Expected(variant, class string, p checker.Property) Expectation {
	for _, row := range expectationTable() {
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

func expectationTable() []expectedFailure {
	return []expectedFailure{}
}
