package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"zoosim/reports"
	"zoosim/scenarios"
)

// defaultZooOut is the folder of zoo if --out is not given.
const defaultZooOut = "zoosim-zoo"

func (a *app) zooCmd() *cobra.Command {
	var o scenarios.ZooOptions
	cmd := &cobra.Command{
		Use:   "zoo [ENTRY...]",
		Short: "Find every known fault; then search the correct variants",
		Long: `zoo looks for each known fault of a recipe with the default search, which is
given kinds of faults to choose from and no schedule: 4,096 runs; then, where no
run shows it and a state could, 40,000 states of two clients; then more runs.
What it finds is shrunk and saved with its story. Then it searches every correct variant: drawn runs, and all
states of two clients with a crash and with a lost reply. The page zoo.md in the
folder is the same each time. The exit status is 1 if a fault was not found or a
correct variant failed. With entries named, it looks for those alone.`,
		Example: `  zoosim zoo
  zoosim zoo seed002:L1 kazoo:K12`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Runs < 0 || o.Workers < 0 {
				return fmt.Errorf("--runs and --workers: allowed: 0 or more")
			}
			if len(args) > 0 {
				o.Only = args
			}
			if err := scenarios.CheckZooEntries(o.Only); err != nil {
				return err
			}
			if err := makeDir(o.Dir, "replays", "stories"); err != nil {
				return err
			}
			tell, end := a.progress("searching")
			o.Progress = tell
			rep, err := scenarios.Zoo(cmd.Context(), o)
			end()
			if err != nil {
				return err
			}
			command := strings.TrimSpace("zoosim zoo " + strings.Join(args, " "))
			if err := reports.WriteZoo(o.Dir, rep, manifest(command, "zoo", fmt.Sprint(o.Seed))); err != nil {
				return err
			}
			if a.json {
				err = a.printJSON(rep)
			} else {
				reports.ZooText(a.stdout, rep)
			}
			if err == nil && rep.Unexpected > 0 {
				err = statusError(exitFail)
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.Runs, "runs", 0, fmt.Sprintf("the most runs for an entry (0: %d), and the runs of a correct variant (0: %d)", scenarios.DefaultZooRuns, scenarios.DefaultRuns))
	fs.IntVar(&o.Workers, "workers", 1, "number of workers")
	fs.Uint64Var(&o.Seed, "seed", 0, "first seed")
	fs.StringVar(&o.Dir, "out", defaultZooOut, "folder for the page, replay files, stories and diagrams")
	return cmd
}
