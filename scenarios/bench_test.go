package scenarios

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/sim"
)

// BenchmarkLockRuns measures complete runs of three clients: connect, one
// blocking acquire and release each, close, with every monitor on, on one
// core.
func BenchmarkLockRuns(b *testing.B) {
	for _, variant := range []string{"lock/zkdocs", "lock/curator"} {
		b.Run(strings.TrimPrefix(variant, "lock/"), func(b *testing.B) {
			s := Default(variant)
			s.Ops, s.Mode, s.Hold = 1, ModeBlocking, time.Millisecond
			r, err := NewRunner(s)
			require.NoError(b, err)
			defer r.Close()
			st := sim.NewRandom(0)
			b.ReportAllocs()
			events := 0
			for i := 0; b.Loop(); i++ {
				st.Seed(uint64(i))
				out := r.Run(st)
				require.False(b, out.Failed)
				events += r.world.K.Steps()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
