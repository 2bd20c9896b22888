package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"zoosim/reports"
	"zoosim/scenarios"
)

func (a *app) compareCmd() *cobra.Command {
	var f scenarioFlags
	var seed uint64
	var seeds, workers int
	var out string
	cmd := &cobra.Command{
		Use:   "compare FAMILY",
		Short: "Compare every variant on the same seeds, arrivals and faults",
		Long: `compare runs every variant of a family under every fault class on the same
seeds: the same arrivals, holds, limits and faults. It looks for each known
fault, saves a replay file for every property that fails, and writes a report
folder with tables, plots and an index page. The exit status is 1 if a result
differs from the expectation table.`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := family(args[0]); err != nil {
				return err
			}
			if err := checkRuns(seeds, workers); err != nil {
				return err
			}
			s := scenarios.Default(scenarios.Variants(args[0])[0].Name)
			f.apply(&s)
			if err := check(&s); err != nil {
				return err
			}
			if err := replacePrevious(out); err != nil {
				return err
			}
			tell, end := a.progress("comparing")
			o := scenarios.CompareOptions{
				Family: args[0],
				Seed:   seed, Seeds: seeds, Findings: true, Dir: out, Workers: workers, Progress: tell,
			}
			if f.given() {
				o.Change = f.apply
			}
			rep, err := scenarios.Compare(cmd.Context(), o)
			end()
			if err != nil {
				return err
			}
			sweep, err := scenarios.Sweep(cmd.Context(), scenarios.SweepOptions{
				Family: args[0], Seed: seed, Seeds: 3, Clients: []int{1, 2, 4, 8, 16, 32, 64}, Workers: workers,
			})
			if err != nil {
				return err
			}
			m := manifest("zoosim compare "+args[0], describe(&s), seedRange(seed, seeds))
			if err := reports.WriteCompare(out, rep, sweep, m); err != nil {
				return err
			}
			rep.Out = out
			if a.json {
				err = a.printJSON(rep)
			} else {
				reports.CompareText(a.stdout, rep)
			}
			if err == nil && len(rep.Unexpected) > 0 {
				err = statusError(exitFail)
			}
			return err
		},
	}
	f.add(cmd, true)
	cmd.Flags().Uint64Var(&seed, "seed", 0, "first seed")
	cmd.Flags().IntVar(&seeds, "seeds", scenarios.DefaultSeeds, "runs of each variant under each fault class")
	cmd.Flags().IntVar(&workers, "workers", 0, "number of workers (0: one a core)")
	cmd.Flags().StringVar(&out, "out", defaultOut, "report folder")
	return cmd
}

func family(name string) error {
	if all := scenarios.Families(); !slices.Contains(all, name) {
		return fmt.Errorf("unknown family %q; allowed: %s", name, strings.Join(all, ", "))
	}
	return nil
}

// checkRuns checks how much is run, and on how many workers.
func checkRuns(seeds, workers int) error {
	switch {
	case seeds < 1:
		return fmt.Errorf("--seeds: %d; allowed: 1 or more", seeds)
	case workers < 0:
		return fmt.Errorf("--workers: %d; allowed: 1 or more, or 0 for one a core", workers)
	}
	return nil
}

// describe is a scenario on one line, for the manifest.
func describe(s *scenarios.Scenario) string {
	d := fmt.Sprintf("%d clients, %d acquires each, mode %s", s.Clients, s.Ops, s.Mode)
	if s.Limit > 0 {
		d += ", limit " + s.Limit.String()
	}
	if s.FixedHold {
		d += ", hold " + s.Hold.String()
	}
	return d
}

func seedRange(first uint64, n int) string {
	return fmt.Sprintf("%d to %d", first, first+uint64(n)-1)
}

func (a *app) sweepCmd() *cobra.Command {
	var seed uint64
	var seeds, workers int
	var clients, out string
	cmd := &cobra.Command{
		Use:   "sweep FAMILY",
		Short: "Count what the standard workload costs as the number of clients grows",
		Long: `sweep runs the standard workload (fault-free, each client queued before the
next begins, one release at a time) of every variant for each number of clients
and draws the herd curves.`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := family(args[0]); err != nil {
				return err
			}
			if err := checkRuns(seeds, workers); err != nil {
				return err
			}
			list, err := clientList(clients)
			if err != nil {
				return fmt.Errorf("--clients: %w", err)
			}
			if err := makeDir(out); err != nil {
				return err
			}
			tell, end := a.progress("sweeping")
			rep, err := scenarios.Sweep(cmd.Context(), scenarios.SweepOptions{
				Family: args[0], Seed: seed, Seeds: seeds, Clients: list, Workers: workers, Progress: tell,
			})
			end()
			if err != nil {
				return err
			}
			m := manifest("zoosim sweep "+args[0], "standard workload, clients "+clients, seedRange(seed, seeds))
			if err := reports.WriteSweep(out, rep, m); err != nil {
				return err
			}
			rep.Out = out
			if a.json {
				return a.printJSON(rep)
			}
			reports.SweepText(a.stdout, rep)
			return nil
		},
	}
	cmd.Flags().StringVar(&clients, "clients", "1..64", "numbers of clients: 7,37,173, or 1..256 for powers of two and the end")
	cmd.Flags().Uint64Var(&seed, "seed", 0, "first seed")
	cmd.Flags().IntVar(&seeds, "seeds", scenarios.DefaultSweepSeeds, "runs a point")
	cmd.Flags().IntVar(&workers, "workers", 0, "number of workers (0: one a core)")
	cmd.Flags().StringVar(&out, "out", "zoosim-sweep", "report folder")
	return cmd
}

// clientList reads the numbers of clients of a sweep.
func clientList(s string) ([]int, error) {
	number := func(t string) (int, error) {
		n, err := strconv.Atoi(strings.TrimSpace(t))
		if err != nil || n < 1 || n > scenarios.MaxClients {
			return 0, fmt.Errorf("%q is no number from 1 to %d; allowed: N, N,M,... or N..M", t, scenarios.MaxClients)
		}
		return n, nil
	}
	var list []int
	if lo, hi, ok := strings.Cut(s, ".."); ok {
		a, err := number(lo)
		if err != nil {
			return nil, err
		}
		b, err := number(hi)
		if err != nil {
			return nil, err
		}
		if a > b {
			return nil, fmt.Errorf("%q goes down; allowed: N..M with N <= M", s)
		}
		for n := a; n < b; {
			list = append(list, n)
			p := 1
			for p <= n {
				p *= 2
			}
			n = p
		}
		return append(list, b), nil
	}
	for _, t := range strings.Split(s, ",") {
		n, err := number(t)
		if err != nil {
			return nil, err
		}
		if len(list) > 0 && n <= list[len(list)-1] {
			return nil, fmt.Errorf("%q is not in increasing order; allowed: N, N,M,... or N..M", s)
		}
		list = append(list, n)
	}
	return list, nil
}
