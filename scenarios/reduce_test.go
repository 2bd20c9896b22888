package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim/explore"
)

// ending describes a state in which nothing but faults can happen by what
// anybody could still see of it: who is done, crashed or stuck, what is left on
// the server, and which properties fail then.
func (r *Runner) ending() string {
	var who []string
	for i := range r.clients {
		c := &r.clients[i]
		if c.crashed {
			who = append(who, "crashed") // whatever it had done
			continue
		}
		who = append(who, fmt.Sprintf("done %v, believes %v, leases %v", c.done, r.monitor.Believes(i), r.world.HasLease(c.p)))
	}
	slices.Sort(who) // who is who does not matter
	var b strings.Builder
	b.WriteString(strings.Join(who, "; "))
	m := &Runner{}
	r.monitor.CopyInto(&m.monitor)
	m.monitor.Observe(&checker.Event{Kind: checker.Quiescent, Client: -1})
	fmt.Fprintf(&b, "; nodes %d, failed %b", r.world.Server().NumNodes(), m.monitor.FailedBits()&^r.monitor.FailedBits())
	return b.String()
}

func theVariant(t testing.TB, s Scenario) Variant {
	v, ok := ByName(s.Variant)
	require.True(t, ok, s.Variant)
	return v
}

// endState is the whole state at an ending, with all that every client has
// been told, but, on one server, not who is who.
func (r *Runner) endState() uint64 {
	on := r.reductions
	r.reductions = Reductions{Symmetry: r.s.Servers == 1}
	r.changed() // blocks were written with the reductions that are on
	k := r.key()
	r.reductions = on
	r.changed()
	return k
}

// endings visits every state and returns the failures and the endings.
func endings(t testing.TB, s Scenario, on Reductions, interleave bool) (failed []int, ends []string, states int) {
	s.Untimed = true
	fields := fieldsOf(t, s)
	md := newModel(theVariant(t, s), s, fields, on)
	defer md.close()
	md.interleave = interleave
	seen := map[string]bool{}
	md.ends = func(r *Runner) { seen[r.ending()] = true }
	res := explore.Prove(context.Background(), []explore.Model[*Runner, move]{md}, explore.ProveOptions{Limits: explore.Limits{States: 3_000_000}})
	require.True(t, res.Complete)
	require.Zero(t, md.asked&^fields)
	for _, f := range res.Failures {
		failed = append(failed, f.Bit)
	}
	slices.Sort(failed)
	for e := range seen {
		ends = append(ends, e)
	}
	slices.Sort(ends)
	return failed, ends, res.States
}

// without is every reduction but one.
func without(names ...string) Reductions {
	on := AllReductions()
	for _, name := range names {
		if name != "" {
			*on.named(name) = false
		}
	}
	return on
}

// reducedModels are the models on which reductions are compared with the plain
// search of states; those with more than 10,000 states in it wait for the
// campaign.
func reducedModels() []reducedModel {
	return []reducedModel{
		{"lock/zkdocs", "none", false},
		{"lock/zkdocs", "crash=1", false},
		{"lock/zkdocs", "expiry=1", false},
		{"lock/zkdocs", "cut-reply=1", false},
		{"lock/zkdocs", "cut-request=1", false},
		{"lock/gozk", "crash=1", false},
		{"lock/gozk", "expiry=1", false},
		{"lock/gozk", "cut-reply=1", false},
		{"lock/herd-node", "crash=1", false},
		{"lock/herd-node", "expiry=1", false},
		{"lock/herd-node", "cut-reply=1", false},
		{"lock/herd-children", "crash=1", false},
		{"lock/herd-children", "expiry=1", false},
		{"lock/curator", "none", false},
		{"lock/curator", "crash=1", false},
		{"lock/zkjava", "none", false},
		{"lock/zkjava", "crash=1", false},
		{"lock/seed002", "none", false},
		{"lock/kazoo", "crash=1", false},
		{"lock/fenced", "none", false},

		// A retry's pause beside a connection that comes back.
		{"lock/zkdocs", "crash=1,cut-reply=1", true},
		{"lock/zkdocs", "expiry=1,cut-reply=1", true},
		{"lock/zkdocs", "cut=1", false},
		{"lock/zkdocs", "resession=1", false},
		{"lock/zkdocs-no-relook", "cut-reply=1", false},
		{"lock/gozk", "cut=1", false},
		{"lock/kazoo", "cut-reply=1", true},
		{"lock/kazoo", "cut-request=1", true},
		{"lock/curator", "cut-reply=1", true},
		{"lock/curator", "cut=1", true},

		{"group/zkdocs", "none", false},
		{"group/zkdocs", "crash=1", false},
		{"group/zkdocs", "cut-reply=1", true},
		{"group/seed002", "none", false},
		{"group/seed002", "cut-request=1", true},
		{"group/kazoo-party", "crash=1", false},
		{"election/zkdocs", "crash=1", false},
		{"election/zkdocs", "cut-reply=1", true},
		{"election/zkjava", "crash=1", true},
		{"election/curator-latch", "none", true},
		{"election/curator-latch", "crash=1", true},
		{"election/curator-latch", "interrupt=1", true},
		{"cache/curator-node", "crash=1", false},
		{"cache/curator-node", "resession=1", true},
		{"cache/curator-children", "crash=1", false},
		{"cache/curator-children", "cut=1", true},
		{"cache/curator-tree", "none", false},
		{"cache/curator-tree", "crash=1", true},
	}
}

type reducedModel struct {
	variant, faults string
	big             bool
}

func TestReductionsLoseNothing(t *testing.T) {
	t.Parallel()
	for _, c := range reducedModels() {
		t.Run(c.variant+" "+c.faults, func(t *testing.T) {
			if raceEnabled && c.faults != "none" {
				t.Skip("one goroutine, and slow under the race detector")
			}
			if c.big && !inCampaign() {
				t.Skip("make campaign")
			}
			s := small(t, c.variant, 2, 1, c.faults)
			failed, ends, plain := endings(t, s, Reductions{}, false)
			for _, off := range append([]string{""}, reductionNames...) {
				on := without(off)
				f, e, n := endings(t, s, on, false)
				require.Equal(t, failed, f, "%s", on)
				require.Equal(t, ends, e, "%s", on)
				t.Logf("%s: %d of %d states, %d endings", on, n, plain, len(e))
			}
		})
	}
}

// A search with private steps of the server first, or deliveries favoured and
// pauses of a recipe's retries ended early or late, or steps put off, meets the same
// end states, with all that every client has been told.
func TestFavouringLosesNoEndState(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	for _, m := range []proofModel{
		{variant: "lock/zkdocs", faults: "cut-reply=1"},
		{variant: "lock/zkdocs", faults: "cut-request=1"},
		{variant: "lock/zkdocs", faults: "expiry=1"},
		{variant: "lock/zkdocs", faults: "crash=1,cut-reply=1"},
		{variant: "lock/herd-node", faults: "expiry=1"},
		{variant: "lock/herd-node", faults: "resession=1"},
		{variant: "lock/zkdocs", faults: "resession=1"},
		{variant: "lock/gozk", faults: "resession=1", big: true},
		{variant: "lock/zkdocs-no-relook", faults: "resession=1", big: true},
		{variant: "lock/seed002", faults: "expiry=1", big: true},
		{variant: "lock/zkdocs", faults: "expiry=1,cut-reply=1", big: true},
		{variant: "lock/kazoo", faults: "cut-reply=1", big: true},
		{variant: "lock/kazoo", faults: "cut-request=1", big: true},
	} {
		t.Run(m.name(), func(t *testing.T) {
			if m.big && !inCampaign() {
				t.Skip("make campaign")
			}
			want := m.connecting(t, Reductions{})
			for _, on := range []Reductions{
				{Private: true}, {Delivery: true}, {Private: true, Delivery: true}, {Defer: true}, {Private: true, Delivery: true, Defer: true},
			} {
				got := m.connecting(t, on)
				require.True(t, got.complete)
				require.Empty(t, got.differs(&want, true), "%s", on)
				t.Logf("%s: %d of %d states, %d end states", on, got.states, want.states, len(want.endStates))
			}
		})
	}
}

// Letting messages arrive between what a process is told and what it makes of
// it shows nothing that handing over in one step does not show.
func TestHandingOverLosesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ variant, faults string }{
		{"lock/zkdocs", "crash=1"},
		{"lock/zkdocs", "expiry=1"},
		{"lock/zkdocs", "cut-reply=1"},
		{"lock/zkdocs-no-relook", "crash=1"},
		{"lock/zkdocs-no-recheck", "none"},
		{"lock/gozk", "cut-reply=1"},
		{"lock/gozk", "expiry=1"},
		{"lock/herd-node", "crash=1"},
		{"lock/herd-children", "cut-reply=1"},
	} {
		s := small(t, c.variant, 2, 1, c.faults)
		failed, ends, one := endings(t, s, AllReductions(), false)
		f, e, many := endings(t, s, AllReductions(), true)
		require.Equal(t, f, failed, "%v", c)
		require.Equal(t, e, ends, "%v", c)
		t.Logf("%v: %d of %d states", c, one, many)
	}
}
