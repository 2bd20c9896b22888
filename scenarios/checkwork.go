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
	over   bool // there are no more
}

// runChunk are runs that one worker makes, and what they show.
type runChunk struct {
	runs  []explore.Run
	first int // number of the first
	// behind is where the source was behind them, if the search is saved.
	behind explore.Cursor
	shown  tally
}

// take fills c with the next runs.
func (q *runQueue) take(c *runChunk, cursor bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	c.runs, c.first = c.runs[:0], q.given
	for len(c.runs) < chunk && (q.most == 0 || q.given < q.most) {
		r, ok := q.source.Next()
		if !ok {
			break
		}
		q.given++
		c.runs = append(c.runs, r)
	}
	q.over = len(c.runs) == 0
	if cursor {
		c.behind = q.source.Cursor()
	}
}

// search makes the runs. The first error ends it.
func (x *explorer) search(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	workers := workerCount(x.o.Workers)
	_ = parallel(context.Background(), workers, workers, func(int) {
		p, err := newPlayer(x)
		if err == nil {
			defer p.r.Close()
			err = p.work(ctx)
		}
		if err != nil {
			stop(&searchError{err})
		}
	})
	var failed *searchError
	if errors.As(context.Cause(ctx), &failed) {
		return failed.err
	}
	return x.save()
}

// searchError ends a search.
type searchError struct{ err error }

func (e *searchError) Error() string { return e.err.Error() }

// work makes runs until there are none or ctx is over; those that were taken
// are made even so.
func (p *player) work(ctx context.Context) error {
	x := p.x
	var runs []explore.Run
	for ctx.Err() == nil {
		c := &runChunk{runs: runs, shown: newTally(x)}
		x.queue.take(c, x.o.Resume != "")
		if len(c.runs) == 0 {
			break
		}
		for i := range c.runs {
			if err := p.look(&c.shown, &c.runs[i], c.first+i); err != nil {
				return err
			}
		}
		if err := x.add(c); err != nil {
			return err
		}
		runs = c.runs
	}
	return nil
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
		if f[i].Found {
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
	p.play(&c.Run, func(st sim.Strategy) sim.Strategy {
		rec = sim.NewRecorder(st)
		return rec
	})
	return Shrink(p.x.variant, p.x.s, slices.Clone(p.r.Plan()), rec.Tape(), goal, runs)
}
