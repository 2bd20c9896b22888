package checker

// priorityPatterns refuses what no priority queue does: a value that was
// dequeued and not enqueued before, one that was dequeued twice, one that was
// dequeued while another that is served before it was certainly inside, and a
// dequeue that found the queue empty when it never was. They accept nothing: these patterns are not all that can be wrong (Bouajjani,
// Enea and Wang, Checking Linearizability of Concurrent Priority Queues, have
// the rest for complete histories).
func priorityPatterns(ops []Operation) finding {
	h, f := readQueue(ops)
	if f.verdict != Pass {
		return f
	}
	if f = h.early(); f.verdict != Pass {
		return f
	}
	for i := range h.values {
		b := &h.values[i]
		if b.take < 0 {
			continue
		}
		for k := range h.values {
			if a := &h.values[k]; h.passedOver(a, b) {
				return finding{verdict: Failed, fault: faultOrder, ops: []int32{b.put, b.take, a.put}}
			}
		}
	}
	if e := h.neverEmpty(h.goneValues()); e >= 0 {
		return finding{verdict: Failed, fault: faultEmpty, ops: []int32{e}}
	}
	return finding{verdict: Unknown}
}

// passedOver is true if b was dequeued although a, which is served before it,
// was certainly inside. A value that nobody is known to have dequeued counts
// only if no dequeue of unknown outcome is there to take it.
func (h *queueHistory) passedOver(a, b *queueValue) bool {
	if a.take < 0 && len(h.takers) > 0 || !a.certain {
		return false
	}
	if a.takeCall <= b.takeEnd {
		return false
	}
	first, second := h.ops[a.put].In2, h.ops[b.put].In2
	if first < second {
		return a.putEnd < h.ops[b.take].Call
	}
	return first == second && a.putEnd < b.putCall
}
