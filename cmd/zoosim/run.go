package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"zoosim/checker"
	"zoosim/reports"
	"zoosim/scenarios"
	"zoosim/scenarios/histfile"
)

func (a *app) runCmd() *cobra.Command {
	var f scenarioFlags
	var seed uint64
	var trace bool
	var out, history string
	cmd := &cobra.Command{
		Use:   "run VARIANT|FILE.yaml",
		Short: "Make one run: verdicts, metrics, trace",
		Example: `  zoosim run lock/zkdocs --seed 7 --faults crash=1 --trace
  zoosim run lock/curator --plan cut-reply:A@req1 --clients 2
  zoosim run lock/seed002 --history seed002.edn`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := readScenario(args[0])
			if err != nil {
				return err
			}
			f.apply(&s)
			if err := f.applyFaults(&s); err != nil {
				return err
			}
			if err := check(&s); err != nil {
				return err
			}
			if history != "" {
				if _, err := histfile.FormOf(history); err != nil {
					return fmt.Errorf("--history: %w", err)
				}
			}
			if out != "" {
				if err := makeDir(out, "replays"); err != nil {
					return err
				}
			}
			one, err := scenarios.RunOnce(s, seed, out)
			if err != nil {
				return err
			}
			if history != "" {
				if err := writeOperations(history, s.Variant, one.Operations); err != nil {
					return fmt.Errorf("--history: %w", err)
				}
			}
			if a.json {
				err = a.printJSON(one.Report)
			} else {
				if trace {
					reports.TraceText(a.stdout, one.Trace)
				}
				reports.RunText(a.stdout, &one.Report)
			}
			if err != nil {
				return err
			}
			err = status(one.Report.Verdicts)
			if err != nil && !a.json && out == "" {
				fmt.Fprintf(a.stdout, "\nreproduce: %s\n", commandLine(cmd, args))
			}
			return err
		},
	}
	f.add(cmd, true)
	f.addFaults(cmd)
	cmd.Flags().Uint64Var(&seed, "seed", 0, "seed of the run's choices")
	cmd.Flags().BoolVar(&trace, "trace", false, "print what happened, step by step")
	cmd.Flags().StringVar(&out, "out", "", "folder for the replay file (none is written if not given)")
	cmd.Flags().StringVar(&history, "history", "", "write what the clients did to a file that zoosim history reads: .edn, .jsonl")
	return cmd
}

// writeOperations writes what the clients of a run did.
func writeOperations(path, variant string, ops *scenarios.Operations) error {
	if ops == nil {
		return fmt.Errorf("%s has no model; allowed: variants of locks, read-write locks, semaphores and queues", variant)
	}
	h, err := histfile.New(ops.Model, ops.List)
	if err != nil {
		return err
	}
	return writeHistory(path, h)
}

// commandLine is the command as it was given, but for the flags that only say
// what is shown, and with the trace.
func commandLine(cmd *cobra.Command, args []string) string {
	words := []string{"zoosim", cmd.Name()}
	words = append(words, args...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "trace" && f.Name != "json" && f.Name != "out" && f.Name != "history" {
			words = append(words, "--"+f.Name+"="+strings.Trim(f.Value.String(), "[]"))
		}
	})
	return strings.Join(append(words, "--trace"), " ")
}

// status is the exit status that verdicts call for.
func status(vs []scenarios.VerdictReport) error {
	worst := exitPass
	for _, v := range vs {
		switch v.Verdict {
		case checker.Failed:
			return statusError(exitFail)
		case checker.Unknown:
			worst = exitUnknown
		}
	}
	if worst != exitPass {
		return statusError(worst)
	}
	return nil
}

func (a *app) replayCmd() *cobra.Command {
	var quiet, trace bool
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Re-execute a saved counterexample and tell what happens",
		Long: `replay makes the run of a file again, with real tasks, and tells its story up to
the moment at which the property fails; with --trace everything that happens.
The exit status is 1 if a property fails, and 2 if the run is not the one that
was saved: then it says what no longer fits.`,
		Args: oneArg,
		RunE: func(_ *cobra.Command, args []string) error {
			f, err := scenarios.ReadReplay(args[0])
			if err != nil {
				return err
			}
			one, err := scenarios.Replay(f)
			if err != nil {
				return err
			}
			switch {
			case a.json:
				if err := a.printJSON(one.Report); err != nil {
					return err
				}
			case quiet:
				reports.RunText(a.stdout, &one.Report)
			default:
				if err := a.tell(f, one, trace); err != nil {
					return err
				}
			}
			if !one.Same {
				for _, line := range one.Stale {
					fmt.Fprintf(a.stderr, "zoosim: %s is stale: %s\n", args[0], line)
				}
				return statusError(exitUnknown)
			}
			return status(one.Report.Verdicts)
		},
	}
	cmd.Flags().BoolVar(&quiet, "quiet", false, "print the verdicts alone")
	cmd.Flags().BoolVar(&trace, "trace", false, "print the whole trace in place of the story")
	return cmd
}

// tell prints what happens in a replayed run, and its verdicts.
func (a *app) tell(f *scenarios.ReplayFile, one *scenarios.One, trace bool) error {
	// A run that is not the one that was saved has no story to tell, and neither
	// has one in which nothing fails.
	if trace || !one.Same || f.Property == "" {
		reports.TraceText(a.stdout, one.Trace)
	} else {
		story, err := f.Tell()
		if err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "%s\n\n", strings.Join(story.Text(), "\n"))
	}
	reports.RunText(a.stdout, &one.Report)
	return nil
}

// defaultOut is the report folder if --out is not given.
const defaultOut = "zoosim-report"

// replacePrevious makes the report folder, and removes the replay files that
// an earlier report left there: those of properties that no longer fail would
// stay for ever.
func replacePrevious(dir string) error {
	if err := makeDir(dir, "replays"); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil {
		return nil
	}
	replays := filepath.Join(dir, "replays")
	old, err := os.ReadDir(replays)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	for _, e := range old {
		if e.Type().IsRegular() && filepath.Ext(e.Name()) == ".json" {
			if err := os.Remove(filepath.Join(replays, e.Name())); err != nil {
				return fmt.Errorf("--out: %w", err)
			}
		}
	}
	return nil
}
