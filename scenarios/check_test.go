package scenarios

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
)

// explored searches a variant with the default faults.
func explored(t testing.TB, variant string, o ExploreOptions) *CheckReport {
	v, ok := ByName(variant)
	require.True(t, ok, variant)
	s := Default(variant)
	s.Faults = DefaultFaults()
	rep, err := Explore(context.Background(), v, s, o)
	require.NoError(t, err)
	return rep
}

// mostSteps is the most steps that a shrunk counterexample of a finding may
// have: those with which it is reported and three, or what stands here.
func mostSteps(id string) int {
	if n, ok := otherSizes[id]; ok {
		return n
	}
	return max(reportSteps[id]+3, leastSteps[id])
}

// otherSizes are the sizes of the findings that are reported without, or whose
// steps are counted otherwise there.
var otherSizes = map[string]int{
	// A create, a list, a delete and what fails behind them.
	"zkjava:Z1": 6, "gozk:G1": 3, "gozk:G4": 6, "curator:C11": 10, "gozk:G2": 8, "gozk:G3": 5, "gozk:G5": 5, "zkjava:Z4": 5, "zkjava:Z5": 3,
	"gozk:G6": 4 + 3, "kazoo:K10": 4 + 3, "curator:C10": 4 + 3, "CURATOR-696": 6 + 3, "zookeeper:Z6": 4 + 3, "zookeeper:Z7": 6,
	// A mutex and a lease cost six steps, which the facts do not count one by one.
	"curator:C4": 30, "curator:C13": 19, "curator:C13c": 34,
	"seed003:T8": 28, "seed003:T10": 6,
	"zkjava:Z3": 8, "seed002:Q6": 5, "curator:C6": 8, "curator:C7": 8, "curator:C8": 4, "CURATOR-605": 10, "kazoo:K2": 8, "kazoo:K3": 12,
	// A claim for each holder; F5: a clear as well, and those that came too early.
	"redis:F1": 2, "redis:F2": 2, "redis:F3": 2, "redis:F4": 2, "redis:F5": 8, "database:D1": 2, "database:D2": 2,
	"seed002:G6": 8, "kazoo:party-expiry": 6, "kazoo:party-list": 14,
}

// Every known fault is met by a search with the default settings and shrunk to
// about the size at which it was described.
func TestCheckMeetsEveryFinding(t *testing.T) {
	t.Parallel()
	met := map[string]bool{}
	meet := func(variant string, rep *CheckReport) {
		for _, f := range rep.Findings {
			require.True(t, f.Found, f.ID)
			t.Logf("%s: %d steps, %d transitions, %d clients, %v", f.ID, f.Steps, f.Transitions, f.Clients, f.Faults)
			require.LessOrEqual(t, f.Steps, mostSteps(f.ID), "%s: %v", f.ID, f.Faults)
			require.LessOrEqual(t, f.Clients, 3, f.ID)
			met[f.ID] = true
		}
		for _, x := range rep.Verdicts {
			require.Equal(t, x.Verdict == checker.Failed, x.Failures > 0, "%s %s", variant, x.Property)
			require.NotEqual(t, checker.Unknown, x.Verdict)
		}
		require.Len(t, rep.Stories, len(rep.Violations)+len(rep.Findings))
	}
	for _, v := range Variants("") {
		if !v.Correct && v.Family() != "sale" { // a sale has the faults of its lock
			meet(v.Name, explored(t, v.Name, ExploreOptions{}))
		}
	}
	// Some show only in a lock with another of its faults repaired.
	for _, f := range Findings() {
		if !met[f.ID] {
			meet(f.Scenario.Variant, explored(t, f.Scenario.Variant, ExploreOptions{}))
		}
	}
	require.Len(t, met, len(Findings()))
	for _, f := range Findings() {
		require.True(t, otherSizes[f.ID] > 0 || reportSteps[f.ID] > 0, "%s has no size", f.ID)
	}
}

// Correct variants have no excuse under the default faults, and need none.
func TestCheckOfCorrectVariants(t *testing.T) {
	t.Parallel()
	for _, v := range Variants("") {
		if !v.Correct {
			continue
		}
		rep := explored(t, v.Name, ExploreOptions{})
		require.Empty(t, rep.Violations, v.Name)
		for _, x := range rep.Verdicts {
			require.Contains(t, []checker.Verdict{checker.Pass, checker.NotApplicable}, x.Verdict, "%s %s", v.Name, x.Property)
		}
		require.Equal(t, DefaultRuns, rep.Runs)
		require.False(t, rep.Complete, "drawn runs are never all runs")
	}
}

// jsonOf is a report as it is written, but for what may differ.
func jsonOf(t *testing.T, rep *CheckReport) string {
	rep.WallMS, rep.Out = 0, ""
	b, err := json.Marshal(rep)
	require.NoError(t, err)
	return string(b)
}

// filesIn is what a folder holds, by name.
func filesIn(t *testing.T, dir string) map[string]string {
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(b)
		return err
	}))
	return files
}

// Bounded by runs, a search gives the same report and the same files whatever
// the number of workers, and every time.
func TestCheckDoesNotDependOnWorkers(t *testing.T) {
	for _, variant := range []string{"lock/kazoo", "lock/seed003", "lock/zkdocs"} {
		for _, strategy := range Strategies() {
			if strategy != DefaultStrategy && variant != "lock/kazoo" {
				continue
			}
			var want string
			var files map[string]string
			for i, workers := range []int{1, 2, 2, 3} {
				if i > 1 && strategy != DefaultStrategy {
					break
				}
				dir := t.TempDir()
				rep := explored(t, variant, ExploreOptions{Strategy: strategy, Runs: 330, ShrinkRuns: 1000, Workers: workers, Seed: 5, Dir: dir})
				got := jsonOf(t, rep)
				if i == 0 {
					want, files = got, filesIn(t, dir)
					continue
				}
				require.Equal(t, want, got, "%s %s, %d workers", variant, strategy, workers)
				require.Equal(t, files, filesIn(t, dir), "%s %s, %d workers", variant, strategy, workers)
			}
		}
	}
}

// What is saved reproduces, and is told.
func TestCheckSavesReplaysAndStories(t *testing.T) {
	dir := t.TempDir()
	rep := explored(t, "lock/gozk", ExploreOptions{Runs: 1000, Dir: dir})
	require.NotEmpty(t, rep.Violations)
	files := filesIn(t, dir)
	all := append([]ViolationReport(nil), rep.Violations...)
	for _, f := range rep.Findings {
		if f.Found {
			all = append(all, f.ViolationReport)
		}
	}
	for i, v := range all {
		require.Contains(t, files, v.Replay)
		f, err := ReadReplay(filepath.Join(dir, filepath.FromSlash(v.Replay)))
		require.NoError(t, err)
		require.Equal(t, string(v.Property), f.Property)
		require.Equal(t, rep.Stories[i].Text(), f.Story)
		one, err := Replay(f)
		require.NoError(t, err)
		require.True(t, one.Same)
		require.Empty(t, one.Stale)
		require.Equal(t, v.Hash, one.Report.Hash)
		again, err := f.Tell()
		require.NoError(t, err)
		require.Equal(t, rep.Stories[i], again)
		name := strings.TrimSuffix(filepath.Base(v.Replay), ".json")
		require.Equal(t, strings.Join(f.Story, "\n")+"\n", files["stories/"+name+".txt"])
		require.True(t, strings.HasPrefix(files["stories/"+name+".mmd"], "sequenceDiagram\n"))
	}
	require.Len(t, files, 3*len(all))

	// A later search removes what no longer fails, and nothing else.
	other := filepath.Join(dir, "replays", "mine.json")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	explored(t, "lock/gozk", ExploreOptions{Runs: 1, Strategy: "single", Dir: dir})
	require.Equal(t, map[string]string{"replays/mine.json": ""}, filesIn(t, dir))
}

// Each strategy alone finds what it is for.
func TestEachStrategyFinds(t *testing.T) {
	for _, strategy := range Strategies() {
		rep := explored(t, "lock/seed003", ExploreOptions{Strategy: strategy, Runs: 600, ShrinkRuns: -1})
		require.Equal(t, 600, rep.Runs, strategy)
		failed := 0
		for _, v := range rep.Verdicts {
			failed += v.Failures
		}
		require.Positive(t, failed, strategy)
	}
}

func TestCheckWithoutFaults(t *testing.T) {
	v, _ := ByName("lock/zkdocs")
	for _, strategy := range []string{"single", "pair"} {
		rep, err := Explore(context.Background(), v, Default(v.Name), ExploreOptions{Strategy: strategy})
		require.NoError(t, err)
		require.Zero(t, rep.Runs, "there is no fault to place")
	}
	rep, err := Explore(context.Background(), v, Default(v.Name), ExploreOptions{Runs: 100})
	require.NoError(t, err)
	require.Equal(t, 100, rep.Runs)
}

func TestCheckOptionsThatAreWrong(t *testing.T) {
	v, _ := ByName("lock/zkdocs")
	_, err := Explore(context.Background(), v, Default(v.Name), ExploreOptions{Strategy: "luck"})
	require.EqualError(t, err, `unknown strategy "luck"; allowed: random, pct, delay, single, pair, swarm, portfolio`)
	s := Default(v.Name)
	s.Clients = 0
	_, err = Explore(context.Background(), v, s, ExploreOptions{})
	var fe *FieldError
	require.ErrorAs(t, err, &fe)
}

// A search that is ended from outside says what it knows.
func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	v, _ := ByName("lock/seed003")
	dir := t.TempDir()
	rep, err := Explore(ctx, v, Default(v.Name), ExploreOptions{Budget: time.Hour, Dir: dir, Progress: func(p ExploreProgress) {
		if len(p.Violations) > 0 {
			cancel()
		}
	}})
	require.NoError(t, err)
	require.True(t, rep.Interrupted)
	require.NotEmpty(t, rep.Violations)
	for _, x := range rep.Violations {
		f, err := ReadReplay(filepath.Join(dir, filepath.FromSlash(x.Replay)))
		require.NoError(t, err)
		one, err := Replay(f)
		require.NoError(t, err)
		require.True(t, one.Same)
		require.LessOrEqual(t, x.ShrinkRuns, 1, "nothing is shrunk")
	}
}

func TestCheckWithinATime(t *testing.T) {
	rep := explored(t, "lock/herd-node", ExploreOptions{Budget: 100 * time.Millisecond, Workers: 2})
	require.Positive(t, rep.Runs)
	require.False(t, rep.Interrupted)
	require.Equal(t, "100ms", rep.Bounds.Budget)
	require.Less(t, rep.WallMS, 10_000.0)
}

func TestCheckProgress(t *testing.T) {
	var last ExploreProgress
	rep := explored(t, "lock/gozk", ExploreOptions{Runs: 500, Workers: 2, Progress: func(p ExploreProgress) {
		require.GreaterOrEqual(t, p.Runs, last.Runs)
		require.GreaterOrEqual(t, len(p.Violations), len(last.Violations))
		require.GreaterOrEqual(t, p.Marks, last.Marks)
		last = p
	}})
	hit := 0
	for _, n := range rep.Marks {
		if n > 0 {
			hit++
		}
	}
	require.Equal(t, ExploreProgress{Runs: 500, MaxRuns: 500, Violations: last.Violations, Marks: hit, MaxMarks: len(Marks())}, last)
	require.Len(t, last.Violations, len(rep.Violations))
}

// calls is shared by all processes, as nothing may be.
var calls atomic.Int64

// unsteady is a lock that behaves differently from one run to the next.
func unsteady() lock.Variant {
	v, _ := lock.ByName("lock/zkdocs")
	v.Name = "mine/unsteady"
	make := v.New
	v.New = func(ctx context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
		if calls.Add(1)%7 == 0 {
			if _, err := c.Exists(ctx, dir); err != nil {
				return nil, err
			}
		}
		return make(ctx, c, e, dir)
	}
	return v
}

// Recipe code that depends on more than its run is noticed.
func TestCheckNoticesNondeterminism(t *testing.T) {
	for _, workers := range []int{1, 2} {
		_, err := Explore(context.Background(), OfLock(unsteady()), Default("mine/unsteady"), ExploreOptions{Workers: workers})
		var random *NondeterminismError
		require.ErrorAs(t, err, &random)
		require.Equal(t, repeatEvery-1, random.Run%repeatEvery)
		require.Equal(t, random.One[:random.Step], random.Other[:random.Step])
		require.NotEqual(t, random.One[random.Step], random.Other[random.Step])
		text := err.Error()
		require.Contains(t, text, "is not deterministic")
		require.Contains(t, text, "first")
		require.Contains(t, text, "second")
	}
}

func TestDefaultFaults(t *testing.T) {
	b := DefaultFaults()
	require.Equal(t, "crash=1,restart=1,resession=1,cut-request=1,cut-reply=1,cut=1,delay-event=1,interrupt=1", b.String())
	require.Zero(t, b[faults.Pause])
}

// BenchmarkCheck measures the search for the known faults of each variant with
// the default settings, on one core, shrinking included.
func BenchmarkCheck(b *testing.B) {
	for _, v := range Variants("lock") {
		b.Run(shortName(v.Name), func(b *testing.B) {
			runs := 0
			for b.Loop() {
				rep := explored(b, v.Name, ExploreOptions{Workers: 1})
				runs += rep.Runs
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/check")
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
