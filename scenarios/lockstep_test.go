package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/sim"
)

// What the memo says that a process does is what its code does when it really
// runs: the same random walks in both worlds offer the same transitions at
// every step, and leave the same server, the same trace and the same verdicts.
func TestMemoWalksInStepWithRealTasks(t *testing.T) {
	walks := 150
	if raceEnabled {
		walks = 5
	}
	for _, v := range Variants("lock") {
		s := small(t, v.Name, 3, 2, "crash=1,expiry=1,cut-reply=1,cut-request=1,cut=1,interrupt=1,resession=1")
		s.Attempts = 2
		s.Untimed = true
		md := newModel(theVariant(t, s), s, 0, Reductions{})
		memo, real := md.New(), newRunner(t, s)
		memo.world.K.HashTrace(true)
		choose := sim.NewRandom(0)
		for seed := range uint64(walks) {
			choose.Seed(seed)
			choose.Begin()
			md.Begin(memo)
			real.beginUntimed(nil, nil)
			var a, b []move
			for n := 0; n < 400; n++ {
				a, b = memo.moves(a[:0]), real.moves(b[:0])
				require.Equal(t, b, a, "%s, walk %d, step %d", v.Name, seed, n)
				if len(a) == 0 {
					break
				}
				m := a[choose.Choose(sim.LabelMove, len(a))]
				memo.do(&m)
				real.do(&m)
				require.Equal(t, real.monitor.FailedBits(), memo.monitor.FailedBits(), "%s, walk %d, step %d", v.Name, seed, n)
			}
			require.Equal(t, serverHash(real), serverHash(memo), "%s, walk %d", v.Name, seed)
			require.Equal(t, real.world.K.TraceHash(), memo.world.K.TraceHash(), "%s, walk %d", v.Name, seed)
			real.world.K.Seal()
		}
		require.NoError(t, md.memo.Audit(), v.Name)
		md.close()
	}
}

func serverHash(r *Runner) uint64 {
	var h sim.Hash
	r.world.Server().Hash(&h)
	return h.Sum()
}
