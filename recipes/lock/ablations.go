package lock

import (
	"context"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// Ablations returns variants of correct locks with one step left out: what the
// step is for shows when a search refutes the rest. Some are the other way round:
// a lock with one of its faults repaired, so that those show that it hid, or one
// that has a step more. They are no recipes, and [Variants] does not list them.
func Ablations() []Variant {
	return []Variant{
		withoutStep("lock/zkdocs-no-relook", "a waiter that is woken does not list again", relookOff),
		withoutStep("lock/zkdocs-no-recheck", "a waiter waits also if the znode to watch is gone", recheckOff),
		heedingSeed002(),
		changedLease(redisVariant(), "lock/redis-plain-delete", "a release deletes the key, whoever has it", func(l *leased) { l.clears = true }),
		changedLease(redisVariant(), "lock/redis-renewed", "a task extends the lease of a hold every 10 s", func(l *leased) { l.renews = true }),
		changedLease(databaseVariant(), "lock/database-renewed", "a task extends the lease of a hold every 10 s", func(l *leased) { l.renews = true }),
	}
}

// changedLease is a lock on a store that differs in one step.
func changedLease(v Variant, name, what string, change func(*leased)) Variant {
	of := v.Name
	v.Name, v.Source, v.Correct = name, "ablation of "+of, false
	v.Algorithm = of + ", but " + what + "."
	made := v.New
	v.New = func(ctx context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
		l, err := made(ctx, c, e, dir)
		switch l := l.(type) {
		case *leased:
			change(l)
		case *tokened:
			change(&l.leased)
		}
		return l, err
	}
	return v
}

// heedingSeed002 is seed 002's lock without fault L2.
func heedingSeed002() Variant {
	v := seed002Variant()
	v.Name, v.Source = "lock/seed002-heeding", "lock/seed002 with fault L2 repaired"
	v.Algorithm = "lock/seed002, but acquireLock throws when tryLock answers false."
	v.New = func(ctx context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
		l, err := newSeed002(ctx, c, e, dir)
		if err == nil {
			l.(*seed002).heeds = true
		}
		return l, err
	}
	return v
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
