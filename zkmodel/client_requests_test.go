package zkmodel

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestClientRequestsAnsweredInOrder(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	r.play(
		"start", "dial send(connect s0 p0 z0 10s)",
		"connect 1", "up",
		"submit 1 create /a", "send(#1 create /a)",
		"submit 2 getData /a", "send(#2 getData /a)",
	)
	require.Equal(t, 2, r.c.Pending())
	r.play(
		"reply 2 OK z4", "", // not the oldest: stray
		"reply 1 NodeExists z3", "done(1 NodeExists)",
		"reply 1 OK z3", "", // stray
		"reply -2 OK z9", "", // a ping's
		"reply 2 OK z3", "done(2 OK)",
		"reply 3 OK z5", "", // nothing in flight
	)
	require.Zero(t, r.c.Pending())
	r.play("closed", "down redial(0s-0s)", "redial", "dial send(connect s1 p100 z3 10s)")
}

func TestClientLastZxidIsTheLargestOfReplies(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	r.play(
		"start", "dial send(connect s0 p0 z0 10s)",
		"connect 1", "up",
		"submit 1 create /a", "send(#1 create /a)",
		"submit 2 create /b", "send(#2 create /b)",
		"submit 3 create /c", "send(#3 create /c)",
		"reply 1 OK z7", "done(1 OK)",
		"event NodeCreated /x", "", // zxid -1
		"reply 2 NoNode z8", "done(2 NoNode)",
		"reply 3 OK z0", "done(3 OK)",
		"reply -2 OK z9", "",
		"closed", "down redial(0s-0s)",
		"redial", "dial send(connect s1 p100 z8 10s)",
	)
	require.Equal(t, int64(8), r.c.LastZxid())
}

// Everything in flight and everything queued ends in order of submission,
// whatever the policy.
func TestClientConnectionLossOrder(t *testing.T) {
	for _, o := range []ClientOptions{JavaOptions(), CuratorOptions(), GoOptions(), KazooOptions()} {
		r := newClientRig(t, o)
		r.do("listen 9")
		r.do("start")
		r.do("connect 1")
		for i := range 20 { // half of them answered, so that the list has been moved
			tag := string(rune('a' + i))
			r.do("submit " + strconv.Itoa(i) + " create /" + tag)
			if i%2 == 1 {
				require.Equal(t, "done("+strconv.Itoa(i/2)+" OK)", r.do("reply "+strconv.Itoa(i/2+1)))
			}
		}
		require.Equal(t, 10, r.c.Pending())
		r.do("closed")
		require.True(t, r.out.Down)
		require.True(t, r.out.Redial)
		require.False(t, r.out.Hangup)
		require.Equal(t, []WatchCall{{9, Event{Type: EventNone, State: ClientConnecting}}}, r.out.Calls)
		require.Len(t, r.out.Done, 10)
		for i, d := range r.out.Done {
			require.Equal(t, int32(10+i), d.Tag)
			require.Equal(t, ConnectionLoss, d.Response.Err)
		}
		require.Zero(t, r.c.Pending())
	}
}

func TestClientQueuedThenSent(t *testing.T) {
	r := newClientRig(t, ClientOptions{RedialMin: time.Second, RedialMax: 2 * time.Second})
	r.play(
		"submit 1 create /a", "", // before Start
		"start", "dial send(connect s0 p0 z0 10s)",
		"submit 2 getData /a w5", "",
		"connect 1", "up send(#1 create /a) send(#2 getData /a watch)",
		"reply 1", "done(1 OK)",
		"closed", "down done(2 ConnectionLoss) redial(1s-2s)",
		"submit 3 getData /a", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"submit 4 getData /b", "",
		"connect 1", "up send(#3 getData /a) send(#4 getData /b)",
		"reply 3", "done(3 OK)",
	)
	require.Equal(t, 1, r.c.Pending())
}

func TestClientQueuedThenFailedAttempt(t *testing.T) {
	for _, o := range []ClientOptions{JavaOptions(), GoOptions()} {
		o.RedialMin, o.RedialMax, o.RoundPause = 0, 0, 0
		r := newClientRig(t, o)
		r.play(
			"start", "dial send(connect s0 p0 z0 10s)",
			"submit 1 getData /a", "",
			"closed", "done(1 ConnectionLoss) redial(0s-0s)", // never was up: no event, no mark
			"submit 2 getData /a", "",
			"redial", "dial send(connect s0 p0 z0 10s)",
			"submit 3 getData /a", "",
			"closed", "done(2 ConnectionLoss) done(3 ConnectionLoss) redial(0s-0s)",
			"submit 4 getData /a", "",
			"redial", "dial send(connect s0 p0 z0 10s)",
			"connect 1", "up send(#1 getData /a)",
		)
	}
}

func TestClientKazooQueueOutlivesAttempts(t *testing.T) {
	r := newClientRig(t, KazooOptions())
	r.play(
		"listen 9", "",
		"start", "dial send(connect s0 p0 z0 10s)",
		"connect 1", "up call(9 Connected)",
		"closed", "down call(9 Connecting) redial(60ms-140ms)",
		"submit 1 getData /a", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"closed", "redial(60ms-140ms)",
		"submit 2 getData /b", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"connect 0", "over hangup done(1 SessionExpired) done(2 SessionExpired) call(9 Expired) redial(60ms-140ms)",
		"submit 3 getData /a", "done(3 SessionExpired)", // LOST
		"redial", "dial send(connect s0 p0 z0 10s)",
		"submit 4 getData /a", "", // the attempt at a new session has begun
		"closed", "redial(60ms-140ms)",
		"submit 5 getData /b", "",
		"redial", "dial send(connect s0 p0 z0 10s)",
		"connect 2", "up send(#1 getData /a) send(#2 getData /b) call(9 Connected)",
	)
}

// A pipeline that never runs empty keeps its order and its memory.
func TestClientLongPipeline(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	r.do("start")
	r.do("connect 1")
	for i := 1; i <= 1000; i++ {
		r.do("submit " + strconv.Itoa(i) + " sync /")
		if i > 3 {
			n := strconv.Itoa(i - 3)
			require.Equal(t, "done("+n+" OK)", r.do("reply "+n))
		}
	}
	require.Equal(t, 3, r.c.Pending())
	require.LessOrEqual(t, cap(r.c.sent), 8)
}

func TestClientXidWraps(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	r.do("start")
	r.do("connect 1")
	r.c.xid = math.MaxInt32 - 1
	r.play(
		"submit 1 sync /", "send(#2147483647 sync /)",
		"submit 2 sync /", "send(#1 sync /)",
		"reply 2147483647", "done(1 OK)",
		"reply 1", "done(2 OK)",
	)
}

func TestClientDeliversReplyContents(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	r.do("start")
	r.do("connect 1")
	r.do("submit 8 getData /a")
	want := Response{Kind: KindReply, Op: OpGetData, Xid: 1, Zxid: 5, Data: []byte("x"), Stat: Stat{Version: 3}}
	r.out.Reset()
	r.c.Deliver(0, &want, &r.out)
	require.Equal(t, []Completion{{8, want}}, r.out.Done)
}

// Submit passes on everything but Xid and Watch.
func TestClientSubmitKeepsContents(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	req := Request{
		Op: OpMulti, Path: "/a", Data: []byte("x"), Flags: 3, Version: 4,
		Multi: []MultiOp{{Op: OpCheck, Path: "/b"}}, Watch: true,
	}
	want := req
	want.Xid, want.Watch = 1, false
	r.c.Submit(0, 1, 0, &req, &r.out) // through the queue
	r.do("start")
	r.do("connect 1")
	require.Equal(t, []Request{want}, r.out.Send)
	want.Xid = 2
	r.out.Reset()
	r.c.Submit(0, 2, 0, &req, &r.out)
	require.Equal(t, []Request{want}, r.out.Send)
}

func TestClientClose(t *testing.T) {
	for name, closed := range map[string]struct {
		o    ClientOptions
		want string
	}{
		"java":  {JavaOptions(), "down hangup done(3 OK) call(9 Closed) call(5 Closed)"},
		"go":    {GoOptions(), "down hangup done(3 OK) call(9 Closed) call(5 Closed)"},
		"kazoo": {KazooOptions(), "down hangup done(3 OK) call(9 Closed)"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newClientRig(t, closed.o)
			r.do("listen 9")
			r.do("start")
			r.do("connect 1")
			r.do("submit 1 getData /a w5")
			r.do("reply 1")
			r.play(
				"submit 2 getData /b", "send(#2 getData /b)",
				"submit 3 closeSession", "send(#3 closeSession)",
				"submit 4 getData /a", "done(4 SessionExpired)",
				"submit 5 closeSession", "done(5 OK)",
				"newsession", "",
				"reply 2", "done(2 OK)",
			)
			require.Equal(t, ClientClosed, r.c.State())
			r.play(
				"reply 3", closed.want,
				"closed", "",
				"redial", "",
				"timer", "",
				"submit 6 getData /a", "done(6 SessionExpired)",
				"submit 7 closeSession", "done(7 OK)",
				"event NodeDeleted /a", "",
			)
			require.Equal(t, ClientClosed, r.c.State())
			_, ok := r.c.NextTimer()
			require.False(t, ok)
		})
	}
}

// The events of a closing client's own ephemerals come in front of the reply;
// Kazoo drops them.
func TestClientEventsWhileClosing(t *testing.T) {
	for _, tc := range []struct {
		o    ClientOptions
		want string
	}{
		{JavaOptions(), "call(5 NodeDeleted /a)"},
		{GoOptions(), "call(5 NodeDeleted /a)"},
		{KazooOptions(), ""},
	} {
		r := newClientRig(t, tc.o)
		r.do("start")
		r.do("connect 1")
		r.do("submit 1 getData /a w5")
		r.do("reply 1")
		r.do("submit 2 closeSession")
		r.play(
			"event NodeDeleted /a", tc.want,
			"reply 2", "down hangup done(2 OK)",
		)
	}
}

func TestClientCloseBroken(t *testing.T) {
	r := newClientRig(t, CuratorOptions())
	r.play(
		"listen 9", "",
		"start", "dial send(connect s0 p0 z0 1m0s)",
		"connect 1", "up call(9 Connected)",
		"submit 1 create /a", "send(#1 create /a)",
		"submit 2 closeSession", "send(#2 closeSession)",
		"closed", "down done(1 ConnectionLoss) done(2 ConnectionLoss) call(9 Closed)",
		"redial", "",
		"submit 3 create /a", "done(3 SessionExpired)",
	)
	require.Equal(t, ClientClosed, r.c.State())
}

// A close without a connection: Java makes the attempt that is due, the
// others give up in a pause.
func TestClientCloseWhileDisconnected(t *testing.T) {
	paused := func(o ClientOptions) *clientRig {
		o.RedialMin, o.RedialMax, o.RoundPause = 0, 0, 0
		r := newClientRig(t, o)
		r.do("start")
		r.do("connect 1")
		r.do("closed")
		r.do("submit 1 sync /")
		return r
	}
	over := func(r *clientRig) {
		_, ok := r.c.NextTimer()
		require.False(t, ok)
		require.Equal(t, ClientClosed, r.c.State())
		r.play("redial", "", "submit 8 closeSession", "done(8 OK)")
	}
	r := paused(JavaOptions())
	r.play(
		"submit 2 closeSession", "",
		"submit 3 sync /", "done(3 SessionExpired)",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"connect 1", "up send(#1 sync /) send(#2 closeSession)",
		"reply 1", "done(1 OK)",
		"reply 2", "down hangup done(2 OK)",
	)
	over(r)
	r = paused(JavaOptions())
	r.play(
		"submit 2 closeSession", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"closed", "done(1 ConnectionLoss) done(2 ConnectionLoss)",
	)
	over(r)
	r = paused(JavaOptions())
	r.play(
		"submit 2 closeSession", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"connect 0", "over hangup done(1 SessionExpired) done(2 SessionExpired)",
	)
	over(r)
	for _, o := range []ClientOptions{GoOptions(), KazooOptions()} {
		r = paused(o)
		r.play(
			"submit 2 closeSession", "done(1 ConnectionLoss) done(2 ConnectionLoss)",
		)
		over(r)
		r = paused(o)
		r.play(
			"redial", "dial send(connect s1 p100 z0 10s)",
			"submit 2 closeSession", "",
			"closed", "done(1 ConnectionLoss) done(2 ConnectionLoss)",
		)
		over(r)
	}
}

func TestClientCloseWithoutSession(t *testing.T) {
	r := newClientRig(t, JavaOptions())
	r.play("submit 1 sync /", "", "submit 2 closeSession", "done(1 ConnectionLoss) done(2 OK)", "start", "")
	require.Equal(t, ClientClosed, r.c.State())

	r = newClientRig(t, KazooOptions())
	r.do("start")
	r.do("connect 1")
	r.do("closed")
	r.do("redial")
	r.do("connect 0")
	r.play("submit 1 closeSession", "done(1 OK)", "redial", "")

	r = newClientRig(t, JavaOptions())
	r.play(
		"start", "dial send(connect s0 p0 z0 10s)",
		"submit 1 closeSession", "",
		"connect 1", "up send(#1 closeSession)",
		"reply 1", "down hangup done(1 OK)",
	)
}
