package histfile

import (
	"errors"
	"fmt"

	"zoosim/checker"
)

// readOutput reads what an operation was told. An ok that tells nothing is as
// good as a failure, which had no effect and tells nothing either.
func readOutput(c *call, op *checker.Operation, read func(any) (int64, error)) error {
	if !c.ok() {
		return nil
	}
	if c.output() == nil {
		op.Outcome = checker.OutcomeFailed
		return nil
	}
	var err error
	op.Out, err = read(c.output())
	return err
}

func readValue(n *names, c *call, op *checker.Operation) error { return readOutput(c, op, n.code) }

func readNumber(_ *names, c *call, op *checker.Operation) error { return readOutput(c, op, whole) }

func writeRead(n *names, op *checker.Operation) written { return written{out: n.told(op.Out)} }

func readWrite(n *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err == nil {
		op.In, err = n.code(v)
	}
	return err
}

func writeWrite(n *names, op *checker.Operation) written {
	return written{in: n.value(op.In), out: n.value(op.In)}
}

func readSwap(n *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil {
		return err
	}
	from, to, err := two(v, "[from to]")
	if err != nil {
		return err
	}
	if op.In, err = n.code(from); err != nil {
		return err
	}
	if op.In2, err = n.code(to); err != nil {
		return err
	}
	op.Out, err = c.done()
	return err
}

func writeSwap(n *names, op *checker.Operation) written {
	v := []any{n.value(op.In), n.value(op.In2)}
	return written{in: v, out: v, result: op.Out != 0}
}

func readEnqueue(n *names, c *call, op *checker.Operation) error {
	if err := readWrite(n, c, op); err != nil {
		return err
	}
	if op.In == checker.None {
		return errors.New("nil; allowed: a value")
	}
	return nil
}

func writeEnqueue(n *names, op *checker.Operation) written { return writeWrite(n, op) }

// readBounded is readEnqueue for a queue that may refuse.
func readBounded(n *names, c *call, op *checker.Operation) error {
	if err := readEnqueue(n, c, op); err != nil {
		return err
	}
	yes, err := c.done()
	if yes == 0 {
		op.Out = checker.None
	}
	return err
}

func writeBounded(n *names, op *checker.Operation) written {
	w := writeEnqueue(n, op)
	w.result = op.Out != checker.None
	return w
}

// readPriority takes a value, or a value and its priority.
func readPriority(n *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil {
		return err
	}
	if list, ok := v.([]any); ok {
		var priority any
		if v, priority, err = two(list, "a value or [value priority]"); err != nil {
			return err
		}
		if op.In2, err = whole(priority); err != nil {
			return fmt.Errorf("priority %w", err)
		}
	}
	if op.In, err = n.code(v); err == nil && op.In == checker.None {
		err = errors.New("nil; allowed: a value or [value priority]")
	}
	return err
}

func writePriority(n *names, op *checker.Operation) written {
	v := []any{n.value(op.In), op.In2}
	return written{in: v, out: v}
}

// dequeueForm is that of a dequeue: nil is no value, since the queue was
// empty.
func dequeueForm() operationForm {
	return operationForm{
		checker.OpDequeue,
		func(n *names, c *call, op *checker.Operation) error {
			var err error
			op.Out, err = n.code(c.output())
			return err
		},
		func(n *names, op *checker.Operation) written { return written{out: n.told(op.Out)} },
	}
}
