package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

func TestMarksHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Marks() {
		require.NotEmpty(t, m.Name)
		require.False(t, seen[m.Name], m.Name)
		seen[m.Name] = true
	}
	require.GreaterOrEqual(t, len(seen), 40)
	require.LessOrEqual(t, len(seen), 64, "they are the bits of a word")
}

// A search over all variants and all kinds of faults reaches every mark.
func TestEveryMarkIsHit(t *testing.T) {
	var all uint64
	var counts markCounts
	var w markWatcher
	for _, v := range Variants("lock") {
		s := noisy(v.Name)
		r := newRunner(t, s)
		st := sim.NewRandom(0)
		for seed := range uint64(1500) {
			st.Seed(seed)
			r.Run(st)
			hit := w.marks(r.History())
			all |= hit
			counts.observe(hit)
		}
	}
	for name, n := range counts.report() {
		require.Positive(t, n, "%q was never hit", name)
	}
	require.Equal(t, uint64(1)<<numMarks-1, all)
}

// hits are the names of the marks of a run.
func hits(t *testing.T, variant string, change func(s *Scenario), plan ...string) map[string]bool {
	s := Default(variant)
	s.Clients, s.Ops, s.Mode, s.Arrivals = 2, 1, ModeBlocking, ArriveTogether
	s.FixedHold, s.Limit = true, 500*1e6
	for _, x := range plan {
		f, err := faults.ParseFault(x)
		require.NoError(t, err)
		s.Plan = append(s.Plan, f)
	}
	change(&s)
	r := newRunner(t, s)
	r.Run(sim.NewReplay(nil))
	var w markWatcher
	bits := w.marks(r.History())
	names := map[string]bool{}
	for i, m := range Marks() {
		if bits>>i&1 == 1 {
			names[m.Name] = true
		}
	}
	return names
}

// What a run is made to do is what its marks say.
func TestMarksOfRuns(t *testing.T) {
	hold := func(d sim.Time) func(s *Scenario) { return func(s *Scenario) { s.Hold = d } }
	const second = 1e9
	for _, c := range []struct {
		variant string
		change  func(s *Scenario)
		plan    []string
		hit     []mark
		not     []mark
	}{
		{"lock/zkdocs", hold(second), nil, []mark{markGrantedAtOnce, markGrantedAfterWait, markWoken}, []mark{markTwoHolders, markHerd, markCrashHolding, markFailed, markWaitsForever, markGoneBeforeWatch}},
		{"lock/zkjava", hold(0), nil, []mark{markWaitsForever, markGoneBeforeWatch}, []mark{markGrantedAfterWait}},
		{"lock/herd-node", func(s *Scenario) { s.Clients, s.Hold = 4, second }, nil, []mark{markHerd}, []mark{markQueueOfThree}},
		{"lock/curator", func(s *Scenario) { s.Clients, s.Hold = 3, second }, nil, []mark{markQueueOfThree}, []mark{markHerd}},
		{"lock/zkdocs", hold(second), []string{"crash:A@500ms"}, []mark{markCrashHolding}, []mark{markCrashWaiting}},
		{"lock/zkdocs", hold(second), []string{"crash:B@500ms"}, []mark{markCrashWaiting}, []mark{markCrashHolding, markGrantedAfterWait}},
		{"lock/zkdocs", hold(second), []string{"cut-reply:A@req1"}, []mark{markCreateReplyLost, markSameSessionAgain}, []mark{markCreateRequestLost}},
		{"lock/zkdocs", hold(second), []string{"cut-request:A@req1"}, []mark{markCreateRequestLost}, []mark{markCreateReplyLost}},
		{"lock/zkdocs", hold(second), []string{"cut-reply:A@req3"}, []mark{markDeleteReplyLost}, []mark{markCreateReplyLost, markDeleteRequestLost}},
		{"lock/zkdocs", hold(second), []string{"cut-request:A@req3"}, []mark{markDeleteRequestLost}, []mark{markDeleteReplyLost}},
		{"lock/zkdocs", hold(second), []string{"expiry:A@500ms"}, []mark{markExpiredHolding, markTwoHolders}, []mark{markExpiredWaiting}},
		{"lock/zkdocs", hold(second), []string{"expiry:B@500ms"}, []mark{markExpiredWaiting, markToldWaiting, markNewSession}, []mark{markExpiredHolding, markTwoHolders}},
		{"lock/curator", hold(second), []string{"resession:B@500ms"}, []mark{markSessionWhileOldLives}, []mark{markExpiredHolding}},
		{"lock/zkdocs", hold(30 * second), []string{"pause:A@500ms+15s"}, []mark{markPausedHolding, markExpiredPaused, markResumedHolderWithoutSession}, []mark{markPausedWaiting}},
		{"lock/zkdocs", hold(4 * second), []string{"cut:B@1s"}, []mark{markCutWaiting, markDownWaiting}, []mark{markCutHolding, markFiredWhileDown}},
		{"lock/curator", hold(2 * second), []string{"cut:B@1.9s"}, []mark{markFiredWhileDown}, nil},
		{"lock/zkdocs", func(s *Scenario) { s.Mode, s.Hold = ModeTimed, second }, nil, []mark{markTimedOut, markTimedGranted}, []mark{markTimedOutAsPredecessorWent}},
		{"lock/zkdocs", func(s *Scenario) { s.Mode = ModeTry }, nil, []mark{markTryRefused, markTryGranted}, []mark{markTimedOut}},
		{"lock/fenced", hold(second), []string{"partition:A@500ms+15s"}, []mark{markPartitionOutlived}, []mark{markPartitionHealed}},
		{"lock/zkdocs", hold(2 * second), []string{"partition:A@500ms+50ms"}, nil, []mark{markPartitionOutlived}},
		{"lock/gozk", hold(0), []string{"cut-reply:A@req3"}, []mark{markReleaseFailed, markReleaseRepeated}, nil},
	} {
		names := hits(t, c.variant, c.change, c.plan...)
		for _, m := range c.hit {
			require.True(t, names[markTable[m].Name], "%s %v: %q, have %v", c.variant, c.plan, markTable[m].Name, names)
		}
		for _, m := range c.not {
			require.False(t, names[markTable[m].Name], "%s %v: not %q", c.variant, c.plan, markTable[m].Name)
		}
	}
}

// A run that is cut off shows nothing of what did not happen.
func TestMarksOfACutRun(t *testing.T) {
	h := []checker.Event{{Kind: checker.Invoke, Client: 0}, {Kind: checker.CutOff, Client: -1}}
	var w markWatcher
	require.Zero(t, w.marks(h))
	h[1].Kind = checker.Quiescent
	require.Equal(t, uint64(1)<<markWaitsForever, w.marks(h))
}

// BenchmarkMarks measures what the marks of a run cost.
func BenchmarkMarks(b *testing.B) {
	r := newRunner(b, noisy("lock/zkdocs"))
	r.Run(sim.NewRandom(1))
	h := r.History()
	var w markWatcher
	b.ReportAllocs()
	for b.Loop() {
		w.marks(h)
	}
	b.ReportMetric(float64(len(h)), "events")
}
