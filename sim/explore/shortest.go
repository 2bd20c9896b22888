package explore

import "context"

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
	root := b.get()
	m.Begin(root)
	b.nodes = append(b.nodes, bestNode[M]{parent: -1})
	b.put(open[W]{root, 0, m.Key(root)})
	for cost := 0; cost < len(b.buckets); cost++ {
		for i := 0; i < len(b.buckets[cost]); i++ {
			if b.known&want == want || ctx.Err() != nil || b.full() {
				b.r.CutStates += b.waiting(cost, i)
				return b.done()
			}
			at := b.buckets[cost][i]
			b.buckets[cost][i] = open[W]{}
			b.expand(&at)
			b.free = append(b.free, at.w)
		}
		b.buckets[cost] = nil
		b.r.MaxDepth = cost
	}
	return b.done()
}

// best is a cheapest-first search.
type best[W, M any, D interface {
	Model[W, M]
	Coster[W]
}] struct {
	m       D
	l       Limits
	r       *Result[M]
	closed  table
	buckets [][]open[W] // by cost
	nodes   []bestNode[M]
	known   uint32
	moves   []M
	free    []W // worlds to use again
}

// bestNode is how a state was reached.
type bestNode[M any] struct {
	parent int32
	move   M
}

// open is a state that waits to be expanded.
type open[W any] struct {
	w    W
	node int32
	key  uint64
}

func (b *best[W, M, D]) get() W {
	if n := len(b.free); n > 0 {
		w := b.free[n-1]
		b.free = b.free[:n-1]
		return w
	}
	return b.m.New()
}

func (b *best[W, M, D]) put(o open[W]) {
	c := b.m.Cost(o.w)
	for len(b.buckets) <= c {
		b.buckets = append(b.buckets, nil)
	}
	b.buckets[c] = append(b.buckets[c], o)
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

// expand closes a state and opens those behind it.
func (b *best[W, M, D]) expand(at *open[W]) {
	if !b.closed.add(at.key) {
		return
	}
	b.r.found(b.m.Failed(at.w), &b.known, func() ([]M, []int) { return b.path(at.node), nil })
	b.moves = b.m.Moves(at.w, b.moves[:0])
	if len(b.moves) == 0 {
		b.r.Ends++
	}
	for _, mv := range b.moves {
		to := b.get()
		b.m.Copy(to, at.w)
		b.m.Do(to, mv)
		b.r.Transitions++
		key := b.m.Key(to)
		if b.closed.has(key) {
			b.free = append(b.free, to)
			continue
		}
		b.nodes = append(b.nodes, bestNode[M]{at.node, mv})
		b.put(open[W]{to, int32(len(b.nodes) - 1), key})
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
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}
