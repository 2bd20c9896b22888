package scenarios

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// ExploreStates visits every state of a scenario in untimed mode and reports
// as [Explore] does. Runs bounds the number of states, 0 for no bound. Of each
// property that fails the shortest counterexample is saved; with
// [StrategyReexecute] it is the one that was met first.
func ExploreStates(ctx context.Context, s Scenario, on Reductions, o ExploreOptions) (*CheckReport, error) {
	start := time.Now()
	workers := o.Workers
	if workers == 0 {
		workers = defaultWorkers()
	}
	if o.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Budget)
		defer cancel()
	}
	var found *SearchReport
	var err error
	if o.Strategy == StrategyReexecute {
		found, err = Reexecute(ctx, s, ReexecuteOptions{Reductions: on, Uncached: o.Uncached, States: o.Runs})
	} else {
		found, err = Exhaustive(ctx, s, SearchOptions{
			Reductions: on, Workers: workers, States: o.Runs, Shortest: true, Resume: o.Resume, SaveEvery: o.SaveEvery, Progress: o.States,
		})
	}
	if err != nil {
		return nil, err
	}
	rep := &CheckReport{
		Variant: s.Variant, Strategy: o.Strategy, States: found.States, Complete: found.Complete,
		Bounds:   boundsOf(&s, &o),
		Verdicts: []CheckVerdict{}, Violations: []ViolationReport{}, Findings: []MetFinding{},
		Levels: noLevels(), Class: s.class(), Marks: map[string]int{}, Interrupted: ctx.Err() != nil && o.Budget == 0, Out: o.Dir,
	}
	rep.Bounds.Reductions = reductionsText(found.Reductions, &o)
	rep.Bounds.NoCheckpoints, rep.Bounds.NoSymmetry = found.NoCheckpoints, found.NoSymmetry
	rep.Bounds.CutStates, rep.Bounds.CutDepth = found.CutStates, found.CutDepth
	for _, r := range found.Verdicts {
		rep.addVerdict(CheckVerdict{Property: r.Property, Level: r.Level, Verdict: r.Verdict, Why: r.Why})
	}
	for i := range found.Violations {
		if err := rep.addState(&found.Violations[i], o.Dir); err != nil {
			return nil, err
		}
	}
	rep.WallMS = ms(time.Since(start))
	return rep, nil
}

// reductionsText says what a search of states leaves out.
func reductionsText(on Reductions, o *ExploreOptions) string {
	if o.Uncached {
		return on.String() + ", uncached"
	}
	return on.String()
}

// addState notes a counterexample of a search of states and saves it.
func (rep *CheckReport) addState(c *Counterexample, dir string) error {
	f := ReplayFile{Scenario: c.Scenario, Property: string(c.Property), Why: c.Why, Hash: c.Hash, Tape: c.Tape}
	story, err := f.Tell()
	if err != nil {
		return err
	}
	v := ViolationReport{
		Property: c.Property, Level: LevelOf(c.Property), Clients: c.Scenario.Clients, Faults: []string{},
		Transitions: story.Transitions, Steps: story.Steps, Why: c.Why, Hash: FormatHash(c.Hash),
	}
	if b := c.Scenario.Faults.String(); b != "none" {
		v.Faults = append(v.Faults, b)
	}
	if dir != "" {
		v.Replay = path.Join("replays", fmt.Sprintf("%s-%s-%s.json", shortName(rep.Variant), rep.Strategy, c.Property))
		name := filepath.Join(dir, filepath.FromSlash(v.Replay))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := f.Write(name); err != nil {
			return err
		}
		stories := filepath.Join(dir, "stories")
		if err := os.MkdirAll(stories, 0o755); err != nil {
			return err
		}
		if err := story.Write(filepath.Join(stories, strings.TrimSuffix(path.Base(v.Replay), ".json"))); err != nil {
			return err
		}
	}
	rep.Violations = append(rep.Violations, v)
	return nil
}
