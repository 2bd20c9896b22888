package main

import (
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"zoosim/reports"
	"zoosim/scenarios"
)

func (a *app) liveCmd() *cobra.Command {
	var f scenarioFlags
	o := scenarios.LiveOptions{}
	cmd := &cobra.Command{
		Use:   "live VARIANT",
		Short: "Run a recipe, from the same source, on a real ZooKeeper",
		Long: `live runs the standard workload of a variant on a ZooKeeper server, through
go-zookeeper and in real time: every client is queued before the next begins,
then one after the other gives back what it has. It judges what can be seen from
the clients, counts requests and notifications on the connections, and puts beside
them what the same costs in simulation. All happens below a znode of its own, which
is deleted in the end. The exit status is 1 if a property fails, or if the counts
are not the same, as they may be where several consumers race for an item.`,
		Example: `  zoosim live lock/curator --connect 127.0.0.1:2181 --clients 10
  zoosim live queue/zkdocs --connect 127.0.0.1:2181 --producers 1 --consumers 1 --ops 10 --json`,
		Args: oneArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, _, err := net.SplitHostPort(o.Address); err != nil {
				return fmt.Errorf("--connect: %q; allowed: HOST:PORT", o.Address)
			}
			if o.Silence < time.Millisecond {
				return fmt.Errorf("--silence: %v; allowed: 1ms and more", o.Silence)
			}
			if o.Budget < time.Second {
				return fmt.Errorf("--budget: %v; allowed: 1s and more", o.Budget)
			}
			o.Scenario = scenarios.Standard(args[0], 3)
			f.apply(&o.Scenario)
			if err := check(&o.Scenario); err != nil {
				return err
			}
			tell, end := a.progress("running")
			o.Progress = tell
			rep, err := scenarios.RunLive(cmd.Context(), o)
			end()
			if err != nil {
				return err
			}
			if a.json {
				err = a.printJSON(rep)
			} else {
				reports.LiveText(a.stdout, rep)
			}
			if err != nil {
				return err
			}
			if err := status(rep.Verdicts); err != nil || rep.Equal {
				return err
			}
			return statusError(exitFail)
		},
	}
	f.cmd = cmd
	f.addSizes(cmd)
	cmd.Flags().IntVar(&f.ops, "ops", 1, "operations of each client; of a queue, items that a single consumer takes")
	cmd.Flags().StringVar(&o.Address, "connect", "", "address of the server, HOST:PORT")
	cmd.Flags().DurationVar(&o.Silence, "silence", 5*time.Millisecond, "how long nothing may happen before the next client goes on")
	cmd.Flags().DurationVar(&o.Budget, "budget", time.Minute, "a run that is not over by then has made no progress")
	return cmd
}
