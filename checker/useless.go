package checker

// An operation of unknown outcome may be left out when every linearization
// that has it is one without it, or becomes one with others that are left out
// too. That keeps the search from trying what cannot matter, and it is what
// makes evidence small: most of its operations are of unknown outcome.

// withoutUseless is the history without what is useless in it, and the index
// in ops of each operation that is left.
func (m *Model) withoutUseless(ops []Operation) ([]Operation, []int32) {
	drop := make([]bool, len(ops))
	for i := range ops {
		drop[i] = !ops[i].certain() && ops[i].Kind.readOnly()
	}
	if m.useless != nil {
		m.useless(ops, drop)
	}
	kept := make([]Operation, 0, len(ops))
	index := make([]int32, 0, len(ops))
	for i := range ops {
		if !drop[i] {
			kept = append(kept, ops[i])
			index = append(index, int32(i))
		}
	}
	return kept, index
}

// uselessOwners marks the operations of owners of whom nothing is certain: a
// lock or a semaphore can do without them.
func uselessOwners(ops []Operation, drop []bool) {
	certain := make(map[int64]bool)
	for i := range ops {
		if ops[i].certain() {
			certain[ops[i].In] = true
		}
	}
	for i := range ops {
		drop[i] = drop[i] || !certain[ops[i].In]
	}
}

// uselessValues marks enqueues of unknown outcome whose value nobody is known
// to have dequeued: an order with one, and with the dequeue that took it, is
// an order without both.
func uselessValues(ops []Operation, drop []bool) {
	taken := make(map[int64]bool)
	for i := range ops {
		if ops[i].certain() && ops[i].Kind == OpDequeue {
			taken[ops[i].Out] = true
		}
	}
	for i := range ops {
		drop[i] = drop[i] || !ops[i].certain() && ops[i].Kind == OpEnqueue && !taken[ops[i].In]
	}
}

// uselessWrites marks writes of unknown outcome, by compare-and-set too, of
// values that nobody is known to have read, nor may have swapped: what comes
// behind one, and matters, writes over it. A swap that found another value
// may have found any, and then nothing is marked.
func uselessWrites(ops []Operation, drop []bool) {
	wanted := make(map[int64]bool)
	for i := range ops {
		op := &ops[i]
		switch {
		case op.Kind == OpRead && op.certain():
			wanted[op.Out] = true
		case op.Kind == OpCAS && op.certain() && op.Out == 0:
			return
		case op.Kind == OpCAS:
			wanted[op.In] = true
		}
	}
	for i := range ops {
		op := &ops[i]
		written := op.In
		if op.Kind == OpCAS {
			written = op.In2
		}
		drop[i] = drop[i] || !op.certain() && !wanted[written]
	}
}

// uselessCandidates marks candidates of unknown outcome whom nobody is known
// to have seen lead.
func uselessCandidates(ops []Operation, drop []bool) {
	seen := make(map[int64]bool)
	for i := range ops {
		if ops[i].Kind == OpRead && ops[i].certain() {
			seen[ops[i].Out] = true
		}
	}
	for i := range ops {
		drop[i] = drop[i] || !ops[i].certain() && !seen[ops[i].In]
	}
}
