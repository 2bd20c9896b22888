package scenarios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A search of runs that is interrupted again and again, or killed, which
// leaves the file as it was some time before, reports in the end what one
// reports that is not, and writes the same files, whoever made which part.
func TestCheckGoesOn(t *testing.T) {
	for _, c := range []struct{ variant, strategy string }{
		{"lock/gozk", "random"},
		{"lock/gozk", "pct"},
		{"lock/gozk", "delay"},
		{"lock/gozk", "single"},
		{"lock/gozk", "pair"},
		{"lock/gozk", "swarm"},
		{"lock/gozk", "portfolio"},
		{"queue/seed002", "portfolio"},
	} {
		require.Contains(t, Strategies(), c.strategy)
		v, _ := ByName(c.variant)
		s := Default(c.variant)
		s.Faults = DefaultFaults()
		// Not a multiple of what a worker takes at a time.
		o := ExploreOptions{Strategy: c.strategy, Runs: 330, ShrinkRuns: -1, Seed: 5, Dir: t.TempDir()}
		plain, err := Explore(context.Background(), v, s, o)
		require.NoError(t, err)
		want, files := jsonOf(t, plain), filesIn(t, o.Dir)
		require.NotEmpty(t, plain.Violations)

		for _, killed := range []bool{false, true} {
			o.Dir = t.TempDir()
			o.Resume, o.SaveEvery = filepath.Join(t.TempDir(), "search"), time.Nanosecond
			parts, last := 0, 0
			for ; ; parts++ {
				ctx, cancel := context.WithCancel(context.Background())
				o.Workers = 1 + parts%2
				var before []byte
				calls := 0
				o.Progress = func(p ExploreProgress) {
					last = p.Runs
					calls++
					if killed && calls == 3 {
						before, _ = os.ReadFile(o.Resume)
					}
					if calls == 4 {
						cancel()
					}
				}
				got, err := Explore(ctx, v, s, o)
				require.NoError(t, err)
				if !errors.Is(ctx.Err(), context.Canceled) {
					cancel()
					require.NoFileExists(t, o.Resume)
					require.Equal(t, want, jsonOf(t, got), "%s %s, killed %v", c.variant, c.strategy, killed)
					require.Equal(t, files, filesIn(t, o.Dir))
					break
				}
				cancel()
				require.True(t, got.Interrupted)
				require.Equal(t, last, got.Runs, "what is under way is made and counted")
				require.FileExists(t, o.Resume)
				if killed {
					require.NotEmpty(t, before)
					require.NoError(t, os.WriteFile(o.Resume, before, 0o600))
				}
			}
			require.GreaterOrEqual(t, parts, 2, "it was interrupted")
		}
	}
}

// A search that was interrupted when its runs were made goes on behind them.
func TestCheckGoesOnBehindItsRuns(t *testing.T) {
	v, _ := ByName("lock/seed003")
	s := Default(v.Name)
	s.Faults = DefaultFaults()
	o := ExploreOptions{Runs: 200, Strategy: "random", ShrinkRuns: 300}
	plain, err := Explore(context.Background(), v, s, o)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	o.Resume, o.Workers = filepath.Join(t.TempDir(), "search"), 1
	o.Progress = func(p ExploreProgress) {
		if p.Runs == o.Runs {
			cancel()
		}
	}
	got, err := Explore(ctx, v, s, o)
	require.NoError(t, err)
	require.True(t, got.Interrupted)
	require.Equal(t, o.Runs, got.Runs)
	o.Progress = func(ExploreProgress) { t.Error("a run was made again") }
	got, err = Explore(context.Background(), v, s, o)
	require.NoError(t, err)
	require.Equal(t, jsonOf(t, plain), jsonOf(t, got))
	require.NoFileExists(t, o.Resume)
}

// Bounded by time alone a search has no end: each part adds to the file.
func TestCheckGoesOnAfterItsTime(t *testing.T) {
	v, _ := ByName("lock/herd-node")
	o := ExploreOptions{Strategy: "random", Budget: 50 * time.Millisecond, Resume: filepath.Join(t.TempDir(), "search")}
	runs := 0
	for range 3 {
		rep, err := Explore(context.Background(), v, Default(v.Name), o)
		require.NoError(t, err)
		require.False(t, rep.Interrupted)
		require.Greater(t, rep.Runs, runs)
		require.FileExists(t, o.Resume)
		runs = rep.Runs
	}
}

func TestCheckDoesNotGoOnFromElsewhere(t *testing.T) {
	v, _ := ByName("lock/zkdocs")
	s := Default(v.Name)
	s.Faults = DefaultFaults()
	o := ExploreOptions{Strategy: "random", Runs: 100, Workers: 1, Resume: filepath.Join(t.TempDir(), "search")}
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(ExploreProgress) { cancel() }
	_, err := Explore(ctx, v, s, o)
	require.NoError(t, err)
	saved, err := os.ReadFile(o.Resume)
	require.NoError(t, err)

	o.Progress = nil
	refused := func(text string, v Variant, s Scenario, o ExploreOptions) {
		_, err := Explore(context.Background(), v, s, o)
		require.EqualError(t, err, o.Resume+": another search was saved: "+text)
		b, err := os.ReadFile(o.Resume)
		require.NoError(t, err)
		require.Equal(t, saved, b)
	}
	other, _ := ByName("lock/kazoo")
	s2 := Default(other.Name)
	s2.Faults = s.Faults
	refused("variant is lock/zkdocs; allowed: lock/kazoo", other, s2, o)
	s2 = s
	s2.Clients = 4
	refused("clients is 3; allowed: 4", v, s2, o)
	s2 = s
	s2.Faults[0]++
	refused("faults is "+s.Faults.String()+"; allowed: "+s2.Faults.String(), v, s2, o)
	o2 := o
	o2.Strategy = "pct"
	refused("strategy is random; allowed: pct", v, s, o2)
	o2 = o
	o2.Seed = 3
	refused("seed is 0; allowed: 3", v, s, o2)
	o2 = o
	o2.Runs = 4000
	refused("runs is 100; allowed: 4000", v, s, o2)
	small := Small(v.Name)
	_, err = Exhaustive(context.Background(), small, SearchOptions{Resume: o.Resume})
	require.EqualError(t, err, o.Resume+": another search was saved: strategy is random; allowed: exhaustive")

	for what, b := range map[string][]byte{
		"empty": {}, "cut short": saved[:len(saved)-20], "text": []byte("zoosim-search 2\n"),
	} {
		require.NoError(t, os.WriteFile(o.Resume, b, 0o600))
		_, err = Explore(context.Background(), v, s, o)
		require.ErrorContains(t, err, o.Resume+": no saved search", what)
	}
	o.Resume = filepath.Join(t.TempDir(), "none", "search")
	_, err = Explore(context.Background(), v, s, o)
	require.ErrorIs(t, err, os.ErrNotExist)
}
