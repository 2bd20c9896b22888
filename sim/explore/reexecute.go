package explore

import (
	"context"
	"errors"
	"slices"
)

// Rerun is a world that cannot be copied: to get back to an earlier state it
// is taken from the beginning once more.
type Rerun[M any] interface {
	// Begin starts a run.
	Begin()
	// Moves appends the transitions to explore from the present state, in an
	// order that is a function of the state. If it does not know yet which are
	// enough, it returns false and a transition to try: the search carries
	// that out, takes the world back, and asks again.
	Moves(dst []M) (moves []M, try M, known bool)
	// Passes reports whether a state from which m is the only way on is passed
	// without being looked up.
	Passes(m M) bool
	// Do carries out a transition; it returns false if there is none such.
	Do(m M) bool
	// Key identifies the present state.
	Key() uint64
	// Failed has a bit set for each property that has failed so far.
	Failed() uint32
	// ID identifies a transition among those of a state, and stays the same
	// while transitions that do not conflict with it are carried out.
	ID(m M) uint64
	// Footprint is that of the transition that was carried out last.
	Footprint() Footprint
}

// RerunOptions are the settings of [Reexecute].
type RerunOptions struct {
	Limits
	// Uncached visits a state as often as it is reached.
	Uncached bool
	// Sleep leaves transitions out that were explored before a state and
	// conflict with nothing since (sleep sets; Godefroid, "Partial-order
	// methods for the verification of concurrent systems", LNCS 1032, 1996,
	// chapter 5, with its section on state caching).
	Sleep bool
	_     struct{}
}

// RerunResult is what a search by re-execution found.
type RerunResult[M any] struct {
	Result[M]
	// Runs counts the runs from the beginning, Replayed the transitions in them
	// that had been carried out before, Asleep those that sleep sets left out.
	Runs, Replayed, Asleep int
}

// ErrDiverged says that a run that was taken back to an earlier state did not
// get there: the world depends on something that is not among its transitions.
var ErrDiverged = errors.New("the same transitions led to another state")

// Reexecute visits every state depth first. It carries every transition out
// for real and goes back by a new run from the beginning. States that are passed
// are not counted.
func Reexecute[M comparable](ctx context.Context, w Rerun[M], o RerunOptions) (*RerunResult[M], error) {
	e := &rerun[M]{w: w, o: o, ctx: ctx, r: &RerunResult[M]{}}
	if o.Sleep && !o.Uncached {
		e.slept = map[uint64][]uint64{}
	}
	err := e.search()
	e.r.States = e.states
	e.r.Complete = err == nil && !e.stop && ctx.Err() == nil && e.r.CutDepth == 0 && e.r.CutStates == 0
	return e.r, err
}

// rerun is one search by re-execution.
type rerun[M comparable] struct {
	w   Rerun[M]
	o   RerunOptions
	ctx context.Context
	r   *RerunResult[M]

	visited table
	slept   map[uint64][]uint64 // what slept at all visits of a state, by ID
	states  int
	known   uint32
	stop    bool
	steps   int

	stack []place[M]
	at    int // the present state of the world; -1 if it is at none of the stack
	again []M // scratch
}

// place is a state on the path.
type place[M comparable] struct {
	moves []M
	next  int
	chain int // how many states with one way on lead here
	sleep []sleeper[M]
}

// sleeper is a transition that need not be explored.
type sleeper[M comparable] struct {
	id   uint64
	move M
	foot Footprint
}

func (p *place[M]) asleep(id uint64) bool {
	return slices.ContainsFunc(p.sleep, func(s sleeper[M]) bool { return s.id == id })
}

// chainLimit bounds how many states with one way on are passed in a row
// without being looked up.
const chainLimit = 1000

func (e *rerun[M]) search() error {
	e.w.Begin()
	e.r.Runs++
	e.stack = append(e.stack[:0], place[M]{chain: chainLimit}) // the first state is always looked up
	if err := e.expand(0); err != nil {
		return err
	}
	for depth := 0; depth >= 0; {
		p := &e.stack[depth]
		if p.next == len(p.moves) || e.stopped() {
			depth--
			continue
		}
		m := p.moves[p.next]
		p.next++
		id := uint64(0)
		if e.o.Sleep {
			if id = e.w.ID(m); p.asleep(id) {
				e.r.Asleep++
				continue
			}
		}
		if err := e.goTo(depth); err != nil {
			return err
		}
		if !e.w.Do(m) {
			return ErrDiverged
		}
		e.r.Transitions++
		e.at = depth + 1
		e.r.found(e.w.Failed(), &e.known, func() ([]M, []int) { return e.path(depth), nil })
		e.open(depth, m, id)
		if depth+2 > e.o.depth() {
			e.r.CutDepth++
			continue
		}
		if err := e.expand(depth + 1); err != nil {
			return err
		}
		depth++
		e.r.MaxDepth = max(e.r.MaxDepth, depth)
	}
	return nil
}

// open makes the place behind transition m of the one at depth.
func (e *rerun[M]) open(depth int, m M, id uint64) {
	if depth+1 == len(e.stack) {
		e.stack = append(e.stack, place[M]{})
	}
	p, q := &e.stack[depth], &e.stack[depth+1]
	q.chain = 0
	if len(p.moves) == 1 {
		q.chain = p.chain + 1
	}
	q.sleep = q.sleep[:0]
	if !e.o.Sleep {
		return
	}
	foot := e.w.Footprint()
	for i := range p.sleep {
		if !p.sleep[i].foot.Conflicts(&foot) {
			q.sleep = append(q.sleep, p.sleep[i])
		}
	}
	p.sleep = append(p.sleep, sleeper[M]{id, m, foot})
}

// expand lists the transitions to explore from the present state, which is
// that at depth: none if they have been explored before.
func (e *rerun[M]) expand(depth int) error {
	p := &e.stack[depth]
	p.next = 0
	for {
		moves, try, known := e.w.Moves(p.moves[:0])
		p.moves = moves
		if known {
			break
		}
		if !e.w.Do(try) {
			return ErrDiverged
		}
		e.at = -1
		if err := e.goTo(depth); err != nil {
			return err
		}
	}
	if len(p.moves) == 1 && p.chain < chainLimit && e.w.Passes(p.moves[0]) {
		return nil
	}
	p.chain = 0
	if e.o.Uncached {
		e.enter()
	} else if !e.lookUp(p) {
		p.moves = p.moves[:0]
		return nil
	}
	if len(p.moves) == 0 {
		e.r.Ends++
	}
	return nil
}

// enter counts a state that is visited.
func (e *rerun[M]) enter() {
	if e.states++; e.o.States > 0 && e.states >= e.o.States {
		e.stop = true
	}
}

// lookUp reports whether something is to be explored from the present state,
// and leaves nothing else in p.moves.
func (e *rerun[M]) lookUp(p *place[M]) bool {
	key := e.w.Key()
	if !e.o.Sleep {
		if !e.visited.add(key) {
			return false
		}
		e.enter()
		return true
	}
	before, seen := e.slept[key]
	if !seen {
		e.enter()
		var ids []uint64
		for i := range p.sleep {
			ids = append(ids, p.sleep[i].id)
		}
		e.slept[key] = ids
		return true
	}
	// What slept at every visit so far and is awake now is left to explore.
	p.moves = slices.DeleteFunc(p.moves, func(m M) bool {
		id := e.w.ID(m)
		return !slices.Contains(before, id) || p.asleep(id)
	})
	p.sleep = slices.DeleteFunc(p.sleep, func(s sleeper[M]) bool { return !slices.Contains(before, s.id) })
	e.slept[key] = slices.DeleteFunc(before, func(id uint64) bool { return !p.asleep(id) })
	return len(p.moves) > 0
}

// goTo takes the world back to the state at depth.
func (e *rerun[M]) goTo(depth int) error {
	if e.at == depth {
		return nil
	}
	e.w.Begin()
	e.r.Runs++
	for i := range depth {
		p := &e.stack[i]
		if !e.w.Do(p.moves[p.next-1]) {
			return ErrDiverged
		}
	}
	e.r.Replayed += depth
	e.at = depth
	return e.sameMoves(depth)
}

// sameMoves compares, now and then, what can happen with what could when the
// state was reached first.
func (e *rerun[M]) sameMoves(depth int) error {
	p := &e.stack[depth]
	if p.next == 0 || e.r.Runs&15 != 0 {
		return nil
	}
	var known bool
	if e.again, _, known = e.w.Moves(e.again[:0]); !known {
		return ErrDiverged
	}
	if !slices.Contains(e.again, p.moves[p.next-1]) {
		return ErrDiverged
	}
	return nil
}

// stopped reports whether the search is to end, and counts what is left.
func (e *rerun[M]) stopped() bool {
	if e.steps++; e.steps&1023 == 0 && e.ctx.Err() != nil {
		e.stop = true
	}
	if e.stop {
		e.r.CutStates++
	}
	return e.stop
}

// path is the way to the state behind the last transition at depth.
func (e *rerun[M]) path(depth int) []M {
	var path []M
	for i := 0; i <= depth; i++ {
		p := &e.stack[i]
		path = append(path, p.moves[p.next-1])
	}
	return path
}
