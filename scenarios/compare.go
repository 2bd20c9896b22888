package scenarios

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"zoosim/checker"
	"zoosim/sim"
)

// CompareOptions are the settings of [Compare].
type CompareOptions struct {
	// Family is that of the variants; default "lock".
	Family string
	// Seed is the first seed; Seeds is how many runs each variant makes under
	// each fault class, default [DefaultSeeds].
	Seed  uint64
	Seeds int
	// Change alters the default scenario of every variant; nil changes
	// nothing.
	Change func(*Scenario)
	// Classes are the fault classes; default [FaultClasses].
	Classes []FaultClass
	// Findings says whether the known faults are looked for.
	Findings bool
	// Dir is the folder for replay files; "" writes none.
	Dir string
	// Workers is the number of workers; default one a core.
	Workers int
	// Progress is called, from any worker, when done of total parts are done;
	// nil is not called.
	Progress func(done, total int)
	_        struct{}
}

// DefaultSeeds is the default number of runs of each variant under each fault
// class.
const DefaultSeeds = 1000

// Compare runs every variant of a family under every fault class on the same seeds:
// the same arrivals, holds, limits and faults. The result does not depend on
// the number of workers.
func Compare(ctx context.Context, o CompareOptions) (*CompareReport, error) {
	if o.Seeds == 0 {
		o.Seeds = DefaultSeeds
	}
	if o.Classes == nil {
		o.Classes = FaultClasses()
	}
	if o.Family == "" {
		o.Family = "lock"
	}
	variants := Variants(o.Family)
	cells := make([]cell, len(variants)*len(o.Classes))
	var findings []Finding
	if o.Findings {
		for _, f := range Findings() {
			if familyName(f.Scenario.Variant) == o.Family {
				findings = append(findings, f)
			}
		}
	}
	found := make([]FindingReport, len(findings))
	errs := make([]error, len(cells)+len(findings))
	done := newCounter(len(errs), o.Progress)
	err := parallel(ctx, len(errs), o.Workers, func(i int) {
		defer done.add()
		if i < len(findings) {
			found[i], errs[i] = findings[i].search(ctx, o.Seed, o.Dir)
			return
		}
		c := &cells[i-len(findings)]
		j := i - len(findings)
		c.variant, c.class = variants[j/len(o.Classes)], o.Classes[j%len(o.Classes)]
		errs[i] = c.run(ctx, &o)
	})
	if err != nil {
		return nil, err
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	rep := assemble(&o, variants, cells)
	rep.Findings = append(rep.Findings, found...)
	for i := range found {
		if f := &found[i]; !f.Found {
			rep.Unexpected = append(rep.Unexpected, fmt.Sprintf("%s (%s of %s) was not found in %d runs", f.ID, f.Property, f.Variant, f.Runs))
		}
	}
	return rep, nil
}

// cell is one variant under one fault class.
type cell struct {
	variant  Variant
	class    FaultClass
	runs     int
	vacuous  int
	verdicts []cellVerdict
	metrics  [][]float64 // by metric, then seed
	mode     Mode
	clients  int
	ops      int
}

// cellVerdict is what is known of one property in a cell. Of the runs that
// failed it keeps the one with the fewest transitions.
type cellVerdict struct {
	result      checker.Result
	applies     bool
	failures    int
	unknown     int
	seed        uint64
	transitions int
	replay      string
}

// run makes the cell's runs and saves a counterexample for each property that
// failed.
func (c *cell) run(ctx context.Context, o *CompareOptions) error {
	s := Default(c.variant.Name)
	s.Faults = c.class.Budget
	if o.Change != nil {
		o.Change(&s)
	}
	c.mode, c.clients, c.ops = s.Mode, s.Clients, s.Ops
	r, err := NewRunner(s)
	if err != nil {
		return err
	}
	defer r.Close()
	c.metrics = make([][]float64, len(MetricNames()))
	st := sim.NewRandom(0)
	for i := 0; i < o.Seeds && ctx.Err() == nil; i++ {
		seed := o.Seed + uint64(i)
		st.Seed(seed)
		c.add(r, seed, r.Run(st))
	}
	if o.Dir == "" {
		return nil
	}
	for i := range c.verdicts {
		if v := &c.verdicts[i]; v.failures > 0 {
			if v.replay, err = r.save(o.Dir, c.fileName(v), v.seed, v.result); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cell) fileName(v *cellVerdict) string {
	return fmt.Sprintf("%s-%s-%s-%d.json", shortName(c.variant.Name), c.class.Name, v.result.Property, v.seed)
}

// shortName is a variant's name without its family, "curator" for
// "lock/curator".
func shortName(variant string) string { return path.Base(variant) }

// familyName is the family that a variant's name names.
func familyName(variant string) string { return path.Dir(variant) }

// add counts one run.
func (c *cell) add(r *Runner, seed uint64, out Outcome) {
	c.runs++
	if out.Vacuous {
		c.vacuous++
	}
	if c.verdicts == nil {
		c.verdicts = make([]cellVerdict, len(out.Results))
	}
	for i := range out.Results {
		x, v := &out.Results[i], &c.verdicts[i]
		if v.result.Property == "" {
			v.result = *x
		}
		v.applies = v.applies || x.Verdict != checker.NotApplicable
		switch x.Verdict {
		case checker.Unknown:
			v.unknown++
		case checker.Failed:
			if v.failures == 0 || out.Transitions < v.transitions {
				v.result, v.seed, v.transitions = *x, seed, out.Transitions
			}
			v.failures++
		}
	}
	for i, m := range metricValues(r.Metrics()) {
		c.metrics[i] = append(c.metrics[i], m)
	}
}

// save re-executes a seed, records its choices and writes a replay file to
// dir/replays. It returns the file's name within dir.
func (r *Runner) save(dir, name string, seed uint64, x checker.Result) (string, error) {
	rec := sim.NewRecorder(sim.NewRandom(seed))
	out := r.Run(rec)
	f := ReplayFile{
		Scenario: r.s, Seed: seed, Property: string(x.Property), Why: x.Why,
		Hash: out.Hash, Tape: rec.Tape(),
	}
	rel := path.Join("replays", name)
	return rel, f.Write(filepath.Join(dir, filepath.FromSlash(rel)))
}

// verdict is the cell's verdict on one property.
func (v *cellVerdict) verdict() checker.Verdict {
	switch {
	case v.failures > 0:
		return checker.Failed
	case v.unknown > 0:
		return checker.Unknown
	case !v.applies:
		return checker.NotApplicable
	}
	return checker.Pass
}

// assemble makes the report out of the cells.
func assemble(o *CompareOptions, variants []Variant, cells []cell) *CompareReport {
	rep := &CompareReport{
		Family: o.Family, FirstSeed: o.Seed, Seeds: o.Seeds, Baseline: variants[0].family.baseline,
		Findings: []FindingReport{}, Paired: []PairedReport{}, Unexpected: []string{},
		Clients: cells[0].clients, Ops: cells[0].ops, Mode: cells[0].mode,
	}
	for _, c := range o.Classes {
		rep.Classes = append(rep.Classes, c.Name)
	}
	standard := o.Change == nil && o.Seed == 0 && o.Seeds >= DefaultSeeds
	var base *cell
	for i := range variants {
		row := cells[i*len(o.Classes) : (i+1)*len(o.Classes)]
		vr := VariantReport{
			Variant: variants[i].Name, Correct: variants[i].Correct,
			Metrics: map[string]float64{}, Intervals: map[string][2]float64{},
		}
		for j := range row {
			c := &row[j]
			levels := ClassLevels{Faults: c.class.Name, Levels: noLevels(), Expected: PromiseOf(&variants[i], c.class.Name)}
			for k := range c.verdicts {
				v := classVerdict(c, &c.verdicts[k])
				vr.Verdicts = append(vr.Verdicts, v)
				levels.add(v.Level, v.Verdict)
				if line := unexpected(&vr.Verdicts[len(vr.Verdicts)-1], vr.Variant, standard); line != "" {
					rep.Unexpected = append(rep.Unexpected, line)
				}
			}
			vr.Levels = append(vr.Levels, levels)
			if c.class.Name != NoFaults {
				continue
			}
			if vr.Variant == rep.Baseline {
				base = c
			}
			for k, name := range MetricNames() {
				iv := checker.Mean95(c.metrics[k])
				vr.Metrics[name] = iv.Mean
				vr.Intervals[name] = [2]float64{iv.Low, iv.High}
			}
		}
		rep.Variants = append(rep.Variants, vr)
	}
	if base != nil {
		pair(rep, base, cells)
	}
	return rep
}

func classVerdict(c *cell, v *cellVerdict) ClassVerdict {
	cv := ClassVerdict{
		Property: v.result.Property, Level: v.result.Level, Faults: c.class.Name,
		Verdict: v.verdict(), Runs: c.runs, Vacuous: c.vacuous, Failures: v.failures, Replay: v.replay,
	}
	if v.failures > 0 {
		cv.Why, cv.Seed = v.result.Why, v.seed
	}
	e := Expected(c.variant.Name, c.class.Name, v.result.Property)
	switch {
	case cv.Verdict == checker.NotApplicable:
		cv.Expected = checker.NotApplicable
	case e.Rare && cv.Verdict == checker.Pass:
		cv.Expected = checker.Pass // not met, as is likely
	default:
		cv.Expected = e.Verdict
	}
	return cv
}

// pair adds the paired differences of the fault-free runs.
func pair(rep *CompareReport, base *cell, cells []cell) {
	for i := range cells {
		c := &cells[i]
		if c.class.Name != NoFaults || c == base {
			continue
		}
		for k, name := range MetricNames() {
			iv, err := checker.Paired95(c.metrics[k], base.metrics[k])
			if err == nil {
				rep.Paired = append(rep.Paired, PairedReport{c.variant.Name, name, iv.Mean, iv.Low, iv.High})
			}
		}
	}
}

// search looks for a finding, seed by seed.
func (f *Finding) search(ctx context.Context, first uint64, dir string) (FindingReport, error) {
	rep := FindingReport{
		ID: f.ID, Variant: f.Scenario.Variant, Property: f.Property, Title: f.Title,
		Faults: f.Scenario.Faults.String(),
	}
	r, err := NewRunner(f.Scenario)
	if err != nil {
		return rep, err
	}
	defer r.Close()
	st := sim.NewRandom(0)
	for ; rep.Runs < MaxFindingRuns && ctx.Err() == nil; rep.Runs++ {
		seed := first + uint64(rep.Runs)
		st.Seed(seed)
		if _, ok := f.shown(r, r.Run(st)); !ok {
			continue
		}
		rep.Runs++
		c, err := f.shrink(r, seed)
		if err != nil {
			return rep, err
		}
		rep.Found, rep.Seed, rep.Why, rep.Hash = true, seed, c.Result.Why, FormatHash(c.Hash)
		if dir != "" {
			rep.Replay = path.Join("replays", strings.ReplaceAll(f.ID, ":", "-")+".json")
			err = c.File(seed).Write(filepath.Join(dir, filepath.FromSlash(rep.Replay)))
		}
		return rep, err
	}
	return rep, nil
}

// shrink makes the run of a seed, which shows the finding, simpler.
func (f *Finding) shrink(r *Runner, seed uint64) (*Shrunk, error) {
	rec := sim.NewRecorder(sim.NewRandom(seed))
	r.Run(rec)
	return Shrink(r.variant, f.Scenario, r.Plan(), rec.Tape(), f.goal(), 0)
}

// goal is what runs that show the finding have in common.
func (f *Finding) goal() Goal { return Goal{Property: f.Property, Match: f.match} }

// shown reports whether the runner's last run shows the finding.
func (f *Finding) shown(r *Runner, out Outcome) (checker.Result, bool) {
	g := f.goal()
	return g.reached(r.History(), &out)
}
