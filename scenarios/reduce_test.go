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
// the server, and which properties have failed by then.
func (r *Runner) ending() string {
	var who []string
	for i := range r.clients {
		c := &r.clients[i]
		if c.crashed {
			who = append(who, "crashed") // whatever it had done
			continue
		}
		who = append(who, fmt.Sprintf("done %v, believes %v", c.done, r.monitor.Believes(i)))
	}
	slices.Sort(who) // who is who does not matter
	var b strings.Builder
	b.WriteString(strings.Join(who, "; "))
	m := &Runner{}
	r.monitor.CopyInto(&m.monitor)
	m.monitor.Observe(&checker.Event{Kind: checker.Quiescent, Client: -1})
	fmt.Fprintf(&b, "; nodes %d, failed %b", r.world.Server().NumNodes(), m.monitor.FailedBits())
	return b.String()
}

func theVariant(t testing.TB, s Scenario) Variant {
	v, ok := ByName(s.Variant)
	require.True(t, ok, s.Variant)
	return v
}

// endState is the whole state at an ending, with all that every client has
// been told, but not who is who.
func (r *Runner) endState() uint64 {
	on := r.reductions
	r.reductions = Reductions{Symmetry: true}
	k := r.key()
	r.reductions = on
	return k
}

// endings visits every state and returns the failures and the endings.
func endings(t testing.TB, s Scenario, on Reductions, interleave bool) (failed []int, ends []string, states int) {
	s.Untimed = true
	md := newModel(theVariant(t, s), s, 1<<10-1, on)
	defer md.close()
	md.interleave = interleave
	seen := map[string]bool{}
	md.ends = func(r *Runner) { seen[r.ending()] = true }
	res := explore.Prove(context.Background(), []explore.Model[*Runner, move]{md}, explore.ProveOptions{Limits: explore.Limits{States: 3_000_000}})
	require.True(t, res.Complete)
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

func TestReductionsLoseNothing(t *testing.T) {
	for _, c := range []struct{ variant, faults string }{
		{"lock/zkdocs", "none"},
		{"lock/zkdocs", "crash=1"},
		{"lock/zkdocs", "expiry=1"},
		{"lock/zkdocs", "cut-reply=1"},
		{"lock/zkdocs", "cut-request=1"},
		{"lock/gozk", "crash=1"},
		{"lock/gozk", "expiry=1"},
		{"lock/gozk", "cut-reply=1"},
		{"lock/herd-node", "crash=1"},
		{"lock/herd-node", "expiry=1"},
		{"lock/herd-node", "cut-reply=1"},
		{"lock/herd-children", "crash=1"},
		{"lock/herd-children", "expiry=1"},
		{"lock/curator", "none"},
		{"lock/curator", "crash=1"},
		{"lock/zkjava", "none"},
		{"lock/zkjava", "crash=1"},
		{"lock/seed002", "none"},
		{"lock/kazoo", "crash=1"},
		{"lock/fenced", "none"},
	} {
		t.Run(c.variant+" "+c.faults, func(t *testing.T) {
			if raceEnabled && c.faults != "none" {
				t.Skip("one goroutine, and slow under the race detector")
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

// Letting messages arrive between what a process is told and what it makes of
// it shows nothing that handing over in one step does not show.
func TestHandingOverLosesNothing(t *testing.T) {
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
