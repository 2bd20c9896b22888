package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
)

// ensembleModel is a small model of clients on three servers.
type ensembleModel struct {
	proofModel
	clients int
}

func (m *ensembleModel) name() string { return fmt.Sprintf("%s, %d", m.proofModel.name(), m.clients) }

func onThree(s *Scenario) { s.Servers = 3 }

func tryOnThree(s *Scenario) { s.Servers, s.Mode = 3, ModeTry }

// ensembleModels are those on which searches are compared; runs is how many the
// plain search makes that lets messages between servers arrive at once.
func ensembleModels() []ensembleModel {
	return []ensembleModel{
		{proofModel{variant: "lock/herd-node", faults: "none", how: tryOnThree, runs: 570}, 1},
		{proofModel{variant: "lock/zkdocs", faults: "none", how: onThree, runs: 954}, 1},
		{proofModel{variant: "lock/herd-node", faults: "leader-crash=1", how: tryOnThree, runs: 100_769}, 1},
		{proofModel{variant: "lock/zkdocs", faults: "leader-crash=1", how: onThree, runs: 251_075}, 1},
		{proofModel{variant: "lock/herd-node", faults: "crash=1", how: tryOnThree, runs: 516_026, coarse: true}, 1},
		{proofModel{variant: "lock/zkdocs", faults: "crash=1", how: onThree, runs: 800_788}, 1},
		{proofModel{variant: "lock/gozk", faults: "cut-reply=1", how: tryOnThree, fails: checker.Progress, runs: 12_381}, 1},
		{proofModel{variant: "lock/herd-node", faults: "none", how: tryOnThree}, 2},
		{proofModel{variant: "lock/zkdocs", faults: "none", how: onThree}, 2},
		{proofModel{variant: "lock/zkdocs", faults: "cut=1", how: onThree, fails: checker.Progress}, 1},
		{proofModel{variant: "lock/zkdocs", faults: "expiry=1", how: onThree, big: true}, 1},
	}
}

// The plain search of runs, with real tasks, in which nothing but messages
// between servers is favoured finds what the searches of states find.
func TestSearchesOfAnEnsembleAgreeWithThePlainOne(t *testing.T) {
	t.Parallel()
	most := 150_000
	if inCampaign() {
		most = 2_000_000
	}
	if raceEnabled {
		most = 1000
	}
	at := Reductions{Replication: true}
	for _, m := range ensembleModels() {
		if m.runs == 0 || m.runs > most {
			continue
		}
		t.Run(m.name(), func(t *testing.T) {
			start := time.Now()
			plain := m.real(t, m.clients, how{uncached: true, on: at})
			t.Logf("plain: %d runs, %d end states, fails %v, %v",
				plain.runs, len(plain.endStates), plain.failed, time.Since(start).Round(time.Millisecond))
			require.InEpsilon(t, m.runs, plain.runs, 0.01)
			for _, on := range []Reductions{at, AllReductions()} {
				h := how{on: on, coarse: m.coarse}
				mem := m.memo(t, m.clients, h)
				mem.same(t, &plain, h, "memo, "+on.String())
			}
			h := how{on: at, coarse: m.coarse}
			real := m.real(t, m.clients, h)
			real.same(t, &plain, h, "re-executed")
		})
	}
}

// What clients see of an ensemble does not depend on how its servers replicate:
// with every message between servers in any order, the same properties fail,
// clients have been told the same, and the same is left. But another server may
// lead.
func TestReplicationShowsInNothing(t *testing.T) {
	t.Parallel()
	for _, m := range ensembleModels() {
		if raceEnabled || m.big && !inCampaign() {
			continue
		}
		t.Run(m.name(), func(t *testing.T) {
			search := func(on Reductions) (findings, []string) {
				seen := map[string]bool{}
				f := m.memo(t, m.clients, how{on: on, note: func(r *Runner) { seen[r.seen()] = true }})
				return f, slices.Sorted(maps.Keys(seen))
			}
			want, all := search(Reductions{})
			got, seen := search(Reductions{Replication: true})
			t.Logf("%d states, %d without messages between servers, %d endings, fails %v", want.states, got.states, len(all), want.failed)
			require.True(t, want.complete && got.complete)
			require.Equal(t, want.failed, got.failed)
			require.Equal(t, all, seen)
			require.Less(t, got.states, want.states)
			if m.fails != "" {
				require.Contains(t, got.failed, string(m.fails))
			}
		})
	}
}

// seen is what clients have been told, and what is left, at an ending.
func (r *Runner) seen() string {
	text := r.ending()
	for i := range r.clients {
		c := &r.clients[i]
		if !c.crashed { // else it does not tell states apart
			text += fmt.Sprintf("; %x", r.world.K.Proc(c.p.ID()).MaskedHistory())
		}
	}
	var h sim.Hash
	r.world.Server().Hash(&h)
	return fmt.Sprintf("%s; %x", text, h.Sum())
}

// allOfServers is a key that leaves nothing of the servers out, as far as they know it.
func allOfServers(r *Runner) uint64 {
	var h sim.Hash
	h.Uint64(r.key())
	for i := 1; i <= r.s.Servers; i++ {
		r.world.Peer(i).Hash(&h)
	}
	return h.Sum()
}

// partOfServers is a key of what some servers have logged and applied, and of no
// message between servers.
func partOfServers(servers ...int) func(r *Runner) uint64 {
	return func(r *Runner) uint64 {
		var h sim.Hash
		for _, i := range servers {
			p := r.world.Peer(i)
			p.Server().Hash(&h)
			h.Uint64(uint64(p.LastApplied()))
			h.Uint64(uint64(p.LastLogged()))
		}
		r.monitor.HashRanked(&h, nil)
		for i := range r.clients {
			r.hashClient(&h, i, false, r.rank())
		}
		for _, n := range r.left {
			h.Uint64(uint64(n))
		}
		h.Uint64(uint64(len(r.world.AppendStopped(nil))))
		return h.Sum()
	}
}

// What the identity of an ensemble leaves out tells no states apart that go on
// differently: a key with all of it in leads to the same end states.
func TestIdentityOfAnEnsemble(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	for _, m := range append(ensembleModels()[:4], ensembleModels()[7]) {
		for _, on := range []Reductions{{}, {Replication: true}} {
			if (m.faults != "none" || m.clients > 1) && on == (Reductions{}) && !inCampaign() {
				continue
			}
			want := m.real(t, m.clients, how{on: on, key: allOfServers})
			got := m.memo(t, m.clients, how{on: on})
			t.Logf("%s, %s: %d states of %d", m.name(), on, got.states, want.states)
			got.same(t, &want, how{on: on}, m.name())
		}
	}
}

// Keys from which something is missing are caught: the searches above would
// differ.
func TestUnsoundIdentitiesOfAnEnsembleAreCaught(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	for _, c := range []struct {
		name  string
		model int
		on    Reductions
		key   func(r *Runner) uint64
	}{
		{"without messages between servers", 0, Reductions{}, partOfServers(1, 2, 3)},
		{"without messages between servers", 3, Reductions{}, partOfServers(1, 2, 3)},
		{"without messages between servers", 6, Reductions{}, partOfServers(1, 2, 3)},
		{"without a follower", 3, Reductions{Replication: true}, partOfServers(1, 3)},
		{"without the followers", 6, Reductions{Replication: true}, partOfServers(3)},
		{"without the leader", 2, Reductions{Replication: true}, partOfServers(1, 2)},
	} {
		m := ensembleModels()[c.model]
		want := m.memo(t, m.clients, how{on: c.on})
		got := m.real(t, m.clients, how{on: c.on, key: c.key})
		differs := got.differs(&want, true)
		t.Logf("%s, %s: %d of %d states, %s", m.name(), c.name, got.states, want.states, differs)
		require.NotEmpty(t, differs, c.name)
	}
}

// Untimed runs on an ensemble, with faults of its own and of clients, are
// judged as timed ones are, and are the same again from their choices.
func TestUntimedRunsOnAnEnsemble(t *testing.T) {
	t.Parallel()
	for _, v := range Variants("") {
		if v.Store != zk.StoreNone {
			continue
		}
		s := Small(v.Name)
		s.Untimed, s.Servers, s.Ops = true, 3, 2
		s.Faults[faults.LeaderCrash], s.Faults[faults.Crash], s.Faults[faults.Resession] = 2, 1, 1
		r := newRunner(t, s)
		again := newRunner(t, s)
		crashed := 0
		for seed := range uint64(6) {
			rec := sim.NewRecorder(sim.NewRandom(seed))
			out := r.Run(rec)
			service := out.Results[len(out.Results)-1]
			require.Equal(t, checker.Pass, service.Verdict, "%s, seed %d: %s", v.Name, seed, service.Why)
			require.Equal(t, out.Hash, again.Run(sim.NewReplay(rec.Tape())).Hash, "%s, seed %d", v.Name, seed)
			crashed += s.Faults[faults.LeaderCrash] - r.left[faults.LeaderCrash]
		}
		require.Positive(t, crashed, v.Name)
	}
}

// Of five servers two leaders in a row may crash; both come back.
func TestUntimedRunsOnFiveServers(t *testing.T) {
	s := Small("lock/zkdocs")
	s.Untimed, s.Servers = true, 5
	s.Faults[faults.LeaderCrash] = 2
	r := newRunner(t, s)
	both := 0
	for seed := range uint64(100) {
		out := r.Run(sim.NewRandom(seed))
		require.False(t, out.Failed, "seed %d", seed)
		require.Equal(t, checker.Quiescent, out.End)
		require.Empty(t, r.world.AppendStopped(nil))
		if r.world.Peer(1).Epoch() == 3 {
			both++
		}
		for i := 1; i <= 5; i++ {
			require.Equal(t, r.world.Peer(1).LastApplied(), r.world.Peer(i).LastApplied(), "seed %d, server %d", seed, i)
		}
	}
	require.Greater(t, both, 10)
}

// A read at a server that lags is stale: a taker finds a queue empty behind a
// put that has been acknowledged. On one server it never does.
func TestStaleReadsOfAnUntimedEnsemble(t *testing.T) {
	s := Small("queue/zkdocs")
	s.SetClients(2)
	s.Untimed, s.Ops, s.Mode = true, 3, ModeTry
	for _, servers := range []int{1, 3} {
		s.Servers = servers
		r := newRunner(t, s)
		failed := 0
		for seed := range uint64(200) {
			if x := r.Run(sim.NewRandom(seed)).Results[0]; x.Verdict == checker.Failed {
				require.Equal(t, checker.Linearizable, x.Property)
				failed++
			}
		}
		require.Equal(t, servers > 1, failed > 0, "%d servers: %d", servers, failed)
	}
}

// A client whose connection was cut looks for the znode that it may have made
// at another server, which has not heard of it yet, makes a second one and waits
// for the first. The search proves that it takes an ensemble.
func TestLookUpAtAServerThatLags(t *testing.T) {
	for _, servers := range []int{1, 3} {
		s := small(t, "lock/zkdocs", 1, 1, "cut-reply=1")
		s.Servers = servers
		rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions(), Shortest: true})
		require.NoError(t, err)
		require.True(t, rep.Complete)
		var failed []checker.Property
		for _, c := range rep.Violations {
			failed = append(failed, c.Property)
			require.Equal(t, 11, c.Transitions)
			require.Equal(t, checker.Pass, c.Service.Verdict)
			out := newRunner(t, c.Scenario).Run(sim.NewReplay(c.Tape))
			require.Equal(t, c.Hash, out.Hash)
		}
		if servers == 1 {
			require.Empty(t, failed)
			continue
		}
		require.ElementsMatch(t, []checker.Property{checker.Progress, checker.Leak}, failed)
		require.Equal(t, Reductions{Done: true, Checkpoint: true, Replication: true}, rep.Reductions)
	}
}

// A leader that commits what no quorum has loses what it has acknowledged when
// it crashes: the servers break their word, and a client goes ahead of another.
func TestCommitsAheadOfTheQuorumAreFound(t *testing.T) {
	s := Small("lock/zkdocs")
	s.Untimed, s.Servers = true, 3
	s.Faults[faults.LeaderCrash] = 1
	for _, planted := range []bool{false, true} {
		r := newRunner(t, s)
		r.world = simzk.NewWorld(simzk.Options{Servers: s.Servers, CommitsAhead: planted}, r)
		r.world.SetFaults(&r.faults)
		failed := map[checker.Property]int{}
		for seed := range uint64(500) {
			for _, x := range r.Run(sim.NewRandom(seed)).Results {
				if x.Verdict == checker.Failed {
					failed[x.Property]++
				}
			}
		}
		t.Log(failed)
		if !planted {
			require.Empty(t, failed)
			continue
		}
		require.Positive(t, failed[checker.ServiceGuarantees])
		require.Positive(t, failed[checker.FIFO])
	}
}

// A lock is proved correct on three servers, whose messages arrive in any order
// and as late as they like.
func TestALockIsProvedOnAnEnsemble(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		clients  int
		faults   string
		open     bool
		campaign bool
	}{
		{2, "none", false, false},
		{1, "leader-crash=1", false, false},
		{2, "crash=1", true, true},
		{2, "leader-crash=1", true, true},
	} {
		if c.campaign && !inCampaign() || raceEnabled {
			continue
		}
		s := small(t, "lock/zkdocs", c.clients, 1, c.faults)
		s.Servers, s.SessionsOpen, s.Untimed = 3, c.open, true
		rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
		require.NoError(t, err)
		t.Logf("%d clients, %s: %d states", c.clients, c.faults, rep.States)
		require.True(t, rep.Complete)
		require.Empty(t, rep.Violations)
	}
}
