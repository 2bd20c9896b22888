package simzk

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// A request whose context is over is not sent, takes no time, and returns the
// context's error.
func TestRequestOfAnEndedContextIsNotSent(t *testing.T) {
	r := newRig(t)
	type key struct{}
	r.spawn(func(s *shell) {
		late, stop := s.WithTimeout(s.bg, time.Millisecond)
		defer stop()
		_ = s.Sleep(s.bg, 2*time.Millisecond)
		canceled, cancel := s.WithCancel(s.bg)
		cancel()
		derived := context.WithValue(canceled, key{}, 1)
		below, stop2 := s.WithTimeout(late, time.Hour)
		defer stop2()
		w := s.NewLatch()
		for _, c := range []struct {
			ctx  context.Context
			want error
		}{
			{late, context.DeadlineExceeded},
			{canceled, context.Canceled},
			{derived, context.Canceled},
			{below, context.DeadlineExceeded},
		} {
			_, err := s.c.Create(c.ctx, "/a", nil, zk.Persistent)
			s.say("%t", err == c.want)
			_, err = s.c.ExistsW(c.ctx, "/a", w)
			s.say("%t", err == c.want)
			_, err = s.c.ChildrenW(c.ctx, "/", w)
			s.say("%t", err == c.want)
			s.say("%t", s.c.Delete(c.ctx, "/a", zk.AnyVersion) == c.want)
			s.say("%t", s.c.Sync(c.ctx, "/") == c.want)
			_, err = s.c.Multi(c.ctx, zk.CreateOp("/a", nil, zk.Persistent))
			s.say("%t", err == c.want)
		}
	})
	r.run(time.Second)
	require.Len(t, r.said("A"), 24)
	for _, line := range r.said("A") {
		require.Equal(t, "22ms true", line, "at once")
	}
	require.Equal(t, []string{"10ms served connect A "}, r.log("served"))
	require.False(t, r.exists("/a"))
}

func TestBadPathsAreNotSent(t *testing.T) {
	r := newRig(t)
	r.spawn(func(s *shell) {
		_, err := s.c.Create(s.bg, "no/slash", nil, zk.Persistent)
		s.say("%v", err)
		_, err = s.c.Create(s.bg, "/a/", nil, zk.Persistent)
		s.say("%v", err)
		_, err = s.c.Multi(s.bg, zk.CheckOp("/", -1), zk.DeleteOp("", -1))
		s.say("%v", err)
		_, err = s.c.Create(s.bg, "/", nil, zk.PersistentSequential)
		s.say("%v", err)
	})
	r.run(time.Second)
	require.Equal(t, []string{
		"20ms zk: bad arguments", "20ms zk: bad arguments", "20ms zk: bad arguments", "40ms <nil>",
	}, r.said("A"), "a sequential path is whole once its number stands behind it")
	require.Equal(t, 1, r.served(zkmodel.OpCreate))
}

// Deadlines end waits and not requests.
func TestDeadlinesEndWaitsAndNotRequests(t *testing.T) {
	r := newRig(t)
	r.spawn(func(s *shell) {
		ctx, stop := s.WithTimeout(s.bg, 5*time.Millisecond)
		_, err := s.c.Create(ctx, "/a", nil, zk.Persistent)
		s.say("request: %v", err)
		s.say("context: %v", ctx.Err())
		stop()
		s.say("still: %v", ctx.Err())

		ctx, stop = s.WithTimeout(s.bg, 5*time.Millisecond)
		s.say("latch: %v", s.NewLatch().Wait(ctx))
		stop()
		ctx, stop = s.WithTimeout(s.bg, 5*time.Millisecond)
		s.say("sleep: %v", s.Sleep(ctx, time.Hour))
		stop()
		m := s.NewMutex()
		ctx, stop = s.WithTimeout(s.bg, 5*time.Millisecond)
		m.Lock()
		s.say("condition: %v", m.Wait(ctx))
		m.Unlock()
		stop()

		ctx, stop = s.WithTimeout(s.bg, time.Minute)
		stop()
		s.say("canceled: %v", s.NewLatch().Wait(ctx))
	})
	r.run(time.Second)
	require.Equal(t, []string{
		"40ms request: <nil>", "40ms context: context deadline exceeded", "40ms still: context deadline exceeded",
		"45ms latch: context deadline exceeded", "50ms sleep: context deadline exceeded",
		"55ms condition: context deadline exceeded", "55ms canceled: context canceled",
	}, r.said("A"))
	require.True(t, r.exists("/a"))
}

// A context knows its deadline: its own, or a nearer one that it inherits.
func TestContexts(t *testing.T) {
	r := newRig(t)
	r.spawn(func(s *shell) {
		at := func(c context.Context) string {
			d, ok := c.Deadline()
			if !ok {
				return "none"
			}
			return time.Duration(d.UnixNano()).String()
		}
		long, stop := s.WithTimeout(s.bg, time.Hour)
		defer stop()
		short, stop2 := s.WithTimeout(long, time.Second)
		defer stop2()
		below, stop3 := s.WithTimeout(short, time.Minute)
		defer stop3()
		free, stop4 := s.WithCancel(below)
		defer stop4()
		s.say("%s %s %s %s %s", at(s.bg), at(long), at(short), at(below), at(free))
		s.say("%v %v", free.Err(), s.bg.Err())
		for _, c := range []context.Context{s.bg, long, free} {
			require.Nil(t, c.Done(), "there is nothing to receive from")
		}
		s.say("%v", s.Sleep(free, time.Hour))
		s.say("%v %v %v", free.Err(), short.Err(), long.Err())
	})
	r.run(time.Minute)
	require.Equal(t, []string{
		"20ms none 1h0m0.02s 1.02s 1.02s 1.02s", "20ms <nil> <nil>", "1.02s context deadline exceeded",
		"1.02s context deadline exceeded context deadline exceeded <nil>",
	}, r.said("A"))
}

func TestInterruptEndsARequestOnlyWithInterruptsRequests(t *testing.T) {
	for _, c := range []struct {
		ends bool
		want []string
	}{
		{false, []string{"40ms create: <nil>", "40ms sleep: zk: interrupted", "1.04s sleep: <nil>"}},
		{true, []string{"25ms create: zk: interrupted", "1.025s sleep: <nil>", "2.025s sleep: <nil>"}},
	} {
		r := newRig(t)
		p := r.spawnWith(javaOptions(), c.ends, func(s *shell) {
			_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
			s.say("create: %v", err)
			s.say("sleep: %v", s.Sleep(s.bg, time.Second))
			s.say("sleep: %v", s.Sleep(s.bg, time.Second))
		})
		r.at(25*time.Millisecond, func() { r.w.Interrupt(p) })
		r.run(3 * time.Second)
		require.Equal(t, c.want, r.said("A"), "the interrupt is used up once")
		require.True(t, r.exists("/a"), "the outcome of an interrupted request is unknown, not nothing")
		require.Len(t, r.log("bit A interrupt"), 1)
	}
}

// The reply of a request that an interrupt ended is not taken for that of the
// next one.
func TestReplyOfAnInterruptedRequestIsForgotten(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/b")
	p := r.spawnWith(javaOptions(), true, func(s *shell) {
		_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
		s.say("create: %v", err)
		_, st, err := s.c.Get(s.bg, "/b")
		s.say("get: %v %d", err, st.DataLength())
		_, _, err = s.c.Get(s.bg, "/c")
		s.say("get: %v", err)
	})
	r.at(25*time.Millisecond, func() { r.w.Interrupt(p) })
	r.run(time.Second)
	require.Equal(t, []string{"25ms create: zk: interrupted", "45ms get: <nil> 0", "65ms get: zk: no node"}, r.said("A"))
}

// It does not take the place of a reply that the task has not read yet either.
func TestLateReplyOfAnInterruptedRequest(t *testing.T) {
	r := newSlowRig(t, 50*time.Millisecond, hop, 10*hop)
	r.w.Server().Plant("/b/x")
	r.script[sim.LabelLatency] = []int{0, 0, 0, 0, 1} // two connects; then the request is slow
	p := r.spawnWith(javaOptions(), true, func(s *shell) {
		other := s.p.Connect(javaOptions())
		s.say("sent")
		_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
		s.say("create: %v", err)
		list, err := other.Children(s.bg, "/b")
		s.say("children: %v %v", list, err)
		_, err = other.Create(s.bg, "/b/c", nil, zk.Persistent)
		s.say("create: %v", err)
	})
	r.at(195*time.Millisecond, func() { r.w.Interrupt(p) })
	r.run(time.Second)
	// The first reply leaves at 290 ms; that of the list comes at 265 ms and is read
	// at 315 ms.
	require.Equal(t, []string{
		"190ms sent", "245ms create: zk: interrupted", "315ms children: [x] <nil>", "385ms create: <nil>",
	}, r.said("A"))
	require.Equal(t, []string{"290ms sent A create -> /a"}, r.log("sent A create -> /a"))
}

// OnInterrupt has a function called, in a task of its own, instead.
func TestOnInterrupt(t *testing.T) {
	r := newRig(t)
	p := r.spawn(func(s *shell) {
		l := s.NewLatch()
		s.p.OnInterrupt(func() {
			s.say("canceled")
			l.Open()
		})
		s.say("wait: %v", l.Wait(s.bg))
		s.say("sleep: %v", s.Sleep(s.bg, time.Second))
	})
	r.at(time.Second, func() { r.w.Interrupt(p) })
	r.run(3 * time.Second)
	require.Equal(t, []string{"1s canceled", "1s wait: <nil>", "2s sleep: <nil>"}, r.said("A"))
	require.Len(t, r.log("bit A interrupt"), 1)
}

// A lost request was not applied, a lost reply was; the client cannot tell.
func TestLostRequestAndLostReply(t *testing.T) {
	for _, c := range []struct {
		kind    faults.Kind
		applied bool
	}{{faults.CutRequest, false}, {faults.CutReply, true}} {
		r := newRig(t)
		in := r.plan(faults.Fault{Kind: c.kind, Request: 2})
		r.spawn(func(s *shell) {
			_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
			s.say("%v", err)
			_, err = s.c.Create(s.bg, "/b", nil, zk.Persistent)
			s.say("%v", err)
			st, err := s.c.Exists(s.bg, "/b")
			s.say("%v %t", err, st.Exists())
		})
		r.run(5 * time.Second)
		said := r.said("A")
		require.Len(t, said, 3)
		require.Equal(t, "40ms <nil>", said[0])
		require.Contains(t, said[1], "zk: connection loss")
		require.Equal(t, c.applied, r.exists("/b"))
		require.Contains(t, said[2], map[bool]string{true: "<nil> true", false: "<nil> false"}[c.applied])
		require.Len(t, r.log("bit A "+c.kind.String()), 1)
		require.Equal(t, faults.Effects{Struck: 1, Bitten: 1}, in.Effects(c.kind))
		require.Empty(t, r.log("lost"), "the session is kept")
	}
}

func TestStatFieldsReadBack(t *testing.T) {
	r := newRig(t)
	fields := func(st zk.Stat) []int64 {
		return []int64{
			st.Czxid(), st.Mzxid(), st.Pzxid(), int64(st.Version()), int64(st.Cversion()), st.EphemeralOwner(),
			int64(st.DataLength()), int64(st.NumChildren()), st.Ctime(), st.Mtime(),
		}
	}
	var stats []zk.Stat
	var read, other [][]int64
	r.spawn(func(s *shell) {
		keep := func(st zk.Stat, err error) {
			require.NoError(t, err)
			stats = append(stats, st)
		}
		_, st, err := s.c.Create2(s.bg, "/a", []byte("one"), zk.Persistent)
		keep(st, err)
		_, st, err = s.c.Create2(s.bg, "/a/e", []byte("xy"), zk.Ephemeral)
		keep(st, err)
		keep(s.c.Set(s.bg, "/a", []byte("three"), 0))
		_, st, err = s.c.Get(s.bg, "/a")
		keep(st, err)
		keep(s.c.Exists(s.bg, "/a/e"))
		_, st, err = s.c.Children2(s.bg, "/a")
		keep(st, err)
		res, err := s.c.Multi(s.bg, zk.SetOp("/a", nil, 1), zk.CheckOp("/a/e", 0), zk.SetOp("/a/e", []byte("z"), 0))
		keep(res[0].Stat, err)
		keep(res[2].Stat, err)
		require.False(t, res[1].Stat.Exists())
		keep(s.c.Exists(s.bg, "/none"))
		for _, st := range stats {
			read = append(read, fields(st))
		}
		for _, path := range []string{"/a", "/a/e"} {
			st, err := s.c.Exists(s.bg, path)
			require.NoError(t, err)
			other = append(other, fields(st))
		}
		s.say("done")
	})
	r.run(time.Second)
	require.Len(t, r.said("A"), 1)
	session := r.w.Clients()[0].SessionID()
	// The session has zxid 1; the server's time is that of arrival, in ms.
	require.Equal(t, [][]int64{
		{2, 2, 2, 0, 0, 0, 3, 0, 30, 30},
		{3, 3, 3, 0, 0, session, 2, 0, 50, 50},
		{2, 4, 3, 1, 1, 0, 5, 1, 30, 70},
		{2, 4, 3, 1, 1, 0, 5, 1, 30, 70},
		{3, 3, 3, 0, 0, session, 2, 0, 50, 50},
		{2, 4, 3, 1, 1, 0, 5, 1, 30, 70},
		{2, 5, 3, 2, 1, 0, 0, 1, 30, 150},
		{3, 5, 3, 1, 0, session, 1, 0, 50, 150},
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	}, read, "a Stat keeps what its reply gave, whatever came later")
	require.False(t, stats[8].Exists())
	for i, path := range []string{"/a", "/a/e"} {
		st, ok := r.w.Server().Lookup(path)
		require.True(t, ok)
		require.Equal(t, []int64{
			st.Czxid, st.Mzxid, st.Pzxid, int64(st.Version), int64(st.Cversion), st.EphemeralOwner,
			int64(st.DataLength), int64(st.NumChildren), st.Ctime, st.Mtime,
		}, other[i])
	}
}

func TestErrorsOfTheServer(t *testing.T) {
	r := newRig(t)
	r.w.Server().Plant("/a/b")
	r.spawn(func(s *shell) {
		_, err := s.c.Create(s.bg, "/a", nil, zk.Persistent)
		s.say("%v", err)
		_, err = s.c.Create(s.bg, "/x/y", nil, zk.Persistent)
		s.say("%v", err)
		s.say("%v", s.c.Delete(s.bg, "/a", zk.AnyVersion))
		s.say("%v", s.c.Delete(s.bg, "/a/b", 7))
		_, err = s.c.Create(s.bg, "/e", nil, zk.Ephemeral)
		s.say("%v", err)
		_, err = s.c.Create(s.bg, "/e/f", nil, zk.Persistent)
		s.say("%v", err)
		res, err := s.c.Multi(s.bg, zk.CheckOp("/a", zk.AnyVersion), zk.CheckOp("/a", 9), zk.DeleteOp("/a/b", 0))
		s.say("%v: %v, %v, %v", err, res[0].Err, res[1].Err, res[2].Err)
	})
	r.run(time.Second)
	require.Equal(t, []string{
		"40ms zk: node exists", "60ms zk: no node", "80ms zk: not empty", "100ms zk: bad version", "120ms <nil>",
		"140ms zk: ephemeral nodes may not have children",
		"160ms zk: bad version: <nil>, zk: bad version, zk: not evaluated", // as on the wire
	}, r.said("A"))
	require.True(t, r.exists("/a/b"))
}
