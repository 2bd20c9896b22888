package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
)

// The operations of a run, judged by themselves, get the verdict that the run
// got, whether it passes or fails.
func TestOperationsHaveTheRunsVerdict(t *testing.T) {
	for _, c := range []struct {
		variant, model string
		property       checker.Property
		fails          bool
	}{
		{"lock/zkdocs", "mutex", checker.Linearizable, true}, // under a pause that outlives the session
		{"lock/seed002", "mutex", checker.Linearizable, true},
		{"queue/zkdocs", "queue", checker.Linearizable, false},
		{"queue/kazoo", "priority-queue", checker.Linearizable, true},
		{"rwlock/zkdocs", "rw-lock", checker.RWExclusion, true},
		{"rwlock/seed000", "rw-lock", checker.RWExclusion, true},
		{"rwlock/curator", "reentrant-rw-lock", checker.RWExclusion, true}, // with downgrades
	} {
		t.Run(c.variant, func(t *testing.T) {
			s := Default(c.variant)
			s.Downgrade = c.model == "reentrant-rw-lock"
			s.Faults[faults.Pause], s.Faults[faults.Expiry] = 1, 1
			seen := map[checker.Verdict]int{}
			for seed := range uint64(60) {
				one, err := RunOnce(s, seed, "")
				require.NoError(t, err)
				require.Equal(t, c.model, one.Operations.Model)
				m, err := checker.ModelByName(c.model)
				require.NoError(t, err)
				d := checker.Decide(m, one.Operations.List, checker.DecideOptions{NoEvidence: true})
				for _, v := range one.Report.Verdicts {
					if v.Property == c.property {
						require.Equal(t, v.Verdict, d.Verdict, "seed %d: %s; %s", seed, v.Why, d.Why)
						seen[v.Verdict]++
					}
				}
			}
			require.Equal(t, c.fails, seen[checker.Failed] > 0, seen)
			require.Positive(t, seen[checker.Pass])
		})
	}
}
