package scenarios

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/sim/explore"
)

// searched is what a search found, as far as searches are compared.
type searched struct {
	failed      []int
	ends        []string
	states      int
	transitions int
}

// reexecuted visits every state with real tasks.
func reexecuted(t testing.TB, s Scenario, on Reductions, uncached bool) (searched, *explore.RerunResult[move]) {
	s.Untimed = true
	x, err := newRerun(s, 1<<10-1, on)
	require.NoError(t, err)
	defer x.r.Close()
	seen := map[string]bool{}
	x.ends = func(r *Runner) { seen[r.ending()] = true }
	x.atOnce, x.short = uncached, uncached
	res, err := explore.Reexecute(context.Background(), x, explore.RerunOptions{Uncached: uncached, Sleep: on.Sleep})
	require.NoError(t, err)
	require.True(t, res.Complete)
	out := searched{states: res.States, transitions: res.Transitions}
	for _, f := range res.Failures {
		out.failed = append(out.failed, f.Bit)
	}
	slices.Sort(out.failed)
	for e := range seen {
		out.ends = append(out.ends, e)
	}
	slices.Sort(out.ends)
	return out, res
}

func TestSizes(t *testing.T) {
	for _, c := range []struct{ variant, faults string }{
		{"lock/zkdocs", "none"},
		{"lock/zkdocs", "crash=1"},
		{"lock/zkdocs", "expiry=1"},
		{"lock/zkdocs", "cut-reply=1"},
	} {
		s := small(t, c.variant, 2, 1, c.faults)
		s.SessionsOpen = true
		if testing.Verbose() {
			fmt.Println()
		}
		for _, on := range []Reductions{{}, {Delivery: true}, without("symmetry"), AllReductions()} {
			failed, ends, states := endings(t, s, on, false)
			start := time.Now()
			got, res := reexecuted(t, s, on, false)
			fmt.Println(c, on, states, got.states, "runs", res.Runs, res.Transitions, time.Since(start))
			require.Equal(t, failed, got.failed)
			require.Equal(t, ends, got.ends)
			if !on.Symmetry {
				on.Sleep = true
				start := time.Now()
				got, res = reexecuted(t, s, on, false)
				fmt.Println(c, on, states, got.states, "runs", res.Runs, res.Transitions, res.Asleep, time.Since(start))
				require.Equal(t, failed, got.failed)
				require.Equal(t, ends, got.ends)
			}
		}
	}
}
