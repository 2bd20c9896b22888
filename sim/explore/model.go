package explore

// Model is a world of type W with transitions of type M. Each worker has its
// own Model; all of them describe the same world.
type Model[W, M any] interface {
	// New returns a world to copy into.
	New() W
	// Begin sets w to the initial state.
	Begin(w W)
	// Copy makes dst equal to src.
	Copy(dst, src W)
	// Moves appends the transitions to explore from w, in an order that is a
	// function of the state: all that are enabled, or a subset that a
	// reduction has shown to be enough.
	Moves(w W, dst []M) []M
	// Do carries out a transition.
	Do(w W, m M)
	// Key identifies the state.
	Key(w W) uint64
	// Failed has a bit set for each property that has failed in w's past.
	Failed(w W) uint32
}

// Repeater is implemented by models that can tell of some transitions, without
// carrying them out, that they lead where another one has led.
type Repeater[W, M any] interface {
	// Repeats has a bit set for each of the given transitions, of which there are
	// 64 at most, that leads from w to a state to which another transition has
	// led: one of which it was asked and that was carried out therefore, as whoever
	// asks carries out those whose bits are not set.
	Repeats(w W, moves []M) uint64
}

// Limits bound a search. What they cut off is said in numbers; a search that
// was cut off is not complete.
type Limits struct {
	// States is the largest number of states to visit, 0 for no bound.
	States int
	// Depth is the largest number of transitions of a path, 0 for 10,000.
	Depth int
	_     struct{}
}

const defaultDepth = 10_000

func (l *Limits) depth() int {
	if l.Depth > 0 {
		return l.Depth
	}
	return defaultDepth
}

// Result is what a search found.
type Result[M any] struct {
	// States counts the visited states, Transitions the transitions carried
	// out or known to repeat another (see [Repeater]), MaxDepth the longest path.
	States, Transitions, MaxDepth int
	// Complete is true if every state within the bounds was visited and no
	// bound cut anything off.
	Complete bool
	// CutStates and CutDepth count what the limits cut off: states known but
	// not expanded.
	CutStates, CutDepth int
	// Failures holds one path for each property that failed, by bit.
	Failures []Failure[M]
	// Ends counts the states without transitions.
	Ends int
}

// Failure is a way to a state in which a property has failed.
type Failure[M any] struct {
	Bit  int
	Path []M
	// Way is the same in numbers of transitions; see [Progress]. Only [Prove]
	// gives it.
	Way []int
}

// found notes the first path to each property that failed.
func (r *Result[M]) found(failed uint32, known *uint32, path func() ([]M, []int)) {
	fresh := failed &^ *known
	if fresh == 0 {
		return
	}
	*known |= fresh
	p, way := path()
	for b := 0; b < 32; b++ {
		if fresh>>b&1 == 1 {
			r.Failures = append(r.Failures, Failure[M]{b, p, way})
		}
	}
}
