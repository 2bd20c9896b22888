package scenarios

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/sim/explore"
)

// cpu is the CPU time of the process so far: what a benchmark reports by it
// does not depend on other load.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// twoRounds is three clients with two rounds each and a crash, which without
// checkpoints has more states than a benchmark waits for.
func twoRounds(b *testing.B) Scenario { return small(b, "lock/zkdocs", 3, 2, "crash=1") }

const benchStates = 100_000

// BenchmarkSearchStates measures visited states a second, and a second of CPU
// time.
func BenchmarkSearchStates(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("%d-workers", workers), func(b *testing.B) {
			states, before := 0, cpu(b)
			for b.Loop() {
				rep, err := Exhaustive(context.Background(), twoRounds(b), SearchOptions{
					Reductions: Reductions{Delivery: true, Private: true, Done: true}, Workers: workers, States: 3 * benchStates,
				})
				require.NoError(b, err)
				states += rep.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(states)/(cpu(b)-before).Seconds(), "states/cpu-s")
		})
	}
}

// BenchmarkMemoAgainstReexecution measures by how much a search with a memo is
// faster than one that runs the same code in every step, with the same
// reductions and the same cache.
func BenchmarkMemoAgainstReexecution(b *testing.B) {
	on := Reductions{Delivery: true, Private: true, Done: true}
	rate := func(search func() int) float64 {
		before := cpu(b)
		n := search()
		return float64(n) / (cpu(b) - before).Seconds()
	}
	var memo, real float64
	for b.Loop() {
		s := twoRounds(b)
		s.Untimed = true
		memo += rate(func() int {
			md := newModel(theVariant(b, s), s, 1<<10-1, on)
			defer md.close()
			return explore.Prove(context.Background(), []explore.Model[*Runner, move]{md}, explore.ProveOptions{Limits: explore.Limits{States: benchStates}}).States
		})
		real += rate(func() int {
			x, err := newRerun(s, 1<<10-1, on, false)
			require.NoError(b, err)
			defer x.r.Close()
			res, err := explore.Reexecute(context.Background(), x, explore.RerunOptions{
				Limits: explore.Limits{States: benchStates / 2},
			})
			require.NoError(b, err)
			return res.States
		})
	}
	b.ReportMetric(memo/float64(b.N), "memo-states/cpu-s")
	b.ReportMetric(real/float64(b.N), "rerun-states/cpu-s")
	b.ReportMetric(memo/real, "times-faster")
}

// BenchmarkSearchMemory measures what the process asks the system for, a
// visited state, beyond a fixed 64 MiB.
func BenchmarkSearchMemory(b *testing.B) {
	const fixed = 64 << 20
	for b.Loop() {
		rep, err := Exhaustive(context.Background(), twoRounds(b), SearchOptions{
			Reductions: Reductions{Delivery: true, Private: true, Done: true}, States: 20 * benchStates,
		})
		require.NoError(b, err)
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(max(int64(m.Sys)-fixed, 0))/float64(rep.States), "B/state")
		b.ReportMetric(float64(m.Sys)/(1<<20), "MiB")
		b.ReportMetric(float64(rep.States), "states")
	}
}
