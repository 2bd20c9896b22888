package scenarios

import (
	"context"
	"strconv"

	"zoosim/checker"
	"zoosim/recipes/semaphore"
)

// semaphoreFamily is semaphores: each acquire asks for [Scenario.Permits] of
// [Scenario.Leases].
func semaphoreFamily() *family {
	return &family{
		name: "semaphore", dir: "/semaphore", what: "acquire", baseline: "semaphore/tickets", leases: 1,
		properties: checker.SharedProperties(true),
		sizes:      func(s *Scenario) { s.Leases, s.Permits = 2, 1 },
		variants:   func() []Variant { return ofSemaphores(semaphore.Variants()) },
		judge:      func() judge { return &sharedJudge{} },
		tell:       tellSemaphore,
		keep:       Reductions{Private: true, Done: true},
	}
}

func ofSemaphores(vs []semaphore.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i, v := range vs {
		all[i] = Variant{
			Recipe: v.Recipe, Timed: v.Timed, family: semaphoreFamily(),
			actor: func() actor { return &semaphoreActor{v: &vs[i]} },
		}
	}
	return all
}

// semaphoreActor is a process's semaphore.
type semaphoreActor struct {
	v         *semaphore.Variant
	semaphore semaphore.Semaphore
}

// perform is one acquire: its leases, hold, release of them all.
func (x *semaphoreActor) perform(ctx context.Context, w *worker, a *acquisition) {
	op, ok := w.acquire(a, func() (bool, error) { return x.attempt(ctx, w, a) },
		func() (int64, int64) { return 0, int64(w.g.permits) })
	if !ok {
		return
	}
	w.hold(ctx, a)
	w.release(op, func() error { return x.semaphore.Release(ctx) })
}

// attempt calls the recipe once.
func (x *semaphoreActor) attempt(ctx context.Context, w *worker, a *acquisition) (bool, error) {
	if x.semaphore == nil {
		s, err := x.v.New(ctx, w.client, w.p.Env(), w.g.dir, w.g.leases)
		if err != nil {
			return false, err
		}
		x.semaphore = s
	}
	if a.mode == checker.TimedMode {
		return x.semaphore.(semaphore.Timed).AcquireTimeout(ctx, w.g.permits, a.limit)
	}
	return true, x.semaphore.Acquire(ctx, w.g.permits)
}

// tellSemaphore says what a client does.
func tellSemaphore(e *checker.Event) string {
	switch e.Kind {
	case checker.Invoke:
		return "acquires the semaphore (" + modeText(e) + ")"
	case checker.Grant:
		s := "is GRANTED " + strconv.FormatInt(e.N, 10) + " lease"
		if e.N != 1 {
			s += "s"
		}
		return s
	case checker.Refuse:
		return "does not get what it asked for"
	case checker.ReleaseInvoke:
		return "releases the semaphore"
	case checker.ReleaseReturn:
		if e.Text == "" {
			return "has released the semaphore"
		}
	}
	return tellLock(e)
}
