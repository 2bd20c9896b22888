package scenarios

import (
	"context"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
)

// lockFamily is mutual-exclusion locks.
func lockFamily() *family {
	return &family{
		name: "lock", dir: "/lock", what: "acquire", properties: checker.LockProperties(), baseline: "lock/zkdocs",
		variants:  func() []Variant { return ofLocks(lock.Variants()) },
		ablations: func() []Variant { return ofLocks(lock.Ablations()) },
		judge:     func() judge { return &lockJudge{} },
		tell:      tellLock,
		keep:      Reductions{Delivery: true, Private: true, Done: true, Symmetry: true, Checkpoint: true, Grant: true, Defer: true, Sleep: true},
		core:      true,
	}
}

func ofLocks(vs []lock.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i := range vs {
		all[i] = OfLock(vs[i])
	}
	return all
}

// OfLock is a lock, which need not be in the table of variants, as a variant.
func OfLock(v lock.Variant) Variant {
	o := Variant{
		Recipe: zk.Recipe{
			Name: v.Name, Source: v.Source, Algorithm: v.Algorithm, Correct: v.Correct, Library: v.Library,
			Store: v.Store, Lease: v.Lease, SessionTimeout: v.SessionTimeout, Interruptible: v.Interruptible, InterruptsRequests: v.InterruptsRequests,
			Dirs: v.Dirs, Tickets: v.Tickets,
		},
		Timed: v.Timed, Try: v.Try, Tokens: v.Tokens, FIFO: v.FIFO, MaxFanOut: v.MaxFanOut,
		StopsAtDisconnect: v.StopsAtDisconnect, Reentrant: v.Reentrant, ClosesClient: v.ClosesClient,
		NoFinally: v.NoFinally,
		family:    lockFamily(),
	}
	if v.New != nil {
		o.actor = func() actor { return &lockActor{make: v.New} }
	}
	return o
}

// lockJudge is the monitors of a lock.
type lockJudge struct{ checker.Lock }

func (j *lockJudge) reset(r *Runner) { j.Reset(r.lockConfig()) }

func (j *lockJudge) copyInto(dst judge) { j.Lock.CopyInto(&dst.(*lockJudge).Lock) }

// lockConfig is what the variant promises.
func (r *Runner) lockConfig() checker.LockConfig {
	v := &r.variant
	return checker.LockConfig{
		Clients: r.s.Clients, FIFO: v.FIFO, MaxFanOut: v.MaxFanOut, Tokens: v.Tokens,
		StopsAtDisconnect: v.StopsAtDisconnect, Reentrant: v.Reentrant, Core: r.s.Core, WaiterBound: r.waiterBound(),
		Tickets: v.Tickets, Leases: v.Store != zk.StoreNone,
	}
}

// lockActor is a process's lock.
type lockActor struct {
	make func(ctx context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error)
	lock lock.Lock
	// second is that of [UseCrossed].
	second lock.Lock
}

// perform is one acquisition: acquire, hold, release.
func (x *lockActor) perform(ctx context.Context, w *worker, a *acquisition) {
	attempt := x.attempt
	switch {
	case w.g.usage == UsePurged:
		w.purge(ctx)
	case w.g.secondFirst():
		attempt = x.crossed
	}
	op, ok := w.acquire(a, func() (bool, error) { return attempt(ctx, w, a) }, func() (int64, int64) { return x.token(), 0 })
	if !ok {
		return
	}
	tokened, hasToken := x.lock.(lock.Tokened)
	if hasToken {
		w.p.Write(tokened.Token())
	}
	second := w.g.usage == UseCrossed && (w.g.secondFirst() || x.takeSecond(ctx, w) == nil)
	w.hold(ctx, a)
	if w.g.usage == UseNested {
		x.again(ctx, w, a)
	}
	if w.g.throws() {
		return
	}
	if hasToken {
		w.p.Write(tokened.Token())
	}
	w.release(op, func() error { return x.lock.Release(ctx) })
	if second {
		_ = x.second.Release(ctx)
	}
}

// token is the fencing token of the last grant, 0 for none.
func (x *lockActor) token() int64 {
	if t, ok := x.lock.(lock.Tokened); ok {
		return t.Token()
	}
	return 0
}

// attempt calls the recipe once.
func (x *lockActor) attempt(ctx context.Context, w *worker, a *acquisition) (bool, error) {
	if x.lock == nil {
		l, err := x.make(ctx, w.client, w.p.Env(), w.g.dir)
		if err != nil {
			return false, err
		}
		x.lock = l
		if c, ok := l.(lock.Canceler); ok {
			w.p.OnInterrupt(c.Cancel)
		}
		w.p.Keep()
	}
	switch a.mode {
	case checker.TimedMode:
		return x.lock.(lock.Timed).AcquireTimeout(ctx, a.limit)
	case checker.TryMode:
		return x.lock.(lock.Try).TryAcquire(ctx)
	}
	return true, x.lock.Acquire(ctx)
}
