package checker

import (
	"strconv"
	"time"
)

// How says what decided.
type How string

// The ways of deciding, in the order in which they are tried.
const (
	ByWitness   How = "witness"   // an order was checked: a proof
	ByPatterns  How = "patterns"  // bad patterns of queues, in polynomial time
	ByPorcupine How = "porcupine" // a search for an order
)

// DecideOptions bound a decision and help it.
type DecideOptions struct {
	// Witness is an order in which the operations may have taken effect, such
	// as that in which the server applied them, as indices into the history.
	// Operations of unknown outcome that never took effect are left out. If it
	// is a linearization, that decides; if not, nothing follows.
	Witness []int
	// Steps bounds the searches in steps of the specification, over all
	// objects, of which each gets a hundredth in any case; 0 means 5,000,000, a
	// negative value no bound. A search is bounded by 512 MiB of memory too.
	Steps int64
	// Time bounds the search for each object in wall-clock time; 0 means 10
	// seconds, a negative value no bound.
	Time time.Duration
	// NoEvidence leaves a failing history as it is, which is faster.
	NoEvidence bool
	// Stamps makes sentences tell moments as order stamps (Call, Return)
	// rather than in seconds (CallAt, ReturnAt).
	Stamps bool
	_      struct{}
}

// Decision is whether a history is linearizable.
type Decision struct {
	// Verdict is Pass, Failed, or Unknown, which is no pass.
	Verdict Verdict
	// How is what decided, or gave up; of a history that passes, the last
	// means that some object needed. It is empty if nothing was to be decided.
	How How
	// Object is the one that failed or is not decided.
	Object string
	// Size is the number of operations that had to be looked at together: of
	// the object that failed or is not decided, else of the largest.
	Size int
	// Unknowns is how many of them are of unknown outcome.
	Unknowns int
	// Steps is how many steps the searches took. One that ran out of time
	// does not tell.
	Steps int64
	// Why explains a verdict other than pass in one sentence.
	Why string
	// Evidence is the heart of a failing history, nil for others and if it was
	// not asked for.
	Evidence *Evidence
}

// Decide decides whether the history has a linearization as the model's
// object: an order of the operations that took effect, those of unknown
// outcome included or left out at will, that keeps apart operations of which
// one was over before the other began, and that the sequential specification
// allows. Objects are decided one by one, each by the first of these that
// does: the witness order, if there is one; for locks, the order that leaves
// holds the least room to overlap; for queues, patterns in polynomial time;
// Porcupine within its budget.
//
// A failing history comes with evidence, see [Evidence]. A history that is
// malformed or beyond the budget is Unknown, and Why says so.
func Decide(m Model, ops []Operation, o DecideOptions) Decision {
	if why := m.unfit(ops); why != "" {
		return Decision{Verdict: Unknown, Size: len(ops), Why: "the history cannot be judged: " + why}
	}
	places, why := o.places(len(ops))
	if why != "" {
		return Decision{Verdict: Unknown, Size: len(ops), Why: "the history cannot be judged: " + why}
	}
	steps := o.steps()
	left := steps
	total := Decision{Verdict: Pass}
	for _, p := range m.split(ops) {
		d := m.decidePart(&p, places, left, o.limit())
		total.Steps += d.Steps
		if steps > 0 {
			left = max(left-d.Steps, steps/100+1)
		}
		d.Object, d.Steps = p.ops[0].Object, total.Steps
		switch {
		case d.Verdict == Failed:
			d.Why = "no order of the operations on one object is allowed by " + m.what
			if !o.NoEvidence {
				d.Evidence = m.evidence(&p, o)
				d.Why = d.Evidence.Why
			}
			return d
		case total.Verdict == Unknown:
		case d.Verdict == Unknown:
			total = d
		default:
			total.Size, total.Unknowns = max(total.Size, d.Size), max(total.Unknowns, d.Unknowns)
			total.How = later(total.How, d.How)
		}
	}
	return total
}

// steps is the budget in steps, 0 for no bound.
func (o *DecideOptions) steps() int64 {
	if o.Steps == 0 {
		return defaultSearchSteps
	}
	return max(o.Steps, 0)
}

// limit is the budget in time, 0 for no bound.
func (o *DecideOptions) limit() time.Duration {
	if o.Time == 0 {
		return defaultSearchTime
	}
	return max(o.Time, 0)
}

// places is the place in the witness order of each of n operations, -1 for
// none, or nil without a witness. Why says what is wrong with the witness.
func (o *DecideOptions) places(n int) (places []int32, why string) {
	if o.Witness == nil {
		return nil, ""
	}
	places = make([]int32, n)
	for i := range places {
		places[i] = -1
	}
	for at, i := range o.Witness {
		switch {
		case i < 0 || i >= n:
			return nil, "the witness names operation " + strconv.Itoa(i) + " of " + strconv.Itoa(n)
		case places[i] >= 0:
			return nil, "the witness names operation " + strconv.Itoa(i) + " twice"
		}
		places[i] = int32(at)
	}
	return places, ""
}

// later is the later of two ways in their order.
func later(a, b How) How {
	for _, h := range [...]How{ByPorcupine, ByPatterns, ByWitness} {
		if a == h || b == h {
			return h
		}
	}
	return a
}

// part is the operations on one object that are judged together. Those that
// failed are left out.
type part struct {
	ops []Operation
	// index is where each of them stands in the history.
	index []int32
}

// split sorts the operations by object, in the order in which objects first
// appear.
func (m *Model) split(ops []Operation) []part {
	type key struct {
		object string
		part   int64
	}
	index := make(map[key]int)
	var parts []part
	var sizes []int
	// Neighbours are mostly of one object, so the last is looked at first.
	last, lastAt := key{}, -1
	place := func(op *Operation) int {
		k := key{object: op.Object}
		if m.part != nil {
			k.part = m.part(op)
		}
		if lastAt >= 0 && k == last {
			return lastAt
		}
		at, known := index[k]
		if !known {
			at = len(sizes)
			index[k] = at
			sizes = append(sizes, 0)
		}
		last, lastAt = k, at
		return at
	}
	for i := range ops {
		if ops[i].Outcome != OutcomeFailed {
			at := place(&ops[i]) // may grow sizes
			sizes[at]++
		}
	}
	parts = make([]part, len(sizes))
	for i, n := range sizes {
		parts[i] = part{make([]Operation, 0, n), make([]int32, 0, n)}
	}
	for i := range ops {
		if ops[i].Outcome == OutcomeFailed {
			continue
		}
		p := &parts[place(&ops[i])]
		p.ops, p.index = append(p.ops, ops[i]), append(p.index, int32(i))
	}
	return parts
}
