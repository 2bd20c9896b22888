package scenarios

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// polite is a lock that gives way: whoever sees another's znode beside its own
// takes its own away, waits until something changes, and comes again. Two that
// see each other reset each other for ever.
type polite struct {
	c   zk.Client
	e   zk.Env
	dir string
	own string
}

func newPolite(_ context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
	return &polite{c: c, e: e, dir: dir}, nil
}

func (p *polite) Acquire(ctx context.Context) error {
	for {
		own, err := p.c.Create(ctx, p.dir+"/"+p.e.GUID()+"-", nil, zk.EphemeralSequential)
		if err != nil {
			return err
		}
		changed := p.e.NewLatch()
		names, err := p.c.ChildrenW(ctx, p.dir, changed)
		if err != nil {
			return err
		}
		if len(names) == 1 {
			p.own = own
			return nil
		}
		if err := p.c.Delete(ctx, own, zk.AnyVersion); err != nil {
			return err
		}
		if err := changed.Wait(ctx); err != nil {
			return err
		}
	}
}

func (p *polite) Release(ctx context.Context) error { return p.c.Delete(ctx, p.own, zk.AnyVersion) }

func TestLatchesThatResetEachOtherAreALivelock(t *testing.T) {
	v, _ := lock.ByName("lock/zkdocs")
	v.New = newPolite
	s := small(t, "lock/zkdocs", 2, 1, "none")
	l, err := FindLivelock(context.Background(), OfLock(v), s, LivelockOptions{})
	require.NoError(t, err)
	require.NotNil(t, l)
	require.Positive(t, l.Period)
	require.Less(t, l.Period, 100)
	text := strings.Join(l.Block, "\n")
	t.Logf("%d of %d transitions:\n%s", l.Period, l.Steps, text)
	for _, what := range []string{"A: ", "B: ", "create", "delete"} {
		require.Contains(t, text, what)
	}
	// Again: the same.
	m, err := FindLivelock(context.Background(), OfLock(v), s, LivelockOptions{})
	require.NoError(t, err)
	require.Equal(t, l, m)
	// The tape alone leads there, and further.
	r := makeRunner(OfLock(v), l.Scenario)
	defer r.Close()
	require.Equal(t, l.Hash, r.Run(sim.NewReplay(l.Tape)).Hash)
}

// Retries, time limits, polling and holds are no livelock, and neither is a
// deadlock.
func TestNoVariantLivelocks(t *testing.T) {
	for _, v := range Variants("lock") {
		for _, budget := range []string{"none", "crash=1,expiry=1,cut=1,cut-request=1,cut-reply=1"} {
			s := small(t, v.Name, 3, 2, budget)
			s.Attempts = 2
			l, err := FindLivelock(context.Background(), v, s, LivelockOptions{Walks: 20})
			require.NoError(t, err)
			require.Nil(t, l, "%s, %s", v.Name, budget)
		}
	}
}

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		text   string
		period int
	}{
		{"a 1|b|a 2|b|a 3|b", 2},
		{"x|y|a 1|b 1|a 2|b 2|a 3|b 3", 2},
		{"a 1|b 1|a 2|b 1|a 3|b 3", 0}, // not the same number
		{"a|b|a|b", 0},                 // not often enough
		{"a|a|a", 1},
		{"n 00000001-0000-4000-8000-000000000001|n 00000001-0000-4000-8000-000000000002|n 00000001-0000-4000-8000-000000000003", 1},
		{"a|b|c", 0},
		{"", 0},
	} {
		var trace []sim.Entry
		for i, line := range strings.Split(c.text, "|") {
			trace = append(trace, sim.Entry{Step: i + 1, Text: line})
		}
		period, block := repeats(trace)
		require.Equal(t, c.period, period, c.text)
		require.Len(t, block, period, c.text)
	}
}
