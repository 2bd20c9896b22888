package explore

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// grid is a walk over three counters that wrap, with dead ends.
type grid struct{ x [3]int }

// gridModel learns the sums that it meets. Property 0 fails at one state.
type gridModel struct {
	sums  map[int]bool
	fresh bool
}

const gridSize = 20

func newGridModel() *gridModel           { return &gridModel{sums: map[int]bool{}} }
func (*gridModel) New() *grid            { return &grid{} }
func (*gridModel) Begin(w *grid)         { *w = grid{} }
func (*gridModel) Copy(dst, s *grid)     { *dst = *s }
func (*gridModel) Key(w *grid) uint64    { return uint64(w.x[0]*10000 + w.x[1]*100 + w.x[2] + 1) }
func (m *gridModel) Learned() (yes bool) { yes, m.fresh = m.fresh, false; return yes }
func (*gridModel) Failed(w *grid) uint32 { return uint32(b2i(w.x == [3]int{7, 11, 13})) }
func (*gridModel) Moves(w *grid, d []int) []int {
	if (w.x[0]*7+w.x[1]*3+w.x[2])%11 == 10 {
		return d
	}
	return append(d, 0, 1, 2)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (m *gridModel) Do(w *grid, i int) {
	w.x[i] = (w.x[i] + 1) % gridSize
	if s := w.x[0] + w.x[1] + w.x[2]; !m.sums[s] {
		m.sums[s], m.fresh = true, true
	}
}

// rememberingGrid tells where some of its transitions have led before.
type rememberingGrid struct {
	*gridModel
	made  map[uint64]bool
	known int
}

func (m *rememberingGrid) Repeats(w *grid, moves []int) (bits uint64) {
	for k, i := range moves {
		bits |= uint64(b2i(m.repeats(w, i))) << k
	}
	return bits
}

func (m *rememberingGrid) repeats(w *grid, i int) bool {
	to := *w
	if to.x[i] = (to.x[i] + 1) % gridSize; i == 0 || to.x[0]%5 == 0 {
		return false // it cannot tell
	}
	k := m.Key(&to)
	known := m.made[k]
	m.made[k] = true
	m.known += b2i(known)
	return known
}

// remembering makes models that remember of others.
func remembering(ms []Model[*grid, int]) {
	for i, m := range ms {
		ms[i] = &rememberingGrid{gridModel: m.(*gridModel), made: map[uint64]bool{}}
	}
}

func gridModels(n int) (ms []Model[*grid, int], all []*gridModel) {
	for range n {
		m := newGridModel()
		ms, all = append(ms, m), append(all, m)
	}
	return ms, all
}

func learnt(all []*gridModel) map[int]bool {
	sums := map[int]bool{}
	for _, m := range all {
		for s := range m.sums {
			sums[s] = true
		}
	}
	return sums
}

// A search that is interrupted again and again, and goes on each time from
// where it was saved last with other models, counts what one counts that is
// not; nothing is counted twice, and nothing that was learned is forgotten.
func TestProveGoesOnFromWhereItWasSaved(t *testing.T) {
	ms, all := gridModels(1)
	want := Prove(context.Background(), ms, ProveOptions{})
	require.True(t, want.Complete)
	require.Positive(t, want.Ends)
	sums := learnt(all)

	for _, workers := range []int{1, 3} {
		all := 0 // how many there are of each hangs on who gets to run
		for _, every := range []int{1, 7, -7} {
			var from *Progress
			for legs := 1; ; legs++ {
				require.Less(t, legs, 1000)
				ms, grids := gridModels(1 + (workers+legs)%workers)
				if every < 0 {
					remembering(ms)
				}
				ctx, cancel := context.WithCancel(context.Background())
				asked := 0
				r := Prove(ctx, ms, ProveOptions{
					From: from,
					Due:  func(int) bool { asked++; return asked%every == 0 },
					Save: func(p *Progress) { from = p; cancel() },
				})
				if ctx.Err() != nil {
					require.False(t, r.Complete)
					continue
				}
				cancel()
				require.Equal(t, sums, learnt(grids))
				require.Len(t, r.Failures, 1)
				w := &grid{}
				for _, i := range r.Failures[0].Path {
					w.x[i] = (w.x[i] + 1) % gridSize
				}
				require.Equal(t, [3]int{7, 11, 13}, w.x)
				r.Failures, want.Failures, r.MaxDepth = nil, nil, want.MaxDepth
				require.Equal(t, want, r)
				if workers == 1 {
					require.Greater(t, legs, 3)
				}
				all += legs
				t.Logf("%d workers: %d legs", workers, legs)
				break
			}
		}
		require.Greater(t, all, 3*3)
	}
}

// Transitions of which the model knows that they repeat others are counted but not
// carried out.
func TestProveLeavesOutWhatRepeats(t *testing.T) {
	ms, _ := gridModels(1)
	want := Prove(context.Background(), ms, ProveOptions{})
	for _, workers := range []int{1, 3} {
		ms, _ := gridModels(workers)
		remembering(ms)
		got := Prove(context.Background(), ms, ProveOptions{})
		require.Len(t, got.Failures, 1)
		got.Failures, want.Failures, got.MaxDepth = nil, nil, want.MaxDepth
		require.Equal(t, want, got)
		known := 0
		for _, m := range ms {
			known += m.(*rememberingGrid).known
		}
		require.Greater(t, known, 100)
	}
}

// A search may also be saved without an end.
func TestProveIsSavedOnTheWay(t *testing.T) {
	ms, _ := gridModels(2)
	want := Prove(context.Background(), ms, ProveOptions{})
	states, fewer := []int{}, 0
	ms, _ = gridModels(2)
	got := Prove(context.Background(), ms, ProveOptions{
		Due: func(n int) bool { states = append(states, n); return true },
		Save: func(p *Progress) {
			if len(p.Visited) < states[len(states)-1] {
				fewer++
			}
		},
	})
	require.Greater(t, len(states), 3)
	require.IsNonDecreasing(t, states)
	require.Zero(t, fewer)
	require.Equal(t, want.States, got.States)
	require.Equal(t, want.Transitions, got.Transitions)
	require.True(t, got.Complete)
}

// broom is a tree of which all but the first branch at the root are bare. A
// state is the number of its node: 0 is the root, 2 the first branch.
type broom struct{ done int }

func (*broom) New() *int          { return new(int) }
func (*broom) Begin(w *int)       { *w = 0 }
func (*broom) Copy(dst, s *int)   { *dst = *s }
func (*broom) Key(w *int) uint64  { return uint64(*w) + 1 }
func (*broom) Failed(*int) uint32 { return 0 }

func (*broom) Moves(w *int, d []int) []int {
	switch {
	case *w == 0:
		for i := range 2 * seedCount {
			d = append(d, i)
		}
	case *w < 1<<14:
		d = append(d, 0, 1)
	}
	return d
}

func (m *broom) Do(w *int, i int) {
	m.done++
	runtime.Gosched()
	switch {
	case *w > 0:
		*w = 2**w + i
	case i == 0:
		*w = 2
	default:
		*w = 1<<20 + i
	}
}

// A worker that has nothing left to do is given some of what another has.
func TestProveSharesWork(t *testing.T) {
	var ms []Model[*int, int]
	var all []*broom
	for range 3 {
		all = append(all, &broom{})
		ms = append(ms, all[len(all)-1])
	}
	r := Prove(context.Background(), ms, ProveOptions{})
	require.True(t, r.Complete)
	require.Equal(t, 2*seedCount+1<<14-1, r.States)
	require.Equal(t, r.States-1, r.Transitions)
	for _, m := range all {
		require.Greater(t, m.done, r.Transitions/20)
	}
}
