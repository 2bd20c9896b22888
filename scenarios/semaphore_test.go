package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

// What InterProcessSemaphoreV2 with one lease was measured to cost on a real
// server (measurements, 1.2): 10N - 3 requests and 3N - 2 notifications, at most
// three between two releases.
func TestSemaphoreCountsAsMeasured(t *testing.T) {
	for _, n := range []int{3, 10, 30, 100} {
		for _, variant := range []string{"semaphore/curator", "lock/curator-semaphore-mutex"} {
			requireSemaphoreCounts(t, variant, n)
		}
	}
}

func requireSemaphoreCounts(t *testing.T, variant string, n int) {
	s := Standard(variant, n)
	s.Leases, s.Arrivals = s.Permits, ArriveTogether // B queues for the mutex while A has it
	r := newRunner(t, s)
	for _, st := range []sim.Strategy{sim.NewRandom(1), sim.NewReplay(nil)} {
		out := r.Run(st)
		require.Empty(t, failures(out))
		m := r.Metrics()
		require.EqualValues(t, 3*n-2, m.Notifications, n)
		require.EqualValues(t, 3, m.MaxFanOut, n)
		require.EqualValues(t, 10*n-3, m.RequestTotal, n)
		require.Equal(t, map[string]int64{
			"create2": int64(2 * n), "delete": int64(2 * n), "getChildren2": int64(4*n - 2),
			"getData": int64(n - 1), "checkWatches": int64(n),
		}, reportMetrics(m).Requests)
		require.Zero(t, out.Nodes)
	}
}

// keptFaults are the faults of an untimed run behind which a semaphore with
// tickets promises everything.
func keptFaults() []faults.Kind {
	return []faults.Kind{faults.Crash, faults.Resession, faults.CutRequest, faults.CutReply, faults.Cut, faults.Interrupt}
}

// The semaphore with tickets is searched to the last interleaving: two clients
// and one lease under each fault, three clients and two leases without.
func TestSemaphoreExhaustively(t *testing.T) {
	t.Parallel()
	search := func(clients, leases, permits int, k faults.Kind, n int) {
		s := Small("semaphore/tickets")
		s.Clients, s.Leases, s.Permits, s.Faults[k] = clients, leases, permits, n
		rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
		require.NoError(t, err, "%s", k)
		require.True(t, rep.Complete, "%d clients, %s", clients, k)
		require.Empty(t, rep.Violations, "%d clients, %s", clients, k)
		t.Logf("%d clients, %d of %d leases, %s=%d: %d states", clients, permits, leases, k, n, rep.States)
	}
	for _, k := range keptFaults() {
		search(2, 1, 1, k, 1)
	}
	search(2, 2, 2, faults.Crash, 1)
	search(3, 2, 1, faults.Crash, 0)
}

// Two leases asked for at once are granted at once: what deadlocks Curator's
// semaphore (curator:C4) is no matter to the one with tickets.
func TestSeveralLeasesAtOnce(t *testing.T) {
	for variant, deadlocks := range map[string]bool{"semaphore/curator": true, "semaphore/tickets": false} {
		s := Small(variant)
		s.Clients, s.Permits = 2, 2
		r := newRunner(t, s)
		stuck := 0
		for seed := range uint64(100) {
			for _, x := range r.Run(sim.NewRandom(seed)).Results {
				if x.Verdict == checker.Failed {
					require.Equal(t, checker.Progress, x.Property, x.Why)
					stuck++
				}
			}
		}
		require.Equal(t, deadlocks, stuck > 0, variant)
	}
}

// Acquires of both leases at once are promised the same as those of one.
func TestPromisedClassesOfWholeSemaphores(t *testing.T) {
	for _, c := range promisedCells("semaphore") {
		s := Default(c.variant)
		s.Permits, s.Faults = 2, c.class.Budget
		r := newRunner(t, s)
		for seed := range uint64(500) {
			require.Empty(t, failures(r.Run(sim.NewRandom(seed))), "%s seed %d", c.class.Name, seed)
		}
		r.Close()
	}
}
