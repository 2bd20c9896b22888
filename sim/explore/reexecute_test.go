package explore

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// rerunJugs is the puzzle of the jugs as a world that cannot be copied.
type rerunJugs struct {
	w     jugs
	foot  Footprint
	fuzzy bool // it is not the same after a while
	runs  int
}

func (x *rerunJugs) Begin() {
	x.w = jugs{}
	if x.runs++; x.fuzzy && x.runs > 5 {
		x.w.big = 1
	}
}
func (x *rerunJugs) Key() uint64    { return jugModel{}.Key(&x.w) }
func (x *rerunJugs) Failed() uint32 { return jugModel{}.Failed(&x.w) }

func (x *rerunJugs) ID(m jugMove) uint64 { return uint64(m) }

func (x *rerunJugs) Moves(dst []jugMove) ([]jugMove, jugMove, bool) {
	return jugModel{}.Moves(&x.w, dst), 0, true
}

func (x *rerunJugs) Do(m jugMove) bool {
	jugModel{}.Do(&x.w, m)
	x.foot = Footprint{}
	switch m {
	case fillSmall, emptySmall:
		x.foot.Write(0)
	case fillBig, emptyBig:
		x.foot.Write(1)
	default:
		x.foot.WriteAll()
	}
	return !(x.fuzzy && x.w.big == 1)
}

func (x *rerunJugs) Passes(jugMove) bool { return true }

func (x *rerunJugs) Footprint() Footprint { return x.foot }

func TestReexecuteVisitsEveryStateOnce(t *testing.T) {
	// The puzzle has cycles: nothing sleeps for ever with states that are on
	// the path, since what slept at all visits is explored at the next.
	for _, sleep := range []bool{false, true} {
		x := &rerunJugs{}
		r, err := Reexecute(context.Background(), x, RerunOptions{Sleep: sleep})
		require.NoError(t, err)
		require.True(t, r.Complete)
		require.Equal(t, reachable, r.States)
		require.Len(t, r.Failures, 1)
		w := &jugs{}
		for _, m := range r.Failures[0].Path {
			jugModel{}.Do(w, m)
		}
		require.Equal(t, 4, w.big)
		if sleep {
			require.Positive(t, r.Asleep)
		} else {
			require.Equal(t, reachable*6, r.Transitions)
		}
	}
}

func TestReexecuteWithinLimits(t *testing.T) {
	r, err := Reexecute(context.Background(), &rerunJugs{}, RerunOptions{Uncached: true, Limits: Limits{Depth: 4}})
	require.NoError(t, err)
	require.False(t, r.Complete)
	require.Equal(t, 6*6*6*6, r.CutDepth)
	require.Equal(t, 1+6+6*6+6*6*6, r.States)
	r, err = Reexecute(context.Background(), &rerunJugs{}, RerunOptions{Limits: Limits{States: 5}})
	require.NoError(t, err)
	require.False(t, r.Complete)
	require.Positive(t, r.CutStates)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err = Reexecute(ctx, &rerunJugs{}, RerunOptions{Uncached: true, Limits: Limits{Depth: 30}})
	require.NoError(t, err)
	require.False(t, r.Complete)
}

func TestReexecuteSeesThatRunsDiffer(t *testing.T) {
	_, err := Reexecute(context.Background(), &rerunJugs{fuzzy: true}, RerunOptions{})
	require.True(t, errors.Is(err, ErrDiverged))
}

func TestFootprints(t *testing.T) {
	var a, b, c, all Footprint
	a.Read(3)
	b.Read(3)
	c.Write(3)
	all.WriteAll()
	require.False(t, a.Conflicts(&b))
	require.True(t, a.Conflicts(&c))
	require.True(t, c.Conflicts(&a))
	require.True(t, c.Conflicts(&c))
	require.True(t, all.Conflicts(&a))
	var d Footprint
	d.Write(3 + 64)
	require.False(t, c.Conflicts(&d))
	d.Write(3 + 128) // shares the bit
	require.True(t, c.Conflicts(&d))
}
