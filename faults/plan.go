package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Fault is one entry of a plan. Exactly one of Step, Request and Time says
// when it strikes: Step if > 0, else Request if > 0, else Time. CutRequest
// and CutReply always strike at a request, the first if none is named.
type Fault struct {
	Kind    Kind
	Client  int           // 0-based
	Step    int           // behind the run's k-th transition, from 1
	Request int           // at the client's n-th recipe request, from 1
	Time    time.Duration // at this time
	For     time.Duration // length of a pause, a partition or a delay; time until a restart
}

// String is the fault as [ParseFault] reads it, as "cut-reply:B@req3" or
// "pause:A@1.5s+12s".
func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s@", f.Kind, clientName(f.Client))
	switch {
	case f.Step > 0:
		fmt.Fprintf(&b, "step%d", f.Step)
	case f.Request > 0:
		fmt.Fprintf(&b, "req%d", f.Request)
	default:
		b.WriteString(f.Time.String())
	}
	if f.For > 0 {
		b.WriteString("+" + f.For.String())
	}
	return b.String()
}

// ParseFault reads kind:client@when[+length]: kind as [Kind.String] gives it,
// client a letter (A is the first) or a number from 0, when stepK, reqN or a
// duration.
func ParseFault(s string) (Fault, error) {
	bad := func(format string, args ...any) (Fault, error) {
		return Fault{}, fmt.Errorf("fault %q: %s; want kind:client@when[+length], as cut-reply:B@req3 or pause:A@1.5s+12s",
			s, fmt.Sprintf(format, args...))
	}
	kind, rest, ok := strings.Cut(s, ":")
	if !ok {
		return bad("no client")
	}
	k, err := ParseKind(kind)
	if err != nil {
		return Fault{}, err
	}
	who, when, ok := strings.Cut(rest, "@")
	if !ok {
		return bad("no moment")
	}
	f := Fault{Kind: k}
	if f.Client, err = parseClient(who); err != nil {
		return bad("client %q", who)
	}
	if at, length, long := strings.Cut(when, "+"); long {
		when = at
		if f.For, err = time.ParseDuration(length); err != nil || f.For <= 0 {
			return bad("length %q", length)
		}
	}
	switch {
	case strings.HasPrefix(when, "step"):
		f.Step, err = strconv.Atoi(when[len("step"):])
		ok = f.Step > 0
	case strings.HasPrefix(when, "req"):
		f.Request, err = strconv.Atoi(when[len("req"):])
		ok = f.Request > 0
	default:
		f.Time, err = time.ParseDuration(when)
		ok = f.Time >= 0 && !k.onRequest()
	}
	if err != nil || !ok {
		return bad("moment %q", when)
	}
	return f, nil
}

// Plan is what goes wrong in a run.
type Plan []Fault

// String is the plan on one line.
func (p Plan) String() string {
	s := make([]string, len(p))
	for i, f := range p {
		s[i] = f.String()
	}
	return strings.Join(s, " ")
}

// clientName is A, B, ... Z, then a number.
func clientName(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return strconv.Itoa(i)
}

func parseClient(s string) (int, error) {
	if len(s) == 1 && s[0] >= 'A' && s[0] <= 'Z' {
		return int(s[0] - 'A'), nil
	}
	n, err := strconv.Atoi(s)
	if err == nil && n < 0 {
		err = strconv.ErrRange
	}
	return n, err
}
