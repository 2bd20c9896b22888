package scenarios

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/sim/explore"
)

// Strategies lists the strategies of [Explore], the way that a search of timed
// runs goes.
func Strategies() []string {
	return []string{"random", "pct", "delay", "single", "pair", "swarm", "portfolio"}
}

// The defaults of a search.
const (
	DefaultStrategy = "portfolio"
	DefaultRuns     = 3000
)

// DefaultFaults is the budget under which a lock is searched if none is given:
// one fault of each kind that leaves a correct lock no excuse. A pause, a
// partition and the expiry of a live session are left out: a holder that does
// not hear of the end of its session cannot give the lock up in time.
func DefaultFaults() faults.Budget {
	var b faults.Budget
	for _, k := range faults.Kinds() {
		switch k {
		case faults.Pause, faults.Partition, faults.Expiry, faults.LeaderCrash, faults.Lag:
		default:
			b[k] = 1
		}
	}
	return b
}

// ExploreOptions are the settings of [Explore].
type ExploreOptions struct {
	// Strategy is one of [Strategies]; default [DefaultStrategy].
	Strategy string
	// Runs bounds the number of runs, Budget the time; default [DefaultRuns]
	// and no bound. With Runs alone the report does not depend on the machine,
	// nor on the number of workers.
	Runs   int
	Budget time.Duration
	// Seed is the first seed.
	Seed uint64
	// Workers is the number of workers; default one a core.
	Workers int
	// ShrinkRuns bounds the runs of each shrinking; default
	// [DefaultShrinkRuns]; negative shrinks nothing.
	ShrinkRuns int
	// Uncached lets [StrategyReexecute] visit a state as often as it is reached.
	Uncached bool
	// Dir is the folder for replay files and stories; "" writes none.
	Dir string
	// Progress is called now and then, from any worker; nil is not called.
	// States is its like in a search of states.
	Progress func(ExploreProgress)
	States   func(states int)
	// Resume names a file in which the search is saved every SaveEvery (default
	// 30 s), and when it is ended from outside or by its Budget; if the file is
	// there, the search goes on from it, whatever the number of workers, and
	// reports in the end what one reports that was never interrupted. A file of
	// another search is an error that names what differs: the variant, a field
	// of the scenario, the strategy, Seed, Runs or the commit. Budget bounds the
	// time of each part. A search that comes to its end removes the file. What
	// follows upon the runs, as shrinking, is done once they are all made, and
	// begins again if it was interrupted. "" saves nothing. [StrategyReexecute]
	// cannot go on.
	Resume    string
	SaveEvery time.Duration
	_         struct{}
}

// ExploreProgress is how far a search has got.
type ExploreProgress struct {
	Runs, MaxRuns int // MaxRuns is 0 without a bound
	// Violations lists the properties that have failed so far.
	Violations []checker.Property
	// Marks counts the marks that were hit, out of MaxMarks.
	Marks, MaxMarks int
}

// Explore searches the runs of a scenario, with faults within its budget, for
// those in which a property fails. One shortest counterexample for each
// property, and for each known fault of the variant that was met, is shrunk
// and saved; the search does not end at the first. If ctx ends early the report says
// what is known; it is then not shrunk, and Interrupted is true.
func Explore(ctx context.Context, v Variant, s Scenario, o ExploreOptions) (*CheckReport, error) {
	begun := time.Now()
	x, err := newExplorer(v, s, &o)
	if err != nil {
		return nil, err
	}
	limited := ctx
	if o.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
	}
	if err := x.goOn(); err != nil {
		return nil, err
	}
	if err := x.search(limited); err != nil {
		return nil, err
	}
	rep, err := x.report(ctx)
	if err != nil {
		return nil, err
	}
	all := ctx // what must not be over for the search to be at its end
	if o.Strategy == DefaultStrategy && o.Runs >= DefaultRuns {
		all = limited
		if err := x.lookApart(limited, rep); err != nil {
			return nil, err
		}
	}
	if o.Strategy == DefaultStrategy && ctx.Err() == nil {
		if err := x.livelock(ctx, rep); err != nil {
			return nil, err
		}
	}
	rep.Interrupted = ctx.Err() != nil
	rep.WallMS = ms(time.Since(begun))
	return rep, x.forget(all)
}

// livelock adds the verdict on livelocks.
func (x *explorer) livelock(ctx context.Context, rep *CheckReport) error {
	s := Small(x.variant.Name)
	s.SetClients(min(x.s.Clients, 3))
	s.Ops, s.Attempts, s.Faults = min(x.s.Ops, 2), x.s.Attempts, untimedFaults(x.s.Faults)
	if s.Servers = x.s.Servers; s.Servers > 1 {
		s.Faults[faults.LeaderCrash] = x.s.Faults[faults.LeaderCrash]
	}
	l, err := FindLivelock(ctx, x.variant, s, LivelockOptions{Seed: x.o.Seed})
	if err != nil {
		return err
	}
	v := CheckVerdict{Property: checker.Livelock, Level: LevelOf(checker.Livelock), Verdict: checker.Pass}
	if l != nil {
		v.Verdict, v.Why, v.Failures = checker.Failed, l.Why(), 1
		rep.Livelock = l.Block
	}
	rep.addVerdict(v)
	return nil
}

// untimedFaults are the faults of a budget that untimed runs have.
func untimedFaults(b faults.Budget) faults.Budget {
	for _, k := range faults.Kinds() {
		switch k {
		case faults.Crash, faults.Expiry, faults.Resession, faults.Cut, faults.CutRequest, faults.CutReply, faults.Interrupt:
		default:
			b[k] = 0
		}
	}
	return b
}

// explorer is one search.
type explorer struct {
	variant  Variant
	s        Scenario // with its budget of faults
	o        *ExploreOptions
	kinds    []faults.Fault // what sites name
	findings []Finding      // known faults of the variant
	apart    []Finding      // those that are looked for in their own scenarios
	choices  int            // scheduling choices of a run, about
	queue    runQueue
	done     doneRuns
}

func newExplorer(v Variant, s Scenario, o *ExploreOptions) (*explorer, error) {
	if o.Strategy == "" {
		o.Strategy = DefaultStrategy
	}
	if o.Runs == 0 && o.Budget == 0 {
		o.Runs = DefaultRuns
	}
	if !slices.Contains(Strategies(), o.Strategy) {
		return nil, fmt.Errorf("unknown strategy %q; allowed: %s", o.Strategy, strings.Join(Strategies(), ", "))
	}
	if s.Untimed {
		return nil, fieldErr("untimed", "strategy %s searches timed runs", o.Strategy)
	}
	x := &explorer{variant: v, s: s, o: o, kinds: plannedFaults(s.Faults)}
	for _, f := range Findings() {
		switch {
		case f.Scenario.Variant != v.Name:
		case f.apart() || f.Scenario.Renew != s.Renew:
			x.apart = append(x.apart, f)
		default:
			x.findings = append(x.findings, f)
		}
	}
	m, err := newMeasurer(x)
	if err != nil {
		return nil, err
	}
	x.choices = m.choices()
	x.queue = runQueue{source: x.source(m), most: o.Runs}
	x.done.total = newTally(x)
	return x, nil
}

// plannedFaults are the faults that are put at every place of a run: each kind
// of the budget, and where it lasts a short and a long one.
func plannedFaults(b faults.Budget) []faults.Fault {
	var list []faults.Fault
	for _, k := range faults.Kinds() {
		if b[k] == 0 {
			continue
		}
		switch k {
		case faults.Pause, faults.Partition, faults.Restart, faults.LeaderCrash, faults.Lag:
			list = append(list, faults.Fault{Kind: k, For: 500 * time.Millisecond}, faults.Fault{Kind: k, For: 15 * time.Second})
		case faults.DelayEvent:
			list = append(list, faults.Fault{Kind: k, For: 3 * time.Second})
		default:
			list = append(list, faults.Fault{Kind: k})
		}
	}
	return list
}

// source is the strategy's order of runs.
func (x *explorer) source(m *measurer) explore.Source {
	seeds := func(k explore.Kind) explore.Source { return &explore.Seeds{Kind: k, Seed: x.o.Seed} }
	planned := func(pairs bool, perBase, perFirst int) explore.Source {
		return &explore.Faults{
			Kinds: len(x.kinds), OnRequest: func(k int) bool { return lossOnly(x.kinds[k].Kind) },
			Seed: x.o.Seed, Pairs: pairs, PerBase: perBase, PerFirst: perFirst, Measure: m.extent,
		}
	}
	switch x.o.Strategy {
	case "random":
		return seeds(explore.KindRandom)
	case "pct":
		return seeds(explore.KindPCT)
	case "delay":
		return seeds(explore.KindDelay)
	case "swarm":
		return seeds(explore.KindSwarm)
	case "single":
		return planned(false, 0, 0)
	case "pair":
		return planned(true, 0, 0)
	}
	return &explore.Portfolio{
		Sources: []explore.Source{
			seeds(explore.KindSwarm), seeds(explore.KindRandom), seeds(explore.KindPCT), seeds(explore.KindDelay),
			planned(false, 32, 0), planned(true, 32, 8),
		},
		Weights: []int{8, 4, 4, 4, 8, 4},
	}
}

// choiceLabels says what the choices of a run are about.
func choiceLabels() explore.Labels {
	return explore.Labels{Order: LabelArrival, Counts: []sim.Label{faults.LabelCount}}
}

// plan is what goes wrong in a run with planned faults.
func (x *explorer) plan(dst faults.Plan, r *explore.Run) faults.Plan {
	dst = dst[:0]
	for _, site := range r.Sites {
		if site.IsZero() {
			continue
		}
		f := x.kinds[site.Fault]
		f.Client, f.Step, f.Request = site.Client, site.Step, site.Request
		dst = append(dst, f)
	}
	return dst
}

// player makes runs of a search.
type player struct {
	x       *explorer
	r       *Runner
	choices *explore.Player
	planned faults.Plan
	marks   markWatcher
}

func newPlayer(x *explorer) (*player, error) {
	r, err := NewRunnerFor(x.variant, x.s)
	if err != nil {
		return nil, err
	}
	return &player{x: x, r: r, choices: explore.NewPlayer(choiceLabels(), x.choices)}, nil
}

// scenario is that of a run.
func (p *player) scenario(run *explore.Run) Scenario {
	s := p.x.s
	if run.Planned {
		s.Faults = faults.Budget{}
		p.planned = p.x.plan(p.planned, run)
		s.Plan = append(slices.Clone(p.x.s.Plan), p.planned...)
	}
	return s
}

// play makes a run; wrap, if not nil, goes around its strategy.
func (p *player) play(run *explore.Run, wrap func(sim.Strategy) sim.Strategy) Outcome {
	st := p.choices.Strategy(*run)
	if wrap != nil {
		st = wrap(st)
	}
	p.r.s = p.scenario(run)
	return p.r.Run(st)
}

// measurer makes runs to learn how far they go.
type measurer struct{ *player }

func newMeasurer(x *explorer) (*measurer, error) {
	p, err := newPlayer(x)
	if err != nil {
		return nil, err
	}
	p.r.keepHistory = false
	return &measurer{p}, nil
}

// extent is how far a run goes.
func (m *measurer) extent(run explore.Run) explore.Extent {
	m.play(&run, nil)
	e := explore.Extent{Steps: m.r.world.K.Steps()}
	for i := range m.r.clients {
		e.Requests = append(e.Requests, m.r.clients[i].p.Requests())
	}
	return e
}

// choices counts the scheduling choices of the benign run.
func (m *measurer) choices() int {
	var rec *sim.Recorder
	m.play(&explore.Run{Kind: explore.KindBenign, Planned: true}, func(st sim.Strategy) sim.Strategy {
		rec = sim.NewRecorder(st)
		return rec
	})
	n := 0
	for _, c := range rec.Tape() {
		if explore.Schedules(c.Label) {
			n++
		}
	}
	return max(n, 1)
}
