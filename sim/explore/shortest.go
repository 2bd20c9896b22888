package explore

import "context"

// Shortest searches breadth first until every property in want has failed, or
// everything is visited. The path to each failure is the shortest there is
// among the transitions that the model gives. Its result does not depend on
// anything but the model and the limits.
func Shortest[W, M any](ctx context.Context, m Model[W, M], l Limits, want uint32) *Result[M] {
	b := &breadth[W, M]{m: m, l: l, r: &Result[M]{}}
	root := b.get()
	m.Begin(root)
	b.visited.add(m.Key(root))
	b.nodes = append(b.nodes, bfsNode[M]{parent: -1})
	layer := []frontier[W]{{root, 0}}
	for depth := 0; len(layer) > 0; depth++ {
		if b.known&want == want || ctx.Err() != nil || depth >= l.depth() || b.full() {
			b.r.CutStates += len(layer)
			break
		}
		b.r.MaxDepth = depth
		layer = b.step(ctx, layer)
	}
	b.r.States = b.visited.len()
	b.r.Complete = b.r.CutStates == 0 && b.r.CutDepth == 0
	return b.r
}

// breadth is a breadth-first search.
type breadth[W, M any] struct {
	m       Model[W, M]
	l       Limits
	r       *Result[M]
	visited table
	nodes   []bfsNode[M]
	known   uint32
	moves   []M
	free    []W // worlds to use again
}

// bfsNode is how a state was reached first.
type bfsNode[M any] struct {
	parent int32
	move   M
}

// frontier is a state of the present layer.
type frontier[W any] struct {
	w    W
	node int32
}

func (b *breadth[W, M]) get() W {
	if n := len(b.free); n > 0 {
		w := b.free[n-1]
		b.free = b.free[:n-1]
		return w
	}
	return b.m.New()
}

func (b *breadth[W, M]) full() bool { return b.l.States > 0 && b.visited.len() >= b.l.States }

// step expands a layer and returns the next.
func (b *breadth[W, M]) step(ctx context.Context, layer []frontier[W]) []frontier[W] {
	var next []frontier[W]
	to := b.get()
	for i, at := range layer {
		if b.full() || ctx.Err() != nil {
			b.r.CutStates += len(layer) - i
			break
		}
		b.moves = b.m.Moves(at.w, b.moves[:0])
		if len(b.moves) == 0 {
			b.r.Ends++
		}
		for _, mv := range b.moves {
			b.m.Copy(to, at.w)
			b.m.Do(to, mv)
			b.r.Transitions++
			fresh := b.m.Failed(to)&^b.known != 0
			if b.visited.add(b.m.Key(to)) || fresh {
				b.nodes = append(b.nodes, bfsNode[M]{at.node, mv})
				node := int32(len(b.nodes) - 1)
				b.r.found(b.m.Failed(to), &b.known, func() []M { return b.path(node) })
				next = append(next, frontier[W]{to, node})
				to = b.get()
			}
		}
		b.free = append(b.free, at.w)
	}
	b.free = append(b.free, to)
	return next
}

// path is the way to a node.
func (b *breadth[W, M]) path(n int32) []M {
	var path []M
	for ; b.nodes[n].parent >= 0; n = b.nodes[n].parent {
		path = append(path, b.nodes[n].move)
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}
