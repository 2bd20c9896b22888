package scenarios

import (
	"context"
	"slices"
	"strings"

	"zoosim/recipes/zk"
)

// Usage says what clients of a lock do beside acquiring it, holding it and
// releasing it.
type Usage string

// The usages.
const (
	UsePlain Usage = "plain" // nothing
	// UseNested: a holder acquires once more on the same object, holds, and
	// releases twice.
	UseNested Usage = "nested"
	// UseCrossed: each client takes a second lock, too, of which nothing is
	// judged; every other client takes it before the first.
	UseCrossed Usage = "crossed"
	// UseThrowing: the first client's work ends in an exception. The release
	// is left out where the original's own code has it in no finally.
	UseThrowing Usage = "throwing"
	// UsePurged: a client begins each operation by deleting the first znode that
	// it finds in the directory, as an admin might who takes it for left over.
	UsePurged Usage = "purged"
)

var usages = []Usage{UsePlain, UseNested, UseCrossed, UseThrowing, UsePurged}

func usageNames() string {
	var names []string
	for _, u := range usages {
		names = append(names, string(u))
	}
	return strings.Join(names, ", ")
}

// secondDir is the directory of the second lock of [UseCrossed].
const secondDir = "/second"

// validateUsage is the part of [Scenario.Validate] about the usage.
func (s *Scenario) validateUsage(v *Variant) error {
	if !slices.Contains(usages, s.Usage) {
		return fieldErr("usage", "unknown usage %q; allowed: %s", s.Usage, usageNames())
	}
	if s.Usage == UsePlain {
		return nil
	}
	if v.Family() != "lock" || s.Serial || s.Untimed {
		return fieldErr("usage", "%s; allowed but for locks in timed runs that are not serial: plain", s.Usage)
	}
	if v.Store != zk.StoreNone && (s.Usage == UseCrossed || s.Usage == UsePurged) {
		return fieldErr("usage", "%s; allowed for a lock on a store, which keeps one lock and no znodes: plain, nested, throwing", s.Usage)
	}
	return nil
}

// purge deletes what stands first in the directory. Whether that succeeds does
// not matter.
func (w *worker) purge(ctx context.Context) {
	names, err := w.client.Children(ctx, w.g.dir)
	if err == nil && len(names) > 0 {
		_ = w.client.Delete(ctx, w.g.dir+"/"+names[0], zk.AnyVersion)
	}
}

// throws reports whether the work of the program ends in an exception behind
// which nobody releases the lock.
func (g *program) throws() bool {
	return g.usage == UseThrowing && g.client == 0 && g.variant.NoFinally
}

// secondFirst reports whether the program takes the second lock before the
// first.
func (g *program) secondFirst() bool { return g.usage == UseCrossed && g.client%2 == 1 }

// usedAs reports whether the usage makes no difference between two programs.
func (g *program) usedAs(o *program) bool {
	return g.secondFirst() == o.secondFirst() && g.throws() == o.throws()
}

// again acquires the lock once more within a hold, holds it and releases it.
func (x *lockActor) again(ctx context.Context, w *worker, a *acquisition) {
	op, ok := w.acquire(a, func() (bool, error) { return x.attempt(ctx, w, a) }, func() (int64, int64) { return x.token(), 0 })
	if !ok {
		return
	}
	w.hold(ctx, a)
	w.release(op, func() error { return x.lock.Release(ctx) })
}

// takeSecond acquires the second lock.
func (x *lockActor) takeSecond(ctx context.Context, w *worker) error {
	if x.second == nil {
		l, err := x.make(ctx, w.client, w.p.Env(), secondDir)
		if err != nil {
			return err
		}
		x.second = l
	}
	return x.second.Acquire(ctx)
}

// crossed acquires both locks, the second one first.
func (x *lockActor) crossed(ctx context.Context, w *worker, a *acquisition) (bool, error) {
	if err := x.takeSecond(ctx, w); err != nil {
		return false, err
	}
	ok, err := x.attempt(ctx, w, a)
	if !ok || err != nil {
		_ = x.second.Release(ctx)
	}
	return ok, err
}
