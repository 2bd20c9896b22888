package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Budget is the number of faults of each kind that a run may contain.
type Budget [NumKinds]int

// maxBudget is the most faults of one kind that a budget may hold.
const maxBudget = 99

// ParseBudget reads "crash=1,cut-reply=2"; "none" and "" are the empty
// budget. A kind without a number means 1; none is named twice.
func ParseBudget(s string) (Budget, error) {
	var b Budget
	if s == "" || s == "none" {
		return b, nil
	}
	var seen [NumKinds]bool
	for _, item := range strings.Split(s, ",") {
		name, count, counted := strings.Cut(item, "=")
		k, err := ParseKind(strings.TrimSpace(name))
		if err != nil {
			return Budget{}, fmt.Errorf("fault budget %q: %w", s, err)
		}
		if seen[k] {
			return Budget{}, fmt.Errorf("fault budget %q: %s is named twice", s, k)
		}
		seen[k], b[k] = true, 1
		if !counted {
			continue
		}
		count = strings.TrimSpace(count)
		n, err := strconv.ParseUint(count, 10, 8)
		if err != nil || n > maxBudget {
			return Budget{}, fmt.Errorf("fault budget %q: %s: %q is no number; allowed: 0 to %d", s, k, count, maxBudget)
		}
		b[k] = int(n)
	}
	return b, nil
}

// String is the budget as [ParseBudget] reads it.
func (b Budget) String() string {
	var s []string
	for k, n := range b {
		if n > 0 {
			s = append(s, fmt.Sprintf("%s=%d", Kind(k), n))
		}
	}
	if len(s) == 0 {
		return "none"
	}
	return strings.Join(s, ",")
}

// Generator draws plans.
type Generator struct {
	// Budget is the most faults of each kind; how many strike is drawn.
	Budget Budget
	// Clients is the number of clients.
	Clients int
	// Requests is the largest number of a request at which a fault strikes;
	// default 12.
	Requests int
	// Times are the times at which a fault may strike, in increasing order;
	// default (nil) 0 to 12 s. Without any, faults strike at requests alone.
	Times []time.Duration
	// Lengths are the lengths of pauses, partitions, delays and lags and the times
	// until a restart, the most benign first; default 50 ms to 30 s.
	Lengths []time.Duration
	_       struct{}
}

var defaultTimes = []time.Duration{
	0, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second,
	2 * time.Second, 4 * time.Second, 6 * time.Second, 8 * time.Second, 12 * time.Second,
}

var defaultLengths = []time.Duration{
	50 * time.Millisecond, 500 * time.Millisecond, 3 * time.Second, 8 * time.Second,
	15 * time.Second, 30 * time.Second,
}

// The labels of a generator's choices.
const (
	LabelCount  = "fault-count"
	LabelClient = "fault-client"
	LabelWhen   = "fault-when"
	LabelLength = "fault-length"
)

// Draw appends a plan to p. choose picks an alternative in [0, n) for a
// label; alternative 0 means no fault where one may be left out.
func (g *Generator) Draw(p Plan, choose func(label string, n int) int) Plan {
	requests, times, lengths := g.Requests, g.Times, g.Lengths
	if requests == 0 {
		requests = 12
	}
	if times == nil {
		times = defaultTimes
	}
	if len(lengths) == 0 {
		lengths = defaultLengths
	}
	for k, most := range g.Budget {
		n := 0
		if most > 0 {
			n = choose(LabelCount, most+1)
		}
		for ; n > 0; n-- {
			f := Fault{Kind: Kind(k), Client: choose(LabelClient, g.Clients)}
			if f.Kind.onRequest() {
				f.Request = 1 + choose(LabelWhen, requests)
			} else if w := choose(LabelWhen, requests+len(times)); w < requests {
				f.Request = 1 + w
			} else {
				f.Time = times[w-requests]
			}
			if f.Kind.lasts() {
				f.For = lengths[choose(LabelLength, len(lengths))]
			}
			p = append(p, f)
		}
	}
	return p
}
