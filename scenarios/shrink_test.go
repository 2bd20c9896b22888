package scenarios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// found is a run in which something fails, and how it was shrunk.
type found struct {
	variant Variant
	goal    Goal
	shrunk  *Shrunk
}

// shrinkFirst shrinks the first run of a scenario that reaches the goal.
func shrinkFirst(t testing.TB, s Scenario, goal Goal, from uint64) found {
	r := newRunner(t, s)
	for seed := from; seed < from+MaxFindingRuns; seed++ {
		rec := sim.NewRecorder(sim.NewRandom(seed))
		out := r.Run(rec)
		if _, ok := goal.reached(r.History(), &out); !ok {
			continue
		}
		c, err := Shrink(r.variant, s, r.Plan(), rec.Tape(), goal, 0)
		require.NoError(t, err)
		return found{r.variant, goal, c}
	}
	require.Fail(t, "nothing found", "%s %s", s.Variant, goal.Property)
	return found{}
}

// shows reports whether a run of the genome reaches the goal.
func (f *found) shows(t testing.TB, g genome) bool {
	r := newRunner(t, g.s)
	out := r.Run(&feeder{values: g.values(nil)})
	_, ok := f.goal.reached(r.History(), &out)
	return ok
}

// genome is the counterexample as it is shrunk.
func (f *found) genome() genome {
	return newGenome(f.shrunk.Scenario, f.shrunk.Scenario.Plan, f.shrunk.Tape)
}

// tape is what a run of the genome draws.
func (f *found) tape(t testing.TB, g genome) sim.Tape {
	st := &feeder{values: g.values(nil)}
	newRunner(t, g.s).Run(st)
	return st.tape
}

// requireMinimal removes each element of a counterexample, and requires the
// failure to go; what only makes it come sooner must do so.
func (f *found) requireMinimal(t *testing.T) {
	g := f.genome()
	require.True(t, f.shows(t, g))
	gone := func(what string, c genome) {
		t.Helper()
		require.False(t, f.shows(t, c), "%s: without %s it still fails\n%v", g.s.Variant, what, f.shrunk.Story.Text())
	}
	for i := range g.s.Clients {
		if g.s.Clients > 1 {
			gone("client "+checker.ClientName(i), g.withoutClient(i))
		}
	}
	for i := range g.s.Ops {
		if g.s.Ops > 1 {
			gone("an acquire", g.withoutOp(i))
		}
	}
	for i, x := range g.s.Plan {
		gone("the fault "+x.String(), g.withoutFault(i))
	}
	longer := func(what string, c genome) {
		t.Helper()
		if f.shows(t, c) {
			story, err := Tell(f.variant, c.s, f.tape(t, c), f.goal.Property)
			require.NoError(t, err)
			require.Greater(t, story.Steps, f.shrunk.Story.Steps, "%s: without %s it fails in as few steps\n%v", g.s.Variant, what, f.shrunk.Story.Text())
		}
	}
	for i, v := range g.genes() {
		if *v != 0 {
			c := g.clone()
			*c.genes()[i] = 0
			longer("a choice", c)
		}
	}
	for _, change := range []func(s *Scenario){
		func(s *Scenario) { s.Mode = ModeBlocking },
		func(s *Scenario) { s.Arrivals = ArriveTogether },
		func(s *Scenario) { s.Attempts = 1 },
	} {
		c := g.clone()
		if change(&c.s); c.hash(c.values(nil)) != g.hash(g.values(nil)) {
			longer("a setting", c)
		}
	}
}

func TestShrunkFindingsAreMinimal(t *testing.T) {
	t.Parallel()
	for _, x := range Findings() {
		v, _ := ByName(x.Scenario.Variant)
		for from := range uint64(2) {
			if from > 0 && v.Store != zk.StoreNone && !inCampaign() {
				break // who asks again and again makes long runs
			}
			f := shrinkFirst(t, x.Scenario, x.goal(), 1000*from)
			f.requireMinimal(t)
			require.Less(t, f.shrunk.Runs, DefaultShrinkRuns/2, x.ID)
		}
	}
}

// Runs with every kind of fault, of every variant, get small and minimal.
func TestShrunkNoiseIsMinimal(t *testing.T) {
	t.Parallel()
	for _, v := range Variants("lock") {
		for _, p := range Promised(&v) {
			s := noisy(v.Name)
			s.Clients = 4
			r := newRunner(t, s)
			for seed := range uint64(300) {
				rec := sim.NewRecorder(sim.NewRandom(seed))
				out := r.Run(rec)
				goal := Goal{Property: p}
				if _, ok := goal.reached(r.History(), &out); !ok {
					continue
				}
				c, err := Shrink(v, s, r.Plan(), rec.Tape(), goal, 0)
				require.NoError(t, err)
				f := found{v, goal, c}
				t.Logf("%d runs, %d steps: %s", c.Runs, c.Story.Steps, c.Story.Title)
				f.requireMinimal(t)
				break
			}
		}
	}
}

// The shrunk run is one of its scenario, and the same for every runner.
func TestShrunkRunsReplay(t *testing.T) {
	t.Parallel()
	for _, x := range Findings() {
		f := shrinkFirst(t, x.Scenario, x.goal(), 0)
		c := f.shrunk
		require.NoError(t, c.Scenario.Validate())
		require.Zero(t, c.Scenario.Faults)
		if n := len(c.Tape); n > 0 {
			require.NotZero(t, c.Tape[n-1].V, "%s: choices of 0 at the end are left out", x.ID)
		}
		r := newRunner(t, c.Scenario)
		st := sim.NewReplay(c.Tape)
		out := r.Run(st)
		require.NoError(t, st.Err(), x.ID)
		require.Equal(t, c.Hash, out.Hash, x.ID)
		got, ok := f.goal.reached(r.History(), &out)
		require.True(t, ok, x.ID)
		require.Equal(t, c.Result, got, x.ID)
	}
}

func TestShrinkIsDeterministic(t *testing.T) {
	x := Findings()[0]
	a, b := shrinkFirst(t, x.Scenario, x.goal(), 0), shrinkFirst(t, x.Scenario, x.goal(), 0)
	require.Equal(t, a.shrunk, b.shrunk)
}

func TestShrinkWithinABudget(t *testing.T) {
	x := Findings()[0]
	r := newRunner(t, x.Scenario)
	for seed := uint64(0); ; seed++ {
		rec := sim.NewRecorder(sim.NewRandom(seed))
		out := r.Run(rec)
		if _, ok := x.shown(r, out); !ok {
			continue
		}
		var last *Shrunk
		for _, runs := range []int{1, 10, 100, 1000} {
			c, err := Shrink(r.variant, x.Scenario, r.Plan(), rec.Tape(), x.goal(), runs)
			require.NoError(t, err)
			require.LessOrEqual(t, c.Runs, runs)
			if last != nil {
				require.False(t, last.weight.less(&c.weight), "more runs, no worse result")
			}
			last = c
		}
		return
	}
}

func TestShrinkOfNoFailure(t *testing.T) {
	s := Default("lock/zkdocs")
	r := newRunner(t, s)
	rec := sim.NewRecorder(sim.NewRandom(1))
	r.Run(rec)
	_, err := Shrink(r.variant, s, r.Plan(), rec.Tape(), Goal{Property: checker.Exclusion}, 0)
	require.EqualError(t, err, "lock/zkdocs: the run to shrink does not show the failure of exclusion")

	s.Untimed = true
	_, err = Shrink(r.variant, s, nil, nil, Goal{Property: checker.Exclusion}, 0)
	require.Error(t, err)
}

// What a run draws, put apart and together again, is the same run.
func TestGenomeIsTheRun(t *testing.T) {
	for _, v := range Variants("lock") {
		s := noisy(v.Name)
		r := newRunner(t, s)
		for seed := range uint64(20) {
			rec := sim.NewRecorder(sim.NewRandom(seed))
			want := r.Run(rec)
			plan, tape := slices.Clone(r.Plan()), rec.Tape()
			g := newGenome(s, plan, tape)
			again := newRunner(t, g.s)
			got := again.Run(&feeder{values: g.values(nil)})
			require.Equal(t, want.Results, got.Results, "%s seed %d", v.Name, seed)
			require.Equal(t, want.Hash, got.Hash, "%s seed %d", v.Name, seed)
		}
	}
}

// A witness sees the runs that a runner makes.
func TestWitnessEqualsRunner(t *testing.T) {
	for _, v := range Variants("lock") {
		s := noisy(v.Name)
		w, err := newWitness(v, s)
		require.NoError(t, err)
		w.watch(checker.Leak, false)
		r := newRunner(t, s)
		for seed := range uint64(20) {
			want, got := r.Run(sim.NewRandom(seed)), w.watchRun(sim.NewRandom(seed))
			require.Equal(t, want, got, "%s seed %d", v.Name, seed)
		}
		w.Close()
	}
}

// A failure in a long run of many clients gets as small as in a short one.
func TestShrinkOfLongRuns(t *testing.T) {
	for _, x := range []struct {
		variant  string
		property checker.Property
		steps    int
	}{{"lock/seed002", checker.Exclusion, 11}, {"lock/seed003", checker.Progress, 9}, {"lock/gozk", checker.Leak, 6}, {"lock/zkjava", checker.Progress, 10}} {
		s := noisy(x.variant)
		s.Clients, s.Ops = 10, 4
		f := shrinkFirst(t, s, Goal{Property: x.property}, 0)
		t.Logf("%d runs: %s, %d steps", f.shrunk.Runs, f.shrunk.Story.Title, f.shrunk.Story.Steps)
		require.LessOrEqual(t, f.shrunk.Scenario.Clients, 3, x.variant)
		require.LessOrEqual(t, f.shrunk.Story.Steps, x.steps, x.variant)
	}
}

// BenchmarkShrink measures the shrinking of the known faults, each in the first
// run that shows it.
func BenchmarkShrink(b *testing.B) {
	for _, x := range Findings() {
		r := newRunner(b, x.Scenario)
		var rec *sim.Recorder
		for seed := uint64(0); ; seed++ {
			rec = sim.NewRecorder(sim.NewRandom(seed))
			out := r.Run(rec)
			if _, ok := x.shown(r, out); ok {
				break
			}
		}
		plan, tape := slices.Clone(r.Plan()), rec.Tape()
		b.Run(x.ID, func(b *testing.B) {
			runs := 0
			for b.Loop() {
				c, err := Shrink(r.variant, x.Scenario, plan, tape, x.goal(), 0)
				require.NoError(b, err)
				runs += c.Runs
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/shrink")
		})
	}
}
