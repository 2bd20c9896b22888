package scenarios

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"zoosim/faults"
)

// InputError is a fault in a file: where it is and what is allowed there.
type InputError struct {
	File  string // base name of the file
	Line  int    // from 1; 0 if the file as a whole is meant
	Field string // "" if none is meant
	Msg   string
}

// Error implements error, as "s.yaml:3: clients: 0 clients; allowed: 1 to 256".
func (e *InputError) Error() string {
	s := e.File
	if e.Line > 0 {
		s += ":" + strconv.Itoa(e.Line)
	}
	if e.Field != "" {
		s += ": " + e.Field
	}
	return s + ": " + e.Msg
}

// field is one field of a scenario file.
type field struct {
	name    string
	allowed string
	set     func(s *Scenario, n ast.Node) error
}

// fields lists what a scenario file may hold.
func fields() []field {
	return []field{
		{"variant", "a name that 'zoosim list' shows", func(s *Scenario, n ast.Node) error { return text(&s.Variant, n) }},
		{"clients", "1 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Clients, n) }},
		{"ops", "1 to 1000", func(s *Scenario, n ast.Node) error { return number(&s.Ops, n) }},
		{"mode", "blocking, timed, try, mixed", func(s *Scenario, n ast.Node) error { return text((*string)(&s.Mode), n) }},
		{"limit", "a duration such as 5s; 0s draws it", func(s *Scenario, n ast.Node) error { return duration(&s.Limit, n) }},
		{"hold", "a duration such as 4s", func(s *Scenario, n ast.Node) error {
			s.FixedHold = true
			return duration(&s.Hold, n)
		}},
		{"arrivals", "drawn, together", func(s *Scenario, n ast.Node) error { return text((*string)(&s.Arrivals), n) }},
		{"sessionTimeout", "a duration such as 6s", func(s *Scenario, n ast.Node) error { return duration(&s.SessionTimeout, n) }},
		{"tick", "a duration such as 2s", func(s *Scenario, n ast.Node) error { return duration(&s.Tick, n) }},
		{"faults", "a mapping of kinds to the most of each, as {crash: 1, cut-reply: 2}", setBudget},
		{"plan", "a list of faults, as [cut-reply:B@req3, pause:A@1.5s+12s]", setPlan},
		{"serial", "true, false", func(s *Scenario, n ast.Node) error {
			return decode(&s.Serial, n, "true or false")
		}},
	}
}

func fieldNames() string {
	var names []string
	for _, f := range fields() {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// ReadFile reads a scenario file. What the file does not say is as in
// [Default]. Every error is an [*InputError], or says that the file could not
// be read.
func ReadFile(name string) (Scenario, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		var pe *os.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return Scenario{}, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return Parse(filepath.Base(name), b)
}

// Parse reads the contents of a scenario file; name is for errors.
func Parse(name string, b []byte) (Scenario, error) {
	s := Default("")
	lines := map[string]int{}
	fail := func(line int, field, format string, args ...any) (Scenario, error) {
		return Scenario{}, &InputError{name, line, field, fmt.Sprintf(format, args...)}
	}
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return fail(yamlLine(err), "", "no YAML: %s", yamlMessage(err))
	}
	if len(f.Docs) == 0 || f.Docs[0].Body == nil {
		return fail(0, "", "the file is empty; fields: %s", fieldNames())
	}
	if len(f.Docs) > 1 {
		return fail(0, "", "the file holds %d documents; allowed: 1", len(f.Docs))
	}
	root := pairs(f.Docs[0].Body)
	if root == nil {
		return fail(line(f.Docs[0].Body), "", "no mapping of fields; fields: %s", fieldNames())
	}
	for _, kv := range root {
		key := kv.Key.String()
		i := indexField(key)
		if i < 0 {
			return fail(line(kv.Key), key, "unknown field; allowed: %s", fieldNames())
		}
		if lines[key] > 0 {
			return fail(line(kv.Key), key, "set twice, first in line %d", lines[key])
		}
		lines[key] = line(kv.Key)
		fd := fields()[i]
		if err := fd.set(&s, kv.Value); err != nil {
			at := line(kv.Value)
			var le *lineError
			if errors.As(err, &le) {
				at = le.line
			}
			return fail(at, key, "%v; allowed: %s", err, fd.allowed)
		}
	}
	if err := s.Validate(); err != nil {
		var fe *FieldError
		if errors.As(err, &fe) {
			base, _, _ := strings.Cut(fe.Field, "[")
			return fail(lines[base], fe.Field, "%s", fe.Msg)
		}
		return fail(0, "", "%v", err)
	}
	return s, nil
}

func indexField(name string) int {
	for i, f := range fields() {
		if f.name == name {
			return i
		}
	}
	return -1
}

// pairs are the entries of a mapping, nil for other nodes.
func pairs(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

func line(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func yamlLine(err error) int {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return e.GetToken().Position.Line
	}
	return 0
}

func yamlMessage(err error) string {
	var e yaml.Error
	if errors.As(err, &e) {
		return e.GetMessage()
	}
	return err.Error()
}

func decode[T any](to *T, n ast.Node, what string) error {
	if err := yaml.NodeToValue(n, to); err != nil {
		return fmt.Errorf("%q is not %s", n.String(), what)
	}
	return nil
}

func text(to *string, n ast.Node) error { return decode(to, n, "a text") }

func number(to *int, n ast.Node) error { return decode(to, n, "a whole number") }

func duration(to *time.Duration, n ast.Node) error {
	var s string
	if err := decode(&s, n, "a duration"); err != nil {
		return err
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("%q is not a duration", s)
	}
	*to = d
	return nil
}

// lineError says in which line within a field something is wrong.
type lineError struct {
	line int
	err  error
}

func (e *lineError) Error() string { return e.err.Error() }

func setBudget(s *Scenario, n ast.Node) error {
	m := pairs(n)
	if m == nil {
		return errors.New("no mapping")
	}
	for _, kv := range m {
		k, err := faults.ParseKind(kv.Key.String())
		if err != nil {
			return &lineError{line(kv.Key), err}
		}
		if err := number(&s.Faults[k], kv.Value); err != nil {
			return &lineError{line(kv.Value), err}
		}
		if s.Faults[k] < 0 || s.Faults[k] > 99 {
			return &lineError{line(kv.Value), fmt.Errorf("%s: %d is not 0 to 99", k, s.Faults[k])}
		}
	}
	return nil
}

func setPlan(s *Scenario, n ast.Node) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return errors.New("no list")
	}
	for _, item := range list.Values {
		var t string
		if err := text(&t, item); err != nil {
			return &lineError{line(item), err}
		}
		f, err := faults.ParseFault(t)
		if err != nil {
			return &lineError{line(item), err}
		}
		s.Plan = append(s.Plan, f)
	}
	return nil
}
