package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// What elections cost: N candidates that come, lead and resign one after
// another. LeaderLatch takes three requests to lead and three to wait; each
// next leader costs one event and two requests.
func TestElectionCounts(t *testing.T) {
	for _, n := range []int64{3, 10, 30} {
		for variant, requests := range map[string]int64{
			"election/zkdocs":        5*n - 2,
			"election/curator-latch": 6*n - 2,
			// N+3 to join as the N-th: create, list, every offer read, exists; then N+1
			// with each that is left.
			"election/zkjava": n + n*(n+1)/2 + 2*n - 1 + (n - 1) + (n-1)*n/2 + (n - 1) + 1,
		} {
			r := newRunner(t, Standard(variant, int(n)))
			for _, st := range []sim.Strategy{sim.NewRandom(1), sim.NewReplay(nil)} {
				out := r.Run(st)
				require.Empty(t, failures(out), variant)
				got := r.Metrics()
				require.EqualValues(t, n, got.Acquisitions, variant)
				require.Equal(t, requests, got.RequestTotal, "%s %d: %v", variant, n, got.Requests)
				require.Equal(t, n-1, got.Notifications, "%s %d", variant, n)
				require.EqualValues(t, 1, got.MaxFanOut, variant)
			}
			r.Close()
		}
	}
}

// Each term has one leader, also under the faults under which two clients may
// believe that they lead: whoever leads later does so on another znode.
func TestTermsHaveOneLeader(t *testing.T) {
	model, err := checker.ModelByName("election")
	require.NoError(t, err)
	for _, variant := range []string{"election/zkdocs", "election/curator-latch"} {
		for _, class := range FaultClasses() {
			s := Default(variant)
			s.Faults = class.Budget
			r := newRunner(t, s)
			leaders := 0
			for seed := range uint64(50) {
				r.Run(sim.NewRandom(seed))
				ops := r.operations()
				leaders += len(ops.List)
				d := checker.Decide(model, ops.List, checker.DecideOptions{})
				require.Equal(t, checker.Pass, d.Verdict, "%s, faults %s, seed %d: %s", variant, class.Name, seed, d.Why)
			}
			require.Greater(t, leaders, 200)
		}
	}
}

// A leader of the latch whose connection breaks stops, and leads again on the
// same znode when it is back.
func TestLatchLeadsAgain(t *testing.T) {
	r := newRunner(t, classScenario(t, "election/curator-latch", "cut"))
	again := 0
	for seed := range uint64(300) {
		require.Empty(t, failures(r.Run(sim.NewRandom(seed))))
		terms := map[int64]int32{}
		for _, e := range r.History() {
			if e.Kind != checker.Grant {
				continue
			}
			if client, led := terms[e.N]; led {
				require.Equal(t, client, e.Client)
				again++
			}
			terms[e.N] = e.Client
		}
	}
	require.Positive(t, again)
}

// CURATOR-498: a create whose request was lost is repeated when the latch has
// made another znode and leads on it; that znode is deleted, and another leads,
// while the session lives.
func TestLatchIsReplaced(t *testing.T) {
	rep, err := Zoo(context.Background(), ZooOptions{Only: []string{"CURATOR-498"}})
	require.NoError(t, err)
	e := rep.Entries[0]
	require.True(t, e.Found)
	require.Equal(t, firstRuns, e.Runs)
	require.Positive(t, e.States)
}

// A counterexample that shows another fault does not count.
func TestWhatStatesShow(t *testing.T) {
	for _, shows := range []bool{true, false} {
		f := Findings()[0]
		f.match = func([]checker.Event, checker.Result) bool { return shows }
		s, ok := f.inStates()
		require.True(t, ok)
		e := ZooEntry{Property: f.Property, finding: &f}
		require.NoError(t, (&ZooOptions{}).lookAtStates(context.Background(), &e, &s))
		require.Equal(t, shows, e.Found)
	}
}

// What no state shows is not looked for among states.
func TestFindingsAmongStates(t *testing.T) {
	f := deepFindings()[0]
	_, ok := f.inStates()
	require.True(t, ok)
	for what, change := range map[string]func(f *Finding){
		"a pause":          func(f *Finding) { f.Scenario.Faults[faults.Pause] = 1 },
		"an ensemble":      func(f *Finding) { f.Scenario.Servers = 3 },
		"a server's fault": func(f *Finding) { f.Scenario.ServerMutant = zkmodel.EventTwice },
		"another workload": func(f *Finding) { f.Scenario.Foreign = true },
		"a limit":          func(f *Finding) { f.Property = checker.Deadline },
		"another promise":  func(f *Finding) { f.Property = checker.LostItem },
	} {
		f := deepFindings()[0]
		change(&f)
		_, ok := f.inStates()
		require.False(t, ok, what)
	}
}
