package histfile

import (
	"fmt"
	"strconv"
)

// A value, in either form, is one of nil, int64, float64, bool, string,
// keyword, []any and map[string]any.

// keyword is EDN's, without its colon.
type keyword string

// nothing tells that there was no value, where nil tells nothing.
const nothing = keyword("nothing")

// describe names a value in errors.
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case keyword:
		return ":" + string(v)
	case string:
		return strconv.Quote(v)
	case []any:
		return fmt.Sprintf("a list of %d", len(v))
	case map[string]any:
		return "a map"
	}
	return fmt.Sprint(v)
}

// same is true for equal values.
func same(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k := range a {
			if other, there := b[k]; !there || !same(a[k], other) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}
