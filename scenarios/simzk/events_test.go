package simzk

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/zkmodel"
)

// writer is a program that changes the znodes in order, one request after
// another, from a time on.
func writer(from time.Duration, paths ...string) program {
	return func(s *shell) {
		_ = s.Sleep(s.bg, from-s.Now())
		for _, p := range paths {
			_, err := s.c.Set(s.bg, p, []byte("x"), zk.AnyVersion)
			s.say("%s %v", p, err)
		}
	}
}

// withoutTimes cuts the times off lines.
func withoutTimes(lines []string) []string {
	out := []string{}
	for _, l := range lines {
		_, text, _ := strings.Cut(l, " ")
		out = append(out, text)
	}
	return out
}

// Events reach callbacks one at a time, in their order, and beside the user's
// task: a callback that blocks holds up the next callback and nothing else.
func TestCallbacksRunOneAtATimeBesideTheUserTask(t *testing.T) {
	r := newRig(t)
	paths := []string{"/c", "/a", "/b"}
	for _, p := range paths {
		r.w.Server().Plant(p)
	}
	r.spawn(func(s *shell) {
		w := s.NewWatcher(func(e zk.Event) {
			s.say("begin %s %s", e.Type, e.Path)
			_ = s.Sleep(s.bg, 100*time.Millisecond)
			s.say("end %s", e.Path)
		})
		for _, p := range paths {
			_, _, err := s.c.GetW(s.bg, p, w)
			require.NoError(t, err)
		}
		_ = s.Sleep(s.bg, time.Second-s.Now())
		for range 4 {
			s.say("tick")
			_ = s.Sleep(s.bg, 90*time.Millisecond)
		}
	})
	r.spawn(writer(990*time.Millisecond, paths...))
	r.run(3 * time.Second)
	require.Equal(t, []string{
		"1s tick",
		"1.01s begin NodeDataChanged /c", "1.09s tick", "1.11s end /c",
		"1.11s begin NodeDataChanged /a", "1.18s tick", "1.21s end /a",
		"1.21s begin NodeDataChanged /b", "1.27s tick", "1.31s end /b",
	}, r.said("A"), "all events have arrived by 1.06 s")
	require.Equal(t, []string{"sent A event NodeDataChanged(/c)", "sent A event NodeDataChanged(/a)", "sent A event NodeDataChanged(/b)"},
		withoutTimes(onlyEvents(r.log("sent A"))))
}

func onlyEvents(lines []string) []string {
	var out []string
	for _, l := range lines {
		if strings.Contains(l, " event ") {
			out = append(out, l)
		}
	}
	return out
}

// Callbacks may send requests and register again; a watch is used up by its
// event.
func TestCallbacksMayUseTheClient(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/a")
	r.spawn(func(s *shell) {
		var w zk.Watcher
		w = s.NewWatcher(func(e zk.Event) {
			_, st, err := s.c.GetW(s.bg, e.Path, w)
			s.say("version %d %v", st.Version(), err)
		})
		_, _, err := s.c.GetW(s.bg, "/a", w)
		s.say("%v", err)
	})
	r.spawn(writer(time.Second, "/a", "/a", "/a", "/a"))
	r.run(3 * time.Second)
	require.Equal(t, []string{
		"40ms <nil>", "1.04s version 1 <nil>", "1.06s version 2 <nil>", "1.08s version 3 <nil>", "1.1s version 4 <nil>",
	}, r.said("A"))
}

// One watcher object is called once per event, however often it is registered;
// two objects are called in the order of their making.
func TestWatcherObjects(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/a")
	r.spawn(func(s *shell) {
		make := func(name string) zk.Watcher {
			return s.NewWatcher(func(e zk.Event) { s.say("%s %s %s", name, e.Type, e.Path) })
		}
		first, second := make("first"), make("second")
		for _, w := range []zk.Watcher{second, first, first} {
			_, _, err := s.c.GetW(s.bg, "/a", w)
			require.NoError(t, err)
		}
		_, err := s.c.ExistsW(s.bg, "/b", first)
		require.NoError(t, err)
		_, _, err = s.c.GetW(s.bg, "/b", second)
		s.say("%v", err)
	})
	r.spawn(func(s *shell) {
		_ = s.Sleep(s.bg, time.Second)
		require.NoError(t, s.c.Delete(s.bg, "/a", zk.AnyVersion))
		_, err := s.c.Create(s.bg, "/b", nil, zk.Persistent)
		require.NoError(t, err)
	})
	r.run(3 * time.Second)
	require.Equal(t, []string{
		"zk: no node", "first NodeDeleted /a", "second NodeDeleted /a", "first NodeCreated /b",
	}, withoutTimes(r.said("A")), "a read of a missing znode leaves no watch")
}

// A latch as watcher opens with the event, without a task of the process; a
// callback is a task.
func TestLatchAsWatcherOpensWithoutATask(t *testing.T) {
	r := newSlowRig(t, 50*time.Millisecond, hop)
	r.w.Server().Plant("/a")
	r.w.Server().Plant("/b")
	p := r.spawn(func(s *shell) {
		l := s.NewLatch()
		_, _, err := s.c.GetW(s.bg, "/a", l)
		require.NoError(t, err)
		_, _, err = s.c.GetW(s.bg, "/b", s.NewWatcher(func(zk.Event) { s.say("called") }))
		require.NoError(t, err)
		s.say("open: %t", l.IsOpen())
		_ = s.Sleep(s.bg, time.Second-s.Now())
		s.say("open: %t", l.IsOpen())
		s.say("wait: %v", l.Wait(s.bg))
		l.Open()
		s.say("open: %t", l.IsOpen())
	})
	r.spawn(writer(900*time.Millisecond, "/a", "/b"))
	// A task needs 50 ms to run: what is there as the event arrives was done
	// without one.
	tasks := map[string]int{}
	sent := func(path string) func() { return func() { tasks[path] = p.sp.NumTasks() } }
	r.at(965*time.Millisecond, sent("before"))
	r.at(975*time.Millisecond, sent("after /a"))
	r.at(1045*time.Millisecond, sent("after /b"))
	r.run(3 * time.Second)
	require.Equal(t, []string{"open: false", "open: true", "wait: <nil>", "open: true", "called"}, sortedLast(withoutTimes(r.said("A")), "called"))
	require.Equal(t, map[string]int{"before": 1, "after /a": 1, "after /b": 2}, tasks)
}

// sortedLast moves the lines that equal last behind the others.
func sortedLast(lines []string, last string) []string {
	var out, end []string
	for _, l := range lines {
		if l == last {
			end = append(end, l)
		} else {
			out = append(out, l)
		}
	}
	return append(out, end...)
}

// The end of a session opens a latch too: whoever waits on it wakes.
func TestLatchOpensAtASessionEvent(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/a")
	p := r.spawn(func(s *shell) {
		l := s.NewLatch()
		_, _, err := s.c.GetW(s.bg, "/a", l)
		require.NoError(t, err)
		s.say("wait: %v", l.Wait(s.bg))
		s.say("state: %v", s.c.State())
	})
	r.at(time.Second, func() { r.w.Expire(p) })
	r.run(5 * time.Second)
	require.Equal(t, []string{"wait: <nil>", "state: Connecting"}, withoutTimes(r.said("A")))
}

// Listeners hear of the session, in its order, apart from any watch.
func TestListener(t *testing.T) {
	r := newRig(t)
	p := r.spawnWith(renewing(), false, func(s *shell) {
		l := s.NewWatcher(func(e zk.Event) { s.say("%s %s %q", e.Type, e.State, e.Path) })
		s.c.AddListener(l)
		gone := s.NewWatcher(func(zk.Event) { s.say("not any more") })
		s.c.AddListener(gone)
		s.c.RemoveListener(gone)
		s.say("%v %v %d", s.c.State(), s.c.SessionTimeout(), sessionNumber(s.c.SessionID()))
		_ = s.Sleep(s.bg, 10*time.Second)
		s.say("%v %v %d", s.c.State(), s.c.SessionTimeout(), sessionNumber(s.c.SessionID()))
		_ = s.c.Close(s.bg)
		s.say("%v", s.c.State())
	})
	r.at(time.Second, func() { r.w.Cut(p) })
	r.at(5*time.Second, func() { r.w.Expire(p) })
	r.run(20 * time.Second)
	require.Equal(t, []string{
		"Connected 6s 1",
		`Session Connecting ""`, `Session Connected ""`, // the cut
		`Session Connecting ""`, `Session Expired ""`, `Session Connected ""`, // the expiry
		"Connected 6s 2", "Closed", `Session Closed ""`, // as its task, woken later, gets to run
	}, withoutTimes(r.said("A")))
}

// A delayed event task holds up watch events, and what comes behind them.
func TestDelayEvent(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/a")
	r.w.Server().Plant("/b")
	in := r.plan()
	p := r.spawn(func(s *shell) {
		w := s.NewWatcher(func(e zk.Event) { s.say("%s", e.Path) })
		l := s.NewLatch()
		_, _, err := s.c.GetW(s.bg, "/a", w)
		require.NoError(t, err)
		_, _, err = s.c.GetW(s.bg, "/b", l)
		require.NoError(t, err)
		s.say("wait: %v", l.Wait(s.bg))
	})
	r.spawn(writer(time.Second, "/a", "/b"))
	r.at(500*time.Millisecond, func() { r.w.DelayEvent(p, 3*time.Second) })
	r.run(10 * time.Second)
	require.Equal(t, []string{"4.02s /a", "4.02s wait: <nil>"}, r.said("A"))
	require.Len(t, r.log("bit A delay-event"), 1, "once, at the next event")
	require.Equal(t, 1, in.Effects(faults.DelayEvent).Bitten)
}

// A callback that panics ends alone: the next one is called.
func TestPanicOfACallback(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/a")
	r.w.Server().Plant("/b")
	r.spawn(func(s *shell) {
		w := s.NewWatcher(func(e zk.Event) {
			if e.Path == "/a" {
				panic("oh")
			}
			s.say("%s", e.Path)
		})
		for _, path := range []string{"/a", "/b"} {
			_, _, err := s.c.GetW(s.bg, path, w)
			require.NoError(t, err)
		}
		_ = s.Sleep(s.bg, 2*time.Second)
		s.say("alive")
	})
	r.spawn(writer(time.Second, "/a", "/b"))
	r.run(5 * time.Second)
	require.Equal(t, []string{"panicked A oh"}, withoutTimes(r.log("panicked")))
	require.Equal(t, []string{"/b", "alive"}, withoutTimes(r.said("A")))
}

// A watcher that is removed hears of it, and of nothing after it, although the
// server still sends the event.
func TestRemovedWatches(t *testing.T) {
	r := newRig(t)
	r.spawn(func(s *shell) {
		_, _ = s.c.Create(s.bg, "/a", nil, zk.Persistent)
		w := s.NewWatcher(func(ev zk.Event) { s.say("%v %s", ev.Type, ev.Path) })
		s.say("%v", s.c.RemoveWatches(s.bg, "/a", w))
		_, _ = s.c.ChildrenW(s.bg, "/a", w)
		s.say("%v", s.c.RemoveWatches(s.bg, "/a", w))
		s.say("%v", s.c.RemoveWatches(s.bg, "/a", w))
		_, err := s.c.Create(s.bg, "/a/b", nil, zk.Persistent)
		s.say("%v", err)
	})
	r.run(time.Second)
	said := r.said("A")
	for i := range said {
		_, said[i], _ = strings.Cut(said[i], " ")
	}
	require.Equal(t, []string{"zk: no such watcher", "<nil>", "ChildWatchRemoved /a", "zk: no such watcher", "<nil>"}, said)
	require.Equal(t, 3, r.served(zkmodel.OpCheckWatches))
}
