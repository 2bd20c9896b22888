package histfile

import (
	"fmt"
	"strconv"
	"strings"

	"zoosim/checker"
)

// names stand for values that are no whole numbers. The numbers that they get
// are next to checker.None, where no history has any of its own: see
// minNumber.
type names struct {
	values []any
	codes  map[any]int64
}

// minNumber and maxNumber bound the whole numbers of a history.
const (
	minNumber int64 = -1 << 62
	maxNumber int64 = 1<<62 - 1
)

// code is the number of an opaque value, None for nil and :nothing.
func (n *names) code(v any) (int64, error) {
	switch v := v.(type) {
	case nil:
		return checker.None, nil
	case int64:
		if v < minNumber || v > maxNumber {
			return 0, fmt.Errorf("%d; allowed: whole numbers from %d to %d", v, minNumber, maxNumber)
		}
		return v, nil
	case []any, map[string]any:
		return 0, fmt.Errorf("%s; allowed: a number, keyword, string or boolean, or nil", describe(v))
	}
	if v == nothing {
		return checker.None, nil
	}
	if c, known := n.codes[v]; known {
		return c, nil
	}
	if n.codes == nil {
		n.codes = map[any]int64{}
	}
	n.values = append(n.values, v)
	c := checker.None + int64(len(n.values))
	n.codes[v] = c
	return c, nil
}

// value is what a number stands for.
func (n *names) value(code int64) any {
	if code == checker.None {
		return nil
	}
	if code <= checker.None+int64(len(n.values)) {
		return n.values[code-checker.None-1]
	}
	return code
}

// told is value for an output, where nil would tell nothing.
func (n *names) told(code int64) any {
	if code == checker.None {
		return nothing
	}
	return n.value(code)
}

// restore puts the values into a sentence that tells their numbers. All these
// numbers have as many digits, so none is the beginning of another.
func (n *names) restore(sentence string) string { return n.replacer().Replace(sentence) }

// replacer puts the values back for their codes.
func (n *names) replacer() *strings.Replacer {
	var pairs []string
	for i, v := range n.values {
		pairs = append(pairs, strconv.FormatInt(checker.None+int64(i)+1, 10), describe(v))
	}
	return strings.NewReplacer(pairs...)
}
