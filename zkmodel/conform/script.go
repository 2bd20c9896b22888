package conform

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"zoosim/zkmodel"
)

// Verb is what a [Step] does.
type Verb string

// The verbs.
const (
	VerbConnect Verb = "connect" // opens a connection and sends its connect request
	VerbDo      Verb = "do"      // sends a batch of requests on a connection at once
	VerbDrop    Verb = "drop"    // closes a connection without a word
	VerbExpire  Verb = "expire"  // waits until the session of a connection has expired
	VerbWait    Verb = "wait"    // lets time pass
)

// Step is one step of a [Script].
type Step struct {
	Verb Verb
	Conn string // its name, as "a"; not for wait

	// connect
	Timeout time.Duration // requested
	Session string        // the connection whose session is to be attached; empty for a new one
	Wrong   bool          // with a wrong password
	Seen    *int64        // lastZxidSeen, relative; nil for 0
	Old     bool          // without the byte on read-only servers
	Null    bool          // with a null password

	Ops []Op          // do
	For time.Duration // wait

	// NoZxid hides the zxids in the headers of what comes back (do): how many
	// were used up before may be a matter of time.
	NoZxid bool
}

// Op is one request of a batch: a [zkmodel.Request] in which zxids are
// relative, or bytes.
type Op struct {
	Request zkmodel.Request
	Raw     []byte // the body behind the header of a request of type Request.Op, if not nil
	Bare    bool   // Raw is a whole payload, header included
	Big     int    // pads the payload with zeros to this length, if greater than 0
	Xid     int32  // sent instead of the next one, if not 0
}

// Script is a list of steps.
type Script []Step

// String is the script as text, which [ParseStep] reads step by step.
func (s Script) String() string {
	var b strings.Builder
	for i := range s {
		b.WriteString(s[i].String())
		b.WriteString("\n")
	}
	return b.String()
}

// String is the step as text: a line with verb, connection and arguments, and
// a line for each request.
func (s *Step) String() string {
	line := string(s.Verb)
	if s.Conn != "" {
		line += " " + s.Conn
	}
	switch s.Verb {
	case VerbConnect:
		line += fmt.Sprintf(" timeout=%d", s.Timeout.Milliseconds())
		if s.Session != "" {
			line += " session=" + s.Session
		}
		if s.Wrong {
			line += " wrong"
		}
		if s.Seen != nil {
			line += fmt.Sprintf(" seen=%d", *s.Seen)
		}
		if s.Old {
			line += " old"
		}
		if s.Null {
			line += " null"
		}
	case VerbDo:
		if s.NoZxid {
			line += " nozxid"
		}
	case VerbWait:
		line += fmt.Sprintf(" ms=%d", s.For.Milliseconds())
	}
	for i := range s.Ops {
		line += "\n" + s.Ops[i].String()
	}
	return line
}

// Arg is an argument of a step: a word, or a key with values.
type Arg struct {
	Key  string
	Vals []string
}

// ParseStep reads a step from its verb, its arguments (the first is the
// connection) and the lines of its requests.
func ParseStep(verb string, args []Arg, lines string) (Step, error) {
	s := Step{Verb: Verb(verb)}
	if s.Verb != VerbWait {
		if len(args) == 0 || len(args[0].Vals) > 0 {
			return s, fmt.Errorf("%s: no connection is named", verb)
		}
		s.Conn, args = args[0].Key, args[1:]
	}
	for _, a := range args {
		val, num := "", 0
		if len(a.Vals) > 0 {
			val = a.Vals[0]
			num, _ = strconv.Atoi(val)
		}
		switch a.Key {
		case "timeout":
			s.Timeout = time.Duration(num) * time.Millisecond
		case "session":
			s.Session = val
		case "wrong":
			s.Wrong = true
		case "old":
			s.Old = true
		case "null":
			s.Null = true
		case "nozxid":
			s.NoZxid = true
		case "seen":
			seen := int64(num)
			s.Seen = &seen
		case "ms":
			s.For = time.Duration(num) * time.Millisecond
		default:
			return s, fmt.Errorf("%s %s: unknown argument %s", verb, s.Conn, a.Key)
		}
	}
	switch s.Verb {
	case VerbConnect, VerbDrop, VerbExpire, VerbWait:
		return s, nil
	case VerbDo:
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			op, err := ParseOp(line)
			if err != nil {
				return s, err
			}
			s.Ops = append(s.Ops, op)
		}
		return s, nil
	}
	return s, fmt.Errorf("unknown verb %q; allowed: connect, do, drop, expire, wait", verb)
}
