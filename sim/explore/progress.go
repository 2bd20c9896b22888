package explore

// Progress is where a search by [Prove] stands. A search goes on from there as
// if it had not been interrupted. Ways through the states are told by numbers:
// of each transition its place in what [Model.Moves] lists.
type Progress struct {
	// Seeds are the states at which workers begin, Next counts those that were
	// handed out, Stacks say where the workers stand.
	Seeds  [][]int
	Next   int
	Stacks []Stack
	// Visited holds the keys of the states visited.
	Visited []uint64
	// What was counted and found so far.
	Transitions, MaxDepth, CutDepth, Ends int
	Failures                              []FailedWay
	// Learned are the ways on which a model learned something: gone again, they
	// teach another one the same.
	Learned [][]int
}

// Stack is where a worker stands: behind a seed, by level, how many transitions
// of the state there were taken, and up to which they are
// the worker's (all, if that is not told).
type Stack struct {
	Seed  int
	Next  []int
	Until []int
}

// FailedWay is a [Failure].
type FailedWay struct {
	Bit int
	Way []int
}

// Learner is implemented by models that learn about their world from what is
// done in it. Learned reports whether they did since the last call.
type Learner interface{ Learned() bool }

// learned reports whether a model has learned something that a saved search
// must not forget.
func (s *shared[W, M]) learned(m Model[W, M]) bool {
	if s.o.Due == nil {
		return false
	}
	l, ok := m.(Learner)
	return ok && l.Learned()
}

// poll looks now and then whether the search is to be saved or to end, and
// waits while it is saved.
func (d *dive[W, M]) poll(depth int) {
	s := d.s
	if d.steps++; d.steps&255 == 0 && !s.pause.Load() && !s.stop.Load() {
		switch over := s.ctx.Err() != nil; {
		case s.o.Due == nil:
			if over {
				s.stop.Store(true)
			}
		case over:
			s.pause.Store(true)
		case s.mu.TryLock():
			if s.o.Due(int(s.count.Load())) {
				s.pause.Store(true)
			}
			s.mu.Unlock()
		}
	}
	if !s.pause.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.pause.Load() {
		return
	}
	d.at, d.until = d.at[:0], d.until[:0]
	for i := 0; i <= depth; i++ {
		d.at = append(d.at, d.stack[i].next)
		d.until = append(d.until, len(d.stack[i].moves))
	}
	s.wait++
	for turn := s.turn; !s.saveIfAllWait() && turn == s.turn; {
		s.cond.Wait()
	}
}

// saveIfAllWait saves the search if a pause was asked for and all workers that
// are at work wait, and lets them go on.
func (s *shared[W, M]) saveIfAllWait() bool {
	if !s.pause.Load() || s.wait < s.active {
		return false
	}
	s.o.Save(s.progress())
	if s.ctx.Err() != nil {
		s.stop.Store(true)
	}
	s.wait = 0
	s.turn++
	s.pause.Store(false)
	s.cond.Broadcast()
	return true
}

// progress is where the search stands.
func (s *shared[W, M]) progress() *Progress {
	p := &Progress{Next: s.next, Visited: s.visited.appendKeys(nil), Learned: append([][]int(nil), s.learnt...)}
	for i := range s.seeds {
		p.Seeds = append(p.Seeds, s.seeds[i].way)
	}
	p.Stacks = append(p.Stacks, s.begun...) // not taken up yet
	sum := &Result[M]{}
	sum.merge(s.first)
	for _, d := range s.dives {
		sum.merge(d.r)
		p.Learned = append(p.Learned, d.learnt...)
		if d.seed >= 0 {
			p.Stacks = append(p.Stacks, Stack{d.seed, append([]int(nil), d.at...), append([]int(nil), d.until...)})
		}
	}
	p.Transitions, p.MaxDepth, p.CutDepth, p.Ends = sum.Transitions, sum.MaxDepth, sum.CutDepth, sum.Ends
	for i := range sum.Failures {
		p.Failures = append(p.Failures, FailedWay{sum.Failures[i].Bit, sum.Failures[i].Way})
	}
	return p
}

// restore takes up an earlier search.
func (s *shared[W, M]) restore(models []Model[W, M], p *Progress) {
	for _, k := range p.Visited {
		s.visited.add(k)
	}
	s.count.Store(int64(len(p.Visited)))
	r := s.first
	r.Transitions, r.MaxDepth, r.CutDepth, r.Ends = p.Transitions, p.MaxDepth, p.CutDepth, p.Ends
	for _, way := range p.Seeds {
		s.seeds = append(s.seeds, seed[M]{walk(models[0], way), way})
	}
	for _, f := range p.Failures {
		s.known |= 1 << f.Bit
		r.Failures = append(r.Failures, Failure[M]{f.Bit, walk(models[0], f.Way), f.Way})
	}
	for i, way := range p.Learned {
		walk(models[i%len(models)], way)
	}
	s.learnt = p.Learned
	s.next, s.begun = p.Next, p.Stacks
	for _, m := range models {
		s.learned(m)
	}
}

// walk goes a way from the root and returns its transitions.
func walk[W, M any](m Model[W, M], way []int) []M {
	w := m.New()
	m.Begin(w)
	path := make([]M, 0, len(way))
	var moves []M
	for _, i := range way {
		moves = m.Moves(w, moves[:0])
		path = append(path, moves[i])
		m.Do(w, moves[i])
	}
	return path
}

// restore takes up the work behind a seed and returns the level it is at.
func (d *dive[W, M]) restore(begun *Stack) int {
	for i, next := range begun.Next {
		d.open(i)
		if i > 0 {
			at, to := &d.stack[i-1], &d.stack[i]
			d.m.Copy(to.w, at.w)
			d.m.Do(to.w, at.moves[at.next-1])
		}
		at := d.list(i)
		at.next = next
		if i < len(begun.Until) {
			at.moves = at.moves[:begun.Until[i]]
		}
	}
	return len(begun.Next) - 1
}
