package checker

import (
	"slices"

	"github.com/anishathalye/porcupine"
)

// effect is what an operation does in a state.
type effect uint8

const (
	refused   effect = iota // it cannot take effect here, not with this output
	unchanged               // it can, and leaves the state as it is
	changed                 // it can, and makes it another
)

// spec is a sequential specification over states of type S.
type spec[S any] struct {
	start func() S
	// step lets an operation take effect in place. Of an operation of unknown
	// outcome it ignores the output. Refused leaves the state alone.
	step func(s *S, op *Operation) effect
	// fork is a copy that step may change without touching the other; nil for
	// states that are plain values.
	fork  func(s S) S
	equal func(a, b *S) bool
	hash  func(s *S) uint64
}

// engine is a spec without its type.
type engine interface {
	// replay runs the operations along an order, and returns the place in it
	// of the first that cannot take effect there, -1 if all can. One of
	// unknown outcome that cannot take effect is taken to do so never.
	replay(ops []Operation, order []int32) int
	// states are the states behind each operation of an order, in words.
	states(ops []Operation, order []int32) []string
	// search is the specification as Porcupine takes it, over inputs that are
	// *searchInput.
	search(b *searchBudget) porcupine.Model
}

func (m *spec[S]) replay(ops []Operation, order []int32) int {
	s := m.start()
	for i, k := range order {
		op := &ops[k]
		if m.step(&s, op) == refused && op.certain() {
			return i
		}
	}
	return -1
}

func (m *spec[S]) states(ops []Operation, order []int32) []string {
	s := m.start()
	texts := make([]string, len(order))
	for i, k := range order {
		m.step(&s, &ops[k])
		texts[i] = stateText(s)
	}
	return texts
}

// searchInput is an operation in a search. The end, which has none, stands
// behind all operations whose outcome is known. One of unknown outcome that
// never took effect stands behind the end, where it does nothing; before it,
// it must change something, which keeps the search from trying it everywhere.
//
// Operations of unknown outcome that are alike are of one class, and take
// effect in the order of their calls: whatever a later one does, an earlier
// one can do as well, since none of them ever returns.
type searchInput struct {
	op    *Operation
	class int32 // of an operation of unknown outcome
	rank  int32 // its place within the class
}

// searchState is a state in a search.
type searchState[S any] struct {
	s S
	// used is how many of each class took effect. It follows from the set of
	// operations that did, so that states need not be told apart by it.
	used  []int32
	ended bool
}

func (m *spec[S]) search(b *searchBudget) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return &searchState[S]{s: m.start(), used: make([]int32, b.classes)} },
		Step: func(state, input, _ any) (bool, any) {
			if b.step() {
				return true, &searchState[S]{}
			}
			next, ok := m.next(state.(*searchState[S]), input.(*searchInput))
			if !ok {
				return false, state
			}
			b.kept()
			return true, next
		},
		Equal: func(a, c any) bool {
			if b.spent() {
				return false
			}
			x, y := a.(*searchState[S]), c.(*searchState[S])
			return x == y || x.ended == y.ended && m.equal(&x.s, &y.s)
		},
		Hash: func(state any) uint64 {
			if b.spent() {
				return 0
			}
			x := state.(*searchState[S])
			return mix(m.hash(&x.s)<<1 | bit(x.ended))
		},
	}
}

// next is the state after an operation, false if it cannot be the next.
func (m *spec[S]) next(x *searchState[S], in *searchInput) (*searchState[S], bool) {
	if in.op == nil {
		return &searchState[S]{s: x.s, ended: true}, !x.ended
	}
	sure := in.op.certain()
	switch {
	case x.ended:
		return x, !sure
	case !sure && x.used[in.class] != in.rank:
		return nil, false
	}
	s := x.s
	if m.fork != nil {
		s = m.fork(s)
	}
	switch m.step(&s, in.op) {
	case refused:
		return nil, false
	case unchanged:
		return x, sure
	}
	used := x.used
	if !sure {
		used = slices.Clone(used)
		used[in.class]++
	}
	return &searchState[S]{s: s, used: used}, true
}

// mix spreads a word over all bits (the finalizer of MurmurHash3).
func mix(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// mixString takes a string into a hash (FNV-1a).
func mixString(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return mix(h ^ uint64(len(s)))
}
