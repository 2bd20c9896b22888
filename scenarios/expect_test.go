package scenarios

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
)

// eachCell calls f for each variant, fault class and property by which the
// variant is judged.
func eachCell(f func(v Variant, class string, p checker.Property)) {
	for _, v := range Variants("") {
		for _, c := range append(FaultClasses(), EnsembleClasses()...) {
			for _, p := range Promised(&v) {
				f(v, c.Name, p)
			}
		}
	}
}

func (e expectedFailure) matches(v Variant, class string, p checker.Property) bool {
	return e.property == p && e.family == v.Family() && has(e.variants, shortName(v.Name)) && has(e.classes, class)
}

func (e expectedFailure) String() string {
	return fmt.Sprintf("{%s: %s | %s | %s}", e.family, e.variants, e.classes, e.property)
}

// Words that name nothing would silently expect nothing.
func TestExpectationRowsNameWhatExists(t *testing.T) {
	variants, classes := map[string]bool{}, map[string]bool{"*": true}
	properties := map[string]bool{}
	for _, v := range Variants("") {
		variants[v.Name], variants[v.Family()+"/*"] = true, true
		for _, p := range v.Properties() {
			properties[v.Family()+" "+string(p)] = true
		}
	}
	for _, c := range append(FaultClasses(), EnsembleClasses()...) {
		classes[c.Name] = true
	}
	table := expectationTable()
	require.NotEmpty(t, table)
	for _, row := range table {
		require.NotEmpty(t, row.why, row)
		for _, list := range []struct {
			words, family string
			known         map[string]bool
		}{{row.variants, row.family + "/", variants}, {row.classes, "", classes}} {
			words := strings.Fields(list.words)
			require.NotEmpty(t, words, row)
			seen := map[string]bool{}
			for _, w := range words {
				require.True(t, list.known[list.family+w], "%s: %s", row, w)
				require.False(t, seen[w], "%s: %s twice", row, w)
				seen[w] = true
			}
			require.True(t, len(words) == 1 || !seen["*"], "%s: * stands alone", row)
		}
		require.True(t, properties[row.family+" "+string(row.property)], row)
	}
}

// A verdict is looked up in the first row that matches; a second one that
// says something else would never be heard. One that only weakens a failure
// from must to rare, or strengthens it, is a contradiction.
func TestExpectationRowsDoNotContradict(t *testing.T) {
	table := expectationTable()
	eachCell(func(v Variant, class string, p checker.Property) {
		var first *expectedFailure
		for _, row := range table {
			if !row.matches(v, class, p) {
				continue
			}
			if first == nil {
				first = &row
				continue
			}
			require.Equal(t, first.rare, row.rare, "%s and %s for %s, %s", first, row, v.Name, class)
		}
	})
}

// Every row decides the expectation of some variant, and every word of it is
// used.
func TestExpectationRowsAreUsed(t *testing.T) {
	table := expectationTable()
	type word struct {
		row  int
		text string
	}
	used := map[word]bool{}
	eachCell(func(v Variant, class string, p checker.Property) {
		for i, row := range table {
			if row.matches(v, class, p) {
				used[word{i, "*"}] = true
				used[word{i, shortName(v.Name)}], used[word{i, class}] = true, true
				return
			}
		}
	})
	for i, row := range table {
		for _, w := range strings.Fields(row.variants + " " + row.classes) {
			require.True(t, used[word{i, w}], "%s: %s is not used", row, w)
		}
	}
}

func TestExpectedPassesWhatTheTableDoesNotName(t *testing.T) {
	failing, table := 0, expectationTable()
	eachCell(func(v Variant, class string, p checker.Property) {
		e, named := Expected(v.Name, class, p), false
		for _, row := range table {
			named = named || row.matches(v, class, p)
		}
		if !named {
			require.Equal(t, Expectation{Verdict: checker.Pass}, e)
			return
		}
		failing++
		require.Equal(t, checker.Failed, e.Verdict)
		require.NotEmpty(t, e.Why)
	})
	require.Positive(t, failing)
	require.Equal(t, checker.Pass, Expected("lock/nope", NoFaults, checker.Exclusion).Verdict)
}

// No correct variant fails without faults, and what no variant can promise is
// expected of none.
func TestExpectationsOfCorrectVariants(t *testing.T) {
	eachCell(func(v Variant, class string, p checker.Property) {
		e := Expected(v.Name, class, p)
		if v.Correct && class == NoFaults {
			require.Equal(t, checker.Pass, e.Verdict, "%s %s", v.Name, p)
		}
		if v.Family() == "lock" && p == checker.Exclusion && (class == "pause" || class == "expiry") {
			require.Equal(t, checker.Failed, e.Verdict, "%s %s", v.Name, class)
		}
	})
}

func TestUnexpectedSaysWhatDiffers(t *testing.T) {
	v := ClassVerdict{Property: checker.Exclusion, Faults: "crash", Verdict: checker.Failed, Why: "A and B hold"}
	require.Equal(t, "lock/zkdocs, faults crash: exclusion is fail, expected pass: A and B hold", unexpected(&v, "lock/zkdocs", false))
	v.Verdict, v.Why = checker.Unknown, ""
	require.Equal(t, "lock/zkdocs, faults crash: exclusion is unknown, expected pass", unexpected(&v, "lock/zkdocs", true))
	v.Verdict = checker.Pass
	require.Empty(t, unexpected(&v, "lock/zkdocs", true))
	v.Verdict = checker.NotApplicable
	require.Empty(t, unexpected(&v, "lock/zkdocs", true))

	v.Faults, v.Verdict = "pause", checker.Pass
	require.Equal(t, "lock/zkdocs, faults pause: exclusion is pass, expected fail", unexpected(&v, "lock/zkdocs", true))
	require.Empty(t, unexpected(&v, "lock/zkdocs", false), "few seeds need not meet it")
	v.Faults = "expiry"
	require.Empty(t, unexpected(&v, "lock/fenced", true), "a rare failure need not be met")
	v.Verdict = checker.Unknown
	require.NotEmpty(t, unexpected(&v, "lock/fenced", true), "unknown is never what was expected")
}
