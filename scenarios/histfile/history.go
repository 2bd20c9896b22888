package histfile

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"zoosim/checker"
)

// History is a history of operations with the model that it is read for.
type History struct {
	// File is the path that it was read from, "" for one made by [New].
	File string
	// Model is what [checker.ModelByName] made of the name.
	Model checker.Model
	// Operations are in the order of their invocations. Call and Return are
	// the lines of the events, or, of a file with several events on a line,
	// their numbers from 1; CallAt and ReturnAt are the recorded times. A
	// client is the process of that number.
	Operations []checker.Operation
	// Lines is true if Call and Return are lines.
	Lines bool

	names names
	// anonymous is true if nobody tells who owns the holds of a lock.
	anonymous bool
}

// New makes a history of operations, for [Write]. The error is that of
// [checker.ModelByName], or says that files of that model have no form.
func New(model string, ops []checker.Operation) (*History, error) {
	m, err := checker.ModelByName(model)
	if err != nil {
		return nil, err
	}
	if _, err := opsOf(m); err != nil {
		return nil, err
	}
	return &History{Model: m, Operations: ops}, nil
}

// Read reads the whole file for a model, as [checker.ModelByName] takes its
// name. Errors about the content are a [LineError].
func Read(path, model string) (*History, error) { return readFile(path, model, Parse) }

// ReadIndependent is [Read] for a history on several objects in the way of
// jepsen.independent: see [ParseIndependent].
func ReadIndependent(path, model string) (*History, error) {
	return readFile(path, model, ParseIndependent)
}

func readFile(path, model string, parse func([]byte, Form, string) (*History, error)) (*History, error) {
	form, err := FormOf(path)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	h, err := parse(data, form, model)
	var le *LineError
	if errors.As(err, &le) {
		le.File = path
	}
	if err != nil {
		return nil, err
	}
	h.File = path
	return h, nil
}

// Parse is [Read] for the content of a file.
func Parse(data []byte, form Form, model string) (*History, error) {
	return parseEvents(data, form, model, func(*event) error { return nil })
}

// ParseIndependent is [Parse] for values that are pairs [key value], as
// jepsen.independent makes them: the key is the object, and objects are judged
// apart. Only an end may have nil in place of the pair.
func ParseIndependent(data []byte, form Form, model string) (*History, error) {
	return parseEvents(data, form, model, (*event).unpair)
}

func parseEvents(data []byte, form Form, model string, each func(*event) error) (*History, error) {
	h, err := New(model, nil)
	if err != nil {
		return nil, err
	}
	read := readEDN
	if form == JSONLines {
		read = readJSONLines
	}
	events, err := read(data)
	if err != nil {
		return nil, err
	}
	if len(events) == 0 {
		return nil, fault(1, "the file holds no operation")
	}
	for i := range events {
		if err := each(&events[i]); err != nil {
			return nil, err
		}
	}
	calls, err := pair(events)
	if err != nil {
		return nil, err
	}
	h.Lines = true
	for i := 1; i < len(events); i++ {
		h.Lines = h.Lines && events[i-1].line < events[i].line
	}
	return h, h.form(calls)
}

// form makes operations of calls.
func (h *History) form(calls []call) error {
	ops, err := opsOf(h.Model)
	if err != nil {
		return err
	}
	h.Operations = make([]checker.Operation, len(calls))
	for i := range calls {
		c := &calls[i]
		read, known := ops[c.begin.f]
		if !known {
			return fault(c.begin.line, "f %q; allowed for %s: %s", c.begin.f, h.Model.Name(), listed(ops))
		}
		op := &h.Operations[i]
		*op = c.operation(h.Lines)
		op.Kind = read.kind
		if err := read.read(&h.names, c, op); err != nil {
			return fault(c.line(), "%s: %v", c.begin.f, err)
		}
	}
	return h.own(calls)
}

// baseName is a model's name without its parameter.
func baseName(m checker.Model) string {
	base, _, _ := strings.Cut(m.Name(), ":")
	return base
}

// opsOf is how the operations of a model are read and written.
func opsOf(m checker.Model) (map[string]operationForm, error) {
	ops, known := operationForms()[baseName(m)]
	if !known {
		return nil, fmt.Errorf("histfile: the operations of %s have no form in files", m.Name())
	}
	return ops, nil
}
