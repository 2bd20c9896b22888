package histfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// jsonFields are the fields of an event, with those that are not looked at.
var jsonFields = map[string]bool{
	"process": true, "type": true, "f": true, "value": true, "result": true,
	"time": true, "object": true, "owner": true,
	"index": false, "error": false, "node": false,
}

// readJSONLines reads the events of clients.
func readJSONLines(data []byte) ([]event, error) {
	var events []event
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		v, err := readJSON(d, 0)
		if err != nil {
			return nil, fault(line, "no JSON: %v", jsonReason(err))
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return nil, fault(line, "something follows the event; allowed: one object a line")
		}
		fields, ok := v.(map[string]any)
		if !ok {
			return nil, fault(line, "%s; allowed: one object a line", describe(v))
		}
		for name := range fields {
			if _, known := jsonFields[name]; !known {
				return nil, fault(line, "unknown field %q; allowed: process, type, f, value, result, time, object, "+
					"owner, and index, error and node, which are not looked at", name)
			}
		}
		e, err := toEvent(line, fields)
		if err != nil {
			return nil, err
		}
		if e != nil {
			events = append(events, *e)
		}
	}
	return events, nil
}

// jsonReason says what ends too early.
func jsonReason(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the line ends too early")
	}
	return err
}

// readJSON reads a value. Unlike the library it refuses a field that is there
// twice.
func readJSON(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("brackets are nested deeper than %d", maxDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return n, nil
		}
		x, err := t.Float64()
		if err != nil || x == math.Trunc(x) && !strings.ContainsAny(t.String(), ".eE") {
			return nil, fmt.Errorf("%s is beyond 64 bits", t)
		}
		return x, nil
	case string:
		if strings.HasPrefix(t, ":") && len(t) > 1 {
			return keyword(t[1:]), nil
		}
		return t, nil
	case json.Delim:
		if t == '[' {
			return readJSONList(d, depth)
		}
		return readJSONMap(d, depth)
	}
	return token, nil // a boolean or null
}

func readJSONList(d *json.Decoder, depth int) (any, error) {
	list := []any{}
	for d.More() {
		v, err := readJSON(d, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	_, err := d.Token()
	return list, err
}

func readJSONMap(d *json.Decoder, depth int) (any, error) {
	fields := map[string]any{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, _ := key.(string) // the library lets nothing else pass
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("the field %q is there twice", name)
		}
		if fields[name], err = readJSON(d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return fields, err
}
