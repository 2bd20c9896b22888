package explore

import (
	"context"
	"sync"
	"sync/atomic"
)

// ProveOptions are the settings of [Prove].
type ProveOptions struct {
	Limits
	// From is where an earlier search was saved; nil begins at the root. The
	// model must be the same.
	From *Progress
	// Due is asked now and then, by one worker at a time, whether to save. It is
	// told how many states were visited. nil saves nothing.
	Due func(states int) bool
	// Save is told where the search stands while all workers wait; also when
	// the context ends the search.
	Save func(*Progress)
	_    struct{}
}

// Prove visits every state depth first, with one worker for each model. The
// workers share the table of visited states; they begin at states that a short
// breadth-first search has found, and one that runs out of work is given some of
// another's. If nothing cuts the search off, and states of equal key have ways
// on to states of equal keys, what it counts does not depend on the number of
// workers, nor on how often it was saved and went on from there.
func Prove[W, M any](ctx context.Context, models []Model[W, M], o ProveOptions) *Result[M] {
	s := &shared[W, M]{ctx: ctx, o: &o, limit: int64(o.States), first: &Result[M]{}}
	s.cond.L = &s.mu
	if o.From != nil {
		s.restore(models, o.From)
	} else {
		s.spread(models[0])
	}
	var wg sync.WaitGroup
	for _, m := range models {
		repeater, _ := m.(Repeater[W, M])
		s.dives = append(s.dives, &dive[W, M]{m: m, repeater: repeater, s: s, r: &Result[M]{}, known: s.known, seed: -1})
	}
	for _, d := range s.dives {
		wg.Go(d.work)
	}
	wg.Wait()
	for _, d := range s.dives {
		s.first.merge(d.r)
	}
	s.first.States = s.visited.len()
	s.first.Complete = !s.stop.Load() && ctx.Err() == nil && s.first.CutStates == 0 && s.first.CutDepth == 0
	return s.first
}

// shared is what the workers share.
type shared[W, M any] struct {
	ctx     context.Context
	o       *ProveOptions
	visited table
	limit   int64
	count   atomic.Int64
	stop    atomic.Bool

	first  *Result[M] // of the states before the seeds, or of an earlier search
	known  uint32     // properties that failed there
	seeds  []seed[M]
	dives  []*dive[W, M]
	learnt [][]int // ways on which the models learned something, before the dives

	mu     sync.Mutex
	cond   sync.Cond
	next   int          // seeds handed out
	begun  []Stack      // where an earlier search stood
	pause  atomic.Bool  // workers are to wait for the search to be saved
	hungry atomic.Int32 // workers that wait for work
	active int          // workers that are at work
	wait   int          // workers that wait
	turn   int          // counts the pauses
}

// enter notes a state and reports whether it is new; once the limit is reached
// it stops the search.
func (s *shared[W, M]) enter(key uint64) bool {
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

// seed is a way to a state from which a worker dives.
type seed[M any] struct {
	path []M
	way  []int
}

// then is the seed behind a transition.
func (s *seed[M]) then(m M, i int) seed[M] {
	return seed[M]{append(append([]M(nil), s.path...), m), append(append([]int(nil), s.way...), i)}
}

// seedCount is how many states the workers share out at the start.
const seedCount = 64

// spread makes the first states, breadth first, until there are enough to
// share out.
func (s *shared[W, M]) spread(m Model[W, M]) {
	r := s.first
	var free []W
	get := func() W {
		if n := len(free); n > 0 {
			w := free[n-1]
			free = free[:n-1]
			return w
		}
		return m.New()
	}
	type state struct {
		seed[M]
		w W
	}
	w := get()
	m.Begin(w)
	s.enter(m.Key(w))
	layer := []state{{w: w}}
	var moves []M
	for len(layer) > 0 && len(layer) < seedCount && !s.stop.Load() {
		if r.MaxDepth == s.o.depth() {
			r.CutDepth += len(layer)
			return
		}
		var next []state
		for _, at := range layer {
			moves = m.Moves(at.w, moves[:0])
			if len(moves) == 0 {
				r.Ends++
			}
			for i, mv := range moves {
				to := state{at.then(mv, i), get()}
				m.Copy(to.w, at.w)
				m.Do(to.w, mv)
				r.Transitions++
				if s.learned(m) {
					s.learnt = append(s.learnt, to.way)
				}
				r.found(m.Failed(to.w), &s.known, func() ([]M, []int) { return to.path, to.way })
				if s.enter(m.Key(to.w)) {
					next = append(next, to)
					r.MaxDepth = max(r.MaxDepth, len(to.path))
				} else {
					free = append(free, to.w)
				}
			}
			free = append(free, at.w)
		}
		layer = next
	}
	if s.stop.Load() {
		r.CutStates += len(layer)
	}
	for _, at := range layer {
		s.seeds = append(s.seeds, at.seed)
	}
}

// dive is one worker's search.
type dive[W, M any] struct {
	m        Model[W, M]
	repeater Repeater[W, M] // m; nil if it is none
	s        *shared[W, M]
	r        *Result[M]
	known    uint32
	stack    []level[W, M]
	steps    int

	learnt [][]int
	seed   int // at which it works, -1 for none
	// If it waits: by level, transitions taken, and to take.
	at, until []int
}

// level is a state on the worker's path.
type level[W, M any] struct {
	w     W
	made  bool
	moves []M
	next  int
	// repeats has a bit set for each of the first moves that leads where another
	// has led, or will lead.
	repeats uint64
}

// pending is the place of the next transition to be carried out.
func (l *level[W, M]) pending() int {
	i := l.next
	for i < len(l.moves) && i < 64 && l.repeats>>i&1 == 1 {
		i++
	}
	return i
}

// work searches from one seed after another.
func (d *dive[W, M]) work() {
	s := d.s
	for {
		s.mu.Lock()
		k, begun := s.take()
		d.seed = k
		var from seed[M]
		if k >= 0 {
			from = s.seeds[k]
		}
		s.mu.Unlock()
		if k < 0 {
			return
		}
		d.from(&from, begun)
		s.mu.Lock()
		d.seed = -1
		s.active--
		s.saveIfAllWait()
		s.cond.Broadcast() // it may have been the last one
		s.mu.Unlock()
	}
}

// take returns the next work: a seed, or what is left behind one. It waits
// while others may have some to give; -1 says that all is done.
func (s *shared[W, M]) take() (k int, begun *Stack) {
	for {
		switch n := len(s.begun); {
		case s.stop.Load():
			return -1, nil
		case n > 0:
			last := s.begun[n-1] // the next one takes its place
			s.begun = s.begun[:n-1]
			s.active++
			return last.Seed, &last
		case s.next < len(s.seeds):
			s.next++
			s.active++
			return s.next - 1, nil
		case s.active == 0:
			return -1, nil
		}
		s.hungry.Add(1)
		s.cond.Wait()
		s.hungry.Add(-1)
	}
}

// give leaves what is to do at the worker's first level where there is
// something left to one that has no work.
func (d *dive[W, M]) give(from *seed[M], depth int) {
	s := d.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.begun) > 0 || s.next < len(s.seeds) || s.pause.Load() {
		return
	}
	for i := 0; i < depth; i++ {
		at := &d.stack[i]
		if at.next == len(at.moves) {
			continue
		}
		k := len(s.seeds)
		s.seeds = append(s.seeds, seed[M]{d.path(from, i-1), d.way(from, i-1)})
		s.next++
		s.begun = append(s.begun, Stack{Seed: k, Next: []int{at.next}, Until: []int{len(at.moves)}})
		at.moves = at.moves[:at.next]
		s.cond.Broadcast()
		return
	}
}

// from searches depth first from a seed, or from where an earlier search stood
// behind it. A world belongs to the worker that made it (its processes stand in
// that worker's memo), so the way to the seed is gone once more.
func (d *dive[W, M]) from(s *seed[M], begun *Stack) {
	d.open(0)
	d.m.Begin(d.stack[0].w)
	for _, mv := range s.path {
		d.m.Do(d.stack[0].w, mv)
	}
	depth := 0
	if begun == nil {
		d.expand(0)
	} else {
		depth = d.restore(begun)
	}
	for depth >= 0 {
		d.poll(depth)
		if d.s.hungry.Load() > 0 && d.steps&15 == 0 {
			d.give(s, depth)
		}
		at := &d.stack[depth]
		pending := at.pending()
		d.r.Transitions += pending - at.next
		at.next = pending
		if at.next == len(at.moves) || d.stopped() {
			depth--
			continue
		}
		mv := at.moves[at.next]
		at.next++
		d.open(depth + 1)
		at = &d.stack[depth]
		to := &d.stack[depth+1]
		if at.pending() == len(at.moves) {
			to.w, at.w = at.w, to.w // nothing else is done with it
		} else {
			d.m.Copy(to.w, at.w)
		}
		d.m.Do(to.w, mv)
		d.r.Transitions++
		if d.s.learned(d.m) {
			d.learnt = append(d.learnt, d.way(s, depth))
		}
		d.r.found(d.m.Failed(to.w), &d.known, func() ([]M, []int) { return d.path(s, depth), d.way(s, depth) })
		if !d.s.enter(d.m.Key(to.w)) {
			continue
		}
		if len(s.path)+depth+2 > d.s.o.depth() {
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

// list lists the transitions of the state at a level.
func (d *dive[W, M]) list(depth int) *level[W, M] {
	at := &d.stack[depth]
	at.moves, at.next, at.repeats = d.m.Moves(at.w, at.moves[:0]), 0, 0
	return at
}

// expand is list for a state that is new.
func (d *dive[W, M]) expand(depth int) {
	at := d.list(depth)
	if len(at.moves) == 0 {
		d.r.Ends++
	}
	if d.repeater != nil {
		at.repeats = d.repeater.Repeats(at.w, at.moves[:min(len(at.moves), 64)])
	}
}

// path is the way to the state behind the last move of a level.
func (d *dive[W, M]) path(s *seed[M], depth int) []M {
	path := append([]M(nil), s.path...)
	for i := 0; i <= depth; i++ {
		at := &d.stack[i]
		path = append(path, at.moves[at.next-1])
	}
	return path
}

// way is path in numbers.
func (d *dive[W, M]) way(s *seed[M], depth int) []int {
	way := append([]int(nil), s.way...)
	for i := 0; i <= depth; i++ {
		way = append(way, d.stack[i].next-1)
	}
	return way
}
