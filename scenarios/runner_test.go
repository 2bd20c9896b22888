package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/sim"
)

// verdicts is the run's verdicts other than pass and n/a.
func verdicts(out Outcome) []string {
	var s []string
	for _, r := range out.Results {
		if r.Verdict != checker.Pass && r.Verdict != checker.NotApplicable {
			s = append(s, string(r.Property)+": "+string(r.Verdict)+": "+r.Why)
		}
	}
	return s
}

func TestSmoke(t *testing.T) {
	for _, v := range lock.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			r, err := NewRunner(Standard(v.Name, 3))
			require.NoError(t, err)
			defer r.Close()
			r.Record(true)
			out := r.Run(sim.NewRandom(1))
			if bad := verdicts(out); len(bad) > 0 {
				for _, e := range r.Trace() {
					t.Logf("%v %d %s", e.At, e.Step, e.Text)
				}
				t.Error(bad)
			}
			t.Logf("%+v", r.Metrics())
		})
	}
}
