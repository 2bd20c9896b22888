package scenarios

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

// measuredOutcome is a row of what was executed against real libraries
// (measurements, part 2), of the variants that are here: confirmed, and then a
// finding that a search meets, or refuted, a control, and then clean.
type measuredOutcome struct {
	id      string
	finding string
	control func(t *testing.T)
}

func measuredOutcomes() []measuredOutcome {
	found := func(id, finding string) measuredOutcome { return measuredOutcome{id, finding, nil} }
	clean := func(id string, control func(t *testing.T)) measuredOutcome { return measuredOutcome{id, "", control} }
	return []measuredOutcome{
		found("C4", "curator:C4"), found("C4n", "curator:C4"),
		found("C6", "curator:C6"), found("C7", "curator:C7"), clean("C7c", lockedQueueLosesNothing),
		found("C8", "curator:C8"), found("C10", "curator:C10"), found("C11", "curator:C11"),
		clean("C12", oldTicketIsNotAdopted),
		found("C13", "curator:C13"), found("C13b", "curator:C13"), found("C13c", "curator:C13c"),
		clean("C14", curatorLosesNoReply),
		found("K2", "kazoo:K2"), found("K3", "kazoo:K3"), found("K10", "kazoo:K10"), found("K11", "kazoo:K11"),
		found("K12", "kazoo:K12"), clean("K13", kazooFindsItsZnode),
		found("G1", "gozk:G1"), found("G2", "gozk:G2"), found("G3", "gozk:G3"), found("G4", "gozk:G4"),
		found("G5", "gozk:G5"), found("G6", "gozk:G6"), clean("G7", goLockControls),
		found("Z1", "zkjava:Z1"), found("Z2", "zkjava:Z2"), found("Z3", "zkjava:Z3"),
		found("Z4", "zkjava:Z4"), clean("Z4 (one item)", offerMakesOneItem), found("Z5", "zkjava:Z5"),
	}
}

// Every row that the variants here can show has its finding or its control.
// That the findings are met is the affair of TestCheckMeetsEveryFinding and of
// the comparisons.
func TestMeasuredOutcomes(t *testing.T) {
	known := map[string]bool{}
	for _, f := range Findings() {
		known[f.ID] = true
	}
	rows := map[string]bool{}
	for _, o := range measuredOutcomes() {
		require.False(t, rows[o.id], o.id)
		rows[o.id] = true
		if o.control == nil {
			require.True(t, known[o.finding], "%s: %s is no finding", o.id, o.finding)
			continue
		}
		t.Run(strings.Fields(o.id)[0], o.control)
	}
	for _, id := range strings.Fields("C4 C6 C7 C7c C8 C10 C11 C12 C13 C14 K2 K3 K10 K11 K12 K13 G1 G2 G3 G4 G5 G6 G7 Z1 Z2 Z3 Z4 Z5") {
		require.True(t, rows[id], "%s has no row", id)
	}
}

// everyRun makes runs of a scenario, in some of which a fault must bite, and
// wants the properties, all if none is named, to hold. look may be nil.
func everyRun(t *testing.T, s Scenario, runs int, look func(h []checker.Event), only ...checker.Property) {
	r := newRunner(t, s)
	st, bitten := sim.NewRandom(0), 0
	for seed := range uint64(runs) {
		st.Seed(seed)
		out := r.Run(st)
		if !out.Vacuous {
			bitten++
		}
		for _, x := range out.Results {
			judged := len(only) == 0
			for _, p := range only {
				judged = judged || x.Property == p
			}
			if judged {
				require.NotContains(t, []checker.Verdict{checker.Failed, checker.Unknown}, x.Verdict, "%s seed %d: %s: %s", s.Variant, seed, x.Property, x.Why)
			}
		}
		if look != nil {
			look(r.History())
		}
	}
	require.Positive(t, bitten)
}

// hitBy is a scenario of blocking acquires with a plan.
func hitBy(variant string, plan ...faults.Fault) Scenario {
	s := once(variant, ModeBlocking)
	s.Plan = plan
	return s
}

// With a lock path the queue loses no item, whichever reply is lost.
func lockedQueueLosesNothing(t *testing.T) {
	everyRun(t, once("queue/curator-locked", ModeBlocking, faults.CutReply), 2000, nil, checker.LostItem)
}

// CURATOR-498: the look-up of a create whose reply was lost does not take the
// znode of an old session, but deletes it.
func oldTicketIsNotAdopted(t *testing.T) {
	s := hitBy("lock/curator",
		faults.Fault{Kind: faults.CutReply, Client: 0, Request: 1}, faults.Fault{Kind: faults.Resession, Client: 0, Request: 2})
	deleted := 0
	everyRun(t, s, 2000, func(h []checker.Event) {
		for i := range h {
			if h[i].Kind == checker.SessionEnd {
				break
			}
			if h[i].Kind == checker.TicketDelete && h[i].Client == 0 {
				deleted++
				break
			}
		}
	}, checker.Exclusion, checker.Linearizable, checker.Leak, checker.Progress)
	require.Positive(t, deleted, "before its session ends")
}

// A mutex of Curator survives the loss of any one reply: at random with three
// clients, completely with two.
func curatorLosesNoReply(t *testing.T) {
	everyRun(t, once("lock/curator", ModeBlocking, faults.CutReply), 2000, nil)
	s := Small("lock/curator")
	s.Clients, s.Faults[faults.CutReply] = 2, 1
	rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.True(t, rep.Complete)
	require.Empty(t, rep.Violations)
}

// Kazoo's lock finds the znode of a create whose reply was lost: its second
// request, behind that for the directory.
func kazooFindsItsZnode(t *testing.T) {
	everyRun(t, hitBy("lock/kazoo", faults.Fault{Kind: faults.CutReply, Client: 0, Request: 2}), 1000, func(h []checker.Event) {
		made := 0
		for i := range h {
			if h[i].Kind == checker.TicketCreate && h[i].Client == 0 {
				made++
			}
		}
		require.LessOrEqual(t, made, 1)
	})
}

// go-zookeeper's lock: a create whose request or reply is lost, and a waiter
// whose connection is cut, do no harm; a waiter whose session ends is told.
func goLockControls(t *testing.T) {
	for _, k := range []faults.Kind{faults.CutReply, faults.CutRequest} {
		everyRun(t, hitBy("lock/gozk", faults.Fault{Kind: k, Client: 0, Request: 1}), 1000, nil)
	}
	waiter := func(k faults.Kind) Scenario {
		// At a second B, which comes behind A, waits for it.
		s := hitBy("lock/gozk", faults.Fault{Kind: k, Client: 1, Time: time.Second})
		s.Clients, s.Arrivals, s.Hold, s.FixedHold = 2, ArriveTogether, 3*time.Second, true
		return s
	}
	everyRun(t, waiter(faults.Cut), 500, nil)
	told := 0
	everyRun(t, waiter(faults.Expiry), 500, func(h []checker.Event) {
		for i := range h {
			if h[i].Kind == checker.Fail && strings.Contains(h[i].Text, "session expired") {
				told++
				return
			}
		}
	}, checker.Progress, checker.Leak)
	require.Positive(t, told)
}

// An offer whose reply is lost has made one item, which its caller cannot know.
func offerMakesOneItem(t *testing.T) {
	everyRun(t, once("queue/zkjava", ModeBlocking, faults.CutReply), 1000, nil, checker.DuplicateItem)
}
