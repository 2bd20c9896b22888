package explore

import (
	"context"
	"sync"
	"sync/atomic"
)

// Prove visits every state depth first, with one worker for each model. The
// workers share the table of visited states; they begin at states that a short
// breadth-first search has found. If nothing cuts the search off, what it
// counts does not depend on the number of workers.
func Prove[W, M any](ctx context.Context, models []Model[W, M], l Limits) *Result[M] {
	s := &shared{limit: int64(l.States)}
	seeds, first := spread(models[0], s, l)
	results := make([]*Result[M], len(models))
	var next atomic.Int64
	var wg sync.WaitGroup
	for i, m := range models {
		wg.Go(func() {
			d := &dive[W, M]{m: m, s: s, l: l, ctx: ctx, r: &Result[M]{}}
			results[i] = d.r
			for {
				k := int(next.Add(1)) - 1
				if k >= len(seeds) || s.stop.Load() {
					return
				}
				d.from(&seeds[k])
			}
		})
	}
	wg.Wait()
	for _, r := range results {
		first.merge(r)
	}
	first.States = s.visited.len()
	first.Complete = !s.stop.Load() && ctx.Err() == nil && first.CutStates == 0 && first.CutDepth == 0
	return first
}

// shared is what the workers share.
type shared struct {
	visited table
	limit   int64
	count   atomic.Int64
	stop    atomic.Bool
}

// enter notes a state and reports whether it is new; once the limit is reached
// it stops the search.
func (s *shared) enter(key uint64) bool {
	if !s.visited.add(key) {
		return false
	}
	if n := s.count.Add(1); s.limit > 0 && n >= s.limit {
		s.stop.Store(true)
	}
	return true
}

// merge adds what another worker found. Of two ways to the same failure it
// keeps the shorter.
func (r *Result[M]) merge(o *Result[M]) {
	r.Transitions += o.Transitions
	r.MaxDepth = max(r.MaxDepth, o.MaxDepth)
	r.CutStates += o.CutStates
	r.CutDepth += o.CutDepth
	r.Ends += o.Ends
	for _, f := range o.Failures {
		known := false
		for i := range r.Failures {
			if r.Failures[i].Bit == f.Bit {
				known = true
				if len(f.Path) < len(r.Failures[i].Path) {
					r.Failures[i] = f
				}
			}
		}
		if !known {
			r.Failures = append(r.Failures, f)
		}
	}
}

// seed is a state from which a worker dives.
type seed[W, M any] struct {
	w    W
	path []M
}

// seedCount is how many states the workers share out at the start.
const seedCount = 256

// spread makes the first states, breadth first, until there are enough to
// share out.
func spread[W, M any](m Model[W, M], s *shared, l Limits) ([]seed[W, M], *Result[M]) {
	r := &Result[M]{}
	var known uint32
	var free []W
	get := func() W {
		if n := len(free); n > 0 {
			w := free[n-1]
			free = free[:n-1]
			return w
		}
		return m.New()
	}
	w := get()
	m.Begin(w)
	s.enter(m.Key(w))
	layer := []seed[W, M]{{w: w}}
	var moves []M
	for len(layer) > 0 && len(layer) < seedCount && !s.stop.Load() {
		if r.MaxDepth == l.depth() {
			r.CutDepth += len(layer)
			return nil, r
		}
		var next []seed[W, M]
		for _, at := range layer {
			moves = m.Moves(at.w, moves[:0])
			if len(moves) == 0 {
				r.Ends++
			}
			for _, mv := range moves {
				to := get()
				m.Copy(to, at.w)
				m.Do(to, mv)
				r.Transitions++
				path := append(append([]M(nil), at.path...), mv)
				r.found(m.Failed(to), &known, func() []M { return path })
				if s.enter(m.Key(to)) {
					next = append(next, seed[W, M]{to, path})
					r.MaxDepth = max(r.MaxDepth, len(path))
				} else {
					free = append(free, to)
				}
			}
			free = append(free, at.w)
		}
		layer = next
	}
	if s.stop.Load() {
		r.CutStates += len(layer)
	}
	return layer, r
}

// dive is one worker's search.
type dive[W, M any] struct {
	m     Model[W, M]
	s     *shared
	l     Limits
	ctx   context.Context
	r     *Result[M]
	known uint32
	stack []level[W, M]
	steps int
}

// level is a state on the worker's path.
type level[W, M any] struct {
	w     W
	made  bool
	moves []M
	next  int
}

// from searches depth first from a seed. A world belongs to the worker that
// made it (its processes stand in that worker's memo), so the way to the seed
// is gone once more.
func (d *dive[W, M]) from(s *seed[W, M]) {
	d.open(0)
	d.m.Begin(d.stack[0].w)
	for _, mv := range s.path {
		d.m.Do(d.stack[0].w, mv)
	}
	d.expand(0)
	for depth := 0; depth >= 0; {
		at := &d.stack[depth]
		if at.next == len(at.moves) || d.stopped() {
			depth--
			continue
		}
		mv := at.moves[at.next]
		at.next++
		d.open(depth + 1)
		at = &d.stack[depth]
		to := &d.stack[depth+1]
		d.m.Copy(to.w, at.w)
		d.m.Do(to.w, mv)
		d.r.Transitions++
		d.r.found(d.m.Failed(to.w), &d.known, func() []M { return d.path(s, depth) })
		if !d.s.enter(d.m.Key(to.w)) {
			continue
		}
		if len(s.path)+depth+2 > d.l.depth() {
			d.r.CutDepth++
			continue
		}
		depth++
		d.r.MaxDepth = max(d.r.MaxDepth, len(s.path)+depth)
		d.expand(depth)
	}
}

// stopped reports whether the search is to end, and counts what is left.
func (d *dive[W, M]) stopped() bool {
	if d.steps++; d.steps&1023 == 0 && d.ctx.Err() != nil {
		d.s.stop.Store(true)
	}
	if !d.s.stop.Load() {
		return false
	}
	d.r.CutStates++
	return true
}

// open makes room for a level.
func (d *dive[W, M]) open(depth int) {
	if depth == len(d.stack) {
		d.stack = append(d.stack, level[W, M]{})
	}
	if l := &d.stack[depth]; !l.made {
		l.w, l.made = d.m.New(), true
	}
}

// expand lists the transitions of the state at a level.
func (d *dive[W, M]) expand(depth int) {
	at := &d.stack[depth]
	at.moves, at.next = d.m.Moves(at.w, at.moves[:0]), 0
	if len(at.moves) == 0 {
		d.r.Ends++
	}
}

// path is the way to the state behind the last move of a level.
func (d *dive[W, M]) path(s *seed[W, M], depth int) []M {
	path := append([]M(nil), s.path...)
	for i := 0; i <= depth; i++ {
		at := &d.stack[i]
		path = append(path, at.moves[at.next-1])
	}
	return path
}
