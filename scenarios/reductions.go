package scenarios

import (
	"errors"
	"fmt"
	"strings"

	"zoosim/scenarios/simzk"
)

// Reductions say which of the search's reductions are on. Each is compared
// with the search without it by test.
type Reductions struct {
	// Delivery favours the steps of one process where everything that can come
	// first of that process is among them and none shows in a property.
	Delivery bool
	// Private favours server steps that touch nothing but their own session.
	Private bool
	// Done leaves the histories of processes that have nothing left to do out
	// of the states.
	Done bool
	// Symmetry takes states that differ only in who is who for one. It wants
	// clients with the same program, and recipes that tell clients apart by
	// nothing but GUIDs, session ids and the numbers of znodes. Where code writes
	// session ids into names or data, so that others may put clients in their
	// order, the search finds that out and does without; that code compares ids
	// with one another it does not notice.
	Symmetry bool
	// Checkpoint takes states for one that differ only in how clients got to
	// the end of a round. Each such pair is verified after the search. It is for
	// [Exhaustive] alone.
	Checkpoint bool
	// Grant does the same with how clients got what they hold; the znode that a
	// client made last is told apart.
	Grant bool
	// Replication lets a message from one server of an ensemble to another arrive
	// before anything else happens. What is left open is where a write comes in
	// the order of all and when each server applies it; where a leader may crash,
	// that a write that no client has an answer to is applied or not. This is all
	// that clients see of an ensemble that replicates as it should, and it hides
	// the faults of one that does not; and, since all logs are alike when a leader
	// crashes, always the server with the greatest number leads next.
	Replication bool
	// Defer puts what a process does by itself off until right before what concerns
	// it next: where all transitions are to be explored and one of these is taken,
	// those behind it are the process's own, those of what it has sent and the faults
	// that strike it. It is for [Exhaustive] alone, on one server.
	Defer bool
	// Sleep does not explore the two orders of transitions that do not touch
	// the same things. It is for [Reexecute] alone, and not with Symmetry.
	Sleep bool
}

// AllReductions has every reduction on that [Exhaustive] has.
func AllReductions() Reductions {
	return Reductions{Delivery: true, Private: true, Done: true, Symmetry: true, Checkpoint: true, Grant: true, Replication: true, Defer: true}
}

// and keeps those reductions that are also in other.
func (r Reductions) and(other Reductions) Reductions {
	return Reductions{
		Delivery: r.Delivery && other.Delivery, Private: r.Private && other.Private,
		Done: r.Done && other.Done, Symmetry: r.Symmetry && other.Symmetry,
		Checkpoint: r.Checkpoint && other.Checkpoint, Grant: r.Grant && other.Grant,
		Replication: r.Replication && other.Replication, Defer: r.Defer && other.Defer, Sleep: r.Sleep && other.Sleep,
	}
}

// provenFor keeps the reductions that are proven for the servers of a scenario:
// with an ensemble its own, and those that are about what processes remember.
// The others are about what a single server does in a step, or, Grant, about a
// client that knows the znode that it made last; one whose look-up was stale does
// not.
func (r Reductions) provenFor(s *Scenario) Reductions {
	if s.Servers > 1 {
		return r.and(Reductions{Done: true, Checkpoint: true, Replication: true})
	}
	r.Replication = false // nothing replicates
	return r
}

// in keeps the reductions that a family's monitors, a scenario and its code allow;
// of that fields says what is known (see [simzk.World.StatFields]). If symmetry
// goes for what the code does, noSymmetry says so.
func (r Reductions) in(f *family, s *Scenario, fields uint32) (kept Reductions, noSymmetry string) {
	keep := f.keep
	keep.Replication = true // is not about monitors
	kept = r.and(keep).provenFor(s)
	kept.Defer = kept.Defer && fields&deletesOthers == 0
	if kept.Symmetry && fields&simzk.SpellsSessions != 0 {
		kept.Symmetry = false
		noSymmetry = s.Variant + ": the code writes the id of its session into a name or into data, by which others may tell clients apart"
	}
	return kept, noSymmetry
}

// reductionNames names the reductions.
var reductionNames = []string{"delivery", "private", "done", "symmetry", "checkpoint", "grant", "replication", "defer", "sleep"}

// named is the reduction with the given name, nil if there is none.
func (r *Reductions) named(name string) *bool {
	switch name {
	case "delivery":
		return &r.Delivery
	case "private":
		return &r.Private
	case "done":
		return &r.Done
	case "symmetry":
		return &r.Symmetry
	case "checkpoint":
		return &r.Checkpoint
	case "grant":
		return &r.Grant
	case "replication":
		return &r.Replication
	case "defer":
		return &r.Defer
	case "sleep":
		return &r.Sleep
	}
	return nil
}

// errSleep is about the reduction that pays where each step costs a run.
var errSleep = errors.New("the reduction sleep is for the strategy reexecute alone")

// ParseReductions reads "all", "none" or a list such as "delivery,done".
func ParseReductions(s string) (Reductions, error) {
	switch s {
	case "all":
		return AllReductions(), nil
	case "none", "":
		return Reductions{}, nil
	}
	var r Reductions
	for _, name := range strings.Split(s, ",") {
		on := r.named(strings.TrimSpace(name))
		if on == nil {
			return r, fmt.Errorf("unknown reduction %q; allowed: all, none, %s", name, strings.Join(reductionNames, ", "))
		}
		*on = true
	}
	return r, nil
}

// String is the reductions as [ParseReductions] reads them.
func (r Reductions) String() string {
	all := r
	all.Replication = true // also where nothing replicates
	if all == AllReductions() {
		return "all"
	}
	var on []string
	for _, name := range reductionNames {
		if *r.named(name) {
			on = append(on, name)
		}
	}
	if len(on) == 0 {
		return "none"
	}
	return strings.Join(on, ",")
}
