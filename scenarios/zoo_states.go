package scenarios

import (
	"context"
	"slices"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// deepFindings are known faults that show only where messages take much longer
// than in drawn runs, so that [Check] and [Compare] do not look for them.
func deepFindings() []Finding {
	return []Finding{
		{
			"CURATOR-498", checker.Exclusion,
			"a create that is repeated after the latch has made another znode replaces, and deletes, the one on which it leads",
			once("election/curator-latch", ModeBlocking, faults.CutRequest), leaderReplaced,
		},
	}
}

// The zoo's search for an entry makes firstRuns runs, visits mostStates states,
// and then makes the other runs.
const (
	firstRuns  = 4096
	mostStates = 40_000
)

// inStates is the scenario in which a finding is looked for among all states:
// two clients and the same faults. It is false if no state would show it.
func (f *Finding) inStates() (Scenario, bool) {
	s := Small(f.Scenario.Variant)
	s.SetClients(2)
	s.Faults = untimedFaults(f.Scenario.Faults)
	v, _ := ByName(s.Variant)
	ok := s.Faults == f.Scenario.Faults && f.Scenario.ServerMutant == zkmodel.NoMutant && f.Scenario.Servers <= 1 &&
		!f.apart() && judgedInStates(&v, &s, f.Property)
	return s, ok
}

// lookAtStates searches the states for an entry. The first mostStates are the
// same whoever searches, so there is one worker.
func (o *ZooOptions) lookAtStates(ctx context.Context, e *ZooEntry, s *Scenario) error {
	found, err := Exhaustive(ctx, *s, SearchOptions{Reductions: AllReductions(), States: mostStates, Shortest: true})
	if err != nil {
		return err
	}
	e.States = found.States
	i := slices.IndexFunc(found.Violations, func(c Counterexample) bool { return c.Property == e.Property })
	if i < 0 {
		return nil
	}
	c := &found.Violations[i]
	r, err := NewRunner(c.Scenario)
	if err != nil {
		return err
	}
	defer r.Close()
	if _, shown := e.finding.shown(r, r.Run(sim.NewReplay(c.Tape))); !shown {
		return nil
	}
	rep := &CheckReport{Variant: s.Variant, Strategy: StrategyExhaustive}
	if err := rep.addState(c, o.Dir); err != nil {
		return err
	}
	e.takes(&rep.Violations[0])
	return nil
}
