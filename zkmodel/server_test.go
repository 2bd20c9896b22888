package zkmodel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serverRig drives one server in tests and shows what it puts out as short
// lines, as "2: NodeDeleted /a", "1: delete NoNode" and "1: hangup".
type serverRig struct {
	*Server
	t    *testing.T
	now  Time
	out  Output
	xid  int32
	resp Response // newest reply or connect response
}

// newServerRig has one session for each of the connections 1 to conns.
func newServerRig(t *testing.T, conns int) *serverRig {
	g := &serverRig{Server: new(Server), t: t}
	g.Init(ServerOptions{})
	for c := 1; c <= conns; c++ {
		g.send(ConnID(c), Request{Op: OpConnect, Timeout: 30 * time.Second})
	}
	return g
}

// send hands one frame to the server and shows what comes of it.
func (g *serverRig) send(c ConnID, r Request) []string {
	g.t.Helper()
	g.xid++
	r.Xid = g.xid
	g.out.Reset()
	g.Handle(g.now, c, &r, &g.out)
	return g.lines()
}

// lines shows the frames put out last.
func (g *serverRig) lines() []string {
	lines := []string{}
	for i := range g.out.Frames {
		f := &g.out.Frames[i]
		lines = append(lines, showFrame(f))
		if !f.Hangup && f.Response.Kind != KindEvent {
			g.resp = f.Response
		}
	}
	return lines
}

func showFrame(f *Frame) string {
	r := &f.Response
	switch {
	case f.Hangup:
		return fmt.Sprintf("%d: hangup", f.Conn)
	case r.Kind == KindEvent:
		return fmt.Sprintf("%d: %v %s", f.Conn, r.Event, r.Path)
	case r.Kind == KindConnect:
		return fmt.Sprintf("%d: session %d", f.Conn, uint32(r.SessionID))
	}
	return fmt.Sprintf("%d: %v %v", f.Conn, r.Op, r.Err)
}

// txns shows the changes put out last.
func (g *serverRig) txns() []string {
	lines := []string{}
	for _, x := range g.out.Txns {
		lines = append(lines, showTxn(x))
	}
	return lines
}

func showTxn(x Txn) string {
	return fmt.Sprintf("z%d %v %q by %d (%v) owner %d czxid %d notified %d",
		x.Zxid, x.Op, x.Path, uint32(x.Session), x.Cause, uint32(x.Owner), x.Czxid, x.Notified)
}

// ask sends a request and wants one frame back, the reply.
func (g *serverRig) ask(c ConnID, r Request) Response {
	g.t.Helper()
	g.send(c, r)
	require.Len(g.t, g.out.Frames, 1)
	require.Equal(g.t, KindReply, g.resp.Kind)
	require.Equal(g.t, g.xid, g.resp.Xid)
	require.Equal(g.t, c, g.out.Frames[0].Conn)
	return g.resp
}

// must is ask for a request that succeeds, whoever else hears of it.
func (g *serverRig) must(c ConnID, r Request) Response {
	g.t.Helper()
	g.send(c, r)
	require.Equal(g.t, KindReply, g.resp.Kind)
	require.Equal(g.t, OK, g.resp.Err, "%v %q", r.Op, r.Path)
	return g.resp
}

// make creates persistent znodes with data "d".
func (g *serverRig) make(paths ...string) {
	g.t.Helper()
	for _, path := range paths {
		g.must(1, rqCreate(path, 0))
	}
}

func rqCreate(path string, flags int32) Request {
	return Request{Op: OpCreate, Path: path, Flags: flags, Data: []byte("d")}
}

func rqDelete(path string) Request { return Request{Op: OpDelete, Path: path, Version: -1} }

func rqSet(path string) Request {
	return Request{Op: OpSetData, Path: path, Version: -1, Data: []byte("e")}
}

func rqExists(path string) Request { return Request{Op: OpExists, Path: path, Watch: true} }

func rqGet(path string) Request { return Request{Op: OpGetData, Path: path, Watch: true} }

func rqList(path string) Request { return Request{Op: OpGetChildren, Path: path, Watch: true} }

// Section 2: 'Fresh "/": czxid=mzxid=pzxid=0, cversion=-1, numChildren=1;
// "/zookeeper": cversion=-2, numChildren=2 (config, quota). getChildren("/")
// includes "zookeeper".'
func TestServerFresh(t *testing.T) {
	g := newServerRig(t, 0)
	root, ok := g.Lookup("/")
	require.True(t, ok)
	require.Equal(t, Stat{Cversion: -1, NumChildren: 1}, root)
	zk, ok := g.Lookup("/zookeeper")
	require.True(t, ok)
	require.Equal(t, Stat{Cversion: -2, NumChildren: 2}, zk)
	require.Equal(t, []string{"zookeeper"}, g.AppendChildren(nil, "/"))
	require.ElementsMatch(t, []string{"config", "quota"}, g.AppendChildren(nil, "/zookeeper"))
	require.Zero(t, g.NumNodes())
	_, ok = g.Lookup("/a")
	require.False(t, ok)
	require.Empty(t, g.AppendChildren(nil, "/a"))
}

// Section 2: "every write attempt that reaches Prep consumes one zxid, also
// failed ones, also MarshallingError ones, also createSession, closeSession.
// Reads, sync, ping, setWatches, session re-attach, unknown opcodes consume
// none"; "Reply header zxid: lastProcessedZxid".
func TestServerZxidUse(t *testing.T) {
	g := newServerRig(t, 2)
	require.EqualValues(t, 2, g.zxid)
	password := g.resp.Password
	g.make("/a")
	tests := []struct {
		name string
		r    Request
		used int64
		err  Code
	}{
		{"create", rqCreate("/b", 0), 1, OK},
		{"create2", Request{Op: OpCreate2, Path: "/c"}, 1, OK},
		{"failed create", rqCreate("/a", 0), 1, NodeExists},
		{"create with bad flags", rqCreate("/q", 9), 1, BadArguments},
		{"setData", rqSet("/a"), 1, OK},
		{"failed setData", rqSet("/q"), 1, NoNode},
		{"delete", rqDelete("/b"), 1, OK},
		{"failed delete", rqDelete("/b"), 1, NoNode},
		{"multi", Request{Op: OpMulti, Multi: []MultiOp{{Op: OpCreate, Path: "/m"}, {Op: OpDelete, Path: "/m"}}}, 1, OK},
		{"empty multi", Request{Op: OpMulti}, 1, OK},
		{"failed multi", Request{Op: OpMulti, Multi: []MultiOp{{Op: OpDelete, Path: "/q"}}}, 1, OK},
		{"garbled multi", Request{Op: OpMulti, Multi: []MultiOp{{Op: OpGetData, Path: "/a"}}}, 1, MarshallingError},
		{"failed check", Request{Op: OpCheck, Path: "/q", Version: -1}, 1, NoNode},
		{"exists", Request{Op: OpExists, Path: "/a"}, 0, OK},
		{"getData", Request{Op: OpGetData, Path: "/a"}, 0, OK},
		{"getChildren", Request{Op: OpGetChildren, Path: "/a"}, 0, OK},
		{"getChildren2", Request{Op: OpGetChildren2, Path: "/a"}, 0, OK},
		{"failed read", Request{Op: OpGetData, Path: "/q"}, 0, NoNode},
		{"sync", Request{Op: OpSync, Path: "/q"}, 0, OK},
		{"setWatches", Request{Op: OpSetWatches, Watches: &WatchSet{}}, 0, OK},
	}
	for _, tt := range tests {
		before := g.zxid
		resp := g.ask(1, tt.r)
		require.Equal(t, tt.err, resp.Err, tt.name)
		require.Equal(t, before+tt.used, g.zxid, tt.name)
		require.Equal(t, g.zxid, resp.Zxid, tt.name)
	}
	before := g.zxid
	require.Equal(t, []string{"2: hangup", "3: session 2"},
		g.send(3, Request{Op: OpConnect, SessionID: sessionBase + 2, Password: password}))
	require.Equal(t, before, g.zxid, "re-attach")
	g.send(3, Request{Op: OpCode(99)})
	require.Equal(t, before, g.zxid, "unknown opcode")
	g.send(1, Request{Op: OpCloseSession})
	require.Equal(t, before+1, g.zxid, "closeSession")
	require.Equal(t, g.zxid, g.resp.Zxid)
}

// Section 3: "Top-level check(13): NO reply ever on success; only failures
// reply (NoNode, BadVersion, BadArguments). consumes a zxid."
func TestServerTopLevelCheck(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/a")
	before := g.zxid
	require.Empty(t, g.send(1, Request{Op: OpCheck, Path: "/a", Version: 0}))
	require.Empty(t, g.send(1, Request{Op: OpCheck, Path: "/a", Version: -1}))
	require.Equal(t, before+2, g.zxid)
	require.Equal(t, BadVersion, g.ask(1, Request{Op: OpCheck, Path: "/a", Version: 1}).Err)
	require.Equal(t, BadArguments, g.ask(1, Request{Op: OpCheck, Path: "/a/", Version: -1}).Err)
	require.Empty(t, g.out.Txns)
}

// Section 10: "-2 ping (reply header only, always xid -2 even if the ping had
// xid 5)"; section 3: "sync on any path, even absent or empty: OK, echoes the
// path".
func TestServerPingAndSync(t *testing.T) {
	g := newServerRig(t, 1)
	require.Equal(t, []string{"1: ping OK"}, g.send(1, Request{Op: OpPing}))
	require.EqualValues(t, -2, g.resp.Xid)
	require.Equal(t, g.zxid, g.resp.Zxid)
	for _, path := range []string{"/", "/no/such", "", "foo"} {
		resp := g.ask(1, Request{Op: OpSync, Path: path})
		require.Equal(t, OK, resp.Err)
		require.Equal(t, path, resp.Path)
	}
}

// Section 3: "Unknown opcode -> reply err -6 then connection closed (session
// lives)".
func TestServerUnknownOpcode(t *testing.T) {
	for _, op := range []OpCode{0, 10, 23, 99, 108, -1, OpConnect} {
		g := newServerRig(t, 2)
		g.must(1, rqGet("/"))
		g.send(1, Request{Op: op})
		require.Len(t, g.out.Frames, 2)
		require.Equal(t, Unimplemented, g.out.Frames[0].Response.Err)
		require.Equal(t, Frame{Conn: 1, Hangup: true}, g.out.Frames[1])
		require.True(t, g.SessionAlive(sessionBase+1))
		_, ok := g.SessionConn(sessionBase + 1)
		require.False(t, ok)
		require.Equal(t, []string{"2: setData OK"}, g.send(2, rqSet("/")), "its watches are gone")
		require.Empty(t, g.send(1, rqSet("/")), "what still comes is ignored")
	}
}

// A connection begins with a connect request.
func TestServerUnconnected(t *testing.T) {
	g := newServerRig(t, 1)
	require.Equal(t, []string{"7: hangup"}, g.send(7, rqCreate("/a", 0)))
	require.Empty(t, g.send(7, rqCreate("/a", 0)))
	require.Empty(t, g.send(7, Request{Op: OpConnect}))
	require.Zero(t, g.NumNodes())
	g.Drop(g.now, 7)
	require.Equal(t, []string{"7: session 2"}, g.send(7, Request{Op: OpConnect}))
	g.Drop(g.now, 99)
}

func TestServerPlant(t *testing.T) {
	g := newServerRig(t, 1)
	g.Plant("/locks/a")
	g.Plant("/locks/b")
	g.Plant("/locks/a")
	g.Plant("/")
	require.Equal(t, []string{"a", "b"}, g.AppendChildren(nil, "/locks"))
	require.Equal(t, 3, g.NumNodes())
	st, ok := g.Lookup("/locks")
	require.True(t, ok)
	require.Equal(t, Stat{Czxid: 2, Mzxid: 2, Pzxid: 4, Cversion: 2, NumChildren: 2}, st)
	require.Equal(t, []byte{}, g.ask(1, rqGet("/locks/a")).Data)
	require.Equal(t, "/locks/s0000000002", g.ask(1, rqCreate("/locks/s", FlagSequential)).Path)
	require.Panics(t, func() { g.Plant("locks") })
	require.Panics(t, func() { g.SetCreateCount("/nope", 1) })

	g.must(1, rqCreate("/e", FlagEphemeral))
	require.Panics(t, func() { g.Plant("/e/x") })
}

func TestServerNumNodesLeavesZookeeperOut(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/a", "/a/b", "/zookeeper/x", "/zookeeper/quota/y", "/zookeeperx")
	require.Equal(t, 3, g.NumNodes())
	g.must(1, rqDelete("/zookeeper/x"))
	require.Equal(t, 3, g.NumNodes())
	g.must(1, rqDelete("/a/b"))
	require.Equal(t, 2, g.NumNodes())
}

// What a checker is told of each change.
func TestServerTxns(t *testing.T) {
	g := newServerRig(t, 2)
	require.Equal(t, []string{`z2 connect "" by 2 (request) owner 0 czxid 0 notified 0`}, g.txns())
	g.must(2, rqList("/"))
	require.Empty(t, g.out.Txns)
	g.must(1, rqCreate("/e", FlagEphemeral))
	require.Equal(t, []string{`z3 create "/e" by 1 (request) owner 1 czxid 3 notified 1`}, g.txns())
	g.must(2, rqGet("/e"))
	g.must(2, rqSet("/e"))
	require.Equal(t, []string{`z4 setData "/e" by 2 (request) owner 1 czxid 3 notified 1`}, g.txns())
	g.send(1, rqCreate("/e", 0))
	require.Empty(t, g.out.Txns, "a failed write changes nothing")
	g.must(2, rqDelete("/e"))
	require.Equal(t, []string{`z6 delete "/e" by 2 (request) owner 1 czxid 3 notified 0`}, g.txns())

	g.must(1, Request{Op: OpMulti, Multi: []MultiOp{{Op: OpCreate, Path: "/p"}, {Op: OpCreate2, Path: "/p/e", Flags: FlagEphemeral}}})
	require.Equal(t, []string{
		`z7 create "/p" by 1 (request) owner 0 czxid 7 notified 0`,
		`z7 create "/p/e" by 1 (request) owner 1 czxid 7 notified 0`,
	}, g.txns())
	g.must(2, rqExists("/p/e"))
	g.must(1, Request{Op: OpCloseSession})
	require.Equal(t, []string{
		`z8 delete "/p/e" by 1 (close) owner 1 czxid 7 notified 1`,
		`z8 closeSession "" by 1 (close) owner 0 czxid 0 notified 0`,
	}, g.txns())
	g.must(2, rqCreate("/p/f", FlagEphemeral))
	g.out.Reset()
	require.True(t, g.Expire(g.now, sessionBase+2, &g.out))
	require.Equal(t, []string{
		`z10 delete "/p/f" by 2 (expiry) owner 2 czxid 9 notified 0`,
		`z10 closeSession "" by 2 (expiry) owner 0 czxid 0 notified 0`,
	}, g.txns())
}

func TestCauseNames(t *testing.T) {
	require.Equal(t, "request close expiry cause(?)", fmt.Sprint(CauseRequest, CauseClose, CauseExpiry, Cause(9)))
}
