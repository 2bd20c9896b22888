package histfile

import "time"

// eventType is what an event tells.
type eventType uint8

const (
	invoked eventType = iota
	succeeded
	failed
	unknown
)

// eventTypes are the types as files write them.
var eventTypes = [...]string{invoked: "invoke", succeeded: "ok", failed: "fail", unknown: "info"}

// event is one event of a client.
type event struct {
	line    int
	process int64
	typ     eventType
	f       string
	value   any
	result  any
	timed   bool
	time    time.Duration
	object  string
	owned   bool
	owner   int64
}

// nemesis is the process of the events that tell of faults.
const nemesis = "nemesis"

// toEvent makes an event of the fields of a map. It is nil for the nemesis.
func toEvent(line int, fields map[string]any) (*event, error) {
	e := &event{line: line}
	process, there := fields["process"]
	switch p := process.(type) {
	case int64:
		e.process = p
	default:
		if word(p) == nemesis {
			return nil, nil
		}
		if !there {
			return nil, fault(line, "no process; allowed: a whole number from 0, or :nemesis")
		}
		return nil, fault(line, "process %s; allowed: a whole number from 0, or :nemesis", describe(p))
	}
	if e.process < 0 || e.process > maxProcess {
		return nil, fault(line, "process %d; allowed: 0 to %d, or :nemesis", e.process, maxProcess)
	}
	typ := word(fields["type"])
	known := false
	for t, name := range eventTypes {
		if name == typ {
			e.typ, known = eventType(t), true
		}
	}
	if !known {
		return nil, fault(line, "type %s; allowed: invoke, ok, fail, info", describe(fields["type"]))
	}
	if e.f = word(fields["f"]); e.f == "" {
		return nil, fault(line, "f %s; allowed: the name of an operation", describe(fields["f"]))
	}
	e.value, e.result = fields["value"], fields["result"]
	return e, e.extras(fields)
}

// maxProcess is the highest number of a process.
const maxProcess = 1<<31 - 1

// extras reads the fields that need not be there.
func (e *event) extras(fields map[string]any) error {
	if v := fields["time"]; v != nil {
		at, ok := v.(int64)
		if !ok {
			return fault(e.line, "time %s; allowed: whole nanoseconds", describe(v))
		}
		e.timed, e.time = true, time.Duration(at)
	}
	if v := fields["object"]; v != nil {
		if e.object = word(v); e.object == "" {
			return fault(e.line, "object %s; allowed: a name", describe(v))
		}
	}
	if v := fields["owner"]; v != nil {
		owner, ok := v.(int64)
		if !ok || owner < 1 || owner > maxProcess {
			return fault(e.line, "owner %s; allowed: 1 to %d", describe(v), maxProcess)
		}
		e.owned, e.owner = true, owner
	}
	return nil
}

// word is a keyword or a string, "" for anything else.
func word(v any) string {
	switch v := v.(type) {
	case keyword:
		return string(v)
	case string:
		return v
	}
	return ""
}

// unpair takes the object out of a value that is a pair of it and the value.
func (e *event) unpair() error {
	if e.value == nil && e.typ != invoked {
		return nil
	}
	key, value, err := two(e.value, "[key value]")
	if err != nil {
		return fault(e.line, "value %v", err)
	}
	if key == nil || e.object != "" {
		return fault(e.line, "object %q and key %s; allowed: a key, and no object", e.object, describe(key))
	}
	e.object, e.value = describe(key), value
	return nil
}
