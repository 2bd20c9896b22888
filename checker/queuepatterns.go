package checker

import (
	"cmp"
	"math"
	"slices"
)

// queueFault is what is bad about a queue's history.
type queueFault uint8

const (
	faultNever queueFault = 1 + iota // a value was dequeued that nobody enqueued: dequeue
	faultEarly                       // it was dequeued before it was enqueued: dequeue, enqueue
	faultTwice                       // it was dequeued more often than enqueued: the dequeues
	faultOrder                       // of two values the later left first: its enqueue, its dequeue, the earlier's enqueue
	faultEmpty                       // the queue was found empty and never was: dequeue
	faultTaken                       // too few dequeues of unknown outcome to take what must be gone first: the later value's enqueue and dequeue, the earlier ones' enqueues
)

// finding is what patterns say about a history.
type finding struct {
	// verdict is Pass, Failed, or Unknown if the patterns do not decide.
	verdict Verdict
	fault   queueFault
	// ops are the operations of the pattern, in the order that stands at the
	// fault.
	ops []int32
}

// queueValue is a value and when it came and went.
type queueValue struct {
	put, take int32 // its enqueue and its certain dequeue among the operations, -1 for none
	certain   bool  // its enqueue is certain
	putCall   int64
	putEnd    int64
	takeCall  int64 // never if nobody is known to have dequeued it
	takeEnd   int64
}

// never is later than everything.
const never int64 = math.MaxInt64

// queueHistory is a queue's history as the patterns read it.
type queueHistory struct {
	ops    []Operation
	values []queueValue
	empty  []int32 // certain dequeues that found nothing
	takers []int64 // calls of dequeues of unknown outcome, sorted
}

// queuePatterns decides whether a history is a queue's by the patterns of
// Henzinger, Sezgin and Vafeiadis, Aspect-Oriented Linearizability Proofs
// (section 4): a history with distinct values in which every operation is
// over is a queue's if and only if no value is dequeued that was not enqueued
// before, none twice, none out of order, and no dequeue finds the queue empty
// while something is inside all the time.
//
// Operations of unknown outcome are completed in the best way. An enqueue of
// unknown outcome takes effect if and only if its value is dequeued: else it
// could only be in the way. A dequeue of unknown outcome never returns, so
// that the value it takes is in nobody's way from its call on. Which values
// must be taken, and by when, is worked out in the file queuetakers.go.
//
// Values that are not distinct leave the history undecided unless one is
// dequeued more often than enqueued.
func queuePatterns(ops []Operation) finding {
	h, f := readQueue(ops)
	if f.verdict != Pass {
		return f
	}
	if f = h.early(); f.verdict != Pass {
		return f
	}
	if f = h.disorder(); f.verdict != Pass {
		return f
	}
	return h.takersAndEmpty()
}

// readQueue sorts the operations by value. It fails a value that was dequeued
// more often than enqueued, and is Unknown if values are not distinct.
func readQueue(ops []Operation) (queueHistory, finding) {
	h := queueHistory{ops: ops, values: make([]queueValue, 0, len(ops)/2+1)}
	index := make(map[int64]int32, len(ops)/2+1)
	again := false
	for i := range ops {
		op := &ops[i]
		if op.Kind != OpEnqueue {
			continue
		}
		if _, known := index[op.In]; known {
			again = true
			continue
		}
		index[op.In] = int32(len(h.values))
		h.values = append(h.values, queueValue{
			put: int32(i), take: -1, certain: op.certain(), putCall: op.Call, putEnd: op.end(), takeCall: never, takeEnd: never,
		})
	}
	if again {
		return h, countValues(ops)
	}
	for i := range ops {
		op := &ops[i]
		switch {
		case op.Kind != OpDequeue:
		case !op.certain():
			h.takers = append(h.takers, op.Call)
		case op.Out == None:
			h.empty = append(h.empty, int32(i))
		default:
			at, known := index[op.Out]
			if !known {
				return h, finding{verdict: Failed, fault: faultNever, ops: []int32{int32(i)}}
			}
			v := &h.values[at]
			if v.take >= 0 {
				return h, finding{verdict: Failed, fault: faultTwice, ops: []int32{v.take, int32(i)}}
			}
			v.take, v.takeCall, v.takeEnd = int32(i), op.Call, op.Return
		}
	}
	// What is of unknown outcome and was not taken never was.
	h.values = slices.DeleteFunc(h.values, func(v queueValue) bool { return !v.certain && v.take < 0 })
	slices.Sort(h.takers)
	return h, finding{verdict: Pass}
}

// countValues fails a value that was dequeued more often than enqueued, and
// decides nothing else.
func countValues(ops []Operation) finding {
	left := make(map[int64]int)
	for i := range ops {
		if ops[i].Kind == OpEnqueue {
			left[ops[i].In]++
		}
	}
	for i := range ops {
		op := &ops[i]
		if op.Kind != OpDequeue || !op.certain() || op.Out == None {
			continue
		}
		left[op.Out]--
		if left[op.Out] < 0 {
			return finding{verdict: Failed, fault: faultTwice, ops: dequeuesOf(ops, op.Out)}
		}
	}
	return finding{verdict: Unknown}
}

// dequeuesOf are the certain dequeues of a value.
func dequeuesOf(ops []Operation, value int64) []int32 {
	var found []int32
	for i := range ops {
		if ops[i].Kind == OpDequeue && ops[i].certain() && ops[i].Out == value {
			found = append(found, int32(i))
		}
	}
	return found
}

// early fails a value that was dequeued before its enqueue began.
func (h *queueHistory) early() finding {
	for _, v := range h.values {
		if v.takeEnd < v.putCall {
			return finding{verdict: Failed, fault: faultEarly, ops: []int32{v.take, v.put}}
		}
	}
	return finding{verdict: Pass}
}

// disorder fails a value that left before an earlier one: the enqueue of the
// earlier one was over before that of the later one began, and its dequeue
// began when that of the later one was over. A value that nobody is known to
// have dequeued counts here only if no dequeue of unknown outcome is there to
// take it.
func (h *queueHistory) disorder() finding {
	byEnd := make([]int32, 0, len(h.values))
	byCall := make([]int32, 0, len(h.values))
	for i := range h.values {
		v := &h.values[i]
		if v.certain && (v.take >= 0 || len(h.takers) == 0) {
			byEnd = append(byEnd, int32(i))
		}
		if v.take >= 0 {
			byCall = append(byCall, int32(i))
		}
	}
	slices.SortFunc(byEnd, func(a, b int32) int { return cmp.Compare(h.values[a].putEnd, h.values[b].putEnd) })
	slices.SortFunc(byCall, func(a, b int32) int { return cmp.Compare(h.values[a].putCall, h.values[b].putCall) })
	last := int32(-1) // of those enqueued before, the one whose dequeue begins last
	k := 0
	for _, later := range byCall {
		b := &h.values[later]
		for ; k < len(byEnd) && h.values[byEnd[k]].putEnd < b.putCall; k++ {
			if last < 0 || h.values[byEnd[k]].takeCall > h.values[last].takeCall {
				last = byEnd[k]
			}
		}
		if last >= 0 && h.values[last].takeCall > b.takeEnd {
			return finding{verdict: Failed, fault: faultOrder, ops: []int32{b.put, b.take, h.values[last].put}}
		}
	}
	return finding{verdict: Pass}
}
