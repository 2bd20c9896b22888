package histfile

import (
	"fmt"
	"strconv"

	"zoosim/checker"
)

// readTransaction reads the accesses at the end of a transaction that is ok,
// else those at its invocation.
func readTransaction(n *names, c *call, op *checker.Operation) error {
	given, err := accesses(n, c.input)
	if err != nil {
		return err
	}
	if !c.ok() || c.end.value == nil {
		op.Accesses = told(given, c.ok())
		return nil
	}
	answered, err := accesses(n, c.end.value)
	if err != nil {
		return err
	}
	if len(answered) != len(given) {
		return fmt.Errorf("%d accesses, and line %d tells %d", len(answered), c.begin.line, len(given))
	}
	for i, a := range answered {
		g := given[i]
		if a.Key != g.Key || a.Write != g.Write || a.Write && a.Value != g.Value {
			return fmt.Errorf("access %d differs from that of line %d", i+1, c.begin.line)
		}
	}
	op.Accesses = told(answered, true)
	return nil
}

// access is one with the knowledge whether a read tells anything.
type access struct {
	checker.Access
	silent bool
}

// told leaves out the reads that tell nothing, of a transaction that is ok.
func told(list []access, ok bool) []checker.Access {
	kept := make([]checker.Access, 0, len(list))
	for _, a := range list {
		if !ok || a.Write || !a.silent {
			kept = append(kept, a.Access)
		}
	}
	return kept
}

// accesses reads a list of [:read key value] and [:write key value].
func accesses(n *names, v any) ([]access, error) {
	const allowed = "; allowed: a list of [:read key value] and [:write key value]"
	list, ok := v.([]any)
	if !ok {
		return nil, fmt.Errorf("%s%s", describe(v), allowed)
	}
	all := make([]access, len(list))
	for i := range list {
		a, ok := list[i].([]any)
		if !ok || len(a) != 3 {
			return nil, fmt.Errorf("access %d: %s%s", i+1, describe(list[i]), allowed)
		}
		switch word(a[0]) {
		case "read", "r":
		case "write", "w":
			all[i].Write = true
		default:
			return nil, fmt.Errorf("access %d: %s%s", i+1, describe(a[0]), allowed)
		}
		var err error
		if all[i].Key, err = keyOf(a[1]); err != nil {
			return nil, fmt.Errorf("access %d: %w", i+1, err)
		}
		if all[i].Value, err = n.code(a[2]); err != nil {
			return nil, fmt.Errorf("access %d: %w", i+1, err)
		}
		all[i].silent = a[2] == nil
	}
	return all, nil
}

// keyOf is the name of a register: a keyword and the string of the same
// letters are one, a number is not the string of its digits.
func keyOf(v any) (string, error) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), nil
	case keyword, string:
		text := word(v)
		if _, err := strconv.ParseInt(text, 10, 64); err == nil || text == "" {
			return "", fmt.Errorf("register %s; allowed: a number or a name", describe(v))
		}
		return text, nil
	}
	return "", fmt.Errorf("register %s; allowed: a number or a name", describe(v))
}

func writeTransaction(n *names, op *checker.Operation) written {
	in := make([]any, len(op.Accesses))
	out := make([]any, len(op.Accesses))
	for i, a := range op.Accesses {
		var key any = keyword(a.Key)
		if number, err := strconv.ParseInt(a.Key, 10, 64); err == nil {
			key = number
		}
		if a.Write {
			in[i] = []any{keyword("write"), key, n.value(a.Value)}
			out[i] = in[i]
			continue
		}
		in[i] = []any{keyword("read"), key, nil}
		out[i] = []any{keyword("read"), key, n.told(a.Value)}
	}
	return written{in: in, out: out}
}
