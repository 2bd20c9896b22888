package scenarios

import (
	"context"
	"fmt"
	"testing"

	"zoosim/sim/explore"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
)

// small is a scenario for exhaustive search.
func small(t testing.TB, variant string, clients, ops int, budget string) Scenario {
	s := Small(variant)
	s.SetClients(clients)
	s.Ops = ops
	b, err := faults.ParseBudget(budget)
	require.NoError(t, err)
	s.Faults = b
	return s
}

// Every state of two clients with one acquire each, under every class: what
// fails, and what is proved not to.
func TestExhaustiveVerdictsOfTwoClients(t *testing.T) {
	for _, c := range []struct {
		variant, faults string
		fails           []checker.Property
	}{
		{"lock/zkdocs", "none", nil},
		{"lock/zkdocs", "crash=1", nil},
		{"lock/zkdocs", "cut-reply=1", nil},
		{"lock/zkdocs", "cut-request=1", nil},
		{"lock/zkdocs", "expiry=1", []checker.Property{checker.Exclusion, checker.Linearizable}},
		{"lock/curator", "none", nil},
		{"lock/curator", "crash=1", nil},
		{"lock/curator", "cut-reply=1", nil},
		{"lock/curator", "cut-request=1", nil},
		{"lock/kazoo", "crash=1", nil},
		{"lock/gozk", "crash=1", nil},
		{"lock/gozk", "cut-request=1", []checker.Property{checker.Progress, checker.Leak}},
		{"lock/gozk", "cut-reply=1", []checker.Property{checker.Progress, checker.Leak}},
		{"lock/herd-node", "crash=1", nil},
		{"lock/herd-children", "crash=1", nil},
		{"lock/herd-children", "cut-reply=1", nil},
		{"lock/zkjava", "none", []checker.Property{checker.Progress}},
		{"lock/seed002", "none", []checker.Property{checker.Exclusion, checker.Linearizable, checker.FIFO}},
		{"lock/seed003", "none", []checker.Property{checker.Progress}},
		{"lock/fenced", "crash=1", nil},
	} {
		o := SearchOptions{Reductions: AllReductions(), Workers: 2, Shortest: true}
		rep, err := Exhaustive(context.Background(), small(t, c.variant, 2, 1, c.faults), o)
		require.NoError(t, err)
		require.True(t, rep.Complete, "%s %s", c.variant, c.faults)
		var fails []checker.Property
		for _, v := range rep.Verdicts {
			if v.Verdict == checker.Failed {
				fails = append(fails, v.Property)
			}
			require.NotEqual(t, checker.Unknown, v.Verdict)
		}
		require.ElementsMatch(t, c.fails, fails, "%s %s", c.variant, c.faults)
	}
}

// A search that is cut off proves nothing and says how much is left.
func TestCutOffIsNotComplete(t *testing.T) {
	s := small(t, "lock/zkdocs", 3, 1, "crash=1")
	rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions(), States: 100})
	require.NoError(t, err)
	require.False(t, rep.Complete)
	require.Positive(t, rep.CutStates)
	for _, v := range rep.Verdicts {
		require.NotEqual(t, checker.Pass, v.Verdict)
	}
	rep, err = Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions(), Depth: 10})
	require.NoError(t, err)
	require.False(t, rep.Complete)
	require.Positive(t, rep.CutDepth)
}

// What a complete search counts does not depend on the number of workers.
func TestSearchDoesNotDependOnWorkers(t *testing.T) {
	for _, s := range []Scenario{small(t, "lock/gozk", 2, 1, "cut-reply=1"), small(t, "lock/zkdocs", 3, 1, "crash=1")} {
		var first *SearchReport
		for _, workers := range []int{1, 2, 3, 1} {
			rep, err := Exhaustive(context.Background(), s, SearchOptions{
				Reductions: AllReductions(), Shortest: true, Workers: workers,
			})
			require.NoError(t, err)
			rep.Histories, rep.Fed, rep.Depth = 0, 0, 0
			if first == nil {
				first = rep
			}
			require.Equal(t, first, rep, "%d workers", workers)
		}
	}
}

// BenchmarkExhaustive measures complete searches with exclusion, progress,
// leak, spurious-error, fifo and the mutex automaton on, connect and close
// included, two workers.
func BenchmarkExhaustive(b *testing.B) {
	for _, c := range []struct {
		name, variant string
		clients, ops  int
		faults        string
	}{
		{"zkdocs/3-clients-crash", "lock/zkdocs", 3, 1, "crash=1"},
		{"zkdocs/4-clients-crash", "lock/zkdocs", 4, 1, "crash=1"},
		{"curator/3-clients-crash", "lock/curator", 3, 1, "crash=1"},
	} {
		b.Run(c.name, func(b *testing.B) {
			states := 0
			for b.Loop() {
				rep, err := Exhaustive(context.Background(), small(b, c.variant, c.clients, c.ops, c.faults),
					SearchOptions{Reductions: AllReductions(), Workers: 2})
				require.NoError(b, err)
				require.True(b, rep.Complete)
				require.Empty(b, rep.Violations)
				states += rep.States
			}
			b.ReportMetric(float64(states)/float64(b.N), "states")
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}

// pathModel is a model that says where it is by the way there, and compares
// what it sees with what it saw there before.
type pathModel struct {
	*model
	t     *testing.T
	ways  map[*Runner]string
	known map[string]string
}

func (p *pathModel) Begin(r *Runner) { p.model.Begin(r); p.ways[r] = "" }

func (p *pathModel) Copy(dst, src *Runner) { p.model.Copy(dst, src); p.ways[dst] = p.ways[src] }

func (p *pathModel) Do(r *Runner, m move) {
	p.model.Do(r, m)
	way := fmt.Sprint(p.ways[r], m)
	p.ways[r] = way
	seen := fmt.Sprint(p.Key(r), p.Moves(r, nil))
	if before, ok := p.known[way]; ok {
		require.Equal(p.t, before, seen, way)
	} else if len(p.known) < 3000 {
		p.known[way] = seen
	}
}

// A state and its transitions are functions of the way there, whatever the
// memo has learned meanwhile and whichever world is used again for it.
func TestWaysLeadToTheSameStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ variant, faults string }{
		{"lock/zkdocs", "crash=1,cut-request=1"},
		{"lock/zkdocs", "crash=1,expiry=1"},
		{"lock/curator", "cut-reply=1"},
		{"lock/fenced", "crash=1"},
		{"lock/seed002", "none"},
		{"lock/kazoo", "cut=1"},
	} {
		s := small(t, c.variant, 2, 2, c.faults)
		s.Untimed = true
		md := newModel(theVariant(t, s), s, 1<<10-1, AllReductions())
		p := &pathModel{model: md, t: t, ways: map[*Runner]string{}, known: map[string]string{}}
		// The states in which workers begin are reached twice.
		for range 2 {
			explore.Prove(context.Background(), []explore.Model[*Runner, move]{p}, explore.ProveOptions{Limits: explore.Limits{States: 5000}})
		}
		require.Len(t, p.known, 3000, c)
		md.close()
	}
}
