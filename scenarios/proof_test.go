package scenarios

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim/explore"
)

// proofCampaign reports whether what takes minutes is to run: make campaign.
func proofCampaign() bool { return os.Getenv("ZOOSIM_PROOFS") != "" }

// proofModel is a small model on which searches are compared.
type proofModel struct {
	variant, faults string
	// why says what the model is there for, "" for one of many.
	why string
	// how changes the scenario.
	how func(s *Scenario)
	// plain says that the plain search ends within seconds; other plain
	// searches belong to the campaign, or do not end.
	plain bool
	// fails has a property that fails in the model with two clients.
	fails checker.Property
}

func (m *proofModel) name() string {
	name := strings.TrimPrefix(m.variant, "lock/") + " " + m.faults
	if m.why != "" {
		name += ", " + m.why
	}
	return name
}

// scenario has the sessions of the clients open at the start.
func (m *proofModel) scenario(t testing.TB, clients int) Scenario {
	s := small(t, m.variant, clients, 1, m.faults)
	s.SessionsOpen = true
	if m.how != nil {
		m.how(&s)
	}
	return s
}

func timedLock(s *Scenario) { s.Mode, s.Limit = ModeTimed, time.Millisecond }

func tryLock(s *Scenario) { s.Mode = ModeTry }

func proofModels() []proofModel {
	return []proofModel{
		{variant: "lock/zkdocs", faults: "none", plain: true},
		{variant: "lock/zkdocs", faults: "crash=1"},
		{variant: "lock/zkdocs", faults: "expiry=1", why: "a belief that fails only while a notice is in flight", fails: checker.Exclusion},
		{variant: "lock/zkdocs", faults: "cut-reply=1", why: "a lost reply"},
		{variant: "lock/zkdocs", faults: "none", why: "a timeout races the reply", how: timedLock},
		{variant: "lock/zkdocs", faults: "none", why: "without waiting", how: tryLock, plain: true},
		{variant: "lock/zkdocs-no-recheck", faults: "none", why: "a lost wake-up", fails: checker.Progress, plain: true},
		{variant: "lock/zkdocs-no-relook", faults: "none", plain: true},
		{variant: "lock/herd-node", faults: "none", plain: true},
		{variant: "lock/herd-node", faults: "crash=1"},
		{variant: "lock/herd-node", faults: "interrupt=1", why: "an interrupt"},
		{variant: "lock/herd-node", faults: "expiry=1", fails: checker.Exclusion},
		{variant: "lock/herd-node", faults: "cut-reply=1"},
		{variant: "lock/herd-children", faults: "none", plain: true},
		{variant: "lock/herd-children", faults: "crash=1"},
		{variant: "lock/gozk", faults: "none"},
		{variant: "lock/gozk", faults: "cut-reply=1", why: "a lost reply leaves a znode behind", fails: checker.Leak},
		{variant: "lock/curator", faults: "none"},
		{variant: "lock/curator", faults: "interrupt=1", why: "an interrupt"},
		{variant: "lock/kazoo", faults: "none"},
		{variant: "lock/zkjava", faults: "none", why: "a lost wake-up", fails: checker.Progress},
		{variant: "lock/seed002", faults: "none", why: "a callback races the task: latch replaced, notify before wait; order across clients", fails: checker.FIFO},
		{variant: "lock/seed003", faults: "none", fails: checker.Progress},
		{variant: "lock/fenced", faults: "none"},
	}
}

// findings are what a search of a model found, as far as searches must agree:
// the properties that fail, and the states in which nothing more can happen.
type findings struct {
	failed, ends []string
	// states, transitions and runs may differ.
	states, transitions, runs int
	complete                  bool
}

func (f *findings) failures(bits []int) {
	for _, b := range bits {
		f.failed = append(f.failed, string(checker.LockProperties()[b]))
	}
	slices.Sort(f.failed)
}

// how is a way of searching.
type how struct {
	on         Reductions
	uncached   bool
	interleave bool
	// worlds may change what is searched: a planted fault.
	worlds func(x *rerun)
}

// real visits every state with real tasks.
func (m *proofModel) real(t testing.TB, clients int, h how, limit time.Duration) findings {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	s := m.scenario(t, clients)
	s.Untimed = true
	x, err := newRerun(s, 1<<10-1, h.on, h.uncached)
	require.NoError(t, err)
	defer x.r.Close()
	x.r.interleave = h.interleave
	seen := map[string]bool{}
	x.ends = func(r *Runner) { seen[r.ending()] = true }
	if h.worlds != nil {
		h.worlds(x)
	}
	res, err := explore.Reexecute(ctx, x, explore.RerunOptions{Uncached: h.uncached, Sleep: h.on.Sleep})
	require.NoError(t, err)
	require.False(t, x.r.world.K.Surprised())
	f := findings{states: res.States, transitions: res.Transitions, runs: res.Runs, complete: res.Complete}
	var bits []int
	for _, x := range res.Failures {
		bits = append(bits, x.Bit)
	}
	f.failures(bits)
	f.ends = slices.Sorted(maps.Keys(seen))
	return f
}

// memo visits every state with a memo.
func (m *proofModel) memo(t testing.TB, clients int, h how) findings {
	failed, ends, states := endings(t, m.scenario(t, clients), h.on, h.interleave)
	f := findings{ends: ends, states: states, complete: true}
	f.failures(failed)
	return f
}

// same asks for the same findings.
func (f *findings) same(t testing.TB, want *findings, what string) {
	require.True(t, f.complete, what)
	require.Equal(t, want.failed, f.failed, what)
	require.Equal(t, want.ends, f.ends, what)
}

const noLimit = time.Hour

// The plain search tries everything that can happen, one run after another,
// and knows no states: what it finds is what there is. All others find the
// same.
func TestSearchesAgreeWithThePlainOne(t *testing.T) {
	limit := noLimit
	if proofCampaign() {
		limit = 10 * time.Minute
	}
	for _, m := range proofModels() {
		if !m.plain && !proofCampaign() {
			continue
		}
		t.Run(m.name(), func(t *testing.T) {
			start := time.Now()
			plain := m.real(t, 2, how{uncached: true}, limit)
			t.Logf("plain: %d runs, %d ends, fails %v, complete %v, %v",
				plain.runs, len(plain.ends), plain.failed, plain.complete, time.Since(start).Round(time.Millisecond))
			if !plain.complete {
				t.Skip("the plain search does not end in time")
			}
			if m.fails != "" {
				require.Contains(t, plain.failed, string(m.fails))
			}
			m.agree(t, 2, &plain)
		})
	}
}

// agree asks all cheaper searches for the same findings.
func (m *proofModel) agree(t *testing.T, clients int, want *findings) {
	sleep := without("symmetry")
	sleep.Sleep = true
	for _, h := range []how{
		{on: Reductions{Sleep: true}, uncached: true},
		{},
		{interleave: true},
		{on: Reductions{Sleep: true}},
		{on: sleep},
		{on: AllReductions()},
	} {
		if h.uncached && want.runs == 0 {
			continue // the plain search did not end; this may not either
		}
		got := m.real(t, clients, h, noLimit)
		what := fmt.Sprintf("re-executed, %+v", h)
		got.same(t, want, what)
		t.Logf("%s: %d states, %d runs", what, got.states, got.runs)
		if h.on.Sleep {
			continue
		}
		mem := m.memo(t, clients, h)
		mem.same(t, want, fmt.Sprintf("memo, %+v", h))
		if !h.on.Symmetry {
			require.Equal(t, mem.states, got.states, "the memo and real tasks meet the same states: %s", what)
		}
	}
	for _, off := range reductionNames[:4] {
		mem := m.memo(t, clients, how{on: without(off)})
		mem.same(t, want, "memo without "+off)
	}
}
