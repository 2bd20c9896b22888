package scenarios

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// mutantCases says which variant meets each fault that is planted in the
// server, and which guarantee is found to be broken.
var mutantCases = map[zkmodel.Mutant]struct{ variant, guarantee string }{
	zkmodel.EventAfterReply:   {"lock/herd-children", "event-before-read"},
	zkmodel.EventTwice:        {"lock/curator", "one-shot"},
	zkmodel.StaleListing:      {"lock/zkdocs", "read-state"},
	zkmodel.EphemeralSurvives: {"lock/zkdocs", "ephemeral"},
	zkmodel.SequenceReused:    {"lock/curator", "sequence"},

	zkmodel.EphemeralGoesAtOnce: {"lock/curator", "read-state"},
	zkmodel.ReadsWaitForAll:     {"lock/curator", "local-reads"},
}

// A server that breaks a guarantee is reported as such, wherever a result is.
func TestPlantedServerFaultsAreReported(t *testing.T) {
	for _, m := range zkmodel.Mutants() {
		t.Run(m.String(), func(t *testing.T) {
			dir := t.TempDir()
			want := mutantCases[m]
			s := mutantScenario(m, mutantCases[m].variant)
			v, _ := ByName(s.Variant)
			rep, err := Explore(context.Background(), v, s, ExploreOptions{Strategy: "random", Runs: 100, Workers: 1, ShrinkRuns: 2000, Dir: dir})
			require.NoError(t, err)
			require.Equal(t, checker.Failed, rep.Levels.Service)
			last := rep.Verdicts[len(rep.Verdicts)-1]
			require.Equal(t, checker.ServiceGuarantees, last.Property)
			require.Regexp(t, "^"+want.guarantee+": ", last.Why)
			var violation *ViolationReport
			for i := range rep.Violations {
				if rep.Violations[i].Property == checker.ServiceGuarantees {
					violation = &rep.Violations[i]
				}
			}
			require.NotNil(t, violation)
			require.Equal(t, checker.LevelService, violation.Level)
			t.Logf("%d transitions: %s", violation.Transitions, violation.Why)

			// The saved counterexample shows the same.
			f, err := ReadReplay(filepath.Join(dir, violation.Replay))
			require.NoError(t, err)
			require.Equal(t, m, f.Scenario.ServerMutant)
			one, err := Replay(f)
			require.NoError(t, err)
			require.True(t, one.Same, one.Stale)
			require.Equal(t, checker.Failed, one.Report.Levels.Service)
			story, err := f.Tell()
			require.NoError(t, err)
			require.Contains(t, strings.Join(story.Text(), "\n"), want.guarantee)
		})
	}
}

// The same runs on a good server pass.
func TestGoodServersAreNotBlamed(t *testing.T) {
	for _, m := range zkmodel.Mutants() {
		s := mutantScenario(m, mutantCases[m].variant)
		s.ServerMutant = zkmodel.NoMutant
		r, err := NewRunner(s)
		require.NoError(t, err)
		defer r.Close()
		for seed := range uint64(100) {
			out := r.Run(sim.NewRandom(seed))
			last := out.Results[len(out.Results)-1]
			require.Equal(t, checker.ServiceGuarantees, last.Property)
			require.Equal(t, checker.Pass, last.Verdict, "%s seed %d: %s", s.Variant, seed, last.Why)
		}
	}
}

// Every result says the same properties, in the order of Properties.
func TestResultsFollowProperties(t *testing.T) {
	for _, untimed := range []bool{false, true} {
		s := Small("lock/zkdocs")
		s.Untimed = untimed
		r, err := NewRunner(s)
		require.NoError(t, err)
		defer r.Close()
		out := r.Run(sim.NewRandom(1))
		var got []checker.Property
		for _, x := range out.Results {
			got = append(got, x.Property)
			require.Equal(t, LevelOf(x.Property), x.Level)
		}
		require.Equal(t, r.variant.Properties(), got)
	}
}

// A search of states keeps no state of the service; the counterexamples that
// it re-executes are judged, and the fault of a server is found in them.
func TestServiceInASearchOfStates(t *testing.T) {
	s := Small("lock/zkdocs")
	s.Clients = 2
	rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.Empty(t, rep.Violations)
	x := rep.Verdicts[len(rep.Verdicts)-1]
	require.Equal(t, checker.ServiceGuarantees, x.Property)
	require.Equal(t, checker.NotApplicable, x.Verdict)
	require.NotEmpty(t, x.Why)

	s.ServerMutant = zkmodel.StaleListing
	rep, err = Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.NotEmpty(t, rep.Violations)
	x = rep.Verdicts[len(rep.Verdicts)-1]
	require.Equal(t, checker.Failed, x.Verdict)
	require.Contains(t, x.Why, "read-state")
}

// The three verdicts are the worst at their level, and nothing else counts.
func TestLevels(t *testing.T) {
	l := noLevels()
	require.Equal(t, Levels{"n/a", "n/a", "n/a"}, l)
	l.add(checker.LevelBelief, checker.Pass)
	l.add(checker.LevelBelief, checker.NotApplicable)
	l.add(checker.LevelOf(checker.Progress), checker.Failed)
	require.Equal(t, Levels{"n/a", "pass", "n/a"}, l)
	l.add(checker.LevelBelief, checker.Unknown)
	l.add(checker.LevelBelief, checker.Pass)
	l.add(checker.LevelFenced, checker.Failed)
	l.add(checker.LevelFenced, checker.Unknown)
	l.add(checker.LevelService, checker.Pass)
	require.Equal(t, Levels{"pass", "unknown", "fail"}, l)
}

// The table of promises is that of VERDICTS: what no lock can promise is named,
// and what the fenced one still does.
func TestPromises(t *testing.T) {
	at := func(variant, class string) Promise {
		v, ok := ByName(variant)
		require.True(t, ok)
		return PromiseOf(&v, class)
	}
	for _, class := range []string{NoFaults, "crash", "cut", "cut-request", "cut-reply", "delay-event"} {
		require.Equal(t, Levels{"pass", "pass", "n/a"}, at("lock/zkdocs", class).Levels, class)
		require.Equal(t, Levels{"pass", "pass", "pass"}, at("lock/fenced", class).Levels, class)
	}
	require.Equal(t, Levels{"pass", "fail", "n/a"}, at("lock/zkdocs", "partition").Levels)
	require.Equal(t, Levels{"pass", "pass", "pass"}, at("lock/fenced", "partition").Levels)
	require.Equal(t, Levels{"pass", "fail", "pass"}, at("lock/fenced", "pause").Levels)
	p := at("lock/fenced", "expiry")
	require.Equal(t, Levels{"pass", "pass", "pass"}, p.Levels)
	require.True(t, p.May(checker.LevelBelief))
	require.Equal(t, []string{whyCannotBeTold}, p.Why)
	require.Equal(t, Levels{"pass", "fail", "n/a"}, at("lock/seed002", NoFaults).Levels)
	v, _ := ByName("lock/curator")
	require.Len(t, Promises(&v), len(FaultClasses()))
}

// The fault class of a run is what was planned, or what struck.
func TestFaultClassOfARun(t *testing.T) {
	s := Default("lock/zkdocs")
	s.Plan = faults.Plan{
		{Kind: faults.Pause, Client: 1, Time: time.Second, For: time.Second},
		{Kind: faults.Crash, Client: 0, Time: time.Second},
	}
	require.Equal(t, "crash+pause", s.class())
	one, err := RunOnce(s, 1, "")
	require.NoError(t, err)
	require.Equal(t, "crash+pause", one.Report.Class)
	require.Equal(t, Levels{"pass", "pass", "n/a"}, one.Report.Levels)
	s = Default("lock/zkdocs")
	require.Equal(t, NoFaults, s.class())
	s.Faults[faults.Cut] = 1
	require.Equal(t, "cut", s.class())
}
