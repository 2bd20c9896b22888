package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/sim/explore"
)

// turned is a model whose transitions are taken in another order.
type turned struct {
	*model
	by int
}

func (c *turned) Moves(r *Runner, dst []move) []move {
	all := c.model.Moves(r, nil)
	for i := range all {
		dst = append(dst, all[(i+c.by)%len(all)])
	}
	return dst
}

// inOrder searches a scenario with one worker, each state's transitions turned.
// It is nil for one that has too many states.
func inOrder(t testing.TB, s Scenario, on Reductions, by, states int) *explore.Result[move] {
	for fields := uint32(0); ; {
		md := newModel(theVariant(t, s), s, fields, on)
		res := explore.Prove(context.Background(), []explore.Model[*Runner, move]{&turned{md, by}}, explore.ProveOptions{Limits: explore.Limits{States: states}})
		md.close()
		switch {
		case md.asked&^fields != 0:
			fields |= md.asked
		case !res.Complete:
			return nil
		default:
			return res
		}
	}
}

// What a search counts does not hang on the order in which it visits: states that
// it takes for one go on alike, whichever of them it comes upon first. Where code
// asks for zxids, states of equal order of zxids are taken for one, and their
// histories tell them apart later, so that there it does.
func TestCountsHangOnNoOrder(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	compare := func(m reducedModel, clients, ops, most int) int {
		s := small(t, m.variant, clients, ops, m.faults)
		s.Untimed = true
		if s.Validate() != nil || theVariant(t, s).Tokens {
			return 0
		}
		want := inOrder(t, s, AllReductions(), 0, most)
		if want == nil {
			return 0
		}
		for by := 1; by < 3; by++ {
			got := inOrder(t, s, AllReductions(), by, 2*most)
			require.NotNil(t, got, "%s %d x %d", m, clients, ops)
			require.Equal(t, [3]int{want.States, want.Transitions, want.Ends}, [3]int{got.States, got.Transitions, got.Ends},
				"%s, %d clients with %d operations, %s", m.variant, clients, ops, m.faults)
		}
		return 1
	}
	most, compared := 1000, 0
	if inCampaign() {
		most = 40_000
	}
	for _, m := range reducedModels() {
		for _, clients := range []int{2, 3} {
			compared += compare(m, clients, 1, most) + compare(m, clients, 2, most)
		}
	}
	require.Greater(t, compared, 40)
	for _, c := range []struct {
		reducedModel
		clients, ops int
		why          string
	}{
		{reducedModel{"lock/zkdocs", "crash=1", true}, 3, 2, "what a ready task has waited for"},
		{reducedModel{"lock/gozk", "cut-reply=1", true}, 2, 2, "a callback from before a checkpoint"},
		{reducedModel{"lock/zkjava", "crash=1", true}, 2, 1, "ids of sessions in names"},
	} {
		require.Equal(t, 1, compare(c.reducedModel, c.clients, c.ops, 100_000), c.why)
	}
}

// Clients whose names have ids of sessions in them are not alike; that code asks
// for its id, to compare it with that of an owner, makes no difference.
func TestSymmetryGoesWhereSessionsAreSpelt(t *testing.T) {
	on := Reductions{Done: true, Symmetry: true}
	for variant, spelt := range map[string]bool{"lock/zkjava": true, "lock/herd-node": false, "lock/zkdocs": false} {
		s := small(t, variant, 2, 1, "none")
		states, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: on})
		require.NoError(t, err, variant)
		again, err := Reexecute(context.Background(), s, ReexecuteOptions{Reductions: on})
		require.NoError(t, err, variant)
		for _, rep := range []*SearchReport{states, again} {
			require.Equal(t, !spelt, rep.Reductions.Symmetry, variant)
			require.Equal(t, spelt, rep.NoSymmetry != "", variant)
		}
		require.Equal(t, states.States, again.States, variant)
	}
}
