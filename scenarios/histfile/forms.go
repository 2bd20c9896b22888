package histfile

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zoosim/checker"
)

// operationForm is how one kind of operation is read and written.
type operationForm struct {
	kind checker.OpKind
	read func(*names, *call, *checker.Operation) error
	// write gives the value at the invocation, and value and result at ok.
	write func(*names, *checker.Operation) written
}

// written is what the events of an operation tell.
type written struct{ in, out, result any }

// operationForms are the forms by base name of the model and f.
func operationForms() map[string]map[string]operationForm {
	mutex := map[string]operationForm{
		"acquire": plainForm(checker.OpAcquire), "release": plainForm(checker.OpRelease), "lose": plainForm(checker.OpLose),
	}
	rw := map[string]operationForm{
		"acquire-read": plainForm(checker.OpAcquireRead), "release-read": plainForm(checker.OpReleaseRead),
		"acquire-write": plainForm(checker.OpAcquireWrite), "release-write": plainForm(checker.OpReleaseWrite),
		"lose": plainForm(checker.OpLose),
	}
	return map[string]map[string]operationForm{
		"mutex": mutex, "reentrant-mutex": mutex, "rw-lock": rw, "reentrant-rw-lock": rw,
		"semaphore": {
			"acquire": {checker.OpAcquire, readPermits, writePermits},
			"release": {checker.OpRelease, readPermits, writePermits},
			"lose":    plainForm(checker.OpLose),
		},
		"queue":         {"enqueue": {checker.OpEnqueue, readEnqueue, writeEnqueue}, "dequeue": dequeueForm()},
		"bounded-queue": {"enqueue": {checker.OpEnqueue, readBounded, writeBounded}, "dequeue": dequeueForm()},
		"priority-queue": {
			"enqueue": {checker.OpEnqueue, readPriority, writePriority}, "dequeue": dequeueForm(),
		},
		"cas-register": {
			"read":  {checker.OpRead, readValue, writeRead},
			"write": {checker.OpWrite, readWrite, writeWrite},
			"cas":   {checker.OpCAS, readSwap, writeSwap},
		},
		"multi-register": {"txn": {checker.OpTransaction, readTransaction, writeTransaction}},
		"counter": {
			"read": {checker.OpRead, readNumber, writeRead},
			"add":  {checker.OpAdd, readAdd, writeAdd},
		},
		"sale": {
			"read": {checker.OpRead, readNumber, writeRead},
			"buy":  {checker.OpBuy, readBuy, writeBuy},
		},
		"election": {
			"lead": {checker.OpLead, readLead, writeLead},
			"read": {checker.OpRead, readLeader, writeLeader},
		},
		"znodes": znodeForms(),
	}
}

// listed names the operations of a model.
func listed(ops map[string]operationForm) string {
	return strings.Join(slices.Sorted(maps.Keys(ops)), ", ")
}

// plainForm is that of an operation whose values, if any, do not matter.
func plainForm(kind checker.OpKind) operationForm {
	return operationForm{
		kind,
		func(*names, *call, *checker.Operation) error { return nil },
		func(*names, *checker.Operation) written { return written{} },
	}
}

// maxPermits is the most that checker takes.
const maxPermits = 1 << 16

func readPermits(_ *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil || v == nil {
		return err
	}
	n, ok := v.(int64)
	if !ok || n < 1 || n > maxPermits {
		return fmt.Errorf("%s; allowed: 1 to %d permits, nil for one", describe(v), maxPermits)
	}
	op.In2 = n
	return nil
}

func writePermits(_ *names, op *checker.Operation) written {
	if op.In2 == 0 {
		return written{}
	}
	return written{in: op.In2, out: op.In2}
}

func readAdd(_ *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil {
		return err
	}
	if op.In, err = whole(v); err != nil {
		return err
	}
	op.Out = checker.None
	if c.ok() && c.end.result != nil {
		op.Out, err = whole(c.end.result)
	}
	return err
}

func writeAdd(_ *names, op *checker.Operation) written {
	w := written{in: op.In, out: op.In}
	if op.Out != checker.None {
		w.result = op.Out
	}
	return w
}

func readBuy(_ *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil {
		return err
	}
	if op.In, err = whole(v); err != nil {
		return err
	}
	if op.In < 1 {
		return fmt.Errorf("%d pieces; allowed: 1 or more", op.In)
	}
	op.Out, err = c.done()
	return err
}

func writeBuy(_ *names, op *checker.Operation) written {
	return written{in: op.In, out: op.In, result: op.Out != 0}
}

func readLead(n *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil {
		return err
	}
	term, candidate, err := two(v, "[term candidate]")
	if err != nil {
		return err
	}
	if op.In2, err = whole(term); err != nil {
		return fmt.Errorf("term %w", err)
	}
	if op.In, err = n.code(candidate); err == nil && op.In == checker.None {
		err = errors.New("no candidate; allowed: [term candidate]")
	}
	return err
}

func writeLead(n *names, op *checker.Operation) written {
	v := []any{op.In2, n.value(op.In)}
	return written{in: v, out: v}
}

func readLeader(n *names, c *call, op *checker.Operation) error {
	v := c.input
	if c.output() != nil {
		v = c.output()
	}
	term, leader, err := two(v, "[term leader], with a leader of nil at the invocation")
	if err != nil {
		return err
	}
	if op.In2, err = whole(term); err != nil {
		return fmt.Errorf("term %w", err)
	}
	if given, _, _ := two(c.input, ""); !same(given, term) {
		return fmt.Errorf("term %s, and line %d tells %s", describe(term), c.begin.line, describe(given))
	}
	if c.ok() && (c.output() == nil || leader == nil) {
		op.Outcome = checker.OutcomeFailed // it tells nothing
		return nil
	}
	op.Out, err = n.code(leader)
	return err
}

func writeLeader(n *names, op *checker.Operation) written {
	return written{in: []any{op.In2, nil}, out: []any{op.In2, n.told(op.Out)}}
}
