package scenarios

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"zoosim/checker"
	"zoosim/sim"
)

// The strategies of [Verify].
const (
	StrategyRandom     = "random"
	StrategyExhaustive = "exhaustive"
)

// VerifyOptions are the settings of [Verify].
type VerifyOptions struct {
	// Strategy is random (timed runs from seeds) or exhaustive (every state of
	// the untimed scenario).
	Strategy string
	// Seed is the first seed. Runs is the number of random runs, or the most
	// states that an exhaustive search visits, 0 for no bound there.
	Seed uint64
	Runs int
	// Reductions and Workers are those of an exhaustive search.
	Reductions Reductions
	Workers    int
	// Dir is the folder for replay files; "" writes none.
	Dir string
	_   struct{}
}

// VerifyReport is the result of checking one variant, as it is written with
// --json.
type VerifyReport struct {
	Variant  string `json:"variant"`
	Strategy string `json:"strategy"`
	// Bounds says within which bounds the result holds.
	Bounds string `json:"bounds"`
	Runs   int    `json:"runs"`
	States int    `json:"states"`
	// Complete is true if every state within the bounds was visited.
	Complete   bool             `json:"complete"`
	WallMS     float64          `json:"wallMS"`
	Verdicts   []VerdictReport  `json:"verdicts"`
	Violations []VerifyFailure  `json:"violations"`
	Marks      map[string]int64 `json:"marks"`
}

// VerifyFailure is the counterexample to one property.
type VerifyFailure struct {
	Property    checker.Property `json:"property"`
	Level       checker.Level    `json:"level"`
	Why         string           `json:"why"`
	Clients     int              `json:"clients"`
	Faults      string           `json:"faults"`
	Transitions int              `json:"transitions"`
	Steps       int              `json:"steps"`
	Replay      string           `json:"replay"`
}

// Verify searches a scenario for violations of every property that its variant
// is judged by, and saves one counterexample a property: of an exhaustive
// search the shortest, of random runs the one with the fewest transitions.
func Verify(ctx context.Context, s Scenario, o VerifyOptions) (*VerifyReport, error) {
	rep := &VerifyReport{
		Variant: s.Variant, Strategy: o.Strategy, Violations: []VerifyFailure{}, Marks: map[string]int64{},
	}
	start := time.Now()
	var err error
	switch o.Strategy {
	case StrategyExhaustive:
		err = rep.exhaustive(ctx, s, &o)
	case StrategyRandom:
		err = rep.random(ctx, s, &o)
	default:
		err = fmt.Errorf("unknown strategy %q; allowed: %s, %s", o.Strategy, StrategyRandom, StrategyExhaustive)
	}
	rep.WallMS = ms(time.Since(start))
	return rep, err
}

// bounds describes a scenario's bounds.
func bounds(s *Scenario) string {
	return fmt.Sprintf("%d clients, %d acquires each, %d attempts, mode %s, faults %s",
		s.Clients, s.Ops, s.Attempts, s.Mode, s.Faults)
}

// exhaustive visits every state.
func (rep *VerifyReport) exhaustive(ctx context.Context, s Scenario, o *VerifyOptions) error {
	found, err := Exhaustive(ctx, s, SearchOptions{
		Reductions: o.Reductions, Workers: o.Workers, States: o.Runs, Shortest: true,
	})
	if err != nil {
		return err
	}
	rep.Bounds = bounds(&s) + ", reductions " + o.Reductions.String()
	if !found.Complete {
		rep.Bounds += fmt.Sprintf("; cut off with %d states and %d paths unexplored", found.CutStates, found.CutDepth)
	}
	rep.States, rep.Complete = found.States, found.Complete
	for _, r := range found.Verdicts {
		rep.Verdicts = append(rep.Verdicts, VerdictReport{r.Property, r.Level, r.Verdict, r.Why})
	}
	for i := range found.Violations {
		c := &found.Violations[i]
		f := ReplayFile{Scenario: c.Scenario, Property: string(c.Property), Why: c.Why, Hash: c.Hash, Tape: c.Tape}
		if err := rep.add(&f, c.Property, c.Transitions, c.Steps, o.Dir); err != nil {
			return err
		}
	}
	return nil
}

// random makes runs from seeds.
func (rep *VerifyReport) random(ctx context.Context, s Scenario, o *VerifyOptions) error {
	r, err := NewRunner(s)
	if err != nil {
		return err
	}
	defer r.Close()
	rep.Bounds = bounds(&s)
	c := cell{variant: r.variant, metrics: make([][]float64, len(MetricNames()))}
	st := sim.NewRandom(0)
	for ; rep.Runs < o.Runs && ctx.Err() == nil; rep.Runs++ {
		st.Seed(o.Seed + uint64(rep.Runs))
		c.add(r, o.Seed+uint64(rep.Runs), r.Run(st))
	}
	for i := range c.verdicts {
		v := &c.verdicts[i]
		x := VerdictReport{Property: v.result.Property, Level: v.result.Level, Verdict: v.verdict()}
		if v.failures > 0 {
			x.Why = v.result.Why
			rec := sim.NewRecorder(sim.NewRandom(v.seed))
			out := r.Run(rec)
			f := ReplayFile{
				Scenario: s, Seed: v.seed, Property: string(x.Property), Why: x.Why, Hash: out.Hash, Tape: rec.Tape(),
			}
			if err := rep.add(&f, x.Property, out.Transitions, out.Steps, o.Dir); err != nil {
				return err
			}
		}
		rep.Verdicts = append(rep.Verdicts, x)
	}
	return nil
}

// add notes a counterexample and saves it.
func (rep *VerifyReport) add(f *ReplayFile, p checker.Property, transitions, steps int, dir string) error {
	v := VerifyFailure{
		Property: p, Level: checker.LevelOf(p), Why: f.Why, Clients: f.Scenario.Clients, Faults: f.Scenario.Faults.String(),
		Transitions: transitions, Steps: steps,
	}
	if dir != "" {
		v.Replay = path.Join("replays", fmt.Sprintf("%s-%s-%s.json", shortName(rep.Variant), rep.Strategy, p))
		name := filepath.Join(dir, filepath.FromSlash(v.Replay))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := f.Write(name); err != nil {
			return err
		}
	}
	rep.Violations = append(rep.Violations, v)
	return nil
}
