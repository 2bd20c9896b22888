package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/cache"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// deafCache reads once and never again.
type deafCache struct {
	c zk.Client
	o cache.Options
}

func (d *deafCache) Start(ctx context.Context) error {
	data, _, err := d.c.Get(ctx, d.o.Path)
	if err == nil {
		d.o.Show([]cache.Entry{{Path: d.o.Path, Data: data}})
	}
	return nil
}

// The planted fault: a cache that does not hear of changes is stale.
func TestDeafCacheIsStale(t *testing.T) {
	deaf := cache.Variants()[0]
	deaf.New = func(_ context.Context, c zk.Client, _ zk.Env, o cache.Options) (cache.Cache, error) {
		return &deafCache{c, o}, nil
	}
	r := makeRunner(ofCaches([]cache.Variant{deaf})[0], Default(deaf.Name))
	t.Cleanup(r.Close)
	stale := 0
	for seed := range uint64(50) {
		if x := r.Run(sim.NewRandom(seed)).Results[0]; x.Verdict == checker.Failed {
			require.Equal(t, checker.Stale, x.Property)
			stale++
		}
	}
	require.Greater(t, stale, 10)
}

// What a change costs a cache that is up to date.
func TestCacheCounts(t *testing.T) {
	for _, c := range []struct {
		variant          string
		requests, events int64
	}{
		// exists when it begins; setData and create by the writer; an event, then
		// exists and getData.
		{"cache/curator-node", 1 + 2 + 2, 1},
		// A listing; the same; an event, a listing, a getData.
		{"cache/curator-children", 1 + 2 + 2, 1},
		// getData and a listing of the root; the same; an event, a listing of the
		// root, getData and a listing of the child.
		{"cache/curator-tree", 2 + 2 + 3, 1},
	} {
		s := Standard(c.variant, 2)
		r := newRunner(t, s)
		for _, st := range []sim.Strategy{sim.NewRandom(1), sim.NewReplay(nil)} {
			require.Empty(t, failures(r.Run(st)), c.variant)
			m := r.Metrics()
			require.Equal(t, c.requests, m.RequestTotal, "%s: %v", c.variant, m.Requests)
			require.Equal(t, c.events, m.Notifications, c.variant)
		}
	}
}
