package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"zoosim/checker"
	"zoosim/reports"
	"zoosim/scenarios"
)

// checkFlags are the flags of check.
type checkFlags struct {
	scenario   scenarioFlags
	o          scenarios.ExploreOptions
	reductions string
	on         scenarios.Reductions
}

// defaultCheckOut is the folder of check if --out is not given.
const defaultCheckOut = "zoosim-check"

// exhaustiveStrategies are those that visit states rather than make runs.
var exhaustiveStrategies = []string{scenarios.StrategyExhaustive, scenarios.StrategyReexecute}

func (a *app) checkCmd() *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check VARIANT...|all",
		Short: "Search for runs in which a property fails",
		Long: `check searches the runs of a variant, with faults, for those in which a property
fails. One shortest counterexample per property, and per known fault that was
met, is shrunk and saved with its story and a sequence diagram. The exit status
is 0 if every property passes, 1 if one fails, 2 if one was not decided.

Without --faults a search has one fault of each kind that leaves a correct lock
no excuse. Bounded by --runs it gives the same result everywhere; --budget
bounds the time. A long search of one variant can be interrupted, also by force:
with --resume FILE it saves where it stands in FILE, every --save-every, when it
is interrupted and when its --budget is spent, and the same command goes on from
there, counts nothing twice and ends with the result of a search that was not
interrupted. At its end it removes FILE.

The strategy exhaustive visits every state of a small untimed scenario instead:
three clients, one blocking acquire each, no faults unless --faults names some;
--runs then bounds the states. Complete without a counterexample, it is a proof
within the bounds. A counterexample is the shortest there is. With --servers 3
or 5 the messages between servers arrive in any order and as late as they like;
of the reductions those are on that are proven there, and the report says which.
It, too, goes on with --resume FILE. It reports no marks: they are about runs.

The strategy reexecute does the same without the memo that exhaustive looks the
recipe's behaviour up in: it runs the recipe's code in every step of every path.
It is slow, and takes the place of exhaustive where a recipe cannot be
memoised. With --uncached --reductions none it asks nothing of the recipe but
that runs can be repeated. Its counterexamples are those that it met first.`,
		Example: `  zoosim check lock/seed002
  zoosim check lock/zkdocs --faults crash=1,cut-reply=2 --strategy pair --runs 20000
  zoosim check all --budget 30s
  zoosim check lock/zkdocs --runs 1000000 --resume FILE
  zoosim check lock/zkdocs --strategy exhaustive --faults crash=1`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("check takes a variant or more; allowed: %s, all", variantNames())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.check(cmd.Context(), f, args) },
	}
	f.scenario.add(cmd, true)
	fs := cmd.Flags()
	fs.StringVar(&f.scenario.faults, "faults", scenarios.DefaultFaults().String(), "the most faults of each kind, as crash=1,cut-reply=2, or none")
	fs.StringVar(&f.o.Strategy, "strategy", scenarios.DefaultStrategy, "how to search: "+strings.Join(allStrategies(), ", "))
	fs.IntVar(&f.o.Runs, "runs", 0, fmt.Sprintf("the most runs of a variant (%d if --budget is not given)", scenarios.DefaultRuns))
	fs.StringVar(&f.reductions, "reductions", "all", "of exhaustive search: all, none, or some of delivery,private,done,symmetry,checkpoint,grant,defer, with --servers 3 or 5 done,checkpoint,replication, with reexecute also sleep, without symmetry")
	fs.BoolVar(&f.o.Uncached, "uncached", false, "of reexecute: visit a state as often as it is reached")
	fs.DurationVar(&f.o.Budget, "budget", 0, "the most time for a variant")
	fs.IntVar(&f.o.Workers, "workers", 0, "number of workers (0: one a core)")
	fs.Uint64Var(&f.o.Seed, "seed", 0, "first seed")
	fs.StringVar(&f.o.Resume, "resume", "", "a file in which the search of one variant is saved now and then, and from which it goes on if it is there; not with reexecute")
	fs.DurationVar(&f.o.SaveEvery, "save-every", 30*time.Second, "how often --resume saves")
	fs.StringVar(&f.o.Dir, "out", defaultCheckOut, "folder for replay files, stories and diagrams")
	return cmd
}

func allStrategies() []string { return append(scenarios.Strategies(), exhaustiveStrategies...) }

func variantNames() string {
	var names []string
	for _, v := range scenarios.Variants("") {
		names = append(names, v.Name)
	}
	return strings.Join(names, ", ")
}

// check searches one variant after another.
func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	var err error
	if f.on, err = scenarios.ParseReductions(f.reductions); err != nil {
		return fmt.Errorf("--reductions: %w", err)
	}
	list, err := f.scenarios(args)
	if err != nil {
		return err
	}
	if err := makeDir(f.o.Dir, "replays", "stories"); err != nil {
		return err
	}
	var reps []*scenarios.CheckReport
	for i := range list {
		if ctx.Err() != nil && i > 0 {
			break
		}
		rep, err := a.checkOne(ctx, f, &list[i])
		if err != nil {
			return err
		}
		reps = append(reps, rep)
		if !a.json {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			reports.CheckText(a.stdout, rep)
		}
	}
	if a.json {
		if err := a.printChecks(reps); err != nil {
			return err
		}
	}
	return checkStatus(reps)
}

// scenarios are those of the arguments, with the flags applied and checked.
func (f *checkFlags) scenarios(args []string) ([]scenarios.Scenario, error) {
	if len(args) == 1 && args[0] == "all" {
		args = nil
		for _, v := range scenarios.Variants("") {
			args = append(args, v.Name)
		}
	}
	var list []scenarios.Scenario
	for _, arg := range args {
		s, err := readScenario(arg)
		if err != nil {
			return nil, err
		}
		switch {
		case strings.HasSuffix(arg, ".yaml"), strings.HasSuffix(arg, ".yml"):
		case f.visitsStates():
			s = scenarios.Small(arg)
		default:
			s.Faults = scenarios.DefaultFaults()
		}
		f.scenario.apply(&s)
		if err := f.scenario.applyFaults(&s); err != nil {
			return nil, err
		}
		s.Untimed = s.Untimed || f.visitsStates()
		if err := check(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	switch {
	case f.o.Runs < 0 || f.o.Runs == 0 && f.scenario.cmd.Flags().Changed("runs"):
		return nil, fmt.Errorf("--runs: %d; allowed: 1 or more", f.o.Runs)
	case f.o.Budget < 0:
		return nil, fmt.Errorf("--budget: %v; allowed: a duration such as 30s", f.o.Budget)
	case f.o.Workers < 0:
		return nil, fmt.Errorf("--workers: %d; allowed: 1 or more, or 0 for one a core", f.o.Workers)
	}
	if f.o.Uncached && f.o.Strategy != scenarios.StrategyReexecute {
		return nil, fmt.Errorf("--uncached: the strategy is %s; allowed: with --strategy %s", f.o.Strategy, scenarios.StrategyReexecute)
	}
	if f.o.Resume != "" && len(list) > 1 {
		return nil, fmt.Errorf("--resume: %d variants; allowed: one, as a file holds one search", len(list))
	}
	if f.o.Resume != "" && f.o.Strategy == scenarios.StrategyReexecute {
		return nil, fmt.Errorf("--resume: strategy %s starts from the beginning; allowed: %s, %s",
			f.o.Strategy, strings.Join(scenarios.Strategies(), ", "), scenarios.StrategyExhaustive)
	}
	if f.o.SaveEvery <= 0 {
		return nil, fmt.Errorf("--save-every: %v; allowed: a duration such as 30s", f.o.SaveEvery)
	}
	for _, s := range allStrategies() {
		if f.o.Strategy == s {
			return list, nil
		}
	}
	return nil, fmt.Errorf("--strategy: unknown strategy %q; allowed: %s", f.o.Strategy, strings.Join(allStrategies(), ", "))
}

// checkOne searches one scenario.
func (a *app) checkOne(ctx context.Context, f *checkFlags, s *scenarios.Scenario) (*scenarios.CheckReport, error) {
	if f.visitsStates() {
		o := f.o
		tell, end := a.statesProgress(s.Variant, o.Runs)
		o.States = tell
		rep, err := scenarios.ExploreStates(ctx, *s, f.on, o)
		end()
		var no *scenarios.NotMemoisedError
		if errors.As(err, &no) {
			fmt.Fprintf(a.stderr, "zoosim: %v\n", err)
			return nil, statusError(exitUnknown)
		}
		return rep, err
	}
	v, _ := scenarios.ByName(s.Variant)
	o := f.o
	tell, end := a.checkProgress(s.Variant, o.Runs, o.Budget)
	o.Progress = tell
	rep, err := scenarios.Explore(ctx, v, *s, o)
	end()
	var random *scenarios.NondeterminismError
	if errors.As(err, &random) {
		fmt.Fprintf(a.stderr, "zoosim: %v\n", err)
		return nil, statusError(exitUnknown)
	}
	return rep, err
}

// visitsStates reports whether the strategy visits states.
func (f *checkFlags) visitsStates() bool {
	return slices.Contains(exhaustiveStrategies, f.o.Strategy)
}

// printChecks writes the one object of --json: the report, or, of several
// variants, their reports as checks.
func (a *app) printChecks(reps []*scenarios.CheckReport) error {
	if len(reps) == 1 {
		return a.printJSON(reps[0])
	}
	return a.printJSON(map[string][]*scenarios.CheckReport{"checks": reps})
}

// checkStatus is the exit status that the reports call for.
func checkStatus(reps []*scenarios.CheckReport) error {
	worst := exitPass
	for _, r := range reps {
		if r.Interrupted {
			return statusError(exitUnknown)
		}
		for _, v := range r.Verdicts {
			switch {
			case v.Verdict == checker.Failed:
				worst = exitFail
			case v.Verdict == checker.Unknown && worst == exitPass:
				worst = exitUnknown
			}
		}
	}
	if worst != exitPass {
		return statusError(worst)
	}
	return nil
}

// statesProgress shows on a terminal how many states were visited. Elsewhere it
// is silent.
func (a *app) statesProgress(variant string, most int) (tell func(states int), end func()) {
	f, ok := a.stderr.(*os.File)
	if !ok || !isTerminal(f) {
		return nil, func() {}
	}
	if most == 0 {
		most = -1
	}
	bar := progressbar.NewOptions(most,
		progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(variant), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("states"), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond))
	return func(states int) { _ = bar.Set(states) }, func() { _ = bar.Finish() }
}

// checkProgress shows on a terminal how far a search has got: runs and runs a
// second, what has failed, the marks that were hit. Elsewhere it is silent.
func (a *app) checkProgress(variant string, runs int, budget time.Duration) (tell func(scenarios.ExploreProgress), end func()) {
	f, ok := a.stderr.(*os.File)
	if !ok || !isTerminal(f) {
		return nil, func() {}
	}
	if runs == 0 {
		if runs = -1; budget == 0 {
			runs = scenarios.DefaultRuns
		}
	}
	bar := progressbar.NewOptions(runs,
		progressbar.OptionSetWriter(f), progressbar.OptionSetDescription(variant), progressbar.OptionShowCount(),
		progressbar.OptionShowIts(), progressbar.OptionSetItsString("runs"), progressbar.OptionClearOnFinish(),
		progressbar.OptionThrottle(100*time.Millisecond))
	tell = func(p scenarios.ExploreProgress) {
		text := fmt.Sprintf("%s, %d of %d marks", variant, p.Marks, p.MaxMarks)
		for _, v := range p.Violations {
			text += ", " + string(v)
		}
		bar.Describe(text)
		_ = bar.Set(p.Runs)
	}
	return tell, func() { _ = bar.Finish() }
}
