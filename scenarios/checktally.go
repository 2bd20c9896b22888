package scenarios

import (
	"zoosim/checker"
	"zoosim/sim/explore"
)

// tally is what a search has seen. Tallies add up to the same whoever saw what.
// It is plain data, and saved as it is.
type tally struct {
	Runs     int
	Verdicts []propertyTally
	Findings []failing // by finding, those that show it
	Marks    markCounts
}

// propertyTally is what has been seen of one property.
type propertyTally struct {
	Property checker.Property
	Failures int
	Unknown  int
	Applies  bool
	Why      string // of the first unknown
	WhyAt    int
	Failing  failing
}

// failing holds the shortest runs that show a failure: one without faults, one
// with.
type failing [2]candidate

// candidate is a run; Found is false if there is none.
type candidate struct {
	Found       bool
	Run         explore.Run
	Number      int
	Transitions int
}

// better prefers the shorter run, then the earlier one.
func (c *candidate) better(d *candidate) bool {
	if !c.Found || !d.Found {
		return c.Found
	}
	if c.Transitions != d.Transitions {
		return c.Transitions < d.Transitions
	}
	return c.Number < d.Number
}

func (f *failing) add(c candidate, faulty bool) {
	i := 0
	if faulty {
		i = 1
	}
	if c.better(&f[i]) {
		f[i] = c
	}
}

func (f *failing) found() bool { return f[0].Found || f[1].Found }

func newTally(x *explorer) tally {
	t := tally{Findings: make([]failing, len(x.findings))}
	for _, p := range x.variant.Properties() {
		t.Verdicts = append(t.Verdicts, propertyTally{Property: p})
	}
	return t
}

// count counts a run.
func (t *tally) count(p *player, run *explore.Run, number int, out *Outcome) {
	t.Runs++
	t.Marks.observe(p.marks.marks(p.r.History()))
	c := candidate{true, *run, number, out.Transitions}
	faulty := len(p.r.Plan()) > 0
	for i := range out.Results {
		r, v := &out.Results[i], &t.Verdicts[i]
		v.Applies = v.Applies || r.Verdict != checker.NotApplicable
		switch r.Verdict {
		case checker.Unknown:
			if v.Unknown == 0 || number < v.WhyAt {
				v.Why, v.WhyAt = r.Why, number
			}
			v.Unknown++
		case checker.Failed:
			v.Failures++
			v.Failing.add(c, faulty)
		}
	}
	if !out.Failed {
		return
	}
	for i := range p.x.findings {
		if _, ok := p.x.findings[i].shown(p.r, *out); ok {
			t.Findings[i].add(c, faulty)
		}
	}
}

// add adds another tally.
func (t *tally) add(u *tally) {
	t.Runs += u.Runs
	t.Marks.add(&u.Marks)
	for i := range u.Verdicts {
		a, b := &t.Verdicts[i], &u.Verdicts[i]
		if b.Unknown > 0 && (a.Unknown == 0 || b.WhyAt < a.WhyAt) {
			a.Why, a.WhyAt = b.Why, b.WhyAt
		}
		a.Failures += b.Failures
		a.Unknown += b.Unknown
		a.Applies = a.Applies || b.Applies
		a.Failing.merge(&b.Failing)
	}
	for i := range u.Findings {
		t.Findings[i].merge(&u.Findings[i])
	}
}

func (f *failing) merge(g *failing) {
	for i := range g {
		if g[i].better(&f[i]) {
			f[i] = g[i]
		}
	}
}
