package scenarios

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

// Where beliefs overlap, the version of the row keeps the resource and the
// fenced shop safe; a key in Redis has nothing that could.
func TestTokensOfALockOnAStore(t *testing.T) {
	for variant, fenced := range map[string]checker.Verdict{"lock/database": checker.Pass, "lock/redis": checker.NotApplicable} {
		s := Default(variant)
		s.Faults[faults.Expiry], s.Faults[faults.Pause] = 1, 1
		r := newRunner(t, s)
		overlaps := 0
		for seed := range uint64(300) {
			out := r.Run(sim.NewRandom(seed))
			require.Equal(t, fenced, resultFor(t, out, checker.Fenced).Verdict, "seed %d", seed)
			if resultFor(t, out, checker.Exclusion).Verdict == checker.Failed {
				overlaps++
			}
		}
		require.Greater(t, overlaps, 5, variant)
	}
	s := Default("sale/database")
	s.Faults[faults.Expiry] = 1
	r := newRunner(t, s)
	oversold := 0
	for seed := range uint64(300) {
		out := r.Run(sim.NewRandom(seed))
		require.Equal(t, checker.Pass, resultFor(t, out, checker.FencedSale).Verdict, "seed %d", seed)
		if resultFor(t, out, checker.Oversold).Verdict == checker.Failed {
			oversold++
		}
	}
	require.Positive(t, oversold)
}

// A task that extends the lease keeps it for as long as the work takes.
func TestRenewedLeases(t *testing.T) {
	for _, variant := range []string{"lock/database", "lock/redis", "lock/database-renewed", "lock/redis-renewed"} {
		s := Default(variant)
		s.Mode, s.Ops, s.Hold = ModeBlocking, 1, 70*time.Second
		r := newRunner(t, s)
		for seed := range uint64(20) {
			out := r.Run(sim.NewRandom(seed))
			want := checker.Failed
			if strings.HasSuffix(variant, "-renewed") {
				require.Empty(t, failures(out), "%s seed %d", variant, seed)
				want = checker.Pass
			}
			require.Equal(t, want, resultFor(t, out, checker.Exclusion).Verdict, "%s seed %d", variant, seed)
		}
	}
}

// grantTimes runs two clients, the second of which begins later, and returns
// when each was granted the lock.
func grantTimes(t *testing.T, variant string, plan ...string) (map[int32]time.Duration, map[string]int) {
	s := Default(variant)
	s.Clients, s.Ops, s.Mode, s.Hold, s.Arrivals = 2, 1, ModeBlocking, time.Second, ArriveTogether
	for _, x := range plan {
		f, err := faults.ParseFault(x)
		require.NoError(t, err)
		s.Plan = append(s.Plan, f)
	}
	r := newRunner(t, s)
	out := r.Run(sim.NewReplay(nil))
	require.Empty(t, failures(out))
	at, requests := map[int32]time.Duration{}, map[string]int{}
	for _, e := range r.History() {
		switch e.Kind {
		case checker.Grant:
			at[e.Client] = e.At
		case checker.Request:
			requests[e.Text]++
		}
	}
	return at, requests
}

// A claim whose answer is lost is recognised by its owner; one whose client is
// gone nobody knows of, and the others wait until its lease is over: a delay, no
// deadlock.
func TestLostClaims(t *testing.T) {
	for _, variant := range []string{"lock/database", "lock/redis"} {
		at, _ := grantTimes(t, variant)
		require.Less(t, at[0], 10*time.Millisecond)
		require.Less(t, at[1], 1500*time.Millisecond, "the holder releases")

		at, requests := grantTimes(t, variant, "cut-reply:A@req1")
		require.Less(t, at[0], 200*time.Millisecond, "the retry finds its own")
		require.Equal(t, 1, requests["extend"])

		at, _ = grantTimes(t, variant, "crash:A@500ms")
		require.Greater(t, at[1], 29*time.Second)
		require.Less(t, at[1], 31*time.Second)

		at, _ = grantTimes(t, variant, "cut-reply:A@req1", "crash:A@req1")
		require.NotContains(t, at, int32(0))
		require.Greater(t, at[1], 29*time.Second, "nobody was granted it")
		require.Less(t, at[1], 31*time.Second)
	}
}

// What a lock on a store cannot be asked for is refused by name.
func TestScenariosOfLocksOnAStore(t *testing.T) {
	for _, c := range []struct {
		variant string
		change  func(*Scenario)
		want    string
	}{
		{"lock/redis", func(s *Scenario) { s.Faults[faults.LeaderCrash], s.Faults[faults.Lag] = 1, 1 }, ""},
		{"lock/redis", func(s *Scenario) { s.Faults[faults.LeaderCrash], s.Untimed = 1, true }, ""},
		{"lock/database", func(s *Scenario) { s.Faults[faults.LeaderCrash] = 1 }, "faults: leader-crash: a standalone server; allowed with 3 or 5 servers"},
		{"lock/redis", func(s *Scenario) { s.Servers = 3 }, "servers: 3 servers; allowed for a lock on a store, which uses no ZooKeeper: 1"},
		{"lock/database", func(s *Scenario) { s.Usage = UseCrossed }, "usage: crossed; allowed for a lock on a store, which keeps one lock and no znodes: plain, nested, throwing"},
		{"lock/redis", func(s *Scenario) { s.Usage = UsePurged }, "usage: purged; allowed for a lock on a store, which keeps one lock and no znodes: plain, nested, throwing"},
	} {
		s := Default(c.variant)
		c.change(&s)
		if err := s.Validate(); c.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, c.want)
		}
	}
	_, err := RunLive(context.Background(), LiveOptions{Scenario: Standard("lock/redis", 3), Address: "127.0.0.1:1"})
	require.EqualError(t, err, "variant: lock/redis uses no ZooKeeper, but a store (redis) that is there in simulation alone; allowed: recipes of ZooKeeper")
}

// Nobody is told of a release: waiters ask, and ask again.
func TestPollingCosts(t *testing.T) {
	for _, variant := range []string{"lock/database", "lock/redis"} {
		r := newRunner(t, Standard(variant, 10))
		out := r.Run(sim.NewRandom(1))
		require.Empty(t, failures(out))
		m := r.Metrics()
		require.Zero(t, m.Notifications)
		requests := map[string]int64{}
		for _, c := range m.Requests {
			requests[c.Name] = int64(c.Count)
		}
		require.EqualValues(t, 10, requests["drop"])
		require.GreaterOrEqual(t, requests["claim"], int64(10+9), "the last nine were refused at least once")
		require.Zero(t, requests["extend"])
	}
}
