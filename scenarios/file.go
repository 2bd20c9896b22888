package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"zoosim/faults"
	"zoosim/zkmodel"
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
		{"writers", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Writers, n) }},
		{"readers", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Readers, n) }},
		{"producers", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Producers, n) }},
		{"consumers", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Consumers, n) }},
		{"members", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Members, n) }},
		{"observers", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Observers, n) }},
		{"leases", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Leases, n) }},
		{"permits", "0 to the number of leases", func(s *Scenario, n ast.Node) error { return number(&s.Permits, n) }},
		{"stock", "0 to 256", func(s *Scenario, n ast.Node) error { return number(&s.Stock, n) }},
		{"bare", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.Bare, n) }},
		{"counter", "0 to 2147483647", func(s *Scenario, n ast.Node) error { return number(&s.Counter, n) }},
		{"documentedWrap", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.DocumentedWrap, n) }},
		{"foreign", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.Foreign, n) }},
		{"downgrade", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.Downgrade, n) }},
		{"samePut", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.SamePut, n) }},
		{"itemBytes", "0 to 8388608", func(s *Scenario, n ast.Node) error { return number(&s.ItemBytes, n) }},
		{"renew", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.Renew, n) }},
		{"usage", "plain, nested, crossed, throwing, purged", func(s *Scenario, n ast.Node) error { return text((*string)(&s.Usage), n) }},
		{"ops", "1 to 1000", func(s *Scenario, n ast.Node) error { return number(&s.Ops, n) }},
		{"attempts", "1 to 9", func(s *Scenario, n ast.Node) error { return number(&s.Attempts, n) }},
		{"mode", "blocking, timed, try, mixed", func(s *Scenario, n ast.Node) error { return text((*string)(&s.Mode), n) }},
		{"limit", "a duration such as 5s; 0s draws it", func(s *Scenario, n ast.Node) error { return duration(&s.Limit, n) }},
		{"hold", "a duration such as 4s", func(s *Scenario, n ast.Node) error {
			s.FixedHold = true
			return duration(&s.Hold, n)
		}},
		{"arrivals", "drawn, together", func(s *Scenario, n ast.Node) error { return text((*string)(&s.Arrivals), n) }},
		{"sessionTimeout", "a duration such as 6s", func(s *Scenario, n ast.Node) error { return duration(&s.SessionTimeout, n) }},
		{"tick", "a duration such as 2s", func(s *Scenario, n ast.Node) error { return duration(&s.Tick, n) }},
		{"servers", "1, 3, 5", func(s *Scenario, n ast.Node) error { return number(&s.Servers, n) }},
		{"faults", "a mapping of kinds to the most of each, as {crash: 1, cut-reply: 2}", setBudget},
		{"plan", "a list of faults, as [cut-reply:B@req3, pause:A@1.5s+12s]", setPlan},
		{"untimed", "true, false", func(s *Scenario, n ast.Node) error { return boolean(&s.Untimed, n) }},
		{"sessionsOpen", "false, or true in an untimed run", func(s *Scenario, n ast.Node) error { return boolean(&s.SessionsOpen, n) }},
		{"moves", "0 or more; 0 sets no bound", func(s *Scenario, n ast.Node) error { return number(&s.Moves, n) }},
		{"core", "0, or up to the number of clients", func(s *Scenario, n ast.Node) error { return number(&s.Core, n) }},
		{"serverMutant", "none, " + mutantNames(), func(s *Scenario, n ast.Node) error {
			var name string
			err := text(&name, n)
			if err != nil {
				return err
			}
			if s.ServerMutant, err = zkmodel.ParseMutant(name); err != nil {
				return fmt.Errorf("unknown mutant %q", name)
			}
			return nil
		}},
		{"serial", "false, or true without faults and plan", func(s *Scenario, n ast.Node) error { return boolean(&s.Serial, n) }},
	}
}

func mutantNames() string {
	var names []string
	for _, m := range zkmodel.Mutants() {
		names = append(names, m.String())
	}
	return strings.Join(names, ", ")
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
	r := reader{name: name, lines: map[string]int{}}
	root, err := r.root(b)
	if err != nil {
		return Scenario{}, err
	}
	r.s = Default(variantOf(root))
	for _, kv := range root {
		if err := r.field(kv); err != nil {
			return Scenario{}, err
		}
	}
	if r.lines["variant"] == 0 {
		return Scenario{}, r.fail(0, "variant", "the file does not set it; allowed: %s", variantNames())
	}
	r.s.countClients(r.lines)
	if err := r.s.Validate(); err != nil {
		return Scenario{}, r.invalid(err)
	}
	return r.s, nil
}

// variantOf is the variant that a file names, "" if it names none.
func variantOf(root []*ast.MappingValueNode) string {
	name := ""
	for _, kv := range root {
		if keyText(kv.Key) == "variant" {
			_ = text(&name, kv.Value) // wrong ones are told where fields are read
		}
	}
	return name
}

// countClients makes the numbers of clients agree where a file sets some of
// them: given lists the fields that it sets.
func (s *Scenario) countClients(given map[string]int) {
	v, ok := ByName(s.Variant)
	if !ok {
		return
	}
	roles := false
	for _, r := range allRoles() {
		roles = roles || given[r.field()] > 0
	}
	switch {
	case given["clients"] == 0:
		v.family.addUp(s)
	case !roles:
		v.family.share(s)
	}
}

// reader is what is known of a scenario file while it is read.
type reader struct {
	name  string
	s     Scenario
	lines map[string]int // by field, and by entry of the plan, as plan[0]
}

func (r *reader) fail(line int, field, format string, args ...any) error {
	return &InputError{r.name, line, field, fmt.Sprintf(format, args...)}
}

// root parses a file of one document, a mapping, and returns its entries.
func (r *reader) root(b []byte) ([]*ast.MappingValueNode, error) {
	b = bytes.TrimPrefix(b, []byte("\ufeff")) // a byte order mark
	f, err := parser.ParseBytes(b, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, r.fail(yamlLine(err), "", "no YAML: %s; allowed: a mapping of fields, indented with blanks", yamlMessage(err))
	}
	var body ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.DirectiveType {
			continue
		}
		if body != nil {
			return nil, r.fail(line(d.Body), "", "a second document begins; allowed: 1")
		}
		body = d.Body
	}
	if body == nil {
		return nil, r.fail(0, "", "the file is empty; allowed fields: %s", fieldNames())
	}
	kvs, ok := pairs(body)
	if !ok {
		return nil, r.fail(line(body), "", "%s is no mapping of fields; allowed fields: %s", describe(body), fieldNames())
	}
	return kvs, nil
}

// field reads one entry of the file's mapping.
func (r *reader) field(kv *ast.MappingValueNode) error {
	key, at := keyText(kv.Key), line(kv.Key)
	i := slices.IndexFunc(fields(), func(f field) bool { return f.name == key })
	if i < 0 {
		return r.fail(at, printable(key), "unknown field; allowed: %s", fieldNames())
	}
	if first := r.lines[key]; first > 0 {
		return r.fail(at, key, "set twice, first in line %d; allowed: once", first)
	}
	r.lines[key] = at
	fd := fields()[i]
	if err := fd.set(&r.s, kv.Value); err != nil {
		var ee *entryError
		if errors.As(err, &ee) {
			return r.fail(ee.line, key+ee.entry, "%v", ee.err)
		}
		if n := line(kv.Value); n > 0 {
			at = n
		}
		return r.fail(at, key, "%v; allowed: %s", err, fd.allowed)
	}
	if list, ok := kv.Value.(*ast.SequenceNode); ok {
		for i, item := range list.Values {
			r.lines[key+entryName(i)] = line(item)
		}
	}
	return nil
}

// invalid puts the line to what [Scenario.Validate] says.
func (r *reader) invalid(err error) error {
	var fe *FieldError
	if !errors.As(err, &fe) {
		return r.fail(0, "", "%v", err)
	}
	msg := fe.Msg
	if i := slices.IndexFunc(fields(), func(f field) bool { return f.name == fe.Field }); i >= 0 && !strings.Contains(msg, "allowed") {
		msg += "; allowed: " + fields()[i].allowed
	}
	return r.fail(r.lines[fe.Field], fe.Field, "%s", msg)
}

// entryName is how an entry of a list is called behind its field.
func entryName(i int) string { return "[" + strconv.Itoa(i) + "]" }

// keyText is the text of a key; what is no text is no field either.
func keyText(n ast.MapKeyNode) string {
	if k, ok := n.(*ast.MappingKeyNode); ok && k.Value != nil {
		if s, ok := scalar(k.Value); ok {
			return s
		}
	}
	if s, ok := scalar(n); ok {
		return s
	}
	return n.String()
}

// printable is a key that can stand in a line of text.
func printable(key string) string {
	if q := strconv.Quote(key); key == "" || q != `"`+key+`"` {
		return q
	}
	return key
}

// pairs are the entries of a mapping; false for other nodes.
func pairs(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// line is where a node begins, 0 if it has no text.
func line(n ast.Node) int {
	switch n := n.(type) {
	case nil:
		return 0
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return line(n.Values[0])
		}
	case *ast.MappingValueNode:
		return line(n.Key)
	}
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

func yamlLine(err error) int {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil && e.GetToken().Position != nil {
		return e.GetToken().Position.Line
	}
	return 0
}

// yamlMessage is what the parser says, on one line.
func yamlMessage(err error) string {
	msg := err.Error()
	var e yaml.Error
	if errors.As(err, &e) {
		msg = e.GetMessage()
	}
	return strings.NewReplacer("\t", `\t`, "\n", " ").Replace(msg)
}

// scalar is the text of a scalar, false for other nodes and for null.
func scalar(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// describe names a node in an error.
func describe(n ast.Node) string {
	if s, ok := scalar(n); ok {
		return strconv.Quote(s)
	}
	switch n.(type) {
	case nil, *ast.NullNode:
		return "no value"
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	}
	return "an anchor, an alias or a tag"
}

func text(to *string, n ast.Node) error {
	s, ok := scalar(n)
	if !ok {
		return fmt.Errorf("%s is not a text", describe(n))
	}
	*to = s
	return nil
}

// number takes decimal digits alone: no other base, no leading zero.
func number(to *int, n ast.Node) error {
	s, _ := scalar(n)
	v, err := strconv.Atoi(s)
	if err != nil || strconv.Itoa(v) != s {
		return fmt.Errorf("%s is not a whole number", describe(n))
	}
	*to = v
	return nil
}

func boolean(to *bool, n ast.Node) error {
	b, ok := n.(*ast.BoolNode)
	if !ok {
		return fmt.Errorf("%s is not true or false", describe(n))
	}
	*to = b.Value
	return nil
}

func duration(to *time.Duration, n ast.Node) error {
	s, ok := scalar(n)
	d, err := time.ParseDuration(s)
	if !ok || err != nil {
		return fmt.Errorf("%s is not a duration", describe(n))
	}
	*to = d
	return nil
}

// entryError says which entry of a field is wrong, and in which line; its
// text names what is allowed there.
type entryError struct {
	line  int
	entry string // as ".crash" or "[2]"; "" for the field itself
	err   error
}

func (e *entryError) Error() string { return e.err.Error() }

func setBudget(s *Scenario, n ast.Node) error {
	kvs, ok := pairs(n)
	if !ok {
		return fmt.Errorf("%s is not a mapping", describe(n))
	}
	lines := map[faults.Kind]int{}
	for _, kv := range kvs {
		at := line(kv.Key)
		k, err := faults.ParseKind(keyText(kv.Key))
		if err != nil {
			return &entryError{at, "", err}
		}
		name := "." + k.String()
		if lines[k] > 0 {
			return &entryError{at, name, fmt.Errorf("set twice, first in line %d; allowed: once", lines[k])}
		}
		lines[k] = at
		v := -1
		if err := number(&v, kv.Value); err != nil {
			return &entryError{at, name, fmt.Errorf("%w; allowed: 0 to %d", err, maxFaults)}
		}
		if v < 0 || v > maxFaults {
			return &entryError{at, name, fmt.Errorf("%d faults; allowed: 0 to %d", v, maxFaults)}
		}
		s.Faults[k] = v
	}
	return nil
}

// maxFaults is the most faults of one kind, as [faults.ParseBudget] has it.
const maxFaults = 99

func setPlan(s *Scenario, n ast.Node) error {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return fmt.Errorf("%s is not a list", describe(n))
	}
	for i, item := range list.Values {
		var t string
		if err := text(&t, item); err != nil {
			return &entryError{line(item), entryName(i), fmt.Errorf("%w; allowed: a fault, as cut-reply:B@req3", err)}
		}
		f, err := faults.ParseFault(t)
		if err != nil {
			return &entryError{line(item), entryName(i), err}
		}
		s.Plan = append(s.Plan, f)
	}
	return nil
}
