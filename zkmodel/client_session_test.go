package zkmodel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientConnect(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	require.Equal(t, ClientConnecting, r.c.State())
	r.play(
		"listen 9", "",
		"redial", "", // in no pause
		"closed", "",
		"start", "dial send(connect s0 p0 z0 10s)",
		"start", "", // already
		"reply 1", "", // not a connect response
		"event NodeDeleted /a", "",
	)
	require.Zero(t, r.c.SessionID())
	require.Zero(t, r.c.NegotiatedTimeout())
	r.play("connect 7 4s", "up call(9 Connected)")
	require.Equal(t, ClientConnected, r.c.State())
	require.Equal(t, int64(7), r.c.SessionID())
	require.Equal(t, parseTime(t, "4s"), r.c.NegotiatedTimeout())
	r.play("connect 8", "", "redial", "", "start", "")
	require.Equal(t, int64(7), r.c.SessionID())
	r.play("closed", "down call(9 Connecting) redial(0s-0s)", "closed", "", "event NodeDeleted /a", "")
	require.Equal(t, ClientConnecting, r.c.State())
	require.Equal(t, int64(7), r.c.SessionID())
	r.play(
		"redial", "dial send(connect s7 p700 z0 10s)",
		"connect 7 6s", "up call(9 Connected)",
	)
	require.Equal(t, parseTime(t, "6s"), r.c.NegotiatedTimeout())
}

func TestClientExpiredWithoutRenewal(t *testing.T) {
	r := newClientRig(t, JavaOptions())
	r.play(
		"listen 9", "",
		"start", "dial send(connect s0 p0 z0 10s)",
		"connect 1", "up call(9 Connected)",
		"submit 1 getData /a", "send(#1 getData /a)",
		"closed", "down done(1 ConnectionLoss) call(9 Connecting) redial(1s-2s)",
		"submit 2 getData /a", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"submit 3 getData /a", "",
		"connect 0", "over hangup done(2 SessionExpired) done(3 SessionExpired) call(9 Expired)",
	)
	require.Equal(t, ClientExpired, r.c.State())
	require.Equal(t, int64(1), r.c.SessionID())
	r.play(
		"submit 4 getData /a", "done(4 SessionExpired)",
		"closed", "",
		"redial", "",
		"newsession", "",
		"timer", "",
		"connect 1", "",
	)
	_, ok := r.c.NextTimer()
	require.False(t, ok)
	r.play("submit 5 closeSession", "done(5 OK)")
	require.Equal(t, ClientClosed, r.c.State())
}

func TestClientExpiredWithRenewal(t *testing.T) {
	for _, tc := range []struct {
		name       string
		o          ClientOptions
		over, next string
	}{
		{
			"curator", CuratorOptions(),
			"over hangup dial send(connect s0 p0 z0 1m0s) done(2 SessionExpired) call(90 Expired) call(5 Expired)", "",
		},
		{
			"go", GoOptions(),
			"over hangup done(2 SessionExpired) call(90 Expired) call(5 Expired) redial(1s-1s)",
			"dial send(connect s0 p0 z0 10s)",
		},
		{
			"kazoo", KazooOptions(),
			"over hangup done(2 SessionExpired) call(90 Expired) redial(60ms-140ms)",
			"dial send(connect s0 p0 z0 10s)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := connectedRig(t, tc.o)
			r.ask("getData", "/a", 5, "OK z12")
			r.do("closed")
			r.do("redial")
			require.Equal(t, int64(12), r.out.Send[0].LastZxidSeen)
			r.do("submit 2 getData /a")
			r.play("connect 0", tc.over)
			require.Equal(t, ClientExpired, r.c.State())
			require.Zero(t, r.c.SessionID())
			require.Empty(t, r.tables())
			r.play(
				"redial", tc.next,
				"submit 3 getData /a", "",
				"connect 2", "up send(#2 getData /a) call(90 Connected)", // no setWatches
				"reply 2", "done(3 OK)",
			)
			require.Equal(t, ClientConnected, r.c.State())
			require.Equal(t, int64(2), r.c.SessionID())
		})
	}
}

// A failed attempt at a new session is not another end of the session.
func TestClientRenewalFails(t *testing.T) {
	r := connectedRig(t, CuratorOptions())
	r.do("closed")
	r.do("redial")
	r.do("connect 0")
	r.play(
		"submit 1 getData /a", "",
		"closed", "done(1 ConnectionLoss) redial(1s-2s)",
	)
	require.Equal(t, ClientExpired, r.c.State())
	r.play(
		"redial", "dial send(connect s0 p0 z0 1m0s)",
		"connect 2", "up call(90 Connected)",
	)
}

func TestClientNewSession(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    ClientOptions
		want string
	}{
		{
			"java", JavaOptions(),
			"down over hangup done(2 SessionExpired) done(3 SessionExpired)" +
				" call(90 Connecting) call(5 Connecting) call(90 Expired) call(5 Expired)",
		},
		{
			"curator", CuratorOptions(),
			"down over hangup dial send(connect s0 p0 z0 1m0s) done(2 SessionExpired) done(3 SessionExpired)" +
				" call(90 Connecting) call(5 Connecting) call(90 Expired) call(5 Expired)",
		},
		{
			"go", GoOptions(),
			"down over hangup done(2 SessionExpired) done(3 SessionExpired)" +
				" call(90 Connecting) call(90 Expired) call(5 Expired) redial(1s-1s)",
		},
		{
			"kazoo", KazooOptions(),
			"down over hangup done(2 SessionExpired) done(3 SessionExpired)" +
				" call(90 Connecting) call(5 Connecting) call(90 Expired) redial(60ms-140ms)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newClientRig(t, tc.o)
			r.play("newsession", "")
			r.do("listen 90")
			r.do("start")
			r.play("newsession", "") // no session yet
			r.do("connect 1")
			r.ask("getData", "/a", 5, "OK z12")
			r.do("submit 2 getData /a")
			r.do("submit 3 getData /a")
			r.play("newsession", tc.want)
			require.Empty(t, r.tables())
			require.Equal(t, ClientExpired, r.c.State())
			r.play("newsession", "") // nothing left to give up
		})
	}
}

func TestClientNewSessionWhileDisconnected(t *testing.T) {
	r := connectedRig(t, CuratorOptions())
	r.do("closed")
	r.do("submit 1 sync /")
	r.play("newsession", "over dial send(connect s0 p0 z0 1m0s) done(1 SessionExpired) call(90 Expired)")
	r.play("redial", "") // of the old pause

	r = connectedRig(t, CuratorOptions())
	r.do("closed")
	r.do("redial")
	r.play(
		"newsession", "over hangup dial send(connect s0 p0 z0 1m0s) call(90 Expired)",
		"connect 2", "up call(90 Connected)",
	)
}

func TestClientStrings(t *testing.T) {
	require.Equal(t, "Closed", ClientClosed.String())
	require.Equal(t, "ClientState(?)", ClientState(9).String())
	require.Equal(t, "data exist child WatchTable(?)", TableData.String()+" "+TableExist.String()+" "+TableChild.String()+" "+WatchTable(7).String())
}

// A client that knows several servers pauses longer in front of a new round
// over them, and counts anew once it is connected.
func TestClientPausesByRounds(t *testing.T) {
	o := JavaOptions()
	o.SetHosts(3)
	require.Equal(t, o.SessionTimeout/3, o.ConnectTimeout)
	r := newClientRig(t, o)
	r.do("start")
	for round := range 3 {
		require.Contains(t, r.do("closed"), "redial(0s-1s)", "round %d", round)
		r.do("redial")
		require.Contains(t, r.do("closed"), "redial(0s-1s)", "round %d", round)
		r.do("redial")
		require.Contains(t, r.do("closed"), "redial(1s-2s)", "round %d", round)
		r.do("redial")
	}
	r.do("closed")
	r.do("redial")
	r.do("connect 5 4s")
	require.Contains(t, r.do("closed"), "redial(0s-1s)")
}
