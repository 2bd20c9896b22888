package checker

// counterOf makes the model of a counter that is added to and read. An add
// that does not tell the sum has None as its output.
func counterOf(initial int64) Model {
	return Model{
		name: withParam("counter", initial), what: "a counter",
		kinds: kindsOf(OpRead, OpAdd),
		engine: &spec[int64]{
			start: func() int64 { return initial },
			step:  stepCounter,
			equal: func(a, b *int64) bool { return *a == *b },
			hash:  func(s *int64) uint64 { return uint64(*s) },
		},
	}
}

func stepCounter(s *int64, op *Operation) effect {
	if op.Kind == OpRead {
		if op.certain() && op.Out != *s {
			return refused
		}
		return unchanged
	}
	sum := *s + op.In
	if op.certain() && op.Out != None && op.Out != sum {
		return refused
	}
	*s = sum
	if op.In == 0 {
		return unchanged
	}
	return changed
}
