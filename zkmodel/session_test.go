package zkmodel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Section 6: "Timeout negotiated = clamp(requested, min=2*tick, max=20*tick)
// ([M] tick 2000: 0,-5,1,3999->4000; 40001->40000; tick 500: 1000..10000)."
func TestSessionTimeoutClamp(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct{ tick, requested, want Time }{
		{2000 * ms, 0, 4000 * ms},
		{2000 * ms, -5 * ms, 4000 * ms},
		{2000 * ms, 1 * ms, 4000 * ms},
		{2000 * ms, 3999 * ms, 4000 * ms},
		{2000 * ms, 4000 * ms, 4000 * ms},
		{2000 * ms, 4001 * ms, 4001 * ms},
		{2000 * ms, 40001 * ms, 40000 * ms},
		{500 * ms, 1 * ms, 1000 * ms},
		{500 * ms, 20000 * ms, 10000 * ms},
		{0, 1 * ms, 4000 * ms}, // default tick
	} {
		g := newServerRig(t, 0)
		g.Init(ServerOptions{Tick: tt.tick})
		g.send(1, Request{Op: OpConnect, Timeout: tt.requested})
		require.Equal(t, tt.want, g.resp.Timeout)
	}
}

// Section 6: "sid=0 -> createSession txn (1 zxid, committed before the
// ConnectResponse)"; ids count up in connect order.
func TestSessionConnect(t *testing.T) {
	g := newServerRig(t, 0)
	for n := int64(1); n <= 3; n++ {
		g.send(ConnID(10-n), Request{Op: OpConnect, Timeout: 5 * time.Second})
		id := 0x0100000000000000 + n
		require.Equal(t, []Frame{{Conn: ConnID(10 - n), Response: Response{
			Kind: KindConnect, Op: OpConnect, SessionID: id, Password: SessionPassword(id), Timeout: 5 * time.Second,
		}}}, g.out.Frames)
		require.Equal(t, n, g.zxid)
		require.True(t, g.SessionAlive(id))
		c, ok := g.SessionConn(id)
		require.True(t, ok)
		require.Equal(t, ConnID(10-n), c)
	}
	require.False(t, g.SessionAlive(0))
	require.False(t, g.SessionAlive(4))
	_, ok := g.SessionConn(4)
	require.False(t, ok)
	require.NotEqual(t, SessionPassword(1), SessionPassword(2))
}

// Section 6: "sid!=0 -> first CLOSES any connection of that sid on this server
// (even if the password turns out wrong!), then password check, then touch.
// Invalid/expired/wrong password: ConnectResponse timeout=0, sid=0, pw=16
// zeros, then the server closes the TCP."
func TestSessionReattach(t *testing.T) {
	g := newServerRig(t, 2)
	id := sessionBase + 1
	refused := Response{Kind: KindConnect, Op: OpConnect}
	connect := Request{Op: OpConnect, SessionID: id, Password: SessionPassword(id), Timeout: 20 * time.Second}

	require.Equal(t, []string{"1: hangup", "3: session 1"}, g.send(3, connect))
	require.Equal(t, 20*time.Second, g.resp.Timeout, "negotiated anew")
	require.Equal(t, connect.Password, g.resp.Password)
	c, _ := g.SessionConn(id)
	require.Equal(t, ConnID(3), c)
	require.Empty(t, g.send(1, rqCreate("/late", 0)), "the old connection is ignored")
	g.Drop(g.now, 1)
	c, ok := g.SessionConn(id)
	require.True(t, ok, "the end of the old one does not matter")
	require.Equal(t, ConnID(3), c)
	g.must(3, rqCreate("/a", 0))

	wrong := connect
	wrong.Password++
	require.Equal(t, []string{"3: hangup", "4: session 0", "4: hangup"}, g.send(4, wrong))
	require.Equal(t, refused, g.resp)
	require.True(t, g.SessionAlive(id))
	_, ok = g.SessionConn(id)
	require.False(t, ok)
	require.Equal(t, []string{"5: session 0", "5: hangup"}, g.send(5, wrong))
	require.Equal(t, []string{"6: session 1"}, g.send(6, connect))

	unknown := connect
	unknown.SessionID, unknown.Password = sessionBase+9, SessionPassword(sessionBase+9)
	require.Equal(t, []string{"7: session 0", "7: hangup"}, g.send(7, unknown))
	require.Equal(t, refused, g.resp)

	g.out.Reset()
	require.True(t, g.Expire(g.now, id, &g.out))
	require.Equal(t, []string{"6: hangup"}, g.lines())
	require.Equal(t, []string{"8: session 0", "8: hangup"}, g.send(8, connect))
	require.Equal(t, refused, g.resp)
}

// Section 6: "lastZxidSeen > server's lastProcessedZxid -> TCP closed without a
// reply."
func TestSessionZxidAhead(t *testing.T) {
	g := newServerRig(t, 1)
	id := sessionBase + 1
	connect := Request{Op: OpConnect, SessionID: id, Password: SessionPassword(id), LastZxidSeen: g.zxid + 1}
	require.Equal(t, []string{"2: hangup"}, g.send(2, connect))
	require.Equal(t, []string{"3: hangup"}, g.send(3, Request{Op: OpConnect, LastZxidSeen: g.zxid + 1}))
	c, ok := g.SessionConn(id)
	require.True(t, ok, "the old connection stays: the zxid is looked at first")
	require.Equal(t, ConnID(1), c)
	connect.LastZxidSeen = g.zxid
	require.Equal(t, []string{"1: hangup", "4: session 1"}, g.send(4, connect))
}

// Section 6: "ExpiryQueue bucket = (floor((now_monotonic+timeout)/tick)+1)*tick,
// so a silent session ends in (timeout, timeout+tick] after its last touch".
func TestSessionBuckets(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct{ tick, timeout, now, want Time }{
		{2000 * ms, 4000 * ms, 0, 6000 * ms},
		{2000 * ms, 4000 * ms, 1 * ms, 6000 * ms},
		{2000 * ms, 4000 * ms, 1999 * ms, 6000 * ms},
		{2000 * ms, 4000 * ms, 2000 * ms, 8000 * ms},
		{2000 * ms, 5000 * ms, 0, 6000 * ms},
		{2000 * ms, 5000 * ms, 999 * ms, 6000 * ms},
		{2000 * ms, 5000 * ms, 1000 * ms, 8000 * ms},
		{500 * ms, 2000 * ms, 130 * ms, 2500 * ms},
		{500 * ms, 2000 * ms, 660 * ms, 3000 * ms},
	} {
		g := newServerRig(t, 0)
		g.Init(ServerOptions{Tick: tt.tick})
		_, ok := g.NextExpiry()
		require.False(t, ok)
		g.now = tt.now
		g.send(1, Request{Op: OpConnect, Timeout: tt.timeout})
		at, ok := g.NextExpiry()
		require.True(t, ok)
		require.Equal(t, tt.want, at)
		require.Greater(t, at-tt.now, tt.timeout)
		require.LessOrEqual(t, at-tt.now, tt.timeout+tt.tick)
		g.out.Reset()
		g.Server.Tick(at-1, &g.out)
		require.True(t, g.SessionAlive(sessionBase+1))
		g.Server.Tick(at, &g.out)
		require.False(t, g.SessionAlive(sessionBase+1))
	}
}

// Section 6: "Touch: every packet from the client (any opcode, ping; before
// processing), and connect. Server->client traffic does not count."
func TestSessionTouch(t *testing.T) {
	const s = time.Second
	g := newServerRig(t, 0)
	g.send(1, Request{Op: OpConnect, Timeout: 4 * s})
	expiry := func() Time {
		at, _ := g.NextExpiry()
		return at
	}
	for i, r := range []Request{
		{Op: OpPing},
		rqGet("/"), rqCreate("/a", 0), rqCreate("/a", 0), rqDelete("/nope"),
		{Op: OpSync},
		{Op: OpMulti},
		{Op: OpCheck, Path: "/"},
		{Op: OpSetWatches},
		{Op: 99},
	} {
		g.now = Time(i+1) * 10 * s
		g.send(1, r)
		require.Equal(t, g.now+6*s, expiry(), "%v", r.Op)
	}
	g.now = 200 * s
	g.Drop(g.now, 1)
	require.Equal(t, 106*s, expiry())
	g.send(1, rqSet("/"))
	require.Equal(t, 106*s, expiry(), "no session on that connection any more")
	id := sessionBase + 1
	g.send(3, Request{Op: OpConnect, SessionID: id, Password: 1, Timeout: 4 * s})
	require.Equal(t, 106*s, expiry(), "a wrong password does not touch")
	g.send(2, Request{Op: OpConnect, SessionID: id, Password: SessionPassword(id), Timeout: 8 * s})
	require.Equal(t, 210*s, expiry(), "the new timeout counts")
	g.must(2, rqGet("/"))
	g.now = 204 * s
	g.send(5, Request{Op: OpConnect, Timeout: 40 * s})
	g.send(5, rqSet("/"))
	require.Equal(t, 210*s, expiry(), "an event sent to the client does not touch")
}

// Section 6: "all of a bucket expire in one burst, each with its own
// closeSession txn"; [M: 4000/tick2000: pairs together].
func TestSessionBurst(t *testing.T) {
	const ms = time.Millisecond
	g := newServerRig(t, 0)
	for c, now := range []Time{0, 1900 * ms, 2000 * ms, 2100 * ms, 4500 * ms} {
		g.now = now
		g.send(ConnID(c+1), Request{Op: OpConnect, Timeout: 4000 * ms})
	}
	tick := func(now Time) []string {
		g.out.Reset()
		g.Server.Tick(now, &g.out)
		return g.lines()
	}
	z := g.zxid
	require.Empty(t, tick(5999*ms))
	require.Equal(t, []string{"1: hangup", "2: hangup"}, tick(6000*ms))
	require.Equal(t, z+2, g.zxid, "a transaction each")
	require.Equal(t, z+1, g.out.Txns[0].Zxid)
	require.Empty(t, tick(7999*ms))
	g.now = 7999 * ms
	g.send(3, Request{Op: OpPing})
	at, _ := g.NextExpiry()
	require.Equal(t, 8000*ms, at)
	require.Equal(t, []string{"4: hangup", "5: hangup", "3: hangup"}, tick(100*time.Second), "bucket by bucket")
	_, ok := g.NextExpiry()
	require.False(t, ok)
}

// Section 6: "Expiry: the idle client sees EOF only, no message"; section 5:
// per node Deleted(data) + ChildrenChanged(parent) in turn; a one-shot child
// watcher gets a single ChildrenChanged, at the first deleted child.
func TestSessionExpiry(t *testing.T) {
	g := newServerRig(t, 3)
	g.make("/p", "/q")
	for _, path := range []string{"/p/b", "/q/c", "/p/a"} {
		g.must(2, rqCreate(path, FlagEphemeral))
		g.must(2, rqGet(path))
		g.must(1, rqGet(path))
	}
	g.must(1, rqList("/p"))
	g.must(3, rqCreate("/p/other", FlagEphemeral))
	g.must(1, rqList("/p"))
	before := g.zxid
	g.out.Reset()
	require.False(t, g.Expire(g.now, sessionBase+7, &g.out))
	require.True(t, g.Expire(g.now, sessionBase+2, &g.out))
	require.Equal(t, []string{
		"2: hangup",
		"1: NodeDeleted /p/b", "1: NodeChildrenChanged /p",
		"1: NodeDeleted /q/c",
		"1: NodeDeleted /p/a",
	}, g.lines(), "in creation order, nothing to the session itself")
	require.Equal(t, before+1, g.zxid)
	for _, x := range g.out.Txns {
		require.Equal(t, g.zxid, x.Zxid)
		require.Equal(t, CauseExpiry, x.Cause)
	}
	require.Equal(t, []string{"other"}, g.AppendChildren(nil, "/p"))
	require.False(t, g.Expire(g.now, sessionBase+2, &g.out), "it is over")
	require.Empty(t, g.send(2, rqCreate("/late", 0)), "what is still under way is dropped")

	g.Drop(g.now, 3)
	g.out.Reset()
	require.True(t, g.Expire(g.now, sessionBase+3, &g.out))
	require.Empty(t, g.lines(), "a session without connection ends in silence")
	require.Equal(t, 2, g.NumNodes())
}

// Section 6: "closeSession (client): reply err 0 then server closes TCP; one
// zxid for the close and all its ephemeral deletes. A write pipelined right
// behind close is never applied"; section 5: "the closing client gets events
// for its own ephemerals' deletion before the close reply".
func TestSessionClose(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/p")
	g.must(1, rqCreate("/p/a", FlagEphemeral))
	g.must(1, rqCreate("/p/b", FlagEphemeral))
	g.must(1, rqGet("/p/a"))
	g.must(1, rqList("/p"))
	g.must(2, rqExists("/p/b"))
	before := g.zxid
	require.Equal(t, []string{
		"1: NodeDeleted /p/a", "1: NodeChildrenChanged /p", "2: NodeDeleted /p/b", "1: closeSession OK", "1: hangup",
	}, g.send(1, Request{Op: OpCloseSession}))
	require.Equal(t, before+1, g.zxid)
	require.Equal(t, g.zxid, g.resp.Zxid)
	require.Equal(t, g.xid, g.resp.Xid)
	require.Empty(t, g.send(1, rqCreate("/late", 0)))
	require.Empty(t, g.send(1, Request{Op: OpCloseSession}))
	require.Equal(t, before+1, g.zxid)
	require.False(t, g.SessionAlive(sessionBase+1))
	require.Equal(t, 1, g.NumNodes())
	st, _ := g.Lookup("/p")
	require.EqualValues(t, 4, st.Cversion)
}

// Section 6: "TCP drop without close: session and ephemerals stay until
// expiry"; "An ephemeral of a previous, still living session blocks
// re-creation with NodeExists until that session expires."
func TestSessionOutlivesConnection(t *testing.T) {
	g := newServerRig(t, 2)
	g.must(1, rqCreate("/lock", FlagEphemeral))
	g.Drop(g.now, 1)
	require.True(t, g.SessionAlive(sessionBase+1))
	_, ok := g.SessionConn(sessionBase + 1)
	require.False(t, ok)
	require.Equal(t, []string{"2: create NodeExists"}, g.send(2, rqCreate("/lock", FlagEphemeral)))
	g.out.Reset()
	require.True(t, g.Expire(g.now, sessionBase+1, &g.out))
	g.must(2, rqCreate("/lock", FlagEphemeral))
}

// Ephemeral znodes that others delete leave the session's list at its ends and
// in its middle.
func TestSessionEphemeralList(t *testing.T) {
	names := []string{"/a", "/b", "/c", "/d"}
	for mask := range 1 << len(names) {
		g := newServerRig(t, 2)
		want := []string{"1: hangup"}
		for _, path := range names {
			g.must(1, rqCreate(path, FlagEphemeral))
		}
		for i, path := range names {
			if mask>>i&1 != 0 {
				g.must(2, rqDelete(path))
				continue
			}
			g.must(2, rqExists(path))
			want = append(want, "2: NodeDeleted "+path)
		}
		g.out.Reset()
		g.Expire(g.now, sessionBase+1, &g.out)
		require.Equal(t, want, g.lines())
		require.Zero(t, g.NumNodes())
	}
}

func TestSessionsBefore(t *testing.T) {
	var s Server
	var out Output
	s.Init(ServerOptions{SessionsBefore: 7})
	s.Handle(0, 1, &Request{Op: OpConnect}, &out)
	require.Equal(t, sessionBase+8, out.Frames[0].Response.SessionID)
	require.False(t, s.SessionAlive(sessionBase+1))
}
