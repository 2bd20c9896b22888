package scenarios

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

// failures is the run's verdicts other than pass and n/a.
func failures(out Outcome) []string {
	var s []string
	for _, r := range out.Results {
		if r.Verdict != checker.Pass && r.Verdict != checker.NotApplicable {
			s = append(s, fmt.Sprintf("%s: %s: %s", r.Property, r.Verdict, r.Why))
		}
	}
	return s
}

// everyFault is one fault of each kind that a standalone server knows.
func everyFault() faults.Budget {
	var b faults.Budget
	for _, k := range faults.Kinds() {
		b[k] = 1
	}
	b[faults.LeaderCrash], b[faults.Lag] = 0, 0
	return b
}

func newRunner(t testing.TB, s Scenario) *Runner {
	r, err := NewRunner(s)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

// campaign is the value that `make campaign` gives a number, else the other.
func campaign(t *testing.T, name string, otherwise int) int {
	v := os.Getenv(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	require.NoError(t, err, name)
	return n
}

// The flash sale of seed 001: five clients, four seconds of work, a wait
// limit of five seconds, arrivals together.
func TestSeed001FlashSale(t *testing.T) {
	s := Default("lock/curator")
	s.Clients, s.Ops, s.Mode, s.Arrivals = 5, 1, ModeTimed, ArriveTogether
	s.Limit, s.Hold, s.FixedHold = 5*time.Second, 4*time.Second, true
	r := newRunner(t, s)
	for seed := range uint64(200) {
		out := r.Run(sim.NewRandom(seed))
		require.Empty(t, failures(out), "seed %d", seed)
		refused := 0
		for _, e := range r.History() {
			if e.Kind == checker.Refuse {
				refused++
			}
		}
		require.EqualValues(t, 2, r.Metrics().Acquisitions, "seed %d", seed)
		require.Equal(t, 3, refused, "seed %d", seed)
		require.Zero(t, out.Nodes, "seed %d", seed)
	}
}

// What real libraries were measured to send and to be sent on a real server
// (section 1.1 of the measurements), for n clients.
type cost struct {
	variant       string
	requests      func(n int) map[string]int64
	notifications func(n int) int
	fanOut        func(n int) int
}

func measuredCosts() []cost {
	chain := func(n int) int { return n - 1 }
	one := func(n int) int { return min(n-1, 1) }
	rest := func(n int) int { return n - 1 }
	i := func(n int) int64 { return int64(n) }
	return []cost{
		{"lock/curator", func(n int) map[string]int64 {
			return map[string]int64{"create2": i(n), "delete": i(n), "getChildren2": i(2*n - 1), "getData": i(n - 1)}
		}, chain, one},
		{"lock/gozk", func(n int) map[string]int64 {
			return map[string]int64{"create": i(n), "delete": i(n), "getChildren2": i(2*n - 1), "getData": i(n - 1)}
		}, chain, one},
		{"lock/kazoo", func(n int) map[string]int64 {
			return map[string]int64{
				"create": i(n), "delete": i(n), "exists": i(n), "getChildren": i(2*n - 1), "getData": i(n - 1),
			}
		}, chain, one},
		{"lock/zkjava", func(n int) map[string]int64 {
			return map[string]int64{"create": i(n), "delete": i(n), "getChildren": i(3*n - 1), "exists": i(3*n - 2)}
		}, chain, one},
		{"lock/herd-node", func(n int) map[string]int64 {
			return map[string]int64{"create": i(n * (n + 1) / 2), "delete": i(n), "exists": i(n * (n - 1) / 2)}
		}, func(n int) int { return n * (n - 1) / 2 }, rest},
		{"lock/herd-children", func(n int) map[string]int64 {
			return map[string]int64{"create": i(n), "delete": i(n), "getChildren2": i(n*n - n + 1)}
		}, func(n int) int { return n*n - n + 1 }, func(n int) int { return max(n-1, 1) }},
	}
}

func TestStandardWorkloadCostsWhatWasMeasured(t *testing.T) {
	most := campaign(t, "ZOOSIM_CLIENTS", 64)
	for _, c := range measuredCosts() {
		t.Run(shortName(c.variant), func(t *testing.T) {
			for n := 1; n <= most; n++ {
				r, err := NewRunner(Standard(c.variant, n))
				require.NoError(t, err)
				r.keepHistory = false
				out := r.Run(sim.NewRandom(uint64(n)))
				require.Empty(t, failures(out), "%d clients", n)
				m := reportMetrics(r.Metrics())
				want := c.requests(n)
				for name, count := range want {
					if count == 0 {
						delete(want, name)
					}
				}
				require.Equal(t, want, m.Requests, "%d clients", n)
				require.EqualValues(t, c.notifications(n), m.Notifications, "%d clients", n)
				require.EqualValues(t, c.fanOut(n), m.MaxFanOut, "%d clients", n)
				r.Close()
			}
		})
	}
}

func TestEveryVariantRunsTheStandardWorkload(t *testing.T) {
	for _, v := range Variants("lock") {
		r := newRunner(t, Standard(v.Name, 5))
		out := r.Run(sim.NewRandom(1))
		require.Empty(t, failures(out), v.Name)
		require.EqualValues(t, 5, r.Metrics().Acquisitions, v.Name)
		require.Zero(t, out.Nodes, v.Name)
		require.Equal(t, checker.Quiescent, out.End, v.Name)
	}
}

// A runner that is used again must behave as a fresh one.
func TestUsedRunnerEqualsFreshRunner(t *testing.T) {
	for _, v := range Variants("lock") {
		s := Default(v.Name)
		s.Faults = everyFault()
		used := newRunner(t, s)
		for seed := range uint64(20) {
			used.Run(sim.NewRandom(1000 + seed))
			a := used.Run(sim.NewRandom(seed))
			fresh, err := NewRunner(s)
			require.NoError(t, err)
			b := fresh.Run(sim.NewRandom(seed))
			require.Equal(t, b.Hash, a.Hash, "%s seed %d", v.Name, seed)
			require.Equal(t, b.Results, a.Results, "%s seed %d", v.Name, seed)
			fresh.Close()
		}
	}
}

func TestRecordingChangesNothing(t *testing.T) {
	s := Default("lock/kazoo")
	s.Faults[faults.CutReply], s.Faults[faults.Pause] = 1, 1
	r := newRunner(t, s)
	for seed := range uint64(50) {
		plain := r.Run(sim.NewRandom(seed)).Hash
		r.Record(true)
		require.Equal(t, plain, r.Run(sim.NewRandom(seed)).Hash)
		require.NotEmpty(t, r.Trace())
		r.Record(false)
	}
}

// Common random numbers: a seed gives every variant the same arrivals, holds,
// limits and faults.
func TestSameSeedSameWorkloadForEveryVariant(t *testing.T) {
	type drawn struct {
		plan    string
		arrival []time.Duration
		holds   []time.Duration
		limits  []time.Duration
	}
	for seed := range uint64(50) {
		var first *drawn
		for _, v := range Variants("lock") {
			s := Default(v.Name)
			s.Faults = everyFault()
			r := newRunner(t, s)
			r.Run(sim.NewRandom(seed))
			d := &drawn{plan: r.Plan().String()}
			for i := range r.programs {
				d.arrival = append(d.arrival, r.programs[i].arrival)
				for _, a := range r.programs[i].list {
					d.holds, d.limits = append(d.holds, a.hold), append(d.limits, a.limit)
				}
			}
			if first == nil {
				first = d
			}
			require.Equal(t, first, d, "%s seed %d", v.Name, seed)
		}
	}
}

func TestFaultsThatChangeNothingAreVacuous(t *testing.T) {
	s := Default("lock/zkdocs")
	s.Ops, s.Mode, s.FixedHold, s.Arrivals = 1, ModeBlocking, true, ArriveTogether
	s.Plan = faults.Plan{{Kind: faults.Crash, Client: 0, Time: 30 * time.Second}}
	r := newRunner(t, s)
	require.True(t, r.Run(sim.NewRandom(1)).Vacuous, "everybody was done before the crash")
	require.Zero(t, r.Effects(faults.Crash).Bitten)

	s.Plan = faults.Plan{{Kind: faults.Crash, Client: 0, Request: 1}}
	r = newRunner(t, s)
	require.False(t, r.Run(sim.NewRandom(1)).Vacuous)
	require.Equal(t, faults.Effects{Struck: 1, Bitten: 1}, r.Effects(faults.Crash))
}

// Each kind of fault must bite, and do what it says.
func TestEachFaultBites(t *testing.T) {
	for _, k := range faults.Kinds() {
		s := Default("lock/curator")
		s.Mode = ModeBlocking
		s.Faults[k] = 1
		if k.OfEnsemble() {
			s.Servers = 3
		}
		r := newRunner(t, s)
		bitten := 0
		for seed := range uint64(200) {
			r.Run(sim.NewRandom(seed))
			bitten += r.Effects(k).Bitten
		}
		require.Greater(t, bitten, 20, "%s", k)
	}
}

// A lost reply was applied, a lost request was not.
func TestLostRequestAndLostReply(t *testing.T) {
	for _, c := range []struct {
		kind    faults.Kind
		creates int64
	}{{faults.CutRequest, 1}, {faults.CutReply, 1}} {
		s := Default("lock/zkdocs")
		s.Clients, s.Ops, s.Mode = 1, 1, ModeBlocking
		s.Plan = faults.Plan{{Kind: c.kind, Client: 0, Request: 1}}
		r := newRunner(t, s)
		out := r.Run(sim.NewRandom(3))
		require.Empty(t, failures(out))
		tickets := 0
		for _, e := range r.History() {
			if e.Kind == checker.TicketCreate {
				tickets++
			}
		}
		require.Equal(t, 1, tickets, "the ticket is created once, whichever is lost")
		lists := r.Metrics()
		require.EqualValues(t, c.creates, reportMetrics(lists).Requests["create2"], "%s", c.kind)
	}
}
