package checker

// queueState is the content of a queue, its head first. The hash is kept up as
// values come and go: sum is the sum of the i-th value times hashBase to the
// i-th, and power is hashBase to the length.
type queueState struct {
	items      []int64
	sum, power uint64
}

// hashBase is an odd number, and hashInverse undoes a multiplication by it.
const (
	hashBase    uint64 = 0x9e3779b97f4a7c15
	hashInverse uint64 = 0xf1de83e19937733d
)

func (s *queueState) push(v int64) {
	s.items = append(s.items, v)
	s.sum += mix(uint64(v)) * s.power
	s.power *= hashBase
}

func (s *queueState) pop() {
	s.sum = (s.sum - mix(uint64(s.items[0]))) * hashInverse
	s.power *= hashInverse
	s.items = s.items[1:]
}

// dequeue is what queues without and with a bound share.
func (s *queueState) dequeue(op *Operation) effect {
	switch {
	case len(s.items) == 0:
		if op.certain() && op.Out != None {
			return refused
		}
		return unchanged
	case op.certain() && op.Out != s.items[0]:
		return refused
	}
	s.pop()
	return changed
}

// queueSpec is a queue that refuses to grow beyond its capacity; a negative
// one is none.
func queueSpec(capacity int64) *spec[queueState] {
	return &spec[queueState]{
		start: func() queueState { return queueState{power: 1} },
		step: func(s *queueState, op *Operation) effect {
			if op.Kind == OpDequeue {
				return s.dequeue(op)
			}
			full := capacity >= 0 && int64(len(s.items)) >= capacity
			switch {
			case op.certain() && full != (op.Out == None && capacity >= 0):
				return refused
			case full:
				return unchanged
			}
			s.push(op.In)
			return changed
		},
		// The next push finds no room left and so copies.
		fork: func(s queueState) queueState {
			s.items = s.items[:len(s.items):len(s.items)]
			return s
		},
		equal: func(a, b *queueState) bool {
			return a.sum == b.sum && len(a.items) == len(b.items) && equalItems(a.items, b.items)
		},
		hash: func(s *queueState) uint64 { return s.sum ^ uint64(len(s.items)) },
	}
}

func equalItems(a, b []int64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// queueModel is a first-in-first-out queue without a bound. A dequeue of an
// empty queue tells so and has no effect.
func queueModel() Model {
	return Model{
		name: "queue", what: "a queue",
		kinds: kindsOf(OpEnqueue, OpDequeue), check: checkValue,
		engine:   queueSpec(-1),
		patterns: queuePatterns, useless: uselessValues,
		explain: explainQueue,
	}
}

// checkValue refuses to enqueue what stands for no value.
func checkValue(op *Operation) string {
	if op.Kind == OpEnqueue && op.In == None {
		return "enqueues what stands for no value"
	}
	return ""
}
