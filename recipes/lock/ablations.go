package lock

import (
	"context"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// Ablations returns variants of correct locks with one step left out: what the
// step is for shows when a search refutes the rest. They are no recipes, and
// [Variants] does not list them.
func Ablations() []Variant {
	return []Variant{
		withoutStep("lock/zkdocs-no-relook", "a waiter that is woken does not list again", relookOff),
		withoutStep("lock/zkdocs-no-recheck", "a waiter waits also if the znode to watch is gone", recheckOff),
	}
}

func withoutStep(name, what string, off zkDocsStep) Variant {
	v := zkDocsVariant()
	v.Name, v.Correct = name, false
	v.Source = "ablation of lock/zkdocs"
	v.Algorithm = "lock/zkdocs, but " + what + "."
	v.New = func(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
		return &zkDocs{Queue: docs.Queue{C: c, E: e, Dir: dir, Marker: docs.TicketMarker}, off: off}, nil
	}
	return v
}
