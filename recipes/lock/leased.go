package lock

import (
	"context"
	"errors"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// How the locks on a store wait and for how long they hold.
const (
	// leaseLength is how long a hold lasts unless it is released: the default of
	// Redisson's RLock (lockWatchdogTimeout).
	leaseLength = 30 * time.Second
	// firstPoll is the pause before the second claim, each later pause is twice
	// as long, up to lastPoll.
	firstPoll = 100 * time.Millisecond
	lastPoll  = 400 * time.Millisecond
)

// leased is a lock that is a lease in a store: who finds it free claims it for a
// time, all others ask again and again.
//
// Each acquire has an owner of its own, which no other has, so that a release
// takes no later hold away and a claim whose answer was lost can be told from
// another's. Behind a lost answer the lease is asked for as one that is its own
// already, and only then anew: a claim that is repeated would be refused because
// of itself until its lease is over.
//
// The holder is not told that its lease is over. It can ask its clock: Live
// counts from before the claim was sent, so that it never says yes for longer
// than the store does, clocks going alike. Acquire does so once, before it
// grants; what the work does about it is the caller's.
type leased struct {
	s zk.Store
	e zk.Env

	owner string      // of the hold, "" for none
	until zk.Duration // its lease runs at least until then, by the own clock
	token int64

	// Options; see [Ablations].
	clears bool // a release deletes the lock, whoever has it
	renews bool // a task extends the lease of a hold
	holds  int  // so far: a task that renews ends with its hold
}

func newLeased(_ context.Context, _ zk.Client, e zk.Env, _ string) (Lock, error) {
	return &leased{s: e.Store(), e: e}, nil
}

// Acquire implements [Lock].
func (l *leased) Acquire(ctx context.Context) error {
	_, err := l.acquire(ctx, true)
	return err
}

// AcquireTimeout implements [Timed].
func (l *leased) AcquireTimeout(ctx context.Context, limit time.Duration) (bool, error) {
	timed, cancel := l.e.WithTimeout(ctx, limit)
	defer cancel()
	held, err := l.acquire(timed, true)
	return docs.TimedOut(ctx, held, err)
}

// TryAcquire implements [Try].
func (l *leased) TryAcquire(ctx context.Context) (bool, error) {
	return l.acquire(ctx, false)
}

// Live implements [Leased].
func (l *leased) Live() bool { return l.owner != "" && l.e.Now() < l.until }

// attempt is one acquire.
type attempt struct {
	owner string
	// doubt: a claim was sent whose answer is not known.
	doubt bool
}

// acquire claims the lock and, unless it need not wait, again while it is
// another's.
func (l *leased) acquire(ctx context.Context, wait bool) (bool, error) {
	if l.Live() {
		return false, errHeld
	}
	l.owner = ""
	a := attempt{owner: l.e.GUID()}
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		held, err := l.claim(ctx, &a)
		if held {
			return true, nil
		}
		if err == nil && wait {
			state := uint64(poll) << 1
			if a.doubt {
				state++
			}
			l.e.Spin(state)
			err = l.e.Sleep(ctx, poll)
		}
		if err != nil || !wait {
			if a.doubt {
				_, _ = l.s.Drop(l.e.Background(), a.owner) // else its lease ends it
			}
			return false, err
		}
	}
}

// claim asks for the lock until there is an answer.
func (l *leased) claim(ctx context.Context, a *attempt) (held bool, err error) {
	for tries := 0; ; {
		held, err = false, nil
		if a.doubt {
			held, err = l.ask(ctx, a, l.s.Extend)
		}
		if !held && err == nil {
			held, err = l.ask(ctx, a, l.s.Claim)
		}
		if err == nil || !docs.Again(ctx, l.e, &tries, &err) {
			return held, err
		}
	}
}

// ask sends one request for the lock. An answer that has waited for as long as
// the lease is no grant.
func (l *leased) ask(
	ctx context.Context, a *attempt, request func(context.Context, string, zk.Duration) (zk.StoreAnswer, error),
) (bool, error) {
	asked := l.e.Now()
	x, err := request(ctx, a.owner, leaseLength)
	switch {
	case err != nil:
		a.doubt = a.doubt || errors.Is(err, zk.ErrConnectionLoss)
	case !x.Done:
	case l.e.Now()-asked >= leaseLength:
		a.doubt = true
	default:
		l.granted(a, asked+leaseLength, x.Token)
		return true, nil
	}
	return false, err
}

// granted notes a hold.
func (l *leased) granted(a *attempt, until zk.Duration, token int64) {
	l.owner, l.until, l.token = a.owner, until, token
	l.holds++
	if l.renews {
		hold := l.holds
		l.e.Go("lease-renewal", func(ctx context.Context) { l.renew(ctx, hold) })
	}
}

// renew extends the lease of a hold three times in its length, as Redisson's
// watchdog does, for as long as the hold lasts and the store says so.
func (l *leased) renew(ctx context.Context, hold int) {
	for l.e.Sleep(ctx, leaseLength/3) == nil && l.owner != "" && l.holds == hold {
		asked := l.e.Now()
		x, err := l.s.Extend(ctx, l.owner, leaseLength)
		switch {
		case l.holds != hold || err == nil && !x.Done:
			return
		case err == nil:
			l.until = asked + leaseLength
		}
	}
}

// Release implements [Lock]. That the lease is over already is no error: the
// lock is not held any more, and behind a lost answer it cannot be told from a
// release that was carried out. A release that cannot be sent is left to the
// lease.
func (l *leased) Release(context.Context) error {
	if l.owner == "" {
		return ErrNotOwner
	}
	owner := l.owner
	l.owner = ""
	ctx := l.e.Background()
	for tries := 0; ; {
		var err error
		if l.clears {
			_, err = l.s.Clear(ctx)
		} else {
			_, err = l.s.Drop(ctx, owner)
		}
		if !docs.Again(ctx, l.e, &tries, &err) {
			return nil
		}
	}
}

// tokened is a lease that carries a fencing token.
type tokened struct{ leased }

func newTokened(_ context.Context, _ zk.Client, e zk.Env, _ string) (Lock, error) {
	return &tokened{leased{s: e.Store(), e: e}}, nil
}

// Token implements [Tokened].
func (l *tokened) Token() int64 { return l.token }
