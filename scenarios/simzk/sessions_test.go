package simzk

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// idle is a program that owns /e and waits.
func idle(s *shell) {
	_, err := s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
	s.say("create: %v", err)
	_ = s.Sleep(s.bg, 200*time.Second)
	s.say("slept")
}

// An idle client keeps its session by pings.
func TestIdleClientKeepsItsSession(t *testing.T) {
	r := newRig(t)
	r.spawn(idle)
	r.run(100 * time.Second)
	require.True(t, r.exists("/e"))
	require.Greater(t, r.served(zkmodel.OpPing), 20)
	require.Empty(t, r.log("down", "lost"))
}

// A paused process sends no ping, and its session expires; it learns of it
// when it goes on.
func TestPausedProcessLosesItsSession(t *testing.T) {
	r := newRig(t)
	in := r.plan()
	p := r.spawn(idle)
	other := r.spawn(func(s *shell) { _ = s.Sleep(s.bg, 200*time.Second) })
	r.at(10*time.Second, func() { r.w.Pause(p) })
	r.run(10 * time.Second)
	pings := len(r.log("served ping A"))
	require.Positive(t, pings)
	r.run(29 * time.Second)
	require.Equal(t, sim.Paused, p.Status())
	require.Len(t, r.log("served ping A"), pings, "no ping while paused")
	require.False(t, r.exists("/e"))
	require.Equal(t, []string{"applied delete 1 expiry /e", "applied closeSession 1 expiry"},
		withoutTimes(r.log("applied delete", "applied closeSession")))
	require.Empty(t, r.log("down A", "lost A"), "the process knows of nothing")
	require.Equal(t, sim.Running, other.Status())
	require.Empty(t, r.log("bit"), "the pause bites when it ends")

	r.at(30*time.Second, func() { r.w.Resume(p) })
	r.run(60 * time.Second)
	require.Equal(t, []string{"down A", "lost A"}, withoutTimes(r.log("down", "lost")))
	require.Equal(t, []string{"30s bit A pause"}, r.log("bit"))
	require.Equal(t, faults.Effects{Bitten: 1}, in.Effects(faults.Pause))
}

// A short pause changes nothing but time.
func TestShortPauseKeepsTheSession(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		for range 3 {
			s.say("%v", s.Sleep(s.bg, time.Second))
		}
	})
	r.at(1500*time.Millisecond, func() { r.w.Pause(p) })
	r.at(3500*time.Millisecond, func() { r.w.Resume(p) })
	r.run(30 * time.Second)
	require.Equal(t, []string{"1.02s <nil>", "3.5s <nil>", "4.5s <nil>"}, r.said("A"))
	require.Empty(t, r.log("down", "lost"))
}

// A pause in which nothing was due has changed nothing.
func TestPauseThatHoldsNothingDoesNotBite(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) { s.say("%v", s.Sleep(s.bg, time.Second)) })
	r.at(500*time.Millisecond, func() { r.w.Pause(p) })
	r.at(600*time.Millisecond, func() { r.w.Resume(p) })
	r.run(2 * time.Second)
	require.Equal(t, []string{"1.02s <nil>"}, r.said("A"))
	require.Empty(t, r.log("bit"))
}

// A crash closes the sockets behind what was sent; the session waits for its
// expiry, and nothing of the process runs any more.
func TestCrash(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		defer s.say("deferred")
		_, err := s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
		s.say("create: %v", err)
		_, err = s.c.Create(s.bg, "/late", nil, zk.Ephemeral)
		s.say("create: %v", err)
		_, err = s.c.Create(s.bg, "/never", nil, zk.Ephemeral)
		s.say("create: %v", err)
	})
	r.at(45*time.Millisecond, func() { r.w.Crash(p, faults.Crash) })
	r.run(time.Second)
	require.Equal(t, []string{"40ms create: <nil>"}, r.said("A"))
	require.True(t, r.exists("/late"), "it was on its way")
	require.False(t, r.exists("/never"))
	require.Equal(t, []string{"45ms bit A crash"}, r.log("bit"))
	require.Equal(t, 1, r.w.Server().NumSessions(), "the session waits")
	_, attached := r.w.Server().SessionConn(r.w.Clients()[0].SessionID())
	require.False(t, attached, "without a connection")

	r.run(7 * time.Second)
	require.True(t, r.exists("/e"), "not before the session timeout")
	require.False(t, r.w.K.Quiet(), "the expiry is still to come")
	r.run(time.Minute)
	require.False(t, r.exists("/e"))
	require.False(t, r.exists("/late"))
	require.Zero(t, r.w.Server().NumSessions())
	require.True(t, r.w.K.Quiet())
	r.w.K.Seal()
	require.Equal(t, []string{"40ms create: <nil>"}, r.said("A"), "no deferred function touches the world")
	require.Empty(t, r.log("lost", "panicked"))
}

// A new process of a client has a session of its own while the server still
// holds the old one.
func TestRestartWhileTheOldSessionLives(t *testing.T) {
	r := newRig(t)
	p := r.spawn(idle)
	r.at(time.Second, func() { r.w.Crash(p, faults.Restart) })
	r.at(2*time.Second, func() {
		r.w.Spawn(ProcessOptions{Client: 0, Incarnation: 1, Name: "A2"}, func(p *Process) {
			s := &shell{Env: p.Env(), p: p, c: p.Connect(javaOptions()), bg: p.Env().Background()}
			idle(s)
		})
	})
	r.run(4 * time.Second)
	require.Equal(t, []string{"2.04s create: zk: node exists"}, r.said("A2"))
	require.Equal(t, 2, r.w.Server().NumSessions())
	require.Equal(t, 1, r.w.Process(1).Incarnation())
	r.run(30 * time.Second)
	require.Equal(t, 1, r.w.Server().NumSessions())
	require.False(t, r.exists("/e"))
}

// Close deletes the ephemerals at once, tells the watchers of others, and
// ends the handle.
func TestCloseDeletesEphemerals(t *testing.T) {
	r := newRig(t)
	r.spawn(func(s *shell) {
		_, err := s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
		require.NoError(t, err)
		_, err = s.c.Create(s.bg, "/p", nil, zk.Persistent)
		require.NoError(t, err)
		_ = s.Sleep(s.bg, time.Second-s.Now())
		s.say("close: %v", s.c.Close(s.bg))
		_, err = s.c.Exists(s.bg, "/e")
		s.say("exists: %v", err)
		s.say("close: %v", s.c.Close(s.bg))
		s.say("state: %v", s.c.State())
	})
	r.spawn(func(s *shell) {
		_ = s.Sleep(s.bg, 500*time.Millisecond)
		l := s.NewLatch()
		st, err := s.c.ExistsW(s.bg, "/e", l)
		require.NoError(t, err)
		require.True(t, st.Exists())
		s.say("gone: %v", l.Wait(s.bg))
	})
	r.run(10 * time.Second)
	require.Equal(t, []string{"1.02s close: <nil>", "1.02s exists: zk: session expired", "1.02s close: <nil>", "1.02s state: Closed"}, r.said("A"))
	require.Equal(t, []string{"1.02s gone: <nil>"}, r.said("B"))
	require.False(t, r.exists("/e"))
	require.True(t, r.exists("/p"))
	require.Equal(t, []string{"applied delete 1 close /e", "applied closeSession 1 close"},
		withoutTimes(r.log("applied delete", "applied closeSession")))
	require.Empty(t, r.log("lost"))
}

// GUIDs never collide: not those of two processes, of a restart, of several
// handles, nor those made while a session is being renewed.
func TestGUIDsNeverCollide(t *testing.T) {
	r := newRig(t)
	seen := map[string]int{}
	first := map[*Process]string{}
	draw := func(s *shell) {
		g := s.GUID()
		seen[g]++
		if first[s.p] == "" {
			first[s.p] = g[:8]
		}
		require.Equal(t, first[s.p], g[:8], "a process keeps the number of its first session")
		require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$`, g)
	}
	guids := func(s *shell) {
		draw(s)
		s.Go("other", func(context.Context) { draw(s) })
		c := s.p.Connect(renewing())
		draw(s)
		for range 60 { // in the middle of all that happens
			_ = s.Sleep(s.bg, 100*time.Millisecond)
			draw(s)
		}
		_ = c.Close(s.bg)
		_ = s.c.Close(s.bg)
		draw(s)
	}
	var ps []*Process
	for range 3 {
		ps = append(ps, r.spawnWith(renewing(), false, guids))
	}
	r.at(time.Second, func() { r.w.Expire(ps[0]); r.w.Resession(ps[1]) })
	r.at(2*time.Second, func() { r.w.Cut(ps[0]); r.w.Expire(ps[0]); r.w.Crash(ps[2], faults.Restart) })
	r.at(3*time.Second, func() { r.spawnWith(renewing(), false, guids) })
	r.run(time.Minute)
	require.NotEmpty(t, r.log("lost A"))
	require.NotEmpty(t, r.log("lost B"))
	require.Greater(t, len(seen), 3*64)
	for g, n := range seen {
		require.Equal(t, 1, n, g)
	}
}

// While a session is being renewed there is none, and the old one stays known
// to nobody.
func TestResession(t *testing.T) {
	r := newRig(t)
	p := r.spawnWith(renewing(), false, func(s *shell) {
		_, err := s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
		s.say("create: %v", err)
		_ = s.Sleep(s.bg, 2*time.Second)
		st, err := s.c.Exists(s.bg, "/e")
		s.say("exists: %v own %t", err, st.EphemeralOwner() == s.c.SessionID())
		_ = s.Sleep(s.bg, 20*time.Second)
		st, err = s.c.Exists(s.bg, "/e")
		s.say("exists: %v %t", err, st.Exists())
	})
	r.at(time.Second, func() { r.w.Resession(p) })
	r.run(time.Minute)
	require.Equal(t, []string{"create: <nil>", "exists: <nil> own false", "exists: <nil> false"}, withoutTimes(r.said("A")))
	require.Equal(t, []string{"bit A resession"}, withoutTimes(r.log("bit")))
	require.Equal(t, []string{"up A 1", "up A 2"}, withoutTimes(r.log("up")))
	require.Equal(t, []string{"lost A"}, withoutTimes(r.log("lost")))
}

// An expiry at the server ends requests with SessionExpired once the client
// learns of it, and a Java handle for good.
func TestExpiry(t *testing.T) {
	for _, renews := range []bool{false, true} {
		o := javaOptions()
		o.Renew = renews
		r := newRig(t)
		p := r.spawnWith(o, false, func(s *shell) {
			_, err := s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
			s.say("%v", err)
			_ = s.Sleep(s.bg, 10*time.Second)
			_, err = s.c.Exists(s.bg, "/e")
			s.say("%v %v", err, s.c.State())
		})
		r.at(time.Second, func() { require.True(t, r.w.Expire(p)) })
		r.run(time.Minute)
		want := "zk: session expired Expired"
		if renews {
			want = "<nil> Connected"
		}
		require.Equal(t, []string{"<nil>", want}, withoutTimes(r.said("A")))
		require.Equal(t, []string{"1s bit A expiry"}, r.log("bit"))
		require.False(t, r.exists("/e"))
		require.False(t, r.w.Expire(p) && !renews, "no session is left to expire")
	}
}

// The same run twice in one world is the same run.
func TestWorldIsUsedAgain(t *testing.T) {
	r := newRig(t)
	var first []string
	var hash uint64
	for i := range 3 {
		if i > 0 {
			r.w.Begin(r.script)
			r.procs, r.lines = nil, nil
		}
		for n := range 3 {
			r.spawnWith(renewing(), true, func(s *shell) {
				_, err := s.c.Create(s.bg, fmt.Sprintf("/n%d-", n), nil, zk.EphemeralSequential)
				s.say("%v %s", err, s.GUID())
				_ = s.Sleep(s.bg, 10*time.Second)
				_, err = s.c.Children(s.bg, "/")
				s.say("%v", err)
			})
		}
		r.at(time.Second, func() { r.w.Partition(r.procs[0]); r.w.Expire(r.procs[1]); r.w.Interrupt(r.procs[2]) })
		r.at(3*time.Second, func() { r.w.Heal(r.procs[0]); r.w.Crash(r.procs[1], faults.Crash) })
		r.run(time.Minute)
		if i == 0 {
			first, hash = r.log(), r.w.K.TraceHash()
			continue
		}
		require.Equal(t, first, r.log())
		require.Equal(t, hash, r.w.K.TraceHash())
	}
	require.NotEmpty(t, first)
}
