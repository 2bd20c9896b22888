package scenarios

import (
	"context"

	"zoosim/checker"
	"zoosim/recipes/rwlock"
)

// writeGrant is what a writer acquires for; a reader's is [checker.SharedGrant].
const writeGrant = "write"

// rwlockFamily is read-write locks, with clients that write and clients that
// read.
func rwlockFamily() *family {
	return &family{
		name: "rwlock", dir: "/rwlock", what: "acquire", baseline: "rwlock/zkdocs",
		roles: []role{roleWriter, roleReader}, serial: []role{roleWriter, roleReader},
		properties: checker.SharedProperties(false),
		sizes:      func(s *Scenario) { s.Writers, s.Readers = 2, 2 },
		variants:   func() []Variant { return ofRWLocks(rwlock.Variants()) },
		judge:      func() judge { return &sharedJudge{} },
		tell:       tellRWLock,
		keep:       Reductions{Private: true, Done: true},
		core:       true,
	}
}

func ofRWLocks(vs []rwlock.Variant) []Variant {
	all := make([]Variant, len(vs))
	for i, v := range vs {
		all[i] = Variant{
			Recipe: v.Recipe, Timed: v.Timed, Reentrant: v.Reentrant, family: rwlockFamily(),
			actor: func() actor { return &rwlockActor{v: &vs[i]} },
		}
	}
	return all
}

// sharedJudge is the monitors of a read-write lock or a semaphore.
type sharedJudge struct{ checker.Shared }

func (j *sharedJudge) reset(r *Runner) {
	j.Reset(checker.SharedConfig{
		Clients: r.s.Clients, Permits: r.s.Leases, StopsAtDisconnect: r.variant.StopsAtDisconnect, Core: r.s.Core,
		Tickets: max(r.variant.Tickets, 1) + max(r.s.Permits-1, 0),
	})
}

func (j *sharedJudge) copyInto(dst judge) { j.Shared.CopyInto(&dst.(*sharedJudge).Shared) }

// rwlockActor is a process's read-write lock.
type rwlockActor struct {
	v    *rwlock.Variant
	lock rwlock.Lock
}

// perform is one acquisition of the side of the client's role; with a
// downgrade, a writer gets the reading side before it gives the writing one
// back.
func (x *rwlockActor) perform(ctx context.Context, w *worker, a *acquisition) {
	nothing := func() (int64, int64) { return 0, 0 }
	writer := w.g.role == roleWriter
	op, ok := w.acquire(a, func() (bool, error) { return x.attempt(ctx, w, a, writer) }, nothing)
	if !ok {
		return
	}
	w.hold(ctx, a)
	if writer && w.g.downgrade && x.v.Reentrant {
		w.g.purpose = checker.SharedGrant
		read, got := w.acquire(a, func() (bool, error) { return x.attempt(ctx, w, a, false) }, nothing)
		w.g.purpose = writeGrant
		w.release(op, func() error { return x.side(true).Release(ctx) })
		if !got {
			return
		}
		if a.hold > 0 && !w.g.serial {
			_ = w.p.Env().Sleep(ctx, a.hold)
		}
		op, writer = read, false
	}
	w.release(op, func() error { return x.side(writer).Release(ctx) })
}

func (x *rwlockActor) side(writer bool) rwlock.Side {
	if writer {
		return x.lock.Write()
	}
	return x.lock.Read()
}

// attempt calls the recipe once.
func (x *rwlockActor) attempt(ctx context.Context, w *worker, a *acquisition, writer bool) (bool, error) {
	if x.lock == nil {
		l, err := x.v.New(ctx, w.client, w.p.Env(), w.g.dir)
		if err != nil {
			return false, err
		}
		x.lock = l
	}
	side := x.side(writer)
	if a.mode == checker.TimedMode {
		return side.(rwlock.Timed).AcquireTimeout(ctx, a.limit)
	}
	return true, side.Acquire(ctx)
}

// tellRWLock says what a client does.
func tellRWLock(e *checker.Event) string {
	purpose := ""
	if e.Text == checker.SharedGrant {
		purpose = " for reading"
	} else if e.Text == writeGrant {
		purpose = " for writing"
	}
	switch e.Kind {
	case checker.Invoke:
		return "acquires the lock" + purpose + " (" + modeText(e) + ")"
	case checker.Grant:
		return "is GRANTED the lock" + purpose
	}
	return tellLock(e)
}
