package histfile

import (
	"fmt"

	"zoosim/checker"
)

// call is an operation as its events tell it.
type call struct {
	begin, end   *event // end is nil for an operation that never ended
	beginN, endN int64  // numbers of the events, from 1
	// input is what it was given: the value at its invocation, else at its end.
	input any
}

// pair finds the end of each operation. The order is that of the invocations.
func pair(events []event) ([]call, error) {
	var calls []call
	open := map[int64]int{}  // by process, in calls
	ended := map[int64]int{} // by process, the line of its info
	for i := range events {
		e := &events[i]
		at, busy := open[e.process]
		if line, over := ended[e.process]; over {
			return nil, fault(e.line, "process %d is used again after the info of line %d, and its operation may still take "+
				"effect; allowed: a new process", e.process, line)
		}
		if e.typ == invoked {
			if busy {
				return nil, fault(e.line, "process %d invokes %s while its %s of line %d is open",
					e.process, e.f, calls[at].begin.f, calls[at].begin.line)
			}
			open[e.process] = len(calls)
			calls = append(calls, call{begin: e, beginN: int64(i) + 1})
			continue
		}
		if !busy {
			return nil, fault(e.line, "%s of process %d, which has no open operation", eventTypes[e.typ], e.process)
		}
		c := &calls[at]
		c.end, c.endN = e, int64(i)+1
		if err := c.fit(); err != nil {
			return nil, err
		}
		delete(open, e.process)
		if e.typ == unknown {
			ended[e.process] = e.line
		}
	}
	for i := range calls {
		calls[i].input = calls[i].begin.value
		if calls[i].input == nil && calls[i].ok() {
			calls[i].input = calls[i].end.value
		}
	}
	return calls, nil
}

// fit says what does not fit together in the two events of an operation.
func (c *call) fit() error {
	b, e := c.begin, c.end
	switch {
	case b.f != e.f:
		return fault(e.line, "process %d ends %s, and its open operation of line %d is %s", e.process, e.f, b.line, b.f)
	case e.object != "" && b.object != e.object:
		return fault(e.line, "object %q, and line %d tells %q", e.object, b.line, b.object)
	case b.owned && e.owned && b.owner != e.owner:
		return fault(e.line, "owner %d, and line %d tells %d", e.owner, b.line, b.owner)
	}
	return nil
}

// ok is true if the operation took effect with a known output.
func (c *call) ok() bool { return c.end != nil && c.end.typ == succeeded }

// line is that of the last event.
func (c *call) line() int {
	if c.end != nil {
		return c.end.line
	}
	return c.begin.line
}

// given is the input of an operation whose end, if it is ok, repeats it or
// tells nil.
func (c *call) given() (any, error) {
	if c.ok() && c.end.value != nil && !same(c.end.value, c.input) {
		return nil, fmt.Errorf("%s, and line %d tells %s", describe(c.end.value), c.begin.line, describe(c.input))
	}
	return c.input, nil
}

// output is what an operation that is ok was told, nil for any other.
func (c *call) output() any {
	if c.ok() {
		return c.end.value
	}
	return nil
}

// done is the result of an operation that says yes or no: 1 or 0.
func (c *call) done() (int64, error) {
	if !c.ok() || c.end.result == nil {
		return 1, nil
	}
	yes, is := c.end.result.(bool)
	switch {
	case !is:
		return 0, fmt.Errorf("result %s; allowed: true, false", describe(c.end.result))
	case yes:
		return 1, nil
	}
	return 0, nil
}

// whole is a number of which checker reckons.
func whole(v any) (int64, error) {
	n, ok := v.(int64)
	if !ok || n < minNumber>>1 || n > maxNumber>>1 {
		return 0, fmt.Errorf("%s; allowed: a whole number of at most 61 bits", describe(v))
	}
	return n, nil
}

// two takes apart a list of two values.
func two(v any, what string) (a, b any, err error) {
	list, ok := v.([]any)
	if !ok || len(list) != 2 {
		return nil, nil, fmt.Errorf("%s; allowed: %s", describe(v), what)
	}
	return list[0], list[1], nil
}

// operation fills in what no model has for itself.
func (c *call) operation(lines bool) checker.Operation {
	op := checker.Operation{
		Object: c.begin.object, Client: int32(c.begin.process),
		Outcome: checker.OutcomeUnknown, Call: c.beginN, CallAt: c.begin.time,
	}
	if c.end != nil {
		op.Return, op.ReturnAt = c.endN, c.end.time
		op.Outcome = [...]checker.Outcome{
			succeeded: checker.OutcomeOK, failed: checker.OutcomeFailed, unknown: checker.OutcomeUnknown,
		}[c.end.typ]
	}
	if lines {
		op.Call = int64(c.begin.line)
		if c.end != nil {
			op.Return = int64(c.end.line)
		}
	}
	return op
}
