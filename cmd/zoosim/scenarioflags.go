package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"zoosim/faults"
	"zoosim/scenarios"
)

// scenarioFlags are the flags that change a scenario.
type scenarioFlags struct {
	cmd     *cobra.Command
	clients int
	roles   map[string]*int // by flag
	leases  int
	servers int
	ops     int
	mode    string
	limit   time.Duration
	hold    time.Duration
	faults  string
	plan    []string
}

func (f *scenarioFlags) add(cmd *cobra.Command, clients bool) {
	f.cmd = cmd
	if clients {
		f.addSizes(cmd)
	}
	cmd.Flags().IntVar(&f.servers, "servers", 1, "size of the ensemble: 1 (a standalone server), 3 or 5")
	cmd.Flags().IntVar(&f.ops, "ops", 2, "acquires of each client")
	cmd.Flags().StringVar(&f.mode, "mode", "mixed", "how they acquire: blocking, timed, try or mixed")
	cmd.Flags().DurationVar(&f.limit, "limit", 0, "time limit of timed acquires (drawn if not given)")
	cmd.Flags().DurationVar(&f.hold, "hold", 0, "how long the lock is held (drawn if not given)")
}

// addSizes adds the flags that say how many there are.
func (f *scenarioFlags) addSizes(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.clients, "clients", 3, "number of clients, 1 to 256; in families with roles each has its share")
	f.roles = map[string]*int{}
	for _, r := range scenarios.Roles() {
		f.roles[r.Name] = cmd.Flags().Int(r.Name, 0, r.Meaning)
	}
	cmd.Flags().IntVar(&f.leases, "leases", 2, "leases of a semaphore, 1 to 256")
}

func (f *scenarioFlags) addFaults(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.faults, "faults", "none", "the most faults of each kind, as crash=1,cut-reply=2")
	cmd.Flags().StringSliceVar(&f.plan, "plan", nil, "faults that are not drawn, as cut-reply:B@req3,pause:A@1.5s+12s")
}

// apply changes s by the flags that were given.
func (f *scenarioFlags) apply(s *scenarios.Scenario) {
	given := f.cmd.Flags().Changed
	if given("clients") {
		s.SetClients(f.clients)
	}
	for _, r := range scenarios.Roles() {
		if given(r.Name) {
			s.SetRole(r.Name, *f.roles[r.Name])
		}
	}
	if given("leases") {
		s.Leases = f.leases
	}
	if given("servers") {
		s.Servers = f.servers
	}
	if given("ops") {
		s.Ops = f.ops
	}
	if given("mode") {
		s.Mode = scenarios.Mode(f.mode)
	}
	if given("limit") {
		s.Limit = f.limit
	}
	if given("hold") {
		s.Hold, s.FixedHold = f.hold, true
	}
}

// applyFaults changes the faults of s by the flags that were given.
func (f *scenarioFlags) applyFaults(s *scenarios.Scenario) error {
	if f.cmd.Flags().Changed("faults") {
		b, err := faults.ParseBudget(f.faults)
		if err != nil {
			return fmt.Errorf("--faults: %w", err)
		}
		s.Faults = b
	}
	if f.cmd.Flags().Changed("plan") {
		s.Plan = nil
		for _, t := range f.plan {
			p, err := faults.ParseFault(strings.TrimSpace(t))
			if err != nil {
				return fmt.Errorf("--plan: %w", err)
			}
			s.Plan = append(s.Plan, p)
		}
	}
	return nil
}

// given reports whether any scenario flag was given.
func (f *scenarioFlags) given() bool {
	names := []string{"clients", "leases", "servers", "ops", "mode", "limit", "hold"}
	for _, r := range scenarios.Roles() {
		names = append(names, r.Name)
	}
	for _, name := range names {
		if f.cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// check names the flag behind a field that is not allowed.
func check(s *scenarios.Scenario) error {
	err := s.Validate()
	var fe *scenarios.FieldError
	if errors.As(err, &fe) {
		switch fe.Field {
		case "variant":
			return fmt.Errorf("%s", fe.Msg)
		case "clients", "writers", "readers", "producers", "consumers", "members", "observers", "leases", "servers", "ops", "mode", "limit", "hold", "faults":
			return fmt.Errorf("--%s: %s", fe.Field, fe.Msg)
		}
		if strings.HasPrefix(fe.Field, "plan") {
			return fmt.Errorf("--plan: %s", fe.Msg)
		}
	}
	return err
}

// readScenario takes a variant's name or a scenario file.
func readScenario(arg string) (scenarios.Scenario, error) {
	if strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml") {
		return scenarios.ReadFile(arg)
	}
	if _, err := os.Stat(arg); err == nil && !strings.HasPrefix(arg, "lock/") {
		return scenarios.Scenario{}, fmt.Errorf("%s: scenario files end in .yaml", arg)
	}
	return scenarios.Default(arg), nil
}
