package histfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"olympos.io/encoding/edn"
)

// text is an event as a line of a file, without its end.
func (e *event) text(form Form) ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range e.fields() {
		if b.Len() > 1 {
			b.WriteByte(',')
			if form == EDN {
				b.WriteByte(' ')
			}
		}
		if err := f.put(&b, form); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// field is one of an event or of a map.
type field struct {
	name  string
	value any
	// enum is true for a string that is a keyword in EDN.
	enum bool
}

// fields are those that the event tells.
func (e *event) fields() []field {
	list := []field{
		{"process", e.process, false},
		{"type", eventTypes[e.typ], true},
		{"f", e.f, true},
		{"value", e.value, false},
	}
	if e.result != nil {
		list = append(list, field{"result", e.result, false})
	}
	if e.timed {
		list = append(list, field{"time", int64(e.time), false})
	}
	if e.object != "" {
		list = append(list, field{"object", e.object, false})
	}
	if e.owned {
		list = append(list, field{"owner", e.owner, false})
	}
	return list
}

func (f *field) put(b *bytes.Buffer, form Form) error {
	if form == JSONLines {
		if err := putJSON(b, f.name); err != nil {
			return err
		}
		b.WriteByte(':')
		return putValue(b, form, f.value)
	}
	b.WriteString(":" + f.name + " ")
	if name, ok := f.value.(string); ok && f.enum {
		return putValue(b, form, keyword(name))
	}
	return putValue(b, form, f.value)
}

// plainKeyword are the keywords that every reader takes.
var plainKeyword = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._*!?+/-]*$`)

// putValue writes a value: maps with their keys sorted.
func putValue(b *bytes.Buffer, form Form, v any) error {
	switch v := v.(type) {
	case []any:
		b.WriteByte('[')
		for i := range v {
			if i > 0 {
				b.WriteByte(map[Form]byte{EDN: ' ', JSONLines: ','}[form])
			}
			if err := putValue(b, form, v[i]); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	case map[string]any:
		b.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteString(map[Form]string{EDN: ", ", JSONLines: ","}[form])
			}
			if err := (&field{name: key, value: v[key]}).put(b, form); err != nil {
				return err
			}
		}
		b.WriteByte('}')
		return nil
	case keyword:
		switch {
		case form == JSONLines:
			return putJSON(b, ":"+string(v))
		case plainKeyword.MatchString(string(v)):
			b.WriteString(":" + string(v))
			return nil
		}
		return putValue(b, form, string(v))
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
		return nil
	}
	if form == JSONLines {
		return putJSON(b, v)
	}
	text, err := edn.Marshal(v)
	b.Write(text)
	return err
}

func putJSON(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	b.Truncate(len(bytes.TrimRight(b.Bytes(), "\n")))
	return err
}
