package scenarios

import (
	"context"
	"time"

	"zoosim/checker"
	"zoosim/faults"
)

// zooDeep are known faults that show only where messages take much longer than
// in drawn runs. They are looked for among all states of two clients.
var zooDeep = []struct {
	id, title, variant string
	property           checker.Property
	fault              faults.Kind
}{{
	"CURATOR-498", "a create that is repeated after the latch has made another znode replaces, and deletes, the one on which it leads",
	"election/curator-latch", checker.Exclusion, faults.CutRequest,
}}

// deepStates bounds the search for such a fault.
const deepStates = 40_000

// deepEntries are the entries of these faults.
func deepEntries() []ZooEntry {
	var all []ZooEntry
	for _, e := range zooDeep {
		v, _ := ByName(e.variant)
		s := Small(e.variant)
		s.SetClients(2)
		s.Faults[e.fault] = 1
		all = append(all, ZooEntry{
			ID: e.id, Kind: ZooFault, Source: v.Source, Title: e.title, Variant: v.Name, Property: e.property, Faults: s.Faults.String(), deep: &s,
		})
	}
	return all
}

// lookAtStates searches the states for an entry.
func (o *ZooOptions) lookAtStates(ctx context.Context, e *ZooEntry) error {
	begun := time.Now()
	rep, err := ExploreStates(ctx, *e.deep, AllReductions(), ExploreOptions{
		Strategy: StrategyExhaustive, Workers: 1, Runs: deepStates, Dir: o.Dir,
	})
	if err != nil {
		return err
	}
	e.States, e.WallMS = rep.States, ms(time.Since(begun))
	for _, v := range rep.Violations {
		if v.Property == e.Property {
			e.Found, e.Why, e.Transitions, e.Steps, e.Replay = true, v.Why, v.Transitions, v.Steps, v.Replay
		}
	}
	return nil
}
