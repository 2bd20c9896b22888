package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zoosim/zkmodel/front"
)

// serveFlags are those of serve.
type serveFlags struct {
	o      front.Options
	script string
}

// The result of serve --json, written once the ports are open.
type serveReport struct {
	Address   string   `json:"address"` // of the first server
	Addresses []string `json:"addresses"`
	Admin     string   `json:"admin,omitempty"`
}

func (a *app) serveCmd() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Put the simulated ZooKeeper on a TCP port, for real clients",
		Long: `serve answers ZooKeeper's clients and four-letter words on a TCP port, in real
time, until it is interrupted. A script of faults says what goes wrong:

    faults:
      - {do: cut-reply, op: create, count: 3}       # lose the third reply to a create
      - {do: expiry, session: 2, op: sync}          # at the first sync
      - {do: partition, session: 1, for: 5s, op: getData, path: /queue, by: 2}
      - {do: leader-crash, for: 10s, count: 100}     # of an ensemble

do is one of ` + front.FaultNames() + `;
session is a number in the order in which sessions were made (without: that of the request),
server the one that crashes; op, path and by say which requests count, and count
at which of them the fault strikes. The admin page shows sessions and faults, and takes more of them.`,
		Example: `  zoosim serve --listen 127.0.0.1:2181
  zoosim serve --listen 127.0.0.1:2181 --servers 3 --lag 2ms
  zoosim serve --listen 127.0.0.1:0 --script faults.yaml --admin 127.0.0.1:8080 --json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.o.Listen, "listen", "127.0.0.1:2181", "address of the port; port 0 asks for a free one")
	flags.IntVar(&f.o.Servers, "servers", 1, "servers: one that stands alone, or an ensemble of 3 or 5 with a port each")
	flags.DurationVar(&f.o.Lag, "lag", 0, "how long a message takes between the servers of an ensemble")
	flags.StringVar(&f.o.Admin, "admin", "", "address of the admin page, on this machine only (default none)")
	flags.StringVar(&f.script, "script", "", "file with a script of faults")
	flags.DurationVar(&f.o.Server.Tick, "tick", 2*time.Second, "tickTime: sessions last from 2 to 20 of it")
	flags.BoolVar(&f.o.Server.TTLNodes, "ttl", false, "allow znodes with a time to live (zookeeper.extendedTypesEnabled)")
	flags.DurationVar(&f.o.Server.ContainerCheck, "container-check", time.Minute, "how often unused containers and old TTL znodes are deleted")
	flags.IntVar(&f.o.MaxConns, "max-conns", 4096, "open connections at the most")
	return cmd
}

// serve serves until the context ends.
func (a *app) serve(ctx context.Context, f *serveFlags) error {
	if f.o.Listen == "" {
		return fmt.Errorf("--listen: no address; allowed: HOST:PORT, port 0 for a free one")
	}
	if n := f.o.Servers; n != 1 && n != 3 && n != 5 {
		return fmt.Errorf("--servers: %d; allowed: 1, 3, 5", n)
	}
	if f.o.Lag < 0 {
		return fmt.Errorf("--lag: %v; allowed: 0 and more", f.o.Lag)
	}
	if f.o.Server.Tick < time.Millisecond {
		return fmt.Errorf("--tick: %v; allowed: 1ms and more", f.o.Server.Tick)
	}
	if f.o.Server.ContainerCheck < time.Millisecond {
		return fmt.Errorf("--container-check: %v; allowed: 1ms and more", f.o.Server.ContainerCheck)
	}
	if f.script != "" {
		b, err := os.ReadFile(f.script)
		if err != nil {
			return fmt.Errorf("--script: %w", err)
		}
		if f.o.Rules, err = front.ParseRules(f.script, b); err != nil {
			return err
		}
	}
	s, err := front.Start(f.o)
	if err != nil {
		return err
	}
	addrs := s.Addrs()
	if a.json {
		err = a.printJSON(serveReport{Address: addrs[0], Addresses: addrs, Admin: s.AdminAddr()})
	} else {
		fmt.Fprintf(a.stdout, "serves on %s until interrupted\n", strings.Join(addrs, ","))
		if s.AdminAddr() != "" {
			fmt.Fprintf(a.stdout, "admin page http://%s/\n", s.AdminAddr())
		}
	}
	if err == nil {
		<-ctx.Done()
	}
	if e := s.Close(); err == nil {
		err = e
	}
	return err
}
