package checker

import "slices"

// priorityItem is a value in a priority queue.
type priorityItem struct{ priority, value int64 }

// priorityState is the content of a priority queue, next to be served first.
type priorityState []priorityItem

// priorityQueueModel is a queue that serves the lowest priority first, and
// among equals the one that came first, as the sequence numbers of Curator's
// and Kazoo's queues make it.
func priorityQueueModel() Model {
	return Model{
		name: "priority-queue", what: "a priority queue",
		kinds: kindsOf(OpEnqueue, OpDequeue), check: checkValue,
		engine: &spec[priorityState]{
			start: func() priorityState { return nil },
			step:  (*priorityState).step,
			// The next insertion finds no room left and so copies.
			fork:  func(s priorityState) priorityState { return s[:len(s):len(s)] },
			equal: func(a, b *priorityState) bool { return slices.Equal(*a, *b) },
			hash: func(s *priorityState) uint64 {
				sum := uint64(len(*s))
				for _, it := range *s {
					sum = mix(sum ^ uint64(it.value) ^ uint64(it.priority)<<32)
				}
				return sum
			},
		},
		patterns: priorityPatterns, useless: uselessValues,
		explain: explainQueue,
	}
}

func (s *priorityState) step(op *Operation) effect {
	if op.Kind == OpEnqueue {
		at, _ := slices.BinarySearchFunc(*s, op.In2, func(it priorityItem, priority int64) int {
			if it.priority <= priority {
				return -1
			}
			return 1
		})
		*s = slices.Insert(*s, at, priorityItem{op.In2, op.In})
		return changed
	}
	switch {
	case len(*s) == 0:
		if op.certain() && op.Out != None {
			return refused
		}
		return unchanged
	case op.certain() && op.Out != (*s)[0].value:
		return refused
	}
	*s = (*s)[1:]
	return changed
}
