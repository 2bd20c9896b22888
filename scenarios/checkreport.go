package scenarios

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"zoosim/checker"
)

// CheckReport is the result of a search, as `zoosim check --json` writes it.
// Fields may be added, never renamed.
type CheckReport struct {
	Variant  string       `json:"variant"`
	Strategy string       `json:"strategy"`
	Bounds   BoundsReport `json:"bounds"`
	// Runs counts the runs of the search; those of shrinking are apart.
	Runs int `json:"runs"`
	// States counts the states visited; 0 in a search of runs.
	States int `json:"states"`
	// Complete is true if everything within the bounds was searched; a search
	// of drawn runs never is.
	Complete   bool              `json:"complete"`
	WallMS     float64           `json:"wallMS"`
	Verdicts   []CheckVerdict    `json:"verdicts"`
	Levels     Levels            `json:"levels"`
	Class      string            `json:"class"` // the fault class
	Violations []ViolationReport `json:"violations"`
	// Findings are the known faults of the variant, met or not.
	Findings []MetFinding `json:"findings"`
	// Marks counts the runs in which each mark was hit. A search of states has
	// none: nearly every mark looks back (what a client asked for last, whether
	// it has been told since, which tickets lived), which is no part of a state,
	// so that of two ways to one state the mark would see the one that a worker
	// happened to take first; and to tell states apart by it would make many of
	// one. Its reductions leave out orders, too, in which alone a mark may be hit.
	Marks map[string]int `json:"marks"`
	// Livelock is what repeats for ever, as a trace tells it; see
	// [FindLivelock].
	Livelock []string `json:"livelock,omitempty"`
	// Interrupted is true if the search was ended from outside.
	Interrupted bool   `json:"interrupted"`
	Out         string `json:"out"`

	// Stories holds a story for each violation, then for each finding that was
	// met.
	Stories []*Story `json:"-"`

	shrunk []*Shrunk // by violation, then by finding that was met
}

// BoundsReport says within which bounds a search was made.
type BoundsReport struct {
	Sizes
	Servers  int    `json:"servers,omitempty"` // 0 for one
	Ops      int    `json:"ops"`
	Attempts int    `json:"attempts"`
	Mode     Mode   `json:"mode"`
	Limit    string `json:"limit"` // "drawn" if it is
	Hold     string `json:"hold"`
	Faults   string `json:"faults"`
	Seed     uint64 `json:"seed"`
	Runs     int    `json:"runs"`   // 0 for no bound
	Budget   string `json:"budget"` // of time, 0s for none
	// Of a search of states: the reductions that were on, and what the bounds
	// left unexplored: states known but not expanded, paths cut short.
	Reductions string `json:"reductions,omitempty"`
	// NoCheckpoints says why the search had to do without some checkpoints.
	NoCheckpoints string `json:"noCheckpoints,omitempty"`
	// NoSymmetry says why it had to do without symmetry.
	NoSymmetry string `json:"noSymmetry,omitempty"`
	CutStates  int    `json:"cutStates,omitempty"`
	CutDepth   int    `json:"cutDepth,omitempty"`
}

// CheckVerdict is the verdict on one property over all runs: fail if any run
// failed, unknown if any was not decided.
type CheckVerdict struct {
	Property checker.Property `json:"property"`
	Level    checker.Level    `json:"level"`
	Verdict  checker.Verdict  `json:"verdict"`
	Why      string           `json:"why"`
	Failures int              `json:"failures"` // runs
	Unknown  int              `json:"unknown"`
}

// ViolationReport is a counterexample of a property.
type ViolationReport struct {
	Property    checker.Property `json:"property"`
	Level       checker.Level    `json:"level"`
	Clients     int              `json:"clients"`
	Faults      []string         `json:"faults"`
	Transitions int              `json:"transitions"`
	Steps       int              `json:"steps"`
	// Replay is the file name within the folder, "" if none was written.
	Replay string `json:"replay"`
	Why    string `json:"why"`
	Hash   string `json:"hash"`
	// Run is the number of the run that was shrunk, ShrinkRuns how many runs
	// that took.
	Run        int `json:"run"`
	ShrinkRuns int `json:"shrinkRuns"`
}

// MetFinding is a known fault, and its counterexample if it was met.
type MetFinding struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Found bool   `json:"found"`
	ViolationReport
}

// defaultWorkers is one a core.
func defaultWorkers() int { return runtime.GOMAXPROCS(0) }

// report shrinks what was found and says what the search has shown.
func (x *explorer) report(ctx context.Context) (*CheckReport, error) {
	rep := &CheckReport{
		Variant: x.variant.Name, Strategy: x.o.Strategy, Bounds: x.bounds(), Runs: x.done.total.Runs,
		Verdicts: []CheckVerdict{}, Violations: []ViolationReport{}, Findings: []MetFinding{},
		Levels: noLevels(), Class: x.s.class(), Marks: x.done.total.Marks.report(), Out: x.o.Dir,
	}
	shrinks := x.shrinks()
	if err := x.shrinkAll(ctx, shrinks); err != nil {
		return nil, err
	}
	for i := range x.done.total.Verdicts {
		v := x.done.total.Verdicts[i]
		c := CheckVerdict{Property: v.Property, Level: LevelOf(v.Property), Failures: v.Failures, Unknown: v.Unknown}
		switch {
		case v.Failures > 0:
			c.Verdict = checker.Failed
		case v.Unknown > 0:
			c.Verdict, c.Why = checker.Unknown, v.Why
		case v.Applies:
			c.Verdict = checker.Pass
		default:
			c.Verdict = checker.NotApplicable
		}
		for _, s := range shrinks {
			if s.finding < 0 && s.goal.Property == v.Property {
				c.Why = s.result.Why
			}
		}
		rep.addVerdict(c)
	}
	for _, s := range shrinks {
		if s.finding < 0 {
			rep.Violations = append(rep.Violations, s.result)
		}
		rep.Stories, rep.shrunk = append(rep.Stories, s.shrunk.Story), append(rep.shrunk, s.shrunk)
	}
	for i, f := range x.findings {
		m := f.unmet()
		for _, s := range shrinks {
			if s.finding == i {
				m.Found, m.ViolationReport = true, s.result
			}
		}
		rep.Findings = append(rep.Findings, m)
	}
	return rep, nil
}

// addVerdict takes in the verdict on a property.
func (rep *CheckReport) addVerdict(v CheckVerdict) {
	rep.Verdicts = append(rep.Verdicts, v)
	rep.Levels.add(v.Level, v.Verdict)
}

func (x *explorer) bounds() BoundsReport {
	drawn := func(d time.Duration, drawn bool) string {
		if drawn {
			return "drawn"
		}
		return d.String()
	}
	s := &x.s
	b := boundsOf(s, x.o)
	b.Limit, b.Hold = drawn(s.Limit, s.drawsLimit()), drawn(s.Hold, s.drawsHold())
	return b
}

// boundsOf are the bounds of a search that draws nothing.
func boundsOf(s *Scenario, o *ExploreOptions) BoundsReport {
	b := BoundsReport{
		Sizes: s.sizes(), Ops: s.Ops, Attempts: s.Attempts, Mode: s.Mode, Limit: s.Limit.String(), Hold: s.Hold.String(),
		Faults: s.Faults.String(), Seed: o.Seed, Runs: o.Runs, Budget: o.Budget.String(),
	}
	if s.Servers > 1 {
		b.Servers = s.Servers
	}
	return b
}

// shrinkJob is a counterexample to shrink and to save.
type shrinkJob struct {
	goal    Goal
	finding int // -1 for a property's own
	name    string
	from    *failing

	result ViolationReport
	shrunk *Shrunk
}

// shrinks lists what is to be shrunk: the properties that failed, then the
// findings that were met.
func (x *explorer) shrinks() []*shrinkJob {
	var jobs []*shrinkJob
	for i := range x.done.total.Verdicts {
		if v := &x.done.total.Verdicts[i]; v.Failing.found() {
			jobs = append(jobs, &shrinkJob{
				goal: Goal{Property: v.Property}, finding: -1, name: x.propertyName(v.Property), from: &v.Failing,
			})
		}
	}
	for i := range x.findings {
		if f := &x.done.total.Findings[i]; f.found() {
			jobs = append(jobs, &shrinkJob{goal: x.findings[i].goal(), finding: i, name: x.findings[i].fileName(), from: f})
		}
	}
	return jobs
}

// shrinkAll carries the jobs out. Once ctx is over nothing is shrunk any more.
func (x *explorer) shrinkAll(ctx context.Context, jobs []*shrinkJob) error {
	if err := x.clearDir(); err != nil {
		return err
	}
	p, err := newPlayer(x)
	if err != nil {
		return err
	}
	defer p.r.Close()
	var before []*Shrunk
	for _, j := range jobs {
		c, err := p.carryOut(ctx, j, before)
		if err != nil {
			return err
		}
		before = append(before, c)
	}
	return nil
}

// clearDir makes the folder and removes what an earlier search of the variant
// left there: a counterexample of what no longer fails would stay for ever.
func (x *explorer) clearDir() error {
	if x.o.Dir == "" {
		return nil
	}
	var names []string
	for _, p := range x.variant.Properties() {
		names = append(names, x.propertyName(p))
	}
	for _, f := range slices.Concat(x.findings, x.apart) {
		names = append(names, f.fileName())
	}
	return clearFiles(x.o.Dir, names)
}

// clearFiles makes the folder of a search and removes the files of the given
// counterexamples.
func clearFiles(in string, names []string) error {
	for sub, ends := range map[string][]string{"replays": {".json"}, "stories": {".txt", ".mmd"}} {
		dir := filepath.Join(in, sub)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for _, name := range names {
			for _, end := range ends {
				if err := os.Remove(filepath.Join(dir, name+end)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

// propertyName and fileName are the names of files.
func (x *explorer) propertyName(p checker.Property) string {
	return shortName(x.variant.Name) + "-" + string(p)
}

func (f *Finding) fileName() string { return strings.ReplaceAll(f.ID, ":", "-") }

// carryOut shrinks, tells and saves a counterexample; before are those that
// were shrunk already, and may show the same.
func (p *player) carryOut(ctx context.Context, j *shrinkJob, before []*Shrunk) (*Shrunk, error) {
	runs := p.x.o.ShrinkRuns
	if runs < 0 || ctx.Err() != nil {
		runs = 1
	}
	c, from, err := p.shrinkCandidates(j.from, before, j.goal, runs)
	if err != nil {
		return nil, err
	}
	j.shrunk = c
	j.result = ViolationReport{
		Property: j.goal.Property, Level: LevelOf(j.goal.Property), Clients: c.Scenario.Clients, Faults: []string{},
		Transitions: c.Story.Transitions, Steps: c.Story.Steps, Why: c.Result.Why, Hash: FormatHash(c.Hash),
		Run: from.Number, ShrinkRuns: c.Runs,
	}
	for _, f := range c.Scenario.Plan {
		j.result.Faults = append(j.result.Faults, f.String())
	}
	if p.x.o.Dir == "" {
		return c, nil
	}
	j.result.Replay = path.Join("replays", j.name+".json")
	if err := c.File(from.Run.Seed).Write(filepath.Join(p.x.o.Dir, filepath.FromSlash(j.result.Replay))); err != nil {
		return nil, err
	}
	return c, c.Story.Write(filepath.Join(p.x.o.Dir, "stories", j.name))
}

// Write writes the story as name.txt and its diagram as name.mmd.
func (s *Story) Write(name string) error {
	return errors.Join(
		WriteFile(name+".txt", []byte(strings.Join(s.Text(), "\n")+"\n")),
		WriteFile(name+".mmd", []byte(strings.Join(s.Mermaid(), "\n")+"\n")),
	)
}
