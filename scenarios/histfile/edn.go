package histfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"

	"olympos.io/encoding/edn"
)

// ednFile is an EDN file that is being read.
type ednFile struct {
	data []byte
	src  *bytes.Reader
	rd   *bufio.Reader
	// counted is up to where lines are counted, and line is the line there.
	counted, line int
}

// readEDN reads the events of clients: maps on their own, or in one vector or
// list.
func readEDN(data []byte) ([]event, error) {
	if err := checkBrackets(data); err != nil {
		return nil, err
	}
	src := bytes.NewReader(data)
	f := &ednFile{data: data, src: src, rd: bufio.NewReader(src), line: 1}
	events, closing := []event(nil), byte(0)
	for first := true; ; {
		line, next, err := f.next()
		switch {
		case err != nil:
			return nil, err
		case next == 0:
			return events, nil
		case first && (next == '[' || next == '('):
			closing, first = map[byte]byte{'[': ']', '(': ')'}[next], false
			f.skip(1)
			continue
		case closing != 0 && next == closing:
			f.skip(1)
			if line, next, err = f.next(); err == nil && next != 0 {
				err = fault(line, "something follows the end of the history")
			}
			return events, err
		}
		first = false
		e, err := f.event(line)
		if err != nil {
			return nil, err
		}
		if e != nil {
			events = append(events, *e)
		}
	}
}

// position is how far the file was read.
func (f *ednFile) position() int { return len(f.data) - f.src.Len() - f.rd.Buffered() }

func (f *ednFile) skip(n int) { _, _ = f.rd.Discard(n) }

// next goes to what comes next, and tells its line and first byte, 0 for the
// end. Space, comments and discarded values are passed over.
func (f *ednFile) next() (line int, b byte, err error) {
	for {
		at := f.position()
		end := at + blank(f.data[at:])
		f.skip(end - at)
		f.line += bytes.Count(f.data[f.counted:end], []byte("\n"))
		f.counted = end
		rest := f.data[end:]
		switch {
		case len(rest) == 0:
			return f.line, 0, nil
		case !bytes.HasPrefix(rest, []byte("#_")):
			return f.line, rest[0], nil
		}
		f.skip(len("#_"))
		var ignored edn.RawMessage
		if err := edn.NewDecoder(f.rd).Decode(&ignored); err != nil {
			return 0, 0, fault(f.line, "no EDN: %v", err)
		}
	}
}

// blank is how much space and comments data begins with.
func blank(data []byte) int {
	i := 0
	for i < len(data) {
		switch data[i] {
		case ' ', ',', '\t', '\n', '\r', '\f', '\v':
			i++
		case ';':
			n := bytes.IndexByte(data[i:], '\n')
			if n < 0 {
				return len(data)
			}
			i += n
		default:
			return i
		}
	}
	return i
}

// event reads the map that comes next.
func (f *ednFile) event(line int) (*event, error) {
	var v any
	if err := decodeEDN(f.rd, &v); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fault(line, "the file ends within what begins here")
		}
		return nil, fault(line, "no EDN: %v", err)
	}
	if t, ok := v.(edn.Tag); ok {
		v = t.Value
	}
	m, ok := v.(map[any]any)
	if !ok {
		return nil, fault(line, "not a map; allowed: events as maps, alone or in one vector or list")
	}
	fields := map[string]any{}
	for _, name := range [...]string{"process", "type", "f", "value", "result", "time", "object", "owner"} {
		value, there := m[edn.Keyword(name)]
		if !there || (name == "value" || name == "result") && unused(fields) {
			continue
		}
		var err error
		if fields[name], err = fromEDN(value); err != nil {
			return nil, fault(line, "%s: %v", name, err)
		}
	}
	return toEvent(line, fields)
}

// unused is true for events whose values are not looked at, whatever they
// hold: a reason, a stack trace.
func unused(fields map[string]any) bool {
	return word(fields["process"]) == nemesis || word(fields["type"]) == eventTypes[failed] ||
		word(fields["type"]) == eventTypes[unknown]
}

// decodeEDN is the library's Decode, which panics on some input.
func decodeEDN(rd *bufio.Reader, v *any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return edn.NewDecoder(rd).Decode(v)
}

// fromEDN makes a value of what the library reads.
func fromEDN(v any) (any, error) {
	switch v := v.(type) {
	case nil, int64, float64, bool, string:
		return v, nil
	case edn.Keyword:
		return keyword(v), nil
	case edn.Symbol:
		return nil, fmt.Errorf("the symbol %s; allowed: numbers, keywords, strings, booleans, nil, vectors, maps", v)
	case edn.Tag:
		return fromEDN(v.Value)
	case big.Int:
		if v.IsInt64() {
			return v.Int64(), nil
		}
		return nil, fmt.Errorf("%s is beyond 64 bits", &v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			var err error
			if list[i], err = fromEDN(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[any]any:
		fields := make(map[string]any, len(v))
		for key, value := range v {
			name, ok := key.(edn.Keyword)
			if !ok {
				return nil, errors.New("a map with keys that are no keywords")
			}
			plain, err := fromEDN(value)
			if err != nil {
				return nil, err
			}
			fields[string(name)] = plain
		}
		return fields, nil
	}
	// Sets, characters, decimals.
	return nil, errors.New("no value; allowed: whole numbers, fractions, keywords, strings, booleans, nil, vectors, maps")
}
