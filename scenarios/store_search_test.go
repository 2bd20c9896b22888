package scenarios

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
)

// storeModels are small models of the locks on a store. Who waits for ever asks
// for ever, so here nobody does.
func storeModels() []proofModel {
	return []proofModel{
		{variant: "lock/database", faults: "none", why: "without waiting", how: tryLock, runs: 104},
		{variant: "lock/database", faults: "crash=1", why: "without waiting", how: tryLock, runs: 1752},
		{variant: "lock/database", faults: "interrupt=1", why: "without waiting", how: tryLock, runs: 2756},
		{variant: "lock/database", faults: "cut=1", why: "without waiting", how: tryLock, runs: 324_478},
		{variant: "lock/database", faults: "cut-request=1", why: "without waiting", how: tryLock, runs: 110_704},
		{variant: "lock/database", faults: "cut-reply=1", why: "without waiting", how: tryLock, runs: 58_392},
		{variant: "lock/database", faults: "expiry=1", why: "without waiting", how: tryLock, runs: 88_200, fails: checker.Exclusion},
		{variant: "lock/database", faults: "none", why: "impatient", how: impatient, runs: 4164},
		{variant: "lock/redis", faults: "none", why: "without waiting", how: tryLock, runs: 36},
		{variant: "lock/redis", faults: "crash=1", why: "without waiting", how: tryLock, runs: 466},
		{variant: "lock/redis", faults: "interrupt=1", why: "without waiting", how: tryLock, runs: 636},
		{variant: "lock/redis", faults: "cut=1", why: "without waiting", how: tryLock, runs: 9560},
		{variant: "lock/redis", faults: "cut-request=1", why: "without waiting", how: tryLock, runs: 4514},
		{variant: "lock/redis", faults: "cut-reply=1", why: "without waiting", how: tryLock, runs: 1964},
		{variant: "lock/redis", faults: "expiry=1", why: "without waiting", how: tryLock, runs: 548, fails: checker.Exclusion},
		{variant: "lock/redis", faults: "leader-crash=1", why: "without waiting", how: tryLock, fails: checker.Exclusion},
		{variant: "lock/redis", faults: "none", why: "impatient", how: impatient, runs: 1020},
	}
}

// impatient gives up during the first pause.
func impatient(s *Scenario) { s.Mode, s.Limit = ModeTimed, 50*time.Millisecond }

// onAStore calls f for each lock on a store with each single fault that a
// search knows.
func onAStore(f func(variant, faults string)) {
	for _, variant := range []string{"lock/database", "lock/redis"} {
		for _, faults := range []string{"none", "crash=1", "interrupt=1", "cut=1", "cut-request=1", "cut-reply=1", "expiry=1"} {
			f(variant, faults)
		}
	}
	f("lock/redis", "leader-crash=1")
}

// Nothing is lost by the reductions where clients ask again and again. Who
// gives up does so after some time, and all states can be visited without any
// reduction; who does not asks for ever, so that a search must take the passes
// of the loop for one.
func TestReductionsOnAStoreLoseNothing(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	askedTwice := func(s *Scenario) { s.Mode, s.Limit = ModeTimed, 250*time.Millisecond }
	onAStore(func(variant, faults string) {
		off := []string{"", "delivery", "symmetry"}
		if inCampaign() {
			off = append([]string{""}, reductionNames...)
		}
		for _, c := range []struct {
			plain Reductions
			how   func(s *Scenario)
		}{
			{Reductions{}, askedTwice},
			{Reductions{Checkpoint: true}, func(*Scenario) {}},
		} {
			if faults == "leader-crash=1" && c.plain == (Reductions{}) && !inCampaign() {
				continue // 48,000 states
			}
			s := small(t, variant, 2, 1, faults)
			c.how(&s)
			failed, ends, plain := endings(t, s, c.plain, false)
			require.NotEmpty(t, ends)
			for _, name := range off {
				on := without(name)
				if name == "sleep" || on.and(c.plain) != c.plain {
					continue
				}
				f, e, n := endings(t, s, on, false)
				require.Equal(t, failed, f, "%s, %s, %s", variant, faults, on)
				require.Equal(t, ends, e, "%s, %s, %s", variant, faults, on)
				require.LessOrEqual(t, n, plain)
			}
		}
	})
}

// Every state of two clients of the locks on a store, under every class that an
// untimed run has: what fails, and what is proved not to.
func TestLocksOnAStoreAreSearchedCompletely(t *testing.T) {
	onAStore(func(variant, faults string) {
		var want []checker.Property
		if faults == "expiry=1" || faults == "leader-crash=1" {
			want = []checker.Property{checker.Exclusion, checker.Linearizable}
		}
		s := small(t, variant, 2, 1, faults)
		for _, on := range []Reductions{AllReductions(), {Checkpoint: true}} {
			rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: on})
			require.NoError(t, err)
			require.True(t, rep.Complete, "%s %s", variant, faults)
			require.Empty(t, rep.NoCheckpoints, "%s %s", variant, faults)
			require.Greater(t, rep.Checkpoints.Histories, rep.Checkpoints.Classes)
			var fails []checker.Property
			for _, v := range rep.Verdicts {
				require.NotEqual(t, checker.Unknown, v.Verdict)
				if v.Verdict == checker.Failed {
					fails = append(fails, v.Property)
				}
			}
			require.ElementsMatch(t, want, fails, "%s %s %s", variant, faults, on)
			t.Logf("%s, %s, %s: %d states, %+v", variant, faults, on, rep.States, rep.Checkpoints)
		}
	})
}

// The counterexample of a fail-over happens when real tasks run.
func TestFailOverIsReexecuted(t *testing.T) {
	s := small(t, "lock/redis", 2, 1, "leader-crash=1")
	rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions(), Shortest: true})
	require.NoError(t, err)
	for _, v := range rep.Violations {
		if v.Property == checker.Exclusion {
			st := sim.NewReplay(v.Tape)
			require.Equal(t, v.Hash, newRunner(t, v.Scenario).Run(st).Hash)
			return
		}
	}
	require.Fail(t, "exclusion does not fail")
}
