package checker

import (
	"slices"
	"strconv"
)

// semaphoreOf makes the model of a semaphore with that many permits: whoever
// acquires some owns them until it releases them, and the permits that are
// owned are never more than there are. An acquire waits for all that it asks
// for at once.
func semaphoreOf(permits int64) Model {
	return Model{
		name: withParam("semaphore", permits), what: "a semaphore of " + strconv.FormatInt(permits, 10),
		kinds: kindsOf(OpAcquire, OpRelease, OpLose),
		check: checkPermits,
		engine: &spec[holders]{
			start: func() holders { return nil },
			step:  func(s *holders, op *Operation) effect { return s.stepSemaphore(op, permits) },
			fork:  holders.fork,
			equal: func(a, b *holders) bool { return slices.Equal(*a, *b) },
			hash:  func(s *holders) uint64 { return s.hash(0) },
		},
		guess: guessHolds, suspects: suspectOwners, useless: uselessOwners,
		explain: func(a *account) string { return explainCapacity(a, permits) },
	}
}

// maxPermits is the most permits that one operation may ask for: enough for
// any semaphore, and small enough to be kept one by one.
const maxPermits = 1 << 16

func checkPermits(op *Operation) string {
	if op.Kind != OpLose && (op.In2 < 0 || op.In2 > maxPermits) {
		return "asks for " + strconv.FormatInt(op.In2, 10) + " permits, and may ask for 0 (one) to " +
			strconv.Itoa(maxPermits)
	}
	return ""
}

// permitsOf is how many permits an operation acquires or releases.
func permitsOf(op *Operation) int { return int(max(op.In2, 1)) }

func (h *holders) stepSemaphore(op *Operation, permits int64) effect {
	n := permitsOf(op)
	switch op.Kind {
	case OpAcquire:
		if int64(len(*h)+n) > permits {
			return refused
		}
		h.add(op.In, n)
		return changed
	case OpLose:
		n = max(h.count(op.In), 1)
	}
	if h.count(op.In) < n {
		return refused
	}
	h.remove(op.In, n)
	return changed
}
