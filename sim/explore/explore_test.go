package explore

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// jugs is the puzzle of the two jugs of 3 and 5 litres: small, cyclic, and its
// shortest solution is known.
type jugs struct{ small, big int }

type jugMove int

const (
	fillSmall jugMove = iota
	fillBig
	emptySmall
	emptyBig
	smallToBig
	bigToSmall
)

// jugModel fails property 0 when the big jug holds 4 litres, and property 1
// when it holds 6, which cannot be.
type jugModel struct{}

func (jugModel) New() *jugs         { return &jugs{} }
func (jugModel) Begin(w *jugs)      { *w = jugs{} }
func (jugModel) Copy(dst, s *jugs)  { *dst = *s }
func (jugModel) Key(w *jugs) uint64 { return uint64(w.small)*10 + uint64(w.big) + 1 }
func (jugModel) Cost(*jugs) int     { return 0 }

func (jugModel) Failed(w *jugs) uint32 {
	f := uint32(0)
	if w.big == 4 {
		f |= 1
	}
	if w.big == 6 {
		f |= 2
	}
	return f
}

func (jugModel) Moves(_ *jugs, dst []jugMove) []jugMove {
	return append(dst, fillSmall, fillBig, emptySmall, emptyBig, smallToBig, bigToSmall)
}

func (jugModel) Do(w *jugs, m jugMove) {
	switch m {
	case fillSmall:
		w.small = 3
	case fillBig:
		w.big = 5
	case emptySmall:
		w.small = 0
	case emptyBig:
		w.big = 0
	case smallToBig:
		n := min(w.small, 5-w.big)
		w.small, w.big = w.small-n, w.big+n
	case bigToSmall:
		n := min(w.big, 3-w.small)
		w.small, w.big = w.small+n, w.big-n
	}
}

// counted is the same with the length of the way in the world, as its cost.
type counted struct {
	jugs
	steps int
}

type countedModel struct{}

func (countedModel) New() *counted                           { return &counted{} }
func (countedModel) Begin(w *counted)                        { *w = counted{} }
func (countedModel) Copy(dst, s *counted)                    { *dst = *s }
func (countedModel) Key(w *counted) uint64                   { return jugModel{}.Key(&w.jugs) }
func (countedModel) Failed(w *counted) uint32                { return jugModel{}.Failed(&w.jugs) }
func (countedModel) Cost(w *counted) int                     { return w.steps }
func (countedModel) Do(w *counted, m jugMove)                { jugModel{}.Do(&w.jugs, m); w.steps++ }
func (countedModel) Moves(w *counted, d []jugMove) []jugMove { return jugModel{}.Moves(&w.jugs, d) }

// reachable counts the states by hand: with jugs of 3 and 5 litres one of them
// is always full or empty.
const reachable = 16

func TestProveVisitsEveryStateOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		var ms []Model[*jugs, jugMove]
		for range workers {
			ms = append(ms, jugModel{})
		}
		r := Prove(context.Background(), ms, ProveOptions{})
		require.Equal(t, reachable, r.States)
		require.Equal(t, reachable*6, r.Transitions)
		require.True(t, r.Complete)
		require.Len(t, r.Failures, 1)
		require.Equal(t, 0, r.Failures[0].Bit)
		w := &jugs{}
		for _, m := range r.Failures[0].Path {
			jugModel{}.Do(w, m)
		}
		require.Equal(t, 4, w.big, "the path leads to the failure")
	}
}

func TestShortestFindsTheShortestWay(t *testing.T) {
	r := Shortest[*counted, jugMove](context.Background(), countedModel{}, Limits{}, 1)
	require.Len(t, r.Failures, 1)
	require.Len(t, r.Failures[0].Path, 6, "six steps is the known minimum")
	r = Shortest[*counted, jugMove](context.Background(), countedModel{}, Limits{}, 2)
	require.Len(t, r.Failures, 1, "property 1 never fails")
	require.True(t, r.Complete)
	require.Equal(t, reachable, r.States)
}

func TestLimitsCutOff(t *testing.T) {
	r := Prove(context.Background(), []Model[*jugs, jugMove]{jugModel{}}, ProveOptions{Limits: Limits{States: 5}})
	require.False(t, r.Complete)
	require.Positive(t, r.CutStates)
	r = Prove(context.Background(), []Model[*jugs, jugMove]{jugModel{}}, ProveOptions{Limits: Limits{Depth: 2}})
	require.False(t, r.Complete)
	require.Positive(t, r.CutDepth)
	require.Less(t, r.States, reachable)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.False(t, Prove(ctx, []Model[*jugs, jugMove]{jugModel{}}, ProveOptions{}).Complete)
	s := Shortest[*counted, jugMove](context.Background(), countedModel{}, Limits{States: 4}, 1)
	require.False(t, s.Complete)
	require.Positive(t, s.CutStates)
}

func TestTable(t *testing.T) {
	var tb table
	for i := range uint64(10_000) {
		k := i * 0x9E3779B97F4A7C15
		require.False(t, tb.has(k))
		require.True(t, tb.add(k))
		require.False(t, tb.add(k))
		require.True(t, tb.has(k))
	}
	require.Equal(t, 10_000, tb.len())
}

// ExampleShortest solves the puzzle of the two jugs.
func ExampleShortest() {
	r := Shortest[*counted, jugMove](context.Background(), countedModel{}, Limits{}, 1)
	fmt.Println(len(r.Failures[0].Path), "steps")
	// Output: 6 steps
}
