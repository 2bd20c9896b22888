package checker

import (
	"cmp"
	"slices"
)

// registerValue is a register that does not hold the initial value.
type registerValue struct {
	key   string
	value int64
}

// multiState is the registers that do not hold the initial value, by name.
type multiState []registerValue

// multiRegisterOf makes the model of several registers that are read and
// written together: all accesses of a transaction happen at one moment, in
// their order. Registers of which each is accessed alone are better judged as
// objects of their own, by the model cas-register.
func multiRegisterOf(initial int64) Model {
	return Model{
		name: withParam("multi-register", initial), what: "a set of registers",
		kinds: kindsOf(OpTransaction),
		engine: &spec[multiState]{
			start: func() multiState { return nil },
			step:  func(s *multiState, op *Operation) effect { return s.step(op, initial) },
			equal: func(a, b *multiState) bool { return slices.Equal(*a, *b) },
			hash: func(s *multiState) uint64 {
				sum := uint64(len(*s))
				for _, r := range *s {
					sum = mix(mixString(sum, r.key) ^ uint64(r.value))
				}
				return sum
			},
		},
		useless: uselessTransactions,
	}
}

func (s multiState) find(key string) (int, bool) {
	return slices.BinarySearchFunc(s, key, func(r registerValue, k string) int { return cmp.Compare(r.key, k) })
}

func (s *multiState) step(op *Operation, initial int64) effect {
	// A write copies, so that a read behind it can still refuse the whole.
	next := *s
	written := false
	for _, a := range op.Accesses {
		at, found := next.find(a.Key)
		value := initial
		if found {
			value = next[at].value
		}
		switch {
		case !a.Write && op.certain() && a.Value != value:
			return refused
		case !a.Write || a.Value == value:
			continue
		}
		if !written {
			next, written = slices.Clone(next), true
		}
		switch {
		case a.Value == initial: // as if never written, so that equal states are equal
			next = slices.Delete(next, at, at+1)
		case found:
			next[at].value = a.Value
		default:
			next = slices.Insert(next, at, registerValue{a.Key, a.Value})
		}
	}
	if !written {
		return unchanged
	}
	*s = next
	return changed
}

// uselessTransactions marks those that only read.
func uselessTransactions(ops []Operation, drop []bool) {
	for i := range ops {
		writes := slices.ContainsFunc(ops[i].Accesses, func(a Access) bool { return a.Write })
		drop[i] = drop[i] || !ops[i].certain() && !writes
	}
}
