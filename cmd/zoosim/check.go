package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/scenarios"
)

func (a *app) checkCmd() *cobra.Command {
	var f scenarioFlags
	var o scenarios.VerifyOptions
	var reductions string
	cmd := &cobra.Command{
		Use:   "check VARIANT...|all",
		Short: "Search for violations of every property",
		Long: `check looks for a counterexample to every property. The strategy random makes
timed runs from seeds. The strategy exhaustive visits every state of a small
untimed scenario (blocking acquires, one a client and one attempt each unless
told otherwise): complete without a counterexample, it is a proof within the
bounds that it prints.`,
		Example: `  zoosim check lock/zkdocs --strategy exhaustive --faults crash=1
  zoosim check all --faults cut-reply=1 --runs 5000`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.Reductions, err = scenarios.ParseReductions(reductions); err != nil {
				return fmt.Errorf("--reductions: %w", err)
			}
			if o.Runs < 0 || o.Workers < 0 {
				return fmt.Errorf("--runs %d, --workers %d; allowed: 0 or more", o.Runs, o.Workers)
			}
			var reps []*scenarios.VerifyReport
			for _, variant := range variantArgs(args) {
				s := scenarios.Default(variant)
				if o.Strategy == scenarios.StrategyExhaustive {
					s = scenarios.Small(variant)
				}
				f.apply(&s)
				if err := f.applyFaults(&s); err != nil {
					return err
				}
				if err := check(&s); err != nil {
					return err
				}
				run := o
				if run.Runs == 0 && run.Strategy == scenarios.StrategyRandom {
					run.Runs = defaultRuns
				}
				rep, err := scenarios.Verify(cmd.Context(), s, run)
				if err != nil {
					return fmt.Errorf("%s: %w", variant, err)
				}
				reps = append(reps, rep)
				if !a.json {
					a.printCheck(rep, o.Dir)
				}
			}
			if err := a.printChecks(reps); err != nil {
				return err
			}
			return checkStatus(reps)
		},
	}
	f.add(cmd, true)
	f.addFaults(cmd)
	cmd.Flags().StringVar(&o.Strategy, "strategy", scenarios.StrategyRandom, "random or exhaustive")
	cmd.Flags().Uint64Var(&o.Seed, "seed", 0, "first seed of random runs")
	cmd.Flags().IntVar(&o.Runs, "runs", 0, "random runs (3,000 if not given), or most states to visit (no bound)")
	cmd.Flags().StringVar(&reductions, "reductions", "all", "all, none, or some of delivery,private,done,symmetry")
	cmd.Flags().IntVar(&o.Workers, "workers", 2, "number of workers of an exhaustive search")
	cmd.Flags().StringVar(&o.Dir, "out", "", "folder for replay files (none are written if not given)")
	return cmd
}

// defaultRuns is the number of random runs.
const defaultRuns = 3000

// variantArgs spells all out.
func variantArgs(args []string) []string {
	if len(args) != 1 || args[0] != "all" {
		return args
	}
	var names []string
	for _, v := range lock.Variants() {
		names = append(names, v.Name)
	}
	return names
}

// printChecks writes the JSON object: that of the variant, or, of several, one
// that lists them.
func (a *app) printChecks(reps []*scenarios.VerifyReport) error {
	switch {
	case !a.json:
		return nil
	case len(reps) == 1:
		return a.printJSON(reps[0])
	}
	return a.printJSON(map[string]any{"checks": reps})
}

func (a *app) printCheck(rep *scenarios.VerifyReport, dir string) {
	fmt.Fprintf(a.stdout, "%s, %s: %s\n", rep.Variant, rep.Strategy, rep.Bounds)
	if rep.Strategy == scenarios.StrategyExhaustive {
		state := "complete"
		if !rep.Complete {
			state = "NOT complete"
		}
		fmt.Fprintf(a.stdout, "  %d states, %s, %.0f ms\n", rep.States, state, rep.WallMS)
	} else {
		fmt.Fprintf(a.stdout, "  %d runs, %.0f ms\n", rep.Runs, rep.WallMS)
	}
	var passed []string
	for _, v := range rep.Verdicts {
		switch v.Verdict {
		case checker.Pass:
			passed = append(passed, string(v.Property))
		case checker.Unknown:
			fmt.Fprintf(a.stdout, "  %-15s not decided\n", v.Property)
		}
	}
	for _, v := range rep.Violations {
		fmt.Fprintf(a.stdout, "  %-15s FAILS in %d transitions: %s\n", v.Property, v.Transitions, v.Why)
		if v.Replay != "" {
			fmt.Fprintf(a.stdout, "  %-15s zoosim replay %s/%s\n", "", dir, v.Replay)
		}
	}
	if len(passed) > 0 {
		fmt.Fprintf(a.stdout, "  pass: %s\n", strings.Join(passed, ", "))
	}
}

// checkStatus is 1 if a property failed, 2 if one was not decided.
func checkStatus(reps []*scenarios.VerifyReport) error {
	var all []scenarios.VerdictReport
	for _, r := range reps {
		all = append(all, r.Verdicts...)
	}
	return status(all)
}
