package scenarios

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

// correctVariants are those that the table expects to pass what it names.
func correctVariants() []Variant {
	var list []Variant
	for _, v := range Variants("") {
		if v.Correct {
			list = append(list, v)
		}
	}
	return list
}

// A client that is stopped for ever, outside the core, stops nobody in it.
func TestCoreIsServed(t *testing.T) {
	for _, f := range []faults.Fault{
		{Kind: faults.Pause, Client: 2, Time: 10 * time.Millisecond, For: 100 * time.Millisecond},
		{Kind: faults.Partition, Client: 2, Time: 10 * time.Millisecond, For: 100 * time.Millisecond},
		{Kind: faults.Restart, Client: 2, Time: 10 * time.Millisecond, For: 100 * time.Millisecond},
	} {
		for _, core := range []int{0, 2} {
			s := Default("lock/zkdocs")
			s.Mode, s.Arrivals, s.Hold, s.Core = ModeBlocking, ArriveTogether, 20*time.Millisecond, core
			s.Plan = faults.Plan{f}
			r, err := NewRunner(s)
			require.NoError(t, err)
			defer r.Close()
			for seed := range uint64(50) {
				out := r.Run(sim.NewRandom(seed))
				require.Equal(t, checker.Pass, resultFor(t, out, checker.Progress).Verdict, "%s core %d seed %d", f, core, seed)
				done := 0
				for i := range r.clients {
					if r.clients[i].done {
						done++
					}
				}
				if core == 0 {
					require.Equal(t, 3, done, "%s seed %d", f, seed)
				} else {
					if f.Kind != faults.Partition { // whose client gives up in the end
						require.Equal(t, 2, done, "%s seed %d: the third never comes back", f, seed)
					}
					require.True(t, r.clients[0].done && r.clients[1].done)
				}
			}
		}
	}
}

// The same of read-write locks and queues: of two writers and a reader, or two
// producers and a consumer, the one that is stopped for ever stops no other,
// and a recipe that leaves one of the core waiting is found out.
func TestCoreOfOtherFamilies(t *testing.T) {
	for _, c := range []struct {
		variant, flawed string
		stopped         int
	}{{"rwlock/zkdocs", "rwlock/seed000", 2}, {"queue/zkdocs", "queue/seed002", 2}} {
		s := Default(c.variant)
		s.Mode, s.Arrivals, s.Hold = ModeBlocking, ArriveTogether, 20*time.Millisecond
		if strings.HasPrefix(c.variant, "queue") {
			s.Producers, s.Consumers, s.Clients = 2, 1, 3
		} else {
			s.Writers, s.Readers, s.Clients = 2, 1, 3
		}
		s.Core = 2
		s.Plan = faults.Plan{{Kind: faults.Pause, Client: c.stopped, Time: 10 * time.Millisecond, For: 100 * time.Millisecond}}
		r := newRunner(t, s)
		for seed := range uint64(50) {
			out := r.Run(sim.NewRandom(seed))
			require.Equal(t, checker.Pass, resultFor(t, out, checker.Progress).Verdict, "%s seed %d", c.variant, seed)
			require.True(t, r.clients[0].done && r.clients[1].done, "%s seed %d", c.variant, seed)
			require.False(t, r.clients[c.stopped].done, "%s seed %d", c.variant, seed)
		}
		s = Default(c.flawed)
		s.Mode, s.Core = ModeBlocking, s.Clients-1
		r = newRunner(t, s)
		failed := 0
		for seed := range uint64(300) {
			x := resultFor(t, r.Run(sim.NewRandom(seed)), checker.Progress)
			if x.Verdict == checker.Failed {
				failed++
				require.Less(t, int(x.Client), s.Core, x.Why)
			}
		}
		require.Positive(t, failed, c.flawed)
	}
}

func resultFor(t *testing.T, out Outcome, p checker.Property) checker.Result {
	for _, x := range out.Results {
		if x.Property == p {
			return x
		}
	}
	require.Fail(t, "not judged", p)
	return checker.Result{}
}

// A waiter of the core that is never served fails, with a core as without.
func TestCoreIsNotServed(t *testing.T) {
	for _, core := range []int{0, 2, 3} {
		s := Default("lock/gozk")
		s.Core, s.Mode, s.Ops = core, ModeBlocking, 1
		s.Faults[faults.CutRequest] = 1
		r, err := NewRunner(s)
		require.NoError(t, err)
		defer r.Close()
		failed := 0
		for seed := range uint64(300) {
			x := resultFor(t, r.Run(sim.NewRandom(seed)), checker.Progress)
			if x.Verdict == checker.Failed {
				failed++
				require.True(t, core == 0 || int(x.Client) < core, x.Why)
			}
		}
		require.Positive(t, failed, core)
	}
}

// A lock that keeps an order and dawdles is found out waiter by waiter, long
// before the horizon.
func TestDawdlingIsFoundOut(t *testing.T) {
	s := Default("lock/zkdocs")
	s.Mode, s.Ops, s.Clients = ModeBlocking, 9, 2
	r, err := NewRunner(s)
	require.NoError(t, err)
	defer r.Close()
	r.Run(sim.NewRandom(1))
	bound := r.waiterBound()
	require.Less(t, bound, r.horizon()/3, "the bound does not grow with the operations")
	require.Positive(t, bound)
	var l checker.Lock
	l.Reset(r.lockConfig())
	for _, e := range []checker.Event{
		{Kind: checker.Invoke},
		{Kind: checker.Grant, At: bound},
		{Kind: checker.Invoke, Op: 1, At: bound},
		{Kind: checker.Grant, Op: 1, At: 2*bound + 1},
	} {
		l.Observe(&e)
	}
	for _, x := range l.Finish(nil) {
		if x.Property == checker.Progress {
			require.Equal(t, checker.Failed, x.Verdict)
			require.Contains(t, x.Why, "later than the bound")
		}
	}
}

// Correct variants under every fault class, with and without a core, raise no
// alarm that the expectation table does not name. ZOOSIM_LIVENESS sets the
// number of runs.
func TestNoFalseAlarm(t *testing.T) {
	runs := 2000
	if text := os.Getenv("ZOOSIM_LIVENESS"); text != "" {
		var err error
		runs, err = strconv.Atoi(text)
		require.NoError(t, err, "ZOOSIM_LIVENESS is the number of runs")
	}
	variants, classes := correctVariants(), FaultClasses()
	cells := len(variants) * len(classes)
	failed := make([]error, cells)
	made := make([]int, cells)
	require.NoError(t, parallel(t.Context(), cells, 0, func(i int) {
		v, class := variants[i/len(classes)], classes[i%len(classes)]
		n := runs/cells + 1
		rnd := rand.New(rand.NewPCG(uint64(i), 0))
		for made[i] < n && failed[i] == nil {
			s := Default(v.Name)
			s.Faults = class.Budget
			s.SetClients(2 + rnd.IntN(4))
			s.Ops = 1 + rnd.IntN(4)
			if rnd.IntN(2) == 0 && v.family.core {
				s.Core = 1 + rnd.IntN(s.Clients)
			}
			failed[i] = noAlarms(&s, class.Name, rnd.Uint64(), min(20, n-made[i]))
			made[i] += 20
		}
	}))
	for _, err := range failed {
		require.NoError(t, err)
	}
}

// noAlarms makes runs of a scenario and returns the first failure that the
// expectation table does not name.
func noAlarms(s *Scenario, class string, seed uint64, runs int) error {
	r, err := NewRunner(*s)
	if err != nil {
		return err
	}
	defer r.Close()
	for k := range uint64(runs) {
		out := r.Run(sim.NewRandom(seed + k))
		for _, x := range out.Results {
			if x.Verdict == checker.Failed && Expected(s.Variant, class, x.Property).Verdict != checker.Failed {
				return fieldErr(s.Variant, "faults %s, clients %d, ops %d, core %d, seed %d: %s: %s",
					class, s.Clients, s.Ops, s.Core, seed+k, x.Property, x.Why)
			}
		}
	}
	return nil
}
