package checker

import "strings"

// explainQueue is the sentence about a queue's bad pattern.
func explainQueue(a *account) string {
	// Priorities change what is out of order, and are in the operations.
	patterns := queuePatterns
	for i := range a.trial {
		if a.trial[i].Kind == OpEnqueue && a.trial[i].In2 != 0 {
			patterns = priorityPatterns
		}
	}
	f := patterns(a.trial)
	if f.verdict != Failed {
		return ""
	}
	first := &a.trial[f.ops[0]]
	switch f.fault {
	case faultNever, faultEarly:
		return a.tookEarly(first)
	case faultTwice:
		return a.tookTwice(f.ops)
	case faultEmpty:
		return a.foundEmpty(first)
	}
	return a.outOfOrder(f)
}

// took is the beginning of a sentence about a dequeue.
func (a *account) took(op *Operation) string {
	return name(op.Client) + " took " + number(op.Out) + " at " + a.returned(op)
}

// tookEarly tells of a value that nobody had put by then.
func (a *account) tookEarly(take *Operation) string {
	for i := range a.ops {
		if put := &a.ops[i]; put.Kind == OpEnqueue && put.In == take.Out {
			return a.took(take) + ", and it was put from " + a.called(put) + " on"
		}
	}
	return a.took(take) + ", and nobody had put it"
}

func (a *account) tookTwice(ops []int32) string {
	value := a.trial[ops[0]].Out
	list := make([]string, 0, len(ops))
	for _, k := range ops {
		op := &a.trial[k]
		list = append(list, "by "+name(op.Client)+" at "+a.returned(op))
	}
	puts := 0
	for i := range a.trial {
		if a.trial[i].Kind == OpEnqueue && a.trial[i].In == value {
			puts++
		}
	}
	times := "once"
	if puts > 1 {
		times = number(int64(puts)) + " times"
	}
	return number(value) + " was put " + times + " and taken " + number(int64(len(ops))) + " times: " +
		strings.Join(list, ", ")
}

// foundEmpty tells what was inside when a dequeue found the queue empty.
func (a *account) foundEmpty(empty *Operation) string {
	var inside []string
	for i := range a.heart {
		put := &a.heart[i]
		if put.Kind != OpEnqueue {
			continue
		}
		if take := a.dequeueOf(put.In); take != nil {
			inside = append(inside, number(put.In)+" was in it from "+a.returned(put)+" to "+a.called(take))
		} else {
			inside = append(inside, number(put.In)+" was in it since "+a.returned(put))
		}
	}
	return name(empty.Client) + " found the queue empty between " + a.called(empty) + " and " + a.returned(empty) +
		" while " + strings.Join(inside, " and ")
}

// dequeueOf is the known dequeue of a value in the whole history, or nil.
func (a *account) dequeueOf(value int64) *Operation {
	for i := range a.ops {
		if op := &a.ops[i]; op.Kind == OpDequeue && op.certain() && op.Out == value {
			return op
		}
	}
	return nil
}

// outOfOrder tells of a value that left before an earlier one.
func (a *account) outOfOrder(f finding) string {
	put, take := &a.trial[f.ops[0]], &a.trial[f.ops[1]]
	why := a.took(take) + ", which was put from " + a.called(put) + " on"
	if put.In2 != 0 || a.trial[f.ops[2]].In2 != 0 {
		why += " with priority " + number(put.In2)
	}
	if f.fault == faultTaken && len(f.ops) > 3 {
		var values []string
		for _, k := range f.ops[2:] {
			values = append(values, number(a.trial[k].In))
		}
		return why + ", before what must leave earlier, " + strings.Join(values, ", ") + ", can all have been taken"
	}
	earlier := &a.trial[f.ops[2]]
	why += ", before " + number(earlier.In) + ", which was put by " + a.returned(earlier)
	if put.In2 != 0 || earlier.In2 != 0 {
		why += " with priority " + number(earlier.In2)
	}
	if later := a.dequeueOf(earlier.In); later != nil {
		return why + " and taken from " + a.called(later) + " on"
	}
	return why + " and not taken by then"
}
