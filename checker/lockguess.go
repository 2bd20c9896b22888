package checker

import (
	"cmp"
	"slices"
)

// acquires is true for the kinds that begin a hold.
func (k OpKind) acquires() bool {
	return k == OpAcquire || k == OpAcquireRead || k == OpAcquireWrite
}

// guessHolds is the order that leaves holds the least room to overlap:
// acquires at their return, releases and losses at their call. Acquires of
// unknown outcome are left out: they would only hold what others want. In a
// history of beliefs no other order does better; in others the search may find
// one.
func guessHolds(ops []Operation) []int32 {
	type place struct {
		at    int64
		takes bool
		op    int32
	}
	places := make([]place, 0, len(ops))
	for i := range ops {
		op := &ops[i]
		takes := op.Kind.acquires()
		switch {
		case !takes:
			places = append(places, place{op.Call, false, int32(i)})
		case op.certain():
			places = append(places, place{op.Return, true, int32(i)})
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		// At one moment the release goes first: equal stamps are no order.
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(bit(a.takes), bit(b.takes)), cmp.Compare(a.op, b.op))
	})
	order := make([]int32, len(places))
	for i, p := range places {
		order[i] = p.op
	}
	return order
}

// suspectOwners is the operations of the owners that hold something where the
// guess breaks, and of the one that breaks it. Leaving out all operations of
// an owner leaves every linearization of a lock or a semaphore one, so that
// these owners condemn the history, whatever its length.
func suspectOwners(ops []Operation, order []int32, at int) []Operation {
	held := make(map[int64]int)
	for _, k := range order[:at] {
		op := &ops[k]
		switch {
		case op.Kind.acquires():
			held[op.In] += permitsOf(op)
		case op.Kind == OpLose:
			held[op.In] = 0
		default:
			held[op.In] = max(held[op.In]-permitsOf(op), 0)
		}
	}
	held[ops[order[at]].In]++
	var kept []Operation
	for i := range ops {
		if held[ops[i].In] > 0 {
			kept = append(kept, ops[i])
		}
	}
	return kept
}
