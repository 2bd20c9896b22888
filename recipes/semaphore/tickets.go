package semaphore

import (
	"context"
	"strconv"
	"strings"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

func ticketsVariant() Variant {
	return Variant{
		Recipe: zk.Recipe{
			Name:   "semaphore/tickets",
			Source: "the lock of ZooKeeper's documentation (3.8), with a demand in each ticket; the documentation has no semaphore",
			Algorithm: `Create <guid>-<n>-lease-<number>, ephemeral sequential; after a lost reply look for the guid.
List with a watch. Whoever, with all in front, asks for no more leases than there are, and is still in the session that
owns its ticket: hold all n. Else wait for any change and list again. Release deletes the ticket.
All n are granted at once, in the order of the tickets, so that two acquires cannot wait for each other.`,
			Correct:            true,
			Library:            zk.LibraryCurator,
			Interruptible:      true,
			InterruptsRequests: true,
		},
		Timed: true,
		New:   newTickets,
	}
}

// leaseMark ends the part of a ticket's name that its client chose:
// "<guid>-<n>-lease-<number>".
const leaseMark = "-lease-"

// tickets is a semaphore in which a ticket asks for n leases.
type tickets struct {
	docs.Queue
	leases int
	held   docs.Ticket
}

func newTickets(_ context.Context, c zk.Client, e zk.Env, dir string, leases int) (Semaphore, error) {
	return &tickets{Queue: docs.Queue{C: c, E: e, Dir: dir}, leases: leases}, nil
}

// Acquire implements [Semaphore]. It fails with [zk.ErrSessionExpired] if the
// session ends while it waits; it may then be called again.
func (s *tickets) Acquire(ctx context.Context, n int) error {
	_, err := s.acquire(ctx, n)
	return err
}

// AcquireTimeout implements [Timed]: one limit for the whole acquire.
func (s *tickets) AcquireTimeout(ctx context.Context, n int, limit time.Duration) (bool, error) {
	timed, cancel := s.E.WithTimeout(ctx, limit)
	defer cancel()
	held, err := s.acquire(timed, n)
	return docs.TimedOut(ctx, held, err)
}

func (s *tickets) acquire(ctx context.Context, n int) (bool, error) {
	if s.held.Path != "" && s.Mine(&s.held) {
		return false, errHeld
	}
	s.held = docs.Ticket{}
	s.Marker = "-" + strconv.Itoa(n) + leaseMark
	t, err := s.Enter(ctx)
	if err != nil {
		return false, err
	}
	for {
		changed := s.E.NewLatch()
		names, err := s.look(ctx, changed)
		if err != nil {
			s.Leave(t)
			return false, err
		}
		asked, found := demand(names, s.Name(&t), t.Seq)
		switch {
		case !found:
			return false, zk.ErrSessionExpired
		case !s.Mine(&t):
			s.Leave(t)
			return false, zk.ErrSessionExpired
		case asked <= s.leases:
			s.held = t
			return true, nil
		}
		if err := changed.Wait(ctx); err != nil {
			s.Leave(t)
			return false, err
		}
	}
}

// look lists the tickets and has changed opened by their next change.
func (s *tickets) look(ctx context.Context, changed zk.Latch) ([]string, error) {
	for tries := 0; ; {
		names, err := s.C.ChildrenW(ctx, s.Dir, changed)
		if err == nil || !docs.Again(ctx, s.E, &tries, &err) {
			return names, err
		}
	}
}

// demand is how many leases the ticket with number seq and all in front of it
// ask for; found reports whether own, the ticket itself, is in the list.
func demand(names []string, own string, seq int32) (sum int, found bool) {
	for _, name := range names {
		n, ok := docs.Sequence(name, leaseMark)
		if !ok || docs.Before(seq, n) {
			continue
		}
		found = found || name == own
		rest := name[:strings.LastIndex(name, leaseMark)]
		asked, err := strconv.Atoi(rest[strings.LastIndexByte(rest, '-')+1:])
		if err == nil {
			sum += asked
		}
	}
	return sum, found
}

// Release implements [Semaphore]. Its delete is repeated while the connection
// is lost, whatever becomes of the context.
func (s *tickets) Release(context.Context) error {
	if s.held.Path == "" {
		return ErrNotOwner
	}
	t := s.held
	s.held = docs.Ticket{}
	s.Leave(t)
	return nil
}
