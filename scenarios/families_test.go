package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/queue"
	"zoosim/sim"
)

// otherFamilies are the families whose comparison is tested on fewer seeds
// than that of the locks.
func otherFamilies() []string { return Families()[1:] }

// Every comparison is as the table says. ZOOSIM_COMPARED sets the number of seeds.
func TestFamiliesMeetTheExpectationTable(t *testing.T) {
	seeds := 60
	if text := os.Getenv("ZOOSIM_COMPARED"); text != "" {
		var err error
		seeds, err = strconv.Atoi(text)
		require.NoError(t, err, "ZOOSIM_COMPARED is a number of seeds")
	}
	for _, name := range otherFamilies() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "replays"), 0o755))
			rep, err := Compare(context.Background(), CompareOptions{Family: name, Seeds: seeds, Findings: true, Dir: dir})
			require.NoError(t, err)
			require.Empty(t, rep.Unexpected)
			requireFindings(t, rep, dir)
		})
	}
}

// Roles have no part in what is drawn, and no state is left from run to run.
func TestFamiliesRunAgain(t *testing.T) {
	for _, name := range otherFamilies() {
		for _, v := range Variants(name) {
			s := Default(v.Name)
			s.Faults = everyFault()
			used := newRunner(t, s)
			for seed := range uint64(5) {
				used.Run(sim.NewRandom(1000 + seed))
				a := used.Run(sim.NewRandom(seed))
				fresh, err := NewRunner(s)
				require.NoError(t, err)
				b := fresh.Run(sim.NewRandom(seed))
				require.Equal(t, b.Hash, a.Hash, "%s seed %d", v.Name, seed)
				require.Equal(t, b.Results, a.Results, "%s seed %d", v.Name, seed)
				fresh.Close()
			}
		}
	}
}

// Without faults the standard workload ends, and nothing fails that is not a
// fault of the variant.
func TestFamiliesRunTheStandardWorkload(t *testing.T) {
	for _, name := range otherFamilies() {
		for _, v := range Variants(name) {
			r := newRunner(t, Standard(v.Name, 6))
			out := r.Run(sim.NewRandom(1))
			for _, x := range out.Results {
				if x.Verdict == checker.Failed {
					require.Equal(t, checker.Failed, Expected(v.Name, NoFaults, x.Property).Verdict, "%s: %s", v.Name, x.Why)
				}
			}
			require.Equal(t, checker.Quiescent, out.End, v.Name)
		}
	}
}

// The counts of the seeds' queue, as measured over go-zookeeper (measurements,
// 1.4): N consumers, one producer of N items. In A each consumer takes one, in B
// they go on until all are gone.
func TestQueueCountsAsMeasured(t *testing.T) {
	for _, n := range []int{3, 10, 30, 100} {
		for _, c := range []struct {
			name           string
			ops            int
			events, losers int
		}{
			{"A", 1, n * (n + 1), n * (n - 1) / 2},
			{"B", n, 2 * n * n, n * (n - 1)},
		} {
			s := Standard("queue/seed002", 2)
			s.Producers, s.Consumers, s.Clients, s.Ops = 1, n, n+1, c.ops
			r := newRunner(t, s)
			// Whatever the latencies are, the ceilings hold.
			out := r.Run(sim.NewRandom(1))
			m := r.Metrics()
			require.EqualValues(t, n, m.Acquisitions, "%s %d", c.name, n)
			require.LessOrEqual(t, m.Notifications, int64(c.events), "%s %d", c.name, n)
			require.LessOrEqual(t, m.MaxFanOut, int64(2*n), "%s %d", c.name, n)
			require.Zero(t, out.Nodes)
			// With equal ones, as on one machine, everybody lists before the first
			// delete. A getData that finds its znode is followed by a delete, so that
			// what is beyond the items is the NoNode of either.
			r.Run(sim.NewReplay(nil))
			m = r.Metrics()
			missed := reportMetrics(m).Requests["getData"] - int64(n)
			t.Logf("%s %d: %d of %d events, %d losers of %d", c.name, n, m.Notifications, c.events, missed, c.losers)
			require.LessOrEqual(t, m.Notifications, int64(c.events), "%s %d", c.name, n)
			require.InDelta(t, c.losers, missed, float64(c.losers)/20, "%s %d", c.name, n)
			r.Close()
		}
	}
}

// The counts of read-write locks: M writers in front of K readers (measurements,
// 1.3, of Curator's; the documentation's recipe watches the closest writer).
func TestRWLockCountsAsMeasured(t *testing.T) {
	for _, c := range []struct{ writers, readers int }{{2, 3}, {3, 5}, {5, 10}} {
		m, k := int64(c.writers), int64(c.readers)
		for _, v := range []struct {
			variant          string
			events, requests int64
			fanOut           int64
		}{
			{"rwlock/curator", m*k + m - 1, 3*(m+k) + 2*(m*k+m-1), k + 1},
			{"rwlock/zkdocs", k + m - 1, 3*(m+k) + 2*(k+m-1), k},
			{"rwlock/kazoo", k + m - 1, 6*(m+k) - 2, k},
		} {
			s := Standard(v.variant, 2)
			s.Writers, s.Readers, s.Clients = c.writers, c.readers, c.writers+c.readers
			r := newRunner(t, s)
			for _, st := range []sim.Strategy{sim.NewRandom(1), sim.NewReplay(nil)} {
				out := r.Run(st)
				require.Empty(t, failures(out), v.variant)
				got := r.Metrics()
				require.Equal(t, v.events, got.Notifications, "%s %d x %d", v.variant, m, k)
				require.Equal(t, v.requests, got.RequestTotal, "%s %d x %d", v.variant, m, k)
				require.Equal(t, v.fanOut, got.MaxFanOut, "%s %d x %d", v.variant, m, k)
				require.Zero(t, out.Nodes)
			}
		}
	}
}

// A writer that reads before it lets go keeps other writers out (CURATOR-621).
func TestCuratorDowngrade(t *testing.T) {
	s := Default("rwlock/curator")
	s.Downgrade, s.Mode = true, ModeBlocking
	r := newRunner(t, s)
	reads := 0
	for seed := range uint64(300) {
		out := r.Run(sim.NewRandom(seed))
		require.Empty(t, failures(out))
		for _, e := range r.History() {
			if e.Kind == checker.Grant && e.Text == checker.SharedGrant && e.Client < 2 {
				reads++
			}
		}
	}
	require.Equal(t, 300*4, reads, "every writer has read each time")
}

// A queue that promises to wake one consumer a put and wakes all is told of,
// and only for that promise; one that watches nothing keeps it.
func TestFanOutOfQueues(t *testing.T) {
	for _, c := range []struct {
		variant string
		promise int
		want    checker.Verdict
	}{
		{"queue/zkdocs", 1, checker.Failed},
		{"queue/zkdocs", queue.Herd, checker.Pass},
		{"queue/zkdocs", 0, checker.NotApplicable},
		{"queue/curator-simple", 1, checker.Failed},
		{"queue/curator-simple", queue.Herd, checker.Pass},
		{"queue/kazoo", 1, checker.Pass},
		{"queue/seed002", 1, checker.Failed},
	} {
		v, _ := ByName(c.variant)
		v.MaxFanOut = c.promise
		r, err := NewRunnerFor(v, Default(c.variant))
		require.NoError(t, err)
		got := checker.Result{}
		for seed := uint64(0); seed < 60 && got.Verdict != checker.Failed; seed++ {
			out := r.Run(sim.NewRandom(seed))
			got = resultFor(t, out, checker.FanOut)
			require.Equal(t, r.failedBits()>>slices.Index(v.Properties(), checker.FanOut)&1 == 1, got.Verdict == checker.Failed)
		}
		require.Equal(t, c.want, got.Verdict, "%s that promises %d: %s", c.variant, c.promise, got.Why)
		if c.want == checker.Failed {
			require.Contains(t, got.Why, "2 notifications, and at most 1 are promised")
		}
		r.Close()
	}
}
