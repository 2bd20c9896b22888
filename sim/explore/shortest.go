package explore

import (
	"context"
	"slices"
)

// Coster is implemented by models that say how long the way to a world is in
// the units of a story. It never falls along a path.
type Coster[W any] interface {
	Cost(w W) int
}

// Shortest searches in the order of the cost of the way to a state until every
// property in want has failed, or everything is visited. The path to each
// failure is the cheapest there is among the transitions that the model gives.
// The result depends on nothing but the model and the limits.
func Shortest[W, M any, D interface {
	Model[W, M]
	Coster[W]
}](ctx context.Context, m D, l Limits, want uint32) *Result[M] {
	b := &best[W, M, D]{m: m, l: l, r: &Result[M]{}}
	root := b.level(0)
	m.Begin(root)
	b.line = append(b.line, 0)
	b.put(root, bestNode[M]{parent: -1, key: m.Key(root)})
	for cost := 0; cost < len(b.buckets); cost++ {
		for i := 0; i < len(b.buckets[cost]); i++ {
			if b.known&want == want || ctx.Err() != nil || b.full() {
				b.r.CutStates += b.waiting(cost, i)
				return b.done()
			}
			b.expand(b.buckets[cost][i])
		}
		b.buckets[cost] = nil
		b.r.MaxDepth = cost
	}
	return b.done()
}

// best is a cheapest-first search. It keeps the ways to the states that wait,
// and no worlds but those along the way to the state that it is at: states that
// come one after another mostly share most of it.
type best[W, M any, D interface {
	Model[W, M]
	Coster[W]
}] struct {
	m       D
	l       Limits
	r       *Result[M]
	closed  table
	buckets [][]int32 // the nodes that wait to be expanded, by cost
	nodes   []bestNode[M]
	known   uint32
	moves   []M

	line   []int32 // the nodes from the root to the state that it is at
	worlds []W     // their worlds, and others to use again
	way    []int32 // scratch
}

// bestNode is a state and how it was reached.
type bestNode[M any] struct {
	parent int32
	key    uint64
	move   M
}

// level is the world for a place on the line.
func (b *best[W, M, D]) level(i int) W {
	if i == len(b.worlds) {
		b.worlds = append(b.worlds, b.m.New())
	}
	return b.worlds[i]
}

// put lets a state wait to be expanded.
func (b *best[W, M, D]) put(w W, n bestNode[M]) {
	c := b.m.Cost(w)
	for len(b.buckets) <= c {
		b.buckets = append(b.buckets, nil)
	}
	b.buckets[c] = append(b.buckets[c], int32(len(b.nodes)))
	b.nodes = append(b.nodes, n)
}

func (b *best[W, M, D]) full() bool { return b.l.States > 0 && b.closed.len() >= b.l.States }

// waiting counts the states that are left from a place on.
func (b *best[W, M, D]) waiting(cost, i int) int {
	n := len(b.buckets[cost]) - i
	for _, bucket := range b.buckets[cost+1:] {
		n += len(bucket)
	}
	return n
}

// goTo makes the world of a node.
func (b *best[W, M, D]) goTo(n int32) W {
	b.way = b.way[:0]
	for ; n >= 0; n = b.nodes[n].parent {
		b.way = append(b.way, n)
	}
	slices.Reverse(b.way)
	i := 0
	for i < len(b.line) && i < len(b.way) && b.line[i] == b.way[i] {
		i++
	}
	for ; i < len(b.way); i++ {
		w := b.level(i)
		b.m.Copy(w, b.worlds[i-1])
		b.m.Do(w, b.nodes[b.way[i]].move)
	}
	b.line, b.way = b.way, b.line
	return b.worlds[len(b.line)-1]
}

// expand closes a state and opens those behind it.
func (b *best[W, M, D]) expand(n int32) {
	if !b.closed.add(b.nodes[n].key) {
		return
	}
	w := b.goTo(n)
	b.r.found(b.m.Failed(w), &b.known, func() ([]M, []int) { return b.path(n), nil })
	b.moves = b.m.Moves(w, b.moves[:0])
	if len(b.moves) == 0 {
		b.r.Ends++
	}
	to := b.level(len(b.line))
	for _, mv := range b.moves {
		b.m.Copy(to, w)
		b.m.Do(to, mv)
		b.r.Transitions++
		if key := b.m.Key(to); !b.closed.has(key) {
			b.put(to, bestNode[M]{n, key, mv})
		}
	}
}

func (b *best[W, M, D]) done() *Result[M] {
	b.r.States = b.closed.len()
	b.r.Complete = b.r.CutStates == 0
	return b.r
}

// path is the way to a node.
func (b *best[W, M, D]) path(n int32) []M {
	var path []M
	for ; b.nodes[n].parent >= 0; n = b.nodes[n].parent {
		path = append(path, b.nodes[n].move)
	}
	slices.Reverse(path)
	return path
}
