package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Fault is one entry of a plan. Exactly one of Step, Request and Time says
// when it strikes: Step if > 0, else Request if > 0, else Time. CutRequest
// and CutReply always strike at a request, the first if none is named; Step
// and Time mean nothing for them. For means nothing for kinds that do not
// last.
type Fault struct {
	Kind    Kind
	Client  int           // 0-based
	Step    int           // behind the run's k-th transition, from 1
	Request int           // at the client's n-th recipe request, from 1
	Time    time.Duration // at this time
	For     time.Duration // length of a pause, a partition, a delay or a lag; time until a restart
}

// String is the fault as [ParseFault] reads it, as "cut-reply:B@req3" or
// "pause:A@1.5s+12s".
func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%s@", f.Kind, clientName(f.Client))
	switch {
	case f.Kind.onRequest():
		fmt.Fprintf(&b, "req%d", max(f.Request, 1))
	case f.Step > 0:
		fmt.Fprintf(&b, "step%d", f.Step)
	case f.Request > 0:
		fmt.Fprintf(&b, "req%d", f.Request)
	default:
		b.WriteString(f.Time.String())
	}
	if f.For > 0 && f.Kind.lasts() {
		b.WriteString("+" + f.For.String())
	}
	return b.String()
}

// The moments and the clients that ParseFault takes.
const (
	allowedMoments  = "stepK or reqN with a number from 1, or a duration from 0s, as 1.5s"
	allowedRequests = "reqN with a number from 1"
	allowedClients  = "A to Z or a number from 0"
)

// ParseFault reads kind:client@when[+length]: kind as [Kind.String] gives it,
// client a letter (A is the first) or a number from 0, when stepK, reqN or a
// duration. Kinds that do not last take no length, CutRequest and CutReply no
// moment but reqN.
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
		return Fault{}, fmt.Errorf("fault %q: %w", s, err)
	}
	who, when, ok := strings.Cut(rest, "@")
	if !ok {
		return bad("no moment")
	}
	f := Fault{Kind: k}
	if f.Client, err = parseClient(who); err != nil {
		return bad("client %q; allowed: %s", who, allowedClients)
	}
	if at, length, long := strings.Cut(when, "+"); long {
		when = at
		if !k.lasts() {
			return bad("a %s has no length; allowed for %s", k, lasting())
		}
		if f.For, err = time.ParseDuration(length); err != nil || f.For <= 0 {
			return bad("length %q; allowed: a duration above 0s, as 12s", length)
		}
	}
	if !f.parseMoment(when) {
		if k.onRequest() {
			return bad("moment %q; allowed for %s: %s", when, k, allowedRequests)
		}
		return bad("moment %q; allowed: %s", when, allowedMoments)
	}
	return f, nil
}

// parseMoment sets when the fault strikes; false if the text is no moment of
// its kind.
func (f *Fault) parseMoment(when string) bool {
	if n, ok := strings.CutPrefix(when, "req"); ok {
		f.Request = parseCount(n)
		return f.Request > 0
	}
	if f.Kind.onRequest() {
		return false
	}
	if n, ok := strings.CutPrefix(when, "step"); ok {
		f.Step = parseCount(n)
		return f.Step > 0
	}
	var err error
	f.Time, err = time.ParseDuration(when)
	return err == nil && f.Time >= 0
}

// parseCount reads digits; 0 if they are no number from 1.
func parseCount(s string) int {
	n, err := strconv.ParseUint(s, 10, strconv.IntSize-1)
	if err != nil {
		return 0
	}
	return int(n)
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
	n, err := strconv.ParseUint(s, 10, strconv.IntSize-1)
	return int(n), err
}
