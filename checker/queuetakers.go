package checker

import (
	"cmp"
	"slices"
	"sort"
)

// What early and disorder leave of a queue's history is a matter of the values
// that were certainly enqueued and that nobody is known to have dequeued, the
// dequeues of unknown outcome that may take them (takers), and the dequeues
// that found the queue empty.
//
// A value must be taken if a value enqueued after it was dequeued, and by a
// taker called no later than the end of that dequeue, the earliest if there
// are several: its deadline. A dequeue that found the queue empty did so at
// some moment from its call to its return at which no value that left by a
// known dequeue was certainly inside, and by which every value whose enqueue
// was over had been taken. So such a moment is a deadline of those values too.
//
//	certainly inside  (------)   (---------)
//	empty dequeue         |---------|
//	moment                   o
//
// Any taker called by a deadline will do for it, since its interval has no
// end, so that values and takers can be matched if and only if, for every
// time, no more deadlines are past than takers were called (Hall's condition
// for nested sets). It holds with the moments if it holds without them and
// each moment has takers enough: of values that must be taken, one enqueued
// earlier has no later deadline, and the enqueues of values that need not be
// taken ended after those of all that must. So each empty dequeue may be judged alone, by
// any moment of its own.
//
// The values that must be taken by a time are closed under "enqueued before",
// so that taking them brings no new disorder.

// valueDeadline is a value that must be taken, and the one behind it that was
// dequeued first.
type valueDeadline struct {
	at     int64
	put    int32
	behind int32 // among the values
}

// goneValues is what is known about the values that nobody is known to have
// dequeued.
type goneValues struct {
	putEnds []int64         // when each of them was enqueued at the latest, sorted
	must    []valueDeadline // those that must be taken, by deadline
	takers  []int64
}

// takersAndEmpty decides what early and disorder have left.
func (h *queueHistory) takersAndEmpty() finding {
	g := h.goneValues()
	for i, m := range g.must {
		if i >= countTo(g.takers, m.at) {
			return h.tooFew(g, i)
		}
	}
	if e := h.neverEmpty(g); e >= 0 {
		return finding{verdict: Failed, fault: faultEmpty, ops: []int32{e}}
	}
	return finding{verdict: Pass}
}

// tooFew is the pattern of a value that nobody can have taken in time, with
// those that had to be taken before it.
func (h *queueHistory) tooFew(g *goneValues, last int) finding {
	behind := &h.values[g.must[last].behind]
	f := finding{verdict: Failed, fault: faultTaken, ops: []int32{behind.put, behind.take}}
	for _, m := range g.must[:last+1] {
		f.ops = append(f.ops, m.put)
	}
	return f
}

// goneValues collects the values that nobody is known to have dequeued.
func (h *queueHistory) goneValues() *goneValues {
	g := &goneValues{takers: h.takers}
	left := make([]int32, 0, len(h.values)) // those that left by a known dequeue
	for i, v := range h.values {
		if v.take >= 0 {
			left = append(left, int32(i))
		} else {
			g.putEnds = append(g.putEnds, v.putEnd)
		}
	}
	slices.Sort(g.putEnds)
	slices.SortFunc(left, func(a, b int32) int { return cmp.Compare(h.values[a].putCall, h.values[b].putCall) })
	// earliest[i] is the first of left[i:] to leave.
	earliest := slices.Clone(left)
	for i := len(left) - 2; i >= 0; i-- {
		if h.values[earliest[i+1]].takeEnd < h.values[left[i]].takeEnd {
			earliest[i] = earliest[i+1]
		}
	}
	for _, v := range h.values {
		if v.take >= 0 {
			continue
		}
		after := sort.Search(len(left), func(i int) bool { return h.values[left[i]].putCall > v.putEnd })
		if after < len(left) {
			behind := earliest[after]
			g.must = append(g.must, valueDeadline{h.values[behind].takeEnd, v.put, behind})
		}
	}
	slices.SortFunc(g.must, func(a, b valueDeadline) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.put, b.put))
	})
	return g
}

// neverEmpty is the first dequeue that found the queue empty and had no moment
// to do so, -1 for none.
func (h *queueHistory) neverEmpty(g *goneValues) int32 {
	moments := h.emptyMoments(g)
	for _, e := range h.empty {
		from, _ := slices.BinarySearch(moments, h.ops[e].Call)
		if from == len(moments) || moments[from] > h.ops[e].Return {
			return e
		}
	}
	return -1
}

// countTo is how many of a sorted list are at most x.
func countTo(sorted []int64, x int64) int {
	n, _ := slices.BinarySearchFunc(sorted, x, func(v, x int64) int {
		if v <= x {
			return -1
		}
		return 1
	})
	return n
}

// enqueuedBefore is how many of the values were certainly enqueued before t.
func (g *goneValues) enqueuedBefore(t int64) int {
	n, _ := slices.BinarySearch(g.putEnds, t)
	return n
}

// emptyMoments are the moments at which the queue may have been empty, sorted:
// no value certainly inside, and enough takers for those that must be gone.
// Where there is such a moment there is one at the call of a dequeue, before
// which nothing more can leave.
func (h *queueHistory) emptyMoments(g *goneValues) []int64 {
	if len(h.empty) == 0 {
		return nil
	}
	candidates := slices.Clone(g.takers)
	for _, e := range h.empty {
		candidates = append(candidates, h.ops[e].Call)
	}
	for _, v := range h.values {
		if v.take >= 0 {
			candidates = append(candidates, v.takeCall)
		}
	}
	slices.Sort(candidates)
	candidates = slices.Compact(candidates)
	covered := h.covered()
	moments := candidates[:0]
	for _, t := range candidates {
		if !around(covered, t) && g.enqueuedBefore(t) <= countTo(g.takers, t) {
			moments = append(moments, t)
		}
	}
	return moments
}

// span is a time from and to.
type span struct{ from, to int64 }

// covered are the times at which a value that left by a known dequeue was
// certainly inside: from the end of its enqueue to the call of its dequeue,
// both left out. Spans that overlap are one.
func (h *queueHistory) covered() []span {
	var spans []span
	for _, v := range h.values {
		if v.take >= 0 && v.putEnd < v.takeCall {
			spans = append(spans, span{v.putEnd, v.takeCall})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	merged := spans[:0]
	for _, s := range spans {
		if last := len(merged) - 1; last >= 0 && s.from < merged[last].to {
			merged[last].to = max(merged[last].to, s.to)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// around is true if one of the spans holds t, which their ends do not.
func around(merged []span, t int64) bool {
	i := sort.Search(len(merged), func(i int) bool { return merged[i].from >= t }) - 1
	return i >= 0 && t < merged[i].to
}
