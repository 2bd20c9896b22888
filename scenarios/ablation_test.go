package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
)

// The proven minimal lengths of counterexamples of the documentation's lock
// with a step left out, counted as TLC and spin count them on a hand-written
// model of the same lock: first creates in flight, task starts not counted.
func TestAblationsAreRefutedAtMinimalLength(t *testing.T) {
	for _, c := range []struct {
		variant     string
		clients     int
		faults      string
		property    checker.Property
		transitions int // 0: proved
	}{
		{"lock/zkdocs-no-relook", 3, "crash=1", checker.Exclusion, 14},
		{"lock/zkdocs-no-relook", 3, "none", checker.Exclusion, 0},
		{"lock/zkdocs-no-recheck", 3, "none", checker.Progress, 19},
	} {
		s := small(t, c.variant, c.clients, 1, c.faults)
		rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions(), Shortest: true})
		require.NoError(t, err)
		require.True(t, rep.Complete, c.variant)
		found := 0
		for _, v := range rep.Violations {
			r := newRunner(t, v.Scenario)
			st := sim.NewReplay(v.Tape)
			out := r.Run(st)
			require.NoError(t, st.Err())
			require.Equal(t, v.Hash, out.Hash, "%s: %s", c.variant, v.Property)
			if v.Property == c.property {
				found = v.Transitions
			}
		}
		require.Equal(t, c.transitions, found, "%s with %s", c.variant, c.faults)
		if c.transitions == 0 {
			require.Empty(t, rep.Violations)
		}
	}
}
