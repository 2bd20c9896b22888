package scenarios

import (
	"context"
	"errors"
	"slices"
	"sync"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/sim/explore"
)

// chunk is how many runs a worker takes at a time.
const chunk = 32

// runQueue hands the runs of a source out to workers, in order.
type runQueue struct {
	mu     sync.Mutex
	source explore.Source
	most   int // 0 for no bound
	given  int
	done   int
}

// take returns the next runs and the number of the first.
func (q *runQueue) take(dst []explore.Run) ([]explore.Run, int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	first := q.given
	for len(dst) < chunk && (q.most == 0 || q.given < q.most) {
		r, ok := q.source.Next()
		if !ok {
			break
		}
		q.given++
		dst = append(dst, r)
	}
	return dst, first
}

// search makes the runs. The first error ends it.
func (x *explorer) search(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := workerCount(x.o.Workers)
	var mu sync.Mutex
	_ = parallel(context.Background(), workers, workers, func(int) {
		p, err := newPlayer(x)
		if err == nil {
			defer p.r.Close()
			err = p.work(ctx, &mu)
		}
		if err != nil {
			stop(&searchError{err})
		}
	})
	var failed *searchError
	if errors.As(context.Cause(ctx), &failed) {
		return failed.err
	}
	return nil
}

// searchError ends a search.
type searchError struct{ err error }

func (e *searchError) Error() string { return e.err.Error() }

// work makes runs until there are none or ctx is over.
func (p *player) work(ctx context.Context, mu *sync.Mutex) error {
	x := p.x
	t := newTally(x)
	var runs []explore.Run
	for ctx.Err() == nil {
		var first int
		runs, first = x.queue.take(runs[:0])
		if len(runs) == 0 {
			break
		}
		for i := range runs {
			if err := p.look(&t, &runs[i], first+i); err != nil {
				return err
			}
		}
		mu.Lock()
		x.queue.done += len(runs)
		x.total.progress(&t)
		if x.o.Progress != nil {
			x.o.Progress(x.progress())
		}
		mu.Unlock()
	}
	mu.Lock()
	defer mu.Unlock()
	x.total.add(&t)
	return nil
}

// progress is how far the search has got.
func (x *explorer) progress() ExploreProgress {
	pr := ExploreProgress{Runs: x.queue.done, MaxRuns: x.o.Runs, MaxMarks: len(Marks())}
	for i, p := range x.variant.Properties() {
		if x.total.failed>>i&1 == 1 {
			pr.Violations = append(pr.Violations, p)
		}
	}
	for i := range Marks() {
		if x.total.marked>>i&1 == 1 {
			pr.Marks++
		}
	}
	return pr
}

// look makes a run and counts what it shows.
func (p *player) look(t *tally, run *explore.Run, number int) error {
	var out Outcome
	if number%repeatEvery == repeatEvery-1 {
		var err error
		if out, err = p.playTwice(run, number); err != nil {
			return err
		}
	} else {
		out = p.play(run, nil)
	}
	t.count(p, run, number, &out)
	return nil
}

// tally is what a search has seen. Tallies add up to the same whoever saw what.
type tally struct {
	runs     int
	verdicts []propertyTally
	findings []failing // by finding, those that show it
	marks    markCounts
	failed   uint32 // properties, by bit
	marked   uint64 // marks, by bit
}

// propertyTally is what has been seen of one property.
type propertyTally struct {
	property checker.Property
	failures int
	unknown  int
	applies  bool
	why      string // of the first unknown
	whyAt    int
	failing  failing
}

// failing holds the shortest runs that show a failure: one without faults, one
// with.
type failing [2]candidate

// candidate is a run; found is false if there is none.
type candidate struct {
	found       bool
	run         explore.Run
	number      int
	transitions int
}

// better prefers the shorter run, then the earlier one.
func (c *candidate) better(d *candidate) bool {
	if !c.found || !d.found {
		return c.found
	}
	if c.transitions != d.transitions {
		return c.transitions < d.transitions
	}
	return c.number < d.number
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

func (f *failing) found() bool { return f[0].found || f[1].found }

func newTally(x *explorer) tally {
	t := tally{findings: make([]failing, len(x.findings))}
	for _, p := range x.variant.Properties() {
		t.verdicts = append(t.verdicts, propertyTally{property: p})
	}
	return t
}

// count counts a run.
func (t *tally) count(p *player, run *explore.Run, number int, out *Outcome) {
	t.runs++
	t.marks.observe(p.r.History(), &t.marked)
	c := candidate{true, *run, number, out.Transitions}
	faulty := len(p.r.Plan()) > 0
	for i := range out.Results {
		r, v := &out.Results[i], &t.verdicts[i]
		v.applies = v.applies || r.Verdict != checker.NotApplicable
		switch r.Verdict {
		case checker.Unknown:
			if v.unknown == 0 || number < v.whyAt {
				v.why, v.whyAt = r.Why, number
			}
			v.unknown++
		case checker.Failed:
			v.failures++
			v.failing.add(c, faulty)
			t.failed |= 1 << i
		}
	}
	if !out.Failed {
		return
	}
	for i := range p.x.findings {
		if _, ok := p.x.findings[i].shown(p.r, *out); ok {
			t.findings[i].add(c, faulty)
		}
	}
}

// progress takes over what is shown while the search goes on.
func (t *tally) progress(u *tally) {
	t.failed |= u.failed
	t.marked |= u.marked
}

// add adds another tally.
func (t *tally) add(u *tally) {
	t.progress(u)
	t.runs += u.runs
	t.marks.add(&u.marks)
	for i := range u.verdicts {
		a, b := &t.verdicts[i], &u.verdicts[i]
		if b.unknown > 0 && (a.unknown == 0 || b.whyAt < a.whyAt) {
			a.why, a.whyAt = b.why, b.whyAt
		}
		a.failures += b.failures
		a.unknown += b.unknown
		a.applies = a.applies || b.applies
		a.failing.merge(&b.failing)
	}
	for i := range u.findings {
		t.findings[i].merge(&u.findings[i])
	}
}

func (f *failing) merge(g *failing) {
	for i := range g {
		if g[i].better(&f[i]) {
			f[i] = g[i]
		}
	}
}

// workerCount is a number of workers, 0 standing for one a core.
func workerCount(n int) int {
	if n > 0 {
		return n
	}
	return defaultWorkers()
}

// shrinkCandidates shrinks each candidate, and what was shrunk before and
// shows the same, and returns the simplest result and the run it came from.
func (p *player) shrinkCandidates(f *failing, before []*Shrunk, goal Goal, runs int) (*Shrunk, candidate, error) {
	var best *Shrunk
	var from candidate
	keep := func(s *Shrunk, c candidate, err error) error {
		if err == nil && (best == nil || s.weight.less(&best.weight)) {
			best, from = s, c
		}
		return err
	}
	if b, r, err := p.shownBefore(before, goal); err != nil {
		return nil, from, err
	} else if b != nil {
		s, err := p.shrinkAgain(b, r, goal, runs)
		if err == nil {
			s.from = b.from
		}
		return s, b.from, err
	}
	for i := range f {
		if f[i].found {
			s, err := p.shrink(&f[i], goal, runs)
			if err := keep(s, f[i], err); err != nil {
				return nil, from, err
			}
		}
	}
	best.from = from
	return best, from, nil
}

// shownBefore is the simplest of the counterexamples that reach a goal, nil if
// none does, and what it shows of it.
func (p *player) shownBefore(before []*Shrunk, goal Goal) (*Shrunk, checker.Result, error) {
	var best *Shrunk
	var result checker.Result
	for _, b := range before {
		if best != nil && !b.weight.less(&best.weight) {
			continue
		}
		r, err := NewRunnerFor(p.x.variant, b.Scenario)
		if err != nil {
			return nil, result, err
		}
		out := r.Run(sim.NewReplay(b.Tape))
		if x, ok := goal.reached(r.History(), &out); ok {
			best, result = b, x
		}
		r.Close()
	}
	return best, result, nil
}

// shrinkAgain makes a counterexample one of another goal, of which it shows r:
// it is shrunk further, unless what fails is the same grant.
func (p *player) shrinkAgain(b *Shrunk, r checker.Result, goal Goal, runs int) (*Shrunk, error) {
	same := r.At == b.Result.At && r.Client == b.Result.Client && goal.Property == checker.Linearizable
	if same && b.Result.Property == checker.Exclusion {
		c := *b
		story, err := Tell(p.x.variant, b.Scenario, b.Tape, goal.Property)
		c.Result, c.Story, c.Runs = r, story, 0
		return &c, err
	}
	return Shrink(p.x.variant, b.scenario(p.x.s.Faults), b.Scenario.Plan, b.Tape, goal, runs)
}

// scenario is the counterexample's, with a budget of faults that may take the
// place of clients.
func (c *Shrunk) scenario(b faults.Budget) Scenario {
	s := c.Scenario
	s.Faults = b
	return s
}

// shrink makes a candidate's run again and shrinks it.
func (p *player) shrink(c *candidate, goal Goal, runs int) (*Shrunk, error) {
	var rec *sim.Recorder
	p.play(&c.run, func(st sim.Strategy) sim.Strategy {
		rec = sim.NewRecorder(st)
		return rec
	})
	return Shrink(p.x.variant, p.x.s, slices.Clone(p.r.Plan()), rec.Tape(), goal, runs)
}
