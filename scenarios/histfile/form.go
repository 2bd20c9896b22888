package histfile

import (
	"fmt"
	"path/filepath"
)

// Form is a form of history files.
type Form uint8

// The forms.
const (
	EDN       Form = iota // Jepsen's: one map an event
	JSONLines             // one JSON object an event and line
)

// FormOf tells the form from a file's name: .edn, .jsonl or .ndjson.
func FormOf(path string) (Form, error) {
	switch filepath.Ext(path) {
	case ".edn":
		return EDN, nil
	case ".jsonl", ".ndjson":
		return JSONLines, nil
	}
	return 0, fmt.Errorf("%s: not known by its name; allowed: names that end in .edn, .jsonl or .ndjson", path)
}

// LineError says what is wrong in a line of a file.
type LineError struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// fault is a LineError without its file.
func fault(line int, format string, args ...any) error {
	return &LineError{Line: line, Msg: fmt.Sprintf(format, args...)}
}
