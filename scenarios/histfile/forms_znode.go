package histfile

import (
	"fmt"
	"slices"
	"strings"

	"zoosim/checker"
)

// znodeForms are those of the model znodes, whose values are maps.
func znodeForms() map[string]operationForm {
	forms := map[string]operationForm{}
	for _, k := range []checker.OpKind{
		checker.OpCreate, checker.OpDelete, checker.OpSet, checker.OpGet,
		checker.OpExists, checker.OpChildren, checker.OpClose,
	} {
		forms[k.String()] = operationForm{k, readZnode, writeZnode}
	}
	return forms
}

// znodeFields are the fields of a value, by kind.
var znodeFields = map[checker.OpKind][]string{
	checker.OpCreate: {"path", "data", "session", "sequential"},
	checker.OpDelete: {"path", "version"},
	checker.OpSet:    {"path", "data", "version"},
	checker.OpGet:    {"path"}, checker.OpExists: {"path"}, checker.OpChildren: {"path"},
	checker.OpClose: {"session"},
}

// resultFields are the fields of a result, by kind.
var resultFields = map[checker.OpKind][]string{
	checker.OpCreate: {"error", "path"},
	checker.OpDelete: {"error"},
	checker.OpSet:    {"error", "version"}, checker.OpExists: {"error", "version"},
	checker.OpGet:      {"error", "data", "version"},
	checker.OpChildren: {"error", "children", "version"},
	checker.OpClose:    {},
}

// fields is a map whose fields are asked for one by one; the first that is of
// the wrong kind is the error.
type fields struct {
	m   map[string]any
	err error
}

func fieldsOf(v any, names []string) *fields {
	m, ok := v.(map[string]any)
	f := &fields{m: m}
	if !ok && v != nil {
		f.err = fmt.Errorf("%s; allowed: a map of %s", describe(v), strings.Join(names, ", "))
	}
	for name := range m {
		if !slices.Contains(names, name) {
			f.err = fmt.Errorf("field %q; allowed: %s", name, strings.Join(names, ", "))
		}
	}
	return f
}

func (f *fields) fail(name string, want string) {
	if f.err == nil {
		f.err = fmt.Errorf("%s %s; allowed: %s", name, describe(f.m[name]), want)
	}
}

func (f *fields) number(name string, otherwise int64) int64 {
	v, there := f.m[name]
	if !there || v == nil {
		return otherwise
	}
	n, err := whole(v)
	if err != nil {
		f.fail(name, "a whole number")
	}
	return n
}

func (f *fields) text(name string) string {
	switch v := f.m[name].(type) {
	case nil:
	case string:
		return v
	case keyword: // what JSON lines make of a string with a colon
		return ":" + string(v)
	default:
		f.fail(name, "a string")
	}
	return ""
}

func readZnode(_ *names, c *call, op *checker.Operation) error {
	v, err := c.given()
	if err != nil {
		return err
	}
	f := fieldsOf(v, znodeFields[op.Kind])
	op.Key, op.Data = f.text("path"), f.text("data")
	switch op.Kind {
	case checker.OpCreate, checker.OpClose:
		op.In = f.number("session", 0)
		if sequential, _ := f.m["sequential"].(bool); sequential {
			op.In2 = 1
		}
	case checker.OpDelete, checker.OpSet:
		op.In = f.number("version", -1)
	}
	if op.Kind != checker.OpClose && !strings.HasPrefix(op.Key, "/") {
		f.fail("path", "a string that begins with a slash")
	}
	if f.err != nil || !c.ok() {
		return f.err
	}
	r := fieldsOf(c.end.result, resultFields[op.Kind])
	op.Out, op.Out2 = r.number("version", checker.None), r.number("error", 0)
	switch op.Kind {
	case checker.OpCreate:
		op.Result = r.text("path")
		if op.In2 == 1 && op.Out2 == 0 && op.Result == "" {
			r.fail("path", "the path of the sequential node")
		}
	case checker.OpGet:
		op.Result = r.text("data")
	case checker.OpChildren:
		op.Result = r.children()
	}
	if r.err != nil {
		return fmt.Errorf("result: %w", r.err)
	}
	return nil
}

// children is the names of the children, sorted and joined.
func (f *fields) children() string {
	list, ok := f.m["children"].([]any)
	if !ok && f.m["children"] != nil {
		f.fail("children", "a list of names")
	}
	names := make([]string, len(list))
	for i := range list {
		name, ok := list[i].(string)
		if !ok {
			f.fail("children", "a list of names")
		}
		names[i] = name
	}
	slices.Sort(names)
	return strings.Join(names, ",")
}

func writeZnode(_ *names, op *checker.Operation) written {
	in := map[string]any{}
	if op.Kind != checker.OpClose {
		in["path"] = op.Key
	}
	switch op.Kind {
	case checker.OpCreate:
		in["data"], in["session"], in["sequential"] = op.Data, op.In, op.In2 != 0
	case checker.OpSet:
		in["data"], in["version"] = op.Data, op.In
	case checker.OpDelete:
		in["version"] = op.In
	case checker.OpClose:
		in["session"] = op.In
	}
	w := written{in: in, out: in}
	if op.Kind != checker.OpClose {
		w.result = znodeResult(op)
	}
	return w
}

func znodeResult(op *checker.Operation) map[string]any {
	out := map[string]any{}
	if op.Out2 != 0 {
		out["error"] = op.Out2
		return out
	}
	switch op.Kind {
	case checker.OpCreate:
		if op.In2 != 0 {
			out["path"] = op.Result
		}
		return out
	case checker.OpDelete:
		return out
	case checker.OpGet:
		out["data"] = op.Result
	case checker.OpChildren:
		children := []any{}
		for name := range strings.SplitSeq(op.Result, ",") {
			if name != "" {
				children = append(children, name)
			}
		}
		out["children"] = children
	}
	if op.Out != checker.None {
		out["version"] = op.Out
	}
	return out
}
