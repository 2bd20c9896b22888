package scenarios

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// ensembleSeeds is the number of runs of each variant and fault class.
// ZOOSIM_ENSEMBLE_SEEDS sets it.
func ensembleSeeds(t *testing.T) uint64 {
	text := os.Getenv("ZOOSIM_ENSEMBLE_SEEDS")
	if text == "" {
		return 60
	}
	n, err := strconv.ParseUint(text, 10, 32)
	require.NoError(t, err, "ZOOSIM_ENSEMBLE_SEEDS")
	return n
}

// On an ensemble of which the leader may crash or a server may lag, every
// correct lock keeps what the table of expectations promises, and the servers
// keep their guarantees whatever the recipe does.
func TestLocksOnAnEnsemble(t *testing.T) {
	seeds := ensembleSeeds(t)
	both := FaultClass{Name: "leader-crash+lag"}
	both.Budget[faults.LeaderCrash], both.Budget[faults.Lag] = 1, 1
	for _, v := range Variants("lock") {
		if v.Store == zk.StoreDatabase {
			continue // there is one server
		}
		for _, c := range append(EnsembleClasses(), both) {
			s := Default(v.Name)
			s.Servers, s.Faults = 3, c.Budget
			if v.Store == zk.StoreRedis {
				s.Servers = 1 // of ZooKeeper, beside the primary and its replica
			}
			r := newRunner(t, s)
			bitten := 0
			for seed := range seeds {
				for _, x := range r.Run(sim.NewRandom(seed)).Results {
					if x.Verdict == checker.Failed && (x.Property == checker.ServiceGuarantees || v.Correct && !mayFail(&v, &c, x.Property)) {
						require.Fail(t, x.Why, "%s, %s, seed %d: %s", v.Name, c.Name, seed, x.Property)
					}
				}
				bitten += r.Effects(faults.LeaderCrash).Bitten + r.Effects(faults.Lag).Bitten
			}
			require.Greater(t, bitten, int(seeds)/10, "%s, %s", v.Name, c.Name)
		}
	}
}

// mayFail reports whether the table names a failure under a kind of the class.
func mayFail(v *Variant, c *FaultClass, p checker.Property) bool {
	for _, k := range faults.Kinds() {
		if c.Budget[k] > 0 && Expected(v.Name, k.String(), p).Verdict == checker.Failed {
			return true
		}
	}
	return false
}

// A server mutant in an ensemble is found by the service's judge.
func TestEnsembleMutantsAreFound(t *testing.T) {
	for _, m := range zkmodel.Mutants() {
		s := mutantScenario(m, mutantCases[m].variant)
		s.Servers = 3
		r := newRunner(t, s)
		found := false
		for seed := uint64(0); seed < 100 && !found; seed++ {
			r.Run(sim.NewRandom(seed))
			found = r.service.failed()
		}
		require.True(t, found, "%s", m)
	}
}

// The standard workload counts on an ensemble what it counts on one server.
func TestStandardWorkloadOnAnEnsemble(t *testing.T) {
	s := Standard("lock/zkdocs", 8)
	one := newRunner(t, s)
	one.Run(sim.NewRandom(1))
	s.Servers = 5
	five := newRunner(t, s)
	out := five.Run(sim.NewRandom(1))
	require.Equal(t, checker.Quiescent, out.End)
	require.Equal(t, one.Metrics().Requests, five.Metrics().Requests)
	require.Equal(t, one.Metrics().Notifications, five.Metrics().Notifications)
	require.Equal(t, one.Metrics().MaxFanOut, five.Metrics().MaxFanOut)
}
