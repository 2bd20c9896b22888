package scenarios

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
)

// untimedKinds are the fault kinds that a search of states can meet.
func untimedKinds() []faults.Kind {
	return []faults.Kind{
		faults.Crash, faults.Expiry, faults.Resession, faults.CutRequest, faults.CutReply, faults.Cut, faults.Interrupt,
	}
}

// largeCells are the searches of two clients with one fault that take more than
// 20,000 states; the campaign has them.
var largeCells = map[string]string{
	"lock/fenced":        "expiry resession cut-request cut-reply cut",
	"rwlock/zkdocs":      "expiry resession cut",
	"semaphore/tickets":  "expiry resession cut",
	"group/zkdocs":       "expiry resession",
	"election/zkdocs":    "expiry resession cut-request cut-reply cut",
	"cache/curator-tree": "resession",
}

// large reports whether a cell is left to the campaign. The sales differ in
// their locks alone, whose cells are here.
func large(v *Variant, k faults.Kind) bool {
	return v.Family() == "sale" || has(largeCells[v.Name], k.String())
}

// Every correct variant is searched to the last interleaving with two clients
// and one fault of each kind: what fails is what the table of expectations says,
// and the rest is proved.
func TestCorrectVariantsAreSearchedCompletely(t *testing.T) {
	t.Parallel()
	cells := 0
	for _, v := range Variants("") {
		if !v.Correct || v.Family() == "sale" && v.Store != zk.StoreNone {
			continue // a sale behind a lock on another store has no end: who waits asks again
		}
		for _, k := range untimedKinds() {
			if large(&v, k) && !inCampaign() {
				continue
			}
			cells++
			t.Run(fmt.Sprintf("%s %s", v.Name, k), func(t *testing.T) { searchCell(t, &v, k) })
		}
	}
	require.Positive(t, cells)
	t.Logf("%d searches", cells)
}

// searchCell searches a variant under one fault of a kind.
func searchCell(t *testing.T, v *Variant, k faults.Kind) {
	s := Small(v.Name)
	s.SetClients(2)
	s.Faults[k] = 1
	// Two clients are to want what only one of them can have.
	s.Leases, s.Stock = min(s.Leases, 1), min(s.Stock, 1)
	rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.True(t, rep.Complete)
	require.Zero(t, rep.CutStates+rep.CutDepth)
	failed := ""
	for _, x := range rep.Verdicts {
		switch e := Expected(v.Name, k.String(), x.Property); x.Verdict {
		case checker.Failed:
			require.Equal(t, checker.Failed, e.Verdict, "%s: %s", x.Property, x.Why)
			failed += " " + string(x.Property)
		case checker.Pass:
			require.True(t, e.Verdict == checker.Pass || e.Rare, "%s is expected to fail: %s", x.Property, e.Why)
		default:
			require.Equal(t, checker.NotApplicable, x.Verdict, x.Property)
		}
	}
	t.Logf("%d states, fails:%s", rep.States, failed)
}
