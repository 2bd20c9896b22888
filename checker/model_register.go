package checker

// registerOf makes the model of a register with reads, writes and
// compare-and-set. A compare-and-set that found another value tells so.
func registerOf(initial int64) Model {
	return Model{
		name: withParam("cas-register", initial), what: "a register with compare-and-set",
		kinds: kindsOf(OpRead, OpWrite, OpCAS), check: checkSwap,
		engine: &spec[int64]{
			start: func() int64 { return initial },
			step:  stepRegister,
			equal: func(a, b *int64) bool { return *a == *b },
			hash:  func(s *int64) uint64 { return uint64(*s) },
		},
		useless: uselessWrites,
		explain: explainRegister,
	}
}

// checkSwap refuses outputs of compare-and-set other than yes and no.
func checkSwap(op *Operation) string {
	if op.Kind == OpCAS && op.Outcome == OutcomeOK && op.Out != 0 && op.Out != 1 {
		return "has an output that is neither 1 (swapped) nor 0 (not)"
	}
	return ""
}

func stepRegister(s *int64, op *Operation) effect {
	next := *s
	switch op.Kind {
	case OpRead:
		if op.certain() && *s != op.Out {
			return refused
		}
	case OpWrite:
		next = op.In
	case OpCAS:
		swaps := *s == op.In
		if op.certain() && swaps != (op.Out == 1) {
			return refused
		}
		if swaps {
			next = op.In2
		}
	}
	if next == *s {
		return unchanged
	}
	*s = next
	return changed
}
