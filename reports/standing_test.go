package reports

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios"
)

func TestStandingOf(t *testing.T) {
	for _, c := range []struct {
		verdict, expected checker.Verdict
		faults            string
		vacuous           int
		want              standing
	}{
		{checker.Pass, checker.Pass, "crash", 9, passed},
		{checker.Pass, checker.Pass, "crash", 10, vacuous},
		{checker.Pass, checker.Pass, "none", 10, passed},
		{checker.Pass, checker.Failed, "crash", 0, notSeen},
		{checker.Failed, checker.Failed, "crash", 0, failedExpected},
		{checker.Failed, checker.Pass, "crash", 0, failedUnexpected},
		{checker.Failed, "", "crash", 0, failedUnexpected},
		{checker.Unknown, checker.Pass, "crash", 0, undecided},
		{checker.Unknown, checker.Failed, "crash", 10, undecided},
		{checker.NotApplicable, checker.Pass, "crash", 0, notApplicable},
		{"", "", "crash", 0, notJudged},
	} {
		v := scenarios.ClassVerdict{Verdict: c.verdict, Expected: c.expected, Faults: c.faults, Runs: 10, Vacuous: c.vacuous}
		require.Equal(t, c.want, standingOf(&v), "%+v", v)
	}
	require.Equal(t, notJudged, standingOf(nil))
}

// TestLetters makes sure that each property of a lock has a letter of its
// own.
func TestLetters(t *testing.T) {
	seen := map[string]checker.Property{}
	for _, p := range checker.LockProperties() {
		m := failedExpected.mark(p)
		require.Len(t, m, 1, "%s", p)
		require.Empty(t, seen[m], "%s and %s", p, seen[m])
		seen[m] = p
		require.Equal(t, m+"!", failedUnexpected.mark(p))
		require.Equal(t, m+"?", undecided.mark(p))
		require.Len(t, notSeen.mark(p), 1)
		require.Empty(t, passed.mark(p))
	}
	require.Equal(t, "[capacity]!", failedUnexpected.mark("capacity"))
}

// TestMarks sets undecided, judged nowhere and vacuous apart from ok.
func TestMarks(t *testing.T) {
	v := func(p checker.Property, verdict checker.Verdict, vacuous int) scenarios.ClassVerdict {
		return scenarios.ClassVerdict{Property: p, Verdict: verdict, Expected: checker.Pass, Faults: "cut", Runs: 5, Vacuous: vacuous}
	}
	for _, c := range []struct {
		verdicts []scenarios.ClassVerdict
		want     string
	}{
		{nil, "-"},
		{[]scenarios.ClassVerdict{v(checker.Fenced, checker.NotApplicable, 0)}, "-"},
		{[]scenarios.ClassVerdict{v(checker.Exclusion, checker.Pass, 4), v(checker.Fenced, checker.NotApplicable, 0)}, "ok"},
		{[]scenarios.ClassVerdict{v(checker.Exclusion, checker.Pass, 5)}, "vac"},
		{[]scenarios.ClassVerdict{v(checker.Leak, checker.Failed, 0), v(checker.Exclusion, checker.Unknown, 0)}, "X?K!"},
		{[]scenarios.ClassVerdict{v("capacity", checker.Failed, 0), v(checker.Exclusion, checker.Pass, 0)}, "[capacity]!"},
	} {
		m := newMatrix(scenarios.VariantReport{Verdicts: c.verdicts}, []string{"cut"})
		got, _ := m.marks("cut")
		require.Equal(t, c.want, got)
	}
}
