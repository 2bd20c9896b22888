package checker

import "strconv"

// boundedQueueOf makes the model of a first-in-first-out queue that holds at
// most so many values: an enqueue that was refused (Out is None) tells that
// it was full, one that waits until there is room takes effect then.
func boundedQueueOf(capacity int64) Model {
	return Model{
		name: withParam("bounded-queue", capacity), what: "a queue of capacity " + strconv.FormatInt(capacity, 10),
		kinds: kindsOf(OpEnqueue, OpDequeue), check: checkValue,
		engine:   queueSpec(capacity),
		patterns: boundedPatterns, useless: uselessInBounded,
		explain: explainQueue,
	}
}

// boundedPatterns refuses what no queue does, bounded or not: the values that
// a bounded queue let in and out, in its order, are a queue's.
func boundedPatterns(ops []Operation) finding {
	let := make([]Operation, 0, len(ops))
	index := make([]int32, 0, len(ops))
	for i := range ops {
		if refusedPut(&ops[i]) {
			continue
		}
		let = append(let, ops[i])
		index = append(index, int32(i))
	}
	f := queuePatterns(let)
	if f.verdict != Failed {
		return finding{verdict: Unknown}
	}
	for i, k := range f.ops {
		f.ops[i] = index[k]
	}
	return f
}

// refusedPut is true for an enqueue that found the queue full.
func refusedPut(op *Operation) bool {
	return op.Kind == OpEnqueue && op.certain() && op.Out == None
}

// uselessInBounded is uselessValues as long as nothing was refused: a value
// that nobody took may be what made the queue full.
func uselessInBounded(ops []Operation, drop []bool) {
	for i := range ops {
		if refusedPut(&ops[i]) {
			return
		}
	}
	uselessValues(ops, drop)
}
