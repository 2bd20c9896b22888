package histfile

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"zoosim/checker"
)

// Write writes the history in that form, so that reading it gives the same
// operations but for the numbers of processes and for the events' places. A
// client whose outcome is unknown goes on under a new process, as in Jepsen:
// with n clients numbered from 0, the processes of client c are c, c+n, c+2n
// and so on. An info stands right behind its invocation. The error is that of
// w, or says what the form cannot hold: as JSON lines a value that is a string
// and begins with a colon.
func Write(w io.Writer, form Form, h *History) error {
	for _, v := range h.names.values {
		if s, ok := v.(string); ok && form == JSONLines && strings.HasPrefix(s, ":") {
			return fmt.Errorf("histfile: the string %q would be a keyword in JSON lines; allowed there: strings without a colon in front", s)
		}
	}
	events, err := h.events()
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	for i := range events {
		line, err := events[i].text(form)
		if err != nil {
			return err
		}
		if _, err := b.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return b.Flush()
}

// moment is an end of an operation, for sorting: at equal stamps invocations
// come first, since equal stamps are no order.
type moment struct {
	at  int64
	end bool
	op  int
}

// events are the history's, in their order.
func (h *History) events() ([]event, error) {
	forms, err := opsOf(h.Model)
	if err != nil {
		return nil, err
	}
	byKind := map[checker.OpKind]string{}
	for f, form := range forms {
		byKind[form.kind] = f
	}
	var moments []moment
	for i := range h.Operations {
		op := &h.Operations[i]
		if _, known := byKind[op.Kind]; !known {
			return nil, fmt.Errorf("histfile: operation %d: %s is none of %s", i, op.Kind, h.Model.Name())
		}
		moments = append(moments, moment{op.Call, false, i})
		if op.Outcome != checker.OutcomeUnknown {
			moments = append(moments, moment{op.Return, true, i})
		}
	}
	slices.SortStableFunc(moments, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(bit(a.end), bit(b.end)))
	})
	processes := newProcesses(h.Operations)
	var events []event
	for _, m := range moments {
		op := &h.Operations[m.op]
		f := byKind[op.Kind]
		begin, end := h.both(op, f, forms[f].write(&h.names, op))
		if m.end {
			end.process = processes.end(m.op, op.Client)
			events = append(events, end)
			continue
		}
		if begin.process, err = processes.begin(m.op, op.Client); err != nil {
			return nil, err
		}
		events = append(events, begin)
		if op.Outcome == checker.OutcomeUnknown {
			end.process = begin.process
			events = append(events, end)
		}
	}
	return events, nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// both are the events of an operation, without their process.
func (h *History) both(op *checker.Operation, f string, w written) (begin, end event) {
	begin = event{typ: invoked, f: f, value: w.in, object: op.Object, timed: op.CallAt != 0, time: op.CallAt}
	if op.Kind <= checker.OpLose && op.In > 0 {
		begin.owned, begin.owner = true, op.In
	}
	end = begin
	end.typ, end.timed, end.time = unknown, false, 0
	switch op.Outcome {
	case checker.OutcomeOK:
		end.typ, end.value, end.result = succeeded, w.out, w.result
	case checker.OutcomeFailed:
		end.typ = failed
	}
	if op.Outcome != checker.OutcomeUnknown {
		end.timed, end.time = op.ReturnAt != 0, op.ReturnAt
	}
	return begin, end
}

// processes gives clients their processes.
type processes struct {
	clients int64
	next    map[int32]int64 // the process that a client has not used yet
	free    map[int32][]int64
	of      map[int]int64 // by open operation
	unknown func(int) bool
}

func newProcesses(ops []checker.Operation) *processes {
	p := &processes{
		next: map[int32]int64{}, free: map[int32][]int64{}, of: map[int]int64{},
		unknown: func(i int) bool { return ops[i].Outcome == checker.OutcomeUnknown },
	}
	for i := range ops {
		p.clients = max(p.clients, int64(ops[i].Client)+1)
	}
	return p
}

// begin is the process of an operation that a client invokes: one of its own
// that is idle, else a new one.
func (p *processes) begin(op int, client int32) (int64, error) {
	var process int64
	if free := p.free[client]; len(free) > 0 {
		process, p.free[client] = free[len(free)-1], free[:len(free)-1]
	} else {
		process = int64(client) + p.next[client]*p.clients
		p.next[client]++
	}
	if client < 0 || process > math.MaxInt32 {
		return 0, fmt.Errorf("histfile: client %d has no process", client)
	}
	if !p.unknown(op) {
		p.of[op] = process
	}
	return process, nil
}

// end is the process of an operation that ends there.
func (p *processes) end(op int, client int32) int64 {
	process := p.of[op]
	delete(p.of, op)
	p.free[client] = append(p.free[client], process)
	return process
}
