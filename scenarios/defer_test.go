package scenarios

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
	"zoosim/sim/explore"
)

// unstruck lets no fault strike a process that goes on.
type unstruck struct{ *model }

func (u unstruck) Moves(r *Runner, dst []move) []move {
	all := u.model.Moves(r, dst)
	if r.goesOn == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(m move) bool { return m.kind == moveFault })
}

// headlong lets a process go on also where its steps were all that was explored.
type headlong struct{ *model }

func (h headlong) Do(r *Runner, m move) {
	r.whole = true
	h.model.Do(r, m)
}

// Steps that are put off too far are noticed.
func TestUnsoundDeferralsAreCaught(t *testing.T) {
	t.Parallel()
	on := Reductions{Delivery: true, Private: true, Defer: true}
	for name, c := range map[string]struct {
		variant, faults string
		states          func(md *model) explore.Model[*Runner, move]
	}{
		"no fault strikes":            {"lock/herd-node", "cut-reply=1", func(md *model) explore.Model[*Runner, move] { return unstruck{md} }},
		"others wait where they need": {"lock/zkdocs", "crash=1", func(md *model) explore.Model[*Runner, move] { return headlong{md} }},
	} {
		s := small(t, c.variant, 2, 1, c.faults)
		want := searched(t, s, how{on: on})
		got := searched(t, s, how{on: on, states: c.states})
		differs := got.differs(&want, true)
		t.Logf("%s: %s", name, differs)
		require.NotEmpty(t, differs, name)
	}
}

// sweeper is a lock that deletes the znodes of others with its own.
type sweeper struct {
	lock.Lock
	c zk.Client
}

func (s *sweeper) Release(ctx context.Context) error {
	names, err := s.c.Children(ctx, "/lock")
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.c.Delete(ctx, "/lock/"+name, zk.AnyVersion); err != nil {
			return err
		}
	}
	return nil
}

// Where clients delete tickets of others, whether one had begun to give it back by
// then shows in the watches that are left behind: no step is put off.
func TestNothingIsPutOffWhereOthersDelete(t *testing.T) {
	v := docsLockIn(func(l lock.Lock, c zk.Client) lock.Lock { return &sweeper{Lock: l, c: c} })
	s := small(t, "lock/zkdocs", 2, 1, "none")
	s.Untimed = true
	for promised, kept := range map[int]bool{0: true, 1: false} {
		v.MaxFanOut = promised
		rep, err := exhaustive(context.Background(), OfLock(v), s, SearchOptions{Reductions: AllReductions()})
		require.NoError(t, err)
		require.True(t, rep.Complete)
		require.Equal(t, kept, rep.Reductions.Defer)
	}
}
