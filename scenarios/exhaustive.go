package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"zoosim/checker"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/sim/explore"
)

// SearchOptions are the settings of [Exhaustive].
type SearchOptions struct {
	// Reductions are the reductions that are on.
	Reductions Reductions
	// Interleave lets messages arrive between what a process is told and what
	// its tasks make of it, also where a process has no callbacks.
	Interleave bool
	// Workers is the number of workers; default 1.
	Workers int
	// States bounds the states visited, 0 for no bound; Depth the length of a
	// path.
	States, Depth int
	// Shortest asks for the shortest way to each property that fails; else it
	// is the one that was met first.
	Shortest bool
	// Resume names a file in which the search is saved every SaveEvery, and
	// when ctx ends it; if the file is there, the search goes on from it. A
	// search that comes to its end removes it. "" saves nothing.
	Resume string
	// SaveEvery is the time between two savings; default 30 s.
	SaveEvery time.Duration
	// Progress is told now and then how many states were visited; nil is not.
	Progress func(states int)

	noCheckpoints string // see [SearchReport]
	_             struct{}
}

// SearchReport is what an exhaustive search found. Without a counterexample
// and complete, it is a proof within the bounds.
type SearchReport struct {
	// States, Transitions and Depth count what was visited, Transitions also those
	// of which it was known that they repeat another; states at which there is only
	// one way on do not count.
	States, Transitions, Depth int
	Complete                   bool
	// CutStates and CutDepth count what the bounds left unexplored.
	CutStates, CutDepth int
	// Histories is the size of the memo, Fed the number of observations that
	// were fed to code that really ran.
	Histories, Fed int
	// Runs counts the runs from the beginning of [Reexecute].
	Runs int
	// Checkpoints says what was compared to show that the checkpoints are some.
	Checkpoints sim.Verified
	// Reductions are those that were on. NoCheckpoints says why the search had to
	// do without some checkpoints that it was to have, if so, NoSymmetry why it had
	// to do without symmetry.
	Reductions    Reductions
	NoCheckpoints string
	NoSymmetry    string
	Verdicts      []checker.Result
	Violations    []Counterexample
}

// Counterexample is a run in which a property fails. It has been re-executed
// with real tasks.
type Counterexample struct {
	Property    checker.Property
	Why         string
	Transitions int // as a story counts them
	Steps       int // requests served, callbacks, timers
	Scenario    Scenario
	Tape        sim.Tape
	Hash        uint64
	// Service is the verdict on the service in this run.
	Service checker.Result
}

// Exhaustive visits every state of a scenario in untimed mode.
func Exhaustive(ctx context.Context, s Scenario, o SearchOptions) (*SearchReport, error) {
	s.Untimed = true
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if o.Reductions.Sleep {
		return nil, errSleep
	}
	v, _ := ByName(s.Variant)
	return exhaustive(ctx, v, s, o)
}

// without leaves out the checkpoints of a kind. It is false if they were out
// already.
func (r *Reductions) without(k sim.MarkKind) bool {
	on := &r.Checkpoint
	if k == simzk.CheckpointGrant {
		on = &r.Grant
	}
	was := *on
	*on = false
	return was
}

// exhaustive is Exhaustive for a valid scenario and any variant. If checkpoints
// turn out to be none, it searches without them.
func exhaustive(ctx context.Context, v Variant, s Scenario, o SearchOptions) (*SearchReport, error) {
	if o.Resume != "" {
		// It may have been found out already that some are none.
		for _, kinds := range [][]sim.MarkKind{
			{simzk.CheckpointGrant}, {simzk.CheckpointRound}, {simzk.CheckpointGrant, simzk.CheckpointRound},
		} {
			fewer := o
			for _, k := range kinds {
				fewer.Reductions.without(k)
			}
			if saved, err := readSearch(v, s, &fewer); fewer.Reductions != o.Reductions && err == nil && saved != nil {
				o.Reductions, o.noCheckpoints = fewer.Reductions, saved.NoCheckpoints
			}
		}
	}
	for {
		rep, err := exhaustiveOnce(ctx, v, s, o)
		if err == nil {
			rep.NoCheckpoints = o.noCheckpoints
			return rep, nil
		}
		var none *sim.CheckpointError
		if !errors.As(err, &none) || !o.Reductions.without(none.Kind) {
			return nil, err
		}
		o.noCheckpoints = err.Error()
		if err := removeSaved(o.Resume); err != nil {
			return nil, err
		}
	}
}

func exhaustiveOnce(ctx context.Context, v Variant, s Scenario, o SearchOptions) (*SearchReport, error) {
	if o.Workers < 1 {
		o.Workers = 1
	}
	// Which fields of Stats belong to a state is known only once code has asked
	// for them; a search that learns of a new one begins again. A short one
	// learns of most.
	saved, err := readSearch(v, s, &o)
	if err != nil {
		return nil, err
	}
	var fields uint32
	if saved != nil {
		fields = saved.Fields
	} else {
		fields = probe(ctx, v, s, o)
	}
	for {
		sr := newSearch(v, s, &o, fields)
		sr.saved, saved = saved, nil
		asked := sr.prove(ctx)
		if sr.saveErr != nil {
			sr.close()
			return nil, sr.saveErr
		}
		if asked&^fields != 0 && ctx.Err() == nil {
			fields |= asked
			sr.close()
			continue
		}
		rep, err := sr.report(ctx)
		sr.close()
		if err == nil && ctx.Err() == nil {
			err = removeSaved(o.Resume)
		}
		return rep, err
	}
}

// probe visits a few states and returns the fields of Stats that code asked
// for.
func probe(ctx context.Context, v Variant, s Scenario, o SearchOptions) uint32 {
	o.Workers, o.States, o.Resume, o.Progress = 1, 300, "", nil
	sr := newSearch(v, s, &o, 0)
	defer sr.close()
	return sr.prove(ctx)
}

// search is one exhaustive search.
type search struct {
	s      Scenario
	o      *SearchOptions
	models []*model
	res    *explore.Result[move]

	saved   *savedSearch // from which it goes on, if any
	saveErr error
}

func newSearch(v Variant, s Scenario, o *SearchOptions, fields uint32) *search {
	sr := &search{s: s, o: o}
	for range o.Workers {
		md := newModel(v, s, fields, o.Reductions)
		md.interleave = o.Interleave
		sr.models = append(sr.models, md)
	}
	return sr
}

func (sr *search) close() {
	for _, md := range sr.models {
		md.close()
	}
}

// prove visits the states and returns the fields of Stats that were asked
// for.
func (sr *search) prove(ctx context.Context) uint32 {
	ms := make([]explore.Model[*Runner, move], len(sr.models))
	for i, md := range sr.models {
		ms[i] = md
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o := explore.ProveOptions{Limits: explore.Limits{States: sr.o.States, Depth: sr.o.Depth}}
	if sr.saved != nil {
		o.From = sr.saved.Progress
	}
	if sr.o.Resume != "" || sr.o.Progress != nil {
		o.Due, o.Save = sr.due(), func(p *explore.Progress) {
			if sr.saveErr = sr.save(p); sr.saveErr != nil {
				cancel()
			}
		}
	}
	sr.res = explore.Prove(ctx, ms, o)
	return sr.asked()
}

func (sr *search) asked() uint32 {
	asked := uint32(0)
	for _, md := range sr.models {
		asked |= md.asked
	}
	return asked
}

// report audits the memos, finds the counterexamples and re-executes them.
func (sr *search) report(ctx context.Context) (*SearchReport, error) {
	res := sr.res
	rep := &SearchReport{
		States: res.States, Transitions: res.Transitions, Depth: res.MaxDepth, Complete: res.Complete,
		CutStates: res.CutStates, CutDepth: res.CutDepth, Reductions: sr.models[0].on, NoSymmetry: sr.models[0].noSymmetry,
	}
	memos := sr.memos()
	err := sim.AuditMemos(memos, each(len(memos)))
	if err != nil {
		return nil, &NotMemoisedError{sr.s.Variant, err, false}
	}
	for _, md := range sr.models {
		rep.Histories += md.memo.Nodes()
		rep.Fed += md.memo.Fed()
	}
	if rep.Checkpoints, err = sim.VerifyCheckpoints(memos, each(len(memos))); err != nil {
		return nil, fmt.Errorf("%s: %w", sr.s.Variant, err)
	}
	found := res.Failures
	if sr.o.Shortest && len(found) > 0 {
		found = sr.shortest(ctx, found)
	}
	for _, f := range found {
		c, err := sr.models[0].reexecute(f.Path, f.Bit)
		if err != nil {
			return nil, err
		}
		rep.Violations = append(rep.Violations, *c)
	}
	rep.Verdicts = verdictsOf(&sr.models[0].shadow.variant, &sr.s, rep)
	return rep, nil
}

// memos lists those of the workers.
func (sr *search) memos() []*sim.Memo {
	memos := make([]*sim.Memo, len(sr.models))
	for i, md := range sr.models {
		memos[i] = md.memo
	}
	return memos
}

// each spreads work over a number of workers.
func each(workers int) sim.Each {
	return func(n int, do func(w, i int)) {
		var next atomic.Int64
		_ = parallel(context.Background(), workers, workers, func(w int) {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(w, i)
			}
		})
	}
}

// shortest looks for a shorter way to each failure.
func (sr *search) shortest(ctx context.Context, found []explore.Failure[move]) []explore.Failure[move] {
	want := uint32(0)
	for _, f := range found {
		want |= 1 << f.Bit
	}
	// It takes one worker, and each state that waits some 70 bytes.
	const most = 300_000
	sr.models[0].shortest = true
	short := explore.Shortest[*Runner, move](ctx, sr.models[0], explore.Limits{States: most}, want)
	for i := range found {
		for _, f := range short.Failures {
			if f.Bit == found[i].Bit {
				found[i] = f
			}
		}
	}
	return found
}

// verdictsOf lists a verdict for every property that the variant is judged by.
func verdictsOf(v *Variant, s *Scenario, rep *SearchReport) []checker.Result {
	var out []checker.Result
	for _, p := range v.family.properties {
		r := checker.Result{Property: p, Level: checker.LevelOf(p), Verdict: checker.NotApplicable, Client: -1}
		if judgedInStates(v, s, p) {
			r.Verdict = checker.Unknown
			if rep.Complete {
				r.Verdict = checker.Pass
			}
		}
		for i := range rep.Violations {
			if c := &rep.Violations[i]; c.Property == p {
				r.Verdict, r.Why = checker.Failed, c.Why
			}
		}
		out = append(out, r)
	}
	return append(out, serviceOf(rep))
}

// judgedInStates reports whether a search of states judges a property.
func judgedInStates(v *Variant, s *Scenario, p checker.Property) bool {
	return slices.Contains(Promised(v), p) && !slices.Contains(v.family.byHistory, p) && (p != checker.Deadline || s.Mode != ModeBlocking)
}

// serviceOf is the verdict on the service, which is judged in the
// counterexamples alone, as they are re-executed.
func serviceOf(rep *SearchReport) checker.Result {
	r := checker.Result{
		Property: checker.ServiceGuarantees, Level: checker.LevelService, Verdict: checker.NotApplicable, Client: -1,
		Why: "judged in runs and in the counterexamples of a search; there is none",
	}
	for i := range rep.Violations {
		switch s := &rep.Violations[i].Service; {
		case s.Verdict == checker.Failed:
			return *s
		default:
			r.Verdict, r.Why = s.Verdict, "judged in the counterexamples alone"
		}
	}
	return r
}

// errNotReproduced says that real tasks did something else than the search.
var errNotReproduced = errors.New("a counterexample of the search does not happen when real tasks run")

// reexecute carries a path out with real tasks and records the choices.
func (md *model) reexecute(path []move, bit int) (*Counterexample, error) {
	return carryOut(md.v, md.s, md.primitive(path, bit), bit)
}

// carryOut carries out transitions that lead to the failure of a property.
func carryOut(v Variant, s Scenario, moves []move, bit int) (*Counterexample, error) {
	s.Moves = len(moves)
	r := makeRunner(v, s)
	defer r.Close()
	out, tape := r.follow(moves)
	p := r.variant.Properties()[bit]
	for _, x := range out.Results {
		if x.Property == p && x.Verdict == checker.Failed {
			return &Counterexample{
				Property: p, Why: x.Why, Transitions: out.Transitions, Steps: out.Steps, Scenario: s, Tape: tape, Hash: out.Hash,
				Service: out.Results[len(out.Results)-1],
			}, nil
		}
	}
	return nil, fmt.Errorf("%s: %s: %w", s.Variant, p, errNotReproduced)
}

// primitive is a path with the transitions without an alternative in it, up to
// the one at which the property fails.
func (md *model) primitive(path []move, bit int) []move {
	r := md.New()
	md.Begin(r)
	var all []move
	md.log = func(m *move) {
		if r.monitor.FailedBits()>>bit&1 == 0 {
			all = append(all, *m)
		}
	}
	for _, m := range path {
		md.Do(r, m)
	}
	md.log = nil
	return all
}

// follow carries out the given transitions with real tasks.
func (r *Runner) follow(moves []move) (Outcome, sim.Tape) {
	var tape sim.Tape
	n := 0
	r.beginUntimed(nil, nil)
	out := r.finishUntimed(func(all []move) int {
		if n == len(moves) {
			return -1
		}
		at := -1
		for i := range all {
			if all[i] == moves[n] {
				at = i
			}
		}
		if at >= 0 && len(all) > 1 {
			tape = append(tape, sim.Choice{Label: sim.LabelMove, N: len(all), V: at})
		}
		n++
		return at
	})
	return out, tape
}
