package scenarios

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
)

// What groups cost: N members that join one after another. Each change wakes
// all who watch, and each of these lists again.
func TestGroupCounts(t *testing.T) {
	for _, n := range []int64{3, 10, 30} {
		for _, c := range []struct {
			variant          string
			requests, events int64
		}{
			// exists, create and a listing each, and the herd.
			{"group/seed002", 3*n + n*(n-1)/2, n * (n - 1) / 2},
			// create, exists and a listing; the create wakes the others.
			{"group/zkdocs", 3*n + n*(n-1)/2, n * (n - 1) / 2},
			// exists, create, a listing, and a read of each member.
			{"group/kazoo-party", 3*n + n*(n+1)/2, 0},
		} {
			s := Standard(c.variant, 1)
			s.Members, s.Observers, s.Clients = int(n), 0, int(n)
			r := newRunner(t, s)
			for _, st := range []sim.Strategy{sim.NewRandom(1), sim.NewReplay(nil)} {
				out := r.Run(st)
				require.Empty(t, failures(out), c.variant)
				got := r.Metrics()
				require.Equal(t, c.requests, got.RequestTotal, "%s %d", c.variant, n)
				require.Equal(t, c.events, got.Notifications, "%s %d", c.variant, n)
			}
			r.Close()
		}
	}
}

// A member of the correct group is one again after its session has ended, under
// the same name, also while the server still keeps the former session.
func TestMembersComeAgain(t *testing.T) {
	for _, class := range []string{"expiry", "resession", "restart"} {
		r := newRunner(t, classScenario(t, "group/zkdocs", class))
		again := 0
		for seed := range uint64(200) {
			out := r.Run(sim.NewRandom(seed))
			require.Empty(t, failures(out), "%s seed %d", class, seed)
			created := map[int32]int{}
			for _, e := range r.History() {
				if e.Kind == checker.TicketCreate {
					created[e.Client]++
				}
			}
			for _, n := range created {
				if n > 2 { // more than its operations
					again++
				}
			}
		}
		require.Positive(t, again, class)
	}
}

// classScenario is the default scenario of a variant under a fault class.
func classScenario(t *testing.T, variant, class string) Scenario {
	s := Default(variant)
	for _, c := range FaultClasses() {
		if c.Name == class {
			s.Faults = c.Budget
			return s
		}
	}
	require.Fail(t, "no such class", class)
	return s
}

// A group whose directory goes while it is empty is followed all the same.
func TestGroupsAreMadeAgain(t *testing.T) {
	s := Default("group/zkdocs")
	s.Renew = true
	r := newRunner(t, s)
	gone := 0
	for seed := range uint64(300) {
		out := r.Run(sim.NewRandom(seed))
		require.Empty(t, failures(out), "seed %d", seed)
		for _, q := range r.Metrics().Requests {
			if q.Name == "delete" && q.Count > 0 {
				gone++
			}
		}
	}
	require.Positive(t, gone)
}
