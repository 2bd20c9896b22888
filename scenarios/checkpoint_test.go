package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// A search with checkpoints, which are verified, ends in the same states and
// finds the same failures as one without.
func TestCheckpointsLoseNothing(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	for _, c := range []struct {
		variant string
		ops     int
		faults  string
		none    string // the reduction that the search has to do without, if any
	}{
		{"lock/zkdocs", 2, "none", ""},
		{"lock/zkdocs", 2, "crash=1", ""},
		{"lock/zkdocs", 2, "cut-request=1", ""},
		{"lock/zkdocs", 1, "cut-reply=1", ""},
		{"lock/zkdocs", 1, "expiry=1,cut-reply=1", ""},
		{"lock/zkdocs", 3, "none", ""},
		{"lock/zkdocs-no-relook", 2, "crash=1", ""},
		{"lock/zkdocs-no-recheck", 2, "none", ""},
		{"lock/curator", 2, "none", ""},
		{"lock/curator", 1, "cut-reply=1", ""},
		{"lock/gozk", 2, "crash=1", ""},
		{"lock/kazoo", 2, "none", ""},
		{"lock/herd-node", 2, "none", ""},
		{"lock/fenced", 2, "none", ""},
		{"lock/seed002", 1, "none", "grant"}, // it keeps a latch
	} {
		t.Run(c.variant+" "+c.faults, func(t *testing.T) {
			s := small(t, c.variant, 2, c.ops, c.faults)
			failed, ends, plain := endings(t, s, without("checkpoint", "grant"), false)
			f, e, n := endings(t, s, AllReductions(), false)
			require.Equal(t, failed, f)
			require.Equal(t, ends, e)
			require.Less(t, n, plain)
			rep, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
			require.NoError(t, err)
			kept := AllReductions()
			v := theVariant(t, s)
			kept.Defer = v.defers()
			if c.none != "" {
				*kept.named(c.none) = false
			}
			require.Equal(t, kept.provenFor(&s), rep.Reductions, rep.NoCheckpoints)
			if c.ops > 1 || c.none == "" {
				require.Positive(t, rep.Checkpoints.Fed)
			}
			t.Logf("%d of %d states, %+v", n, plain, rep.Checkpoints)
		})
	}
}

// zkjava's lock goes on using its old znode: it remembers more than a
// checkpoint declares. The search notices, says so and does without.
func TestFalseCheckpointsAreNoticed(t *testing.T) {
	s := small(t, "lock/zkjava", 2, 2, "none")
	with, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.Contains(t, with.NoCheckpoints, "its checkpoint declares")
	require.Equal(t, without("checkpoint", "symmetry", "replication"), with.Reductions, "those at grants are some")
	require.Contains(t, with.NoSymmetry, "the id of its session")
	plain, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: without("checkpoint")})
	require.NoError(t, err)
	with.NoCheckpoints = ""
	require.Equal(t, plain, with)
}

// docsLockIn is the documentation's lock in another.
func docsLockIn(wrap func(l lock.Lock, c zk.Client) lock.Lock) lock.Variant {
	v, _ := lock.ByName("lock/zkdocs")
	inner := v.New
	v.New = func(ctx context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
		l, err := inner(ctx, c, e, dir)
		return wrap(l, c), err
	}
	return v
}

// forgetful is a lock that, once it has had to wait, takes the next round's
// lock without asking: what is wrong with it can be seen only by a search that
// tells apart how a client got to its second round.
type forgetful struct {
	lock.Lock
	c      zk.Client
	waited bool
	rounds int
}

func (f *forgetful) Acquire(ctx context.Context) error {
	if f.rounds++; f.rounds > 1 && f.waited {
		return nil
	}
	names, err := f.c.Children(ctx, "/lock")
	if err != nil {
		return err
	}
	f.waited = len(names) > 0
	return f.Lock.Acquire(ctx)
}

func (f *forgetful) Release(ctx context.Context) error {
	if f.rounds > 1 && f.waited {
		return nil
	}
	return f.Lock.Release(ctx)
}

func TestCheckpointsDoNotHideWhatARecipeRemembers(t *testing.T) {
	v := docsLockIn(func(l lock.Lock, c zk.Client) lock.Lock { return &forgetful{Lock: l, c: c} })
	s := small(t, "lock/zkdocs", 2, 2, "none")
	s.Untimed = true
	rep, err := exhaustive(context.Background(), OfLock(v), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.NotEmpty(t, rep.NoCheckpoints)
	var failed []string
	for _, c := range rep.Violations {
		failed = append(failed, string(c.Property))
	}
	require.Contains(t, strings.Join(failed, " "), string(checker.Exclusion))

	_, err = exhaustiveOnce(context.Background(), OfLock(v), s, SearchOptions{Reductions: AllReductions()})
	require.ErrorIs(t, err, sim.ErrCheckpoint)
}

// hoarder is a lock that, once it has had to wait, keeps what it got: what is
// wrong with it can be seen only by a search that tells apart how a client got
// the lock.
type hoarder struct {
	lock.Lock
	c      zk.Client
	waited bool
}

func (h *hoarder) Acquire(ctx context.Context) error {
	names, err := h.c.Children(ctx, "/lock")
	if err != nil {
		return err
	}
	h.waited = len(names) > 0
	return h.Lock.Acquire(ctx)
}

func (h *hoarder) Release(ctx context.Context) error {
	if h.waited {
		return nil
	}
	return h.Lock.Release(ctx)
}

func TestCheckpointsAtGrantsDoNotHideWhatARecipeRemembers(t *testing.T) {
	v := docsLockIn(func(l lock.Lock, c zk.Client) lock.Lock { return &hoarder{Lock: l, c: c} })
	s := small(t, "lock/zkdocs", 2, 1, "none")
	s.Untimed = true
	rep, err := exhaustive(context.Background(), OfLock(v), s, SearchOptions{Reductions: AllReductions()})
	require.NoError(t, err)
	require.Equal(t, without("grant", "replication"), rep.Reductions)
	require.NotEmpty(t, rep.NoCheckpoints)
	require.NotEmpty(t, rep.Violations)

	_, err = exhaustiveOnce(context.Background(), OfLock(v), s, SearchOptions{Reductions: AllReductions()})
	require.ErrorIs(t, err, sim.ErrCheckpoint)
	_, err = exhaustiveOnce(context.Background(), OfLock(v), s, SearchOptions{Reductions: without("grant"), Workers: 2})
	require.NoError(t, err)
}
