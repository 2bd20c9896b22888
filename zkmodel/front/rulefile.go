package front

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// maxScript is how long a script may be, in bytes.
const maxScript = 1 << 20

// ParseRules reads a script of faults in YAML: a mapping with the one field
// faults, a list of rules with the fields of [Rule] in lower case.
//
//	faults:
//	  - {do: cut-reply, op: create, count: 3}
//	  - {do: partition, session: 2, for: 5s, op: getData, path: /queue}
//
// name is that of the file, for errors, which name the line and the field too.
func ParseRules(name string, b []byte) ([]Rule, error) {
	if len(b) > maxScript {
		return nil, fmt.Errorf("%s: %d bytes; allowed: %d", name, len(b), maxScript)
	}
	var doc struct {
		Faults []Rule `yaml:"faults"`
	}
	if err := yaml.UnmarshalWithOptions(b, &doc, yaml.Strict()); err != nil {
		var e yaml.Error
		if errors.As(err, &e) && e.GetToken() != nil {
			return nil, fmt.Errorf("%s:%d: %s; allowed: %s", name, e.GetToken().Position.Line, oneLine(e.GetMessage()), allowedInScript)
		}
		return nil, fmt.Errorf("%s: %s; allowed: %s", name, oneLine(err.Error()), allowedInScript)
	}
	if len(doc.Faults) == 0 {
		return nil, fmt.Errorf("%s: no faults; allowed: %s", name, allowedInScript)
	}
	for i := range doc.Faults {
		if err := doc.Faults[i].check(0); err != nil {
			return nil, fmt.Errorf("%s:%d: faults[%d]: %w", name, ruleLine(b, i), i, err)
		}
	}
	return doc.Faults, nil
}

const allowedInScript = "faults: a list of {do, session, server, for, op, path, by, count}"

// ruleLine is the line in which the i-th rule begins.
func ruleLine(b []byte, i int) int {
	f, err := parser.ParseBytes(b, 0)
	if err != nil {
		return 0
	}
	p, err := yaml.PathString(fmt.Sprintf("$.faults[%d]", i))
	if err != nil {
		return 0
	}
	n, err := p.FilterFile(f)
	if err != nil || n == nil {
		return 0
	}
	return n.GetToken().Position.Line
}

func oneLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.ReplaceAll(s, "\t", `\t`)
}
