package zkmodel

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// showWhole shows a frame as naiveServer does: everything that is in it.
func showWhole(f *Frame) string {
	r := &f.Response
	switch {
	case f.Hangup:
		return "hangup"
	case r.Kind == KindEvent:
		return fmt.Sprintf("%v %s", r.Event, r.Path)
	case r.Kind == KindConnect:
		return fmt.Sprintf("session %d for %v", uint32(r.SessionID), r.Timeout)
	}
	line := fmt.Sprintf("%v xid %d zxid %d %v", r.Op, r.Xid, r.Zxid, r.Err)
	if r.Err != OK {
		return line
	}
	names := slices.Sorted(slices.Values(r.Children))
	switch r.Op {
	case OpCreate, OpSync:
		line += " " + r.Path
	case OpCreate2:
		line += fmt.Sprintf(" %s %v", r.Path, r.Stat)
	case OpSetData, OpExists:
		line += fmt.Sprintf(" %v", r.Stat)
	case OpGetData:
		line += fmt.Sprintf(" %q %v %v", r.Data, r.Data == nil, r.Stat)
	case OpGetChildren:
		line += fmt.Sprintf(" %v", names)
	case OpGetChildren2:
		line += fmt.Sprintf(" %v %v", names, r.Stat)
	case OpMulti:
		var results []string
		for _, m := range r.Multi {
			one := fmt.Sprintf("%v %v", m.Op, m.Err)
			switch m.Op {
			case OpCreate:
				one += " " + m.Path
			case OpSetData:
				one += fmt.Sprintf(" %v", m.Stat)
			}
			results = append(results, one)
		}
		line += fmt.Sprint(" ", results)
	}
	return line
}

// twoServers is the machine under test beside the naive one.
type twoServers struct {
	s     *Server
	n     *naiveServer
	out   Output
	now   Time
	xid   int32
	conns []ConnID // all that were ever used
}

func (m *twoServers) send(t *rapid.T, c ConnID, r Request) {
	m.xid++
	r.Xid = m.xid
	m.s.Handle(m.now, c, &r, &m.out)
	m.n.handle(m.now, c, &r)
	m.compare(t)
}

// compare looks at what both have put out, and at their states.
func (m *twoServers) compare(t *rapid.T) {
	sent := map[ConnID][]string{}
	for i := range m.out.Frames {
		f := &m.out.Frames[i]
		sent[f.Conn] = append(sent[f.Conn], showWhole(f))
	}
	require.Equal(t, m.n.sent, sent)
	var txns []string
	for _, x := range m.out.Txns {
		txns = append(txns, showTxn(x))
	}
	require.Equal(t, m.n.txns, txns)
	m.out.Reset()
	clear(m.n.sent)
	m.n.txns = nil

	require.Len(t, m.n.nodes, int(m.s.count))
	for path := range m.n.nodes {
		st, ok := m.s.Lookup(path)
		require.True(t, ok, path)
		require.Equal(t, m.n.stat(path), st, path)
		require.ElementsMatch(t, m.n.children(path), m.s.AppendChildren(nil, path))
	}
	require.Len(t, m.s.sessions, len(m.n.sessions))
	earliest := Time(math.MaxInt64)
	for id, sess := range m.n.sessions {
		require.True(t, m.s.SessionAlive(id))
		c, ok := m.s.SessionConn(id)
		require.Equal(t, sess.attached, ok)
		if ok {
			require.Equal(t, sess.conn, c)
		}
		earliest = min(earliest, sess.deadline)
	}
	at, ok := m.s.NextExpiry()
	require.Equal(t, len(m.n.sessions) > 0, ok)
	if ok {
		require.Equal(t, earliest, at)
	}
	require.Len(t, m.n.watches, len(m.s.dataWatches.entries)+len(m.s.childWatches.entries))

	var dst Server
	m.s.CopyInto(&dst)
	require.Equal(t, fingerprint(m.s), fingerprint(&dst))
}

var (
	fewPaths   = rapid.SampledFrom([]string{"/a", "/b", "/a/b"}) // so that requests meet
	drawnPaths = rapid.OneOf(
		fewPaths, fewPaths, fewPaths,
		rapid.SampledFrom([]string{"/a/a", "/a/b/c", "/b/c", "/a/s-", "/s-", "/a/0000000001", "/a/s-0000000002"}),
		rapid.SampledFrom([]string{
			"", "/", "foo", "/a/", "//", "//a", "/a//b", "/a/.", "/a/..", "/./a", "/zookeeper", "/zookeeper/quota",
			"/zookeeper/config", "/zookeeper/x", "/a/\x00", "/a/\x07", "/a/\u00e9", "/\U0001f600",
		}),
	)
	drawnVersions = rapid.SampledFrom([]int32{-1, -1, -1, -1, 0, 0, 1, 2, -2})
	drawnData     = rapid.SampledFrom([][]byte{nil, {}, []byte("x"), []byte("some data")})
	drawnFlags    = rapid.SampledFrom([]int32{0, 0, 0, 1, 1, 2, 3, 3, 7, -1})
)

func drawMultiOp(t *rapid.T) MultiOp {
	return MultiOp{
		Op:    rapid.SampledFrom([]OpCode{OpCreate, OpCreate, OpCreate2, OpDelete, OpSetData, OpCheck}).Draw(t, "op"),
		Path:  drawnPaths.Draw(t, "path"),
		Data:  drawnData.Draw(t, "data"),
		Flags: drawnFlags.Draw(t, "flags"), Version: drawnVersions.Draw(t, "version"),
	}
}

func drawRequest(t *rapid.T) Request {
	op := rapid.SampledFrom([]OpCode{
		OpCreate, OpCreate, OpCreate, OpCreate2, OpDelete, OpDelete, OpSetData, OpCheck,
		OpExists, OpExists, OpGetData, OpGetData, OpGetChildren, OpGetChildren, OpGetChildren2,
		OpSync, OpPing, OpMulti, OpMulti,
	}).Draw(t, "op")
	r := Request{
		Op: op, Path: drawnPaths.Draw(t, "path"), Data: drawnData.Draw(t, "data"),
		Flags: drawnFlags.Draw(t, "flags"), Version: drawnVersions.Draw(t, "version"),
		Watch: rapid.Bool().Draw(t, "watch"),
	}
	if op == OpMulti {
		r.Multi = rapid.SliceOfN(rapid.Custom(drawMultiOp), 0, 5).Draw(t, "multi")
		if len(r.Multi) > 0 && rapid.IntRange(0, 15).Draw(t, "garble") == 0 {
			r.Multi[len(r.Multi)-1].Op = OpGetData
		}
	}
	return r
}

// The server does what the naive one does, whatever it is asked: requests on
// any connection, drops, re-attachments, the passing of time.
func TestServerAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		wrap := rapid.Bool().Draw(t, "wrap")
		m := &twoServers{s: new(Server), n: newNaiveServer(wrap)}
		m.s.Init(ServerOptions{DocumentedWrap: wrap})
		for c := range ConnID(3) {
			m.conns = append(m.conns, c)
			m.send(t, c, Request{Op: OpConnect, Timeout: 8 * time.Second})
		}
		t.Repeat(map[string]func(*rapid.T){
			// Most steps are requests.
			"request": m.request, "request2": m.request, "request3": m.request,
			"request4": m.request, "request5": m.request, "request6": m.request,
			"stale": func(t *rapid.T) { m.send(t, m.conn(t), drawRequest(t)) },
			"end":   m.end, "connect": m.connect, "drop": m.drop,
			"setWatches": m.setWatches,
			"time":       m.passTime, "expire": m.expire,
			"age":  m.age,
			"copy": m.moveOn,
			"listing": func(t *rapid.T) {
				m.s.SetListingKey(rapid.Uint64Range(0, 3).Draw(t, "key"))
			},
		})
	})
}

// conn draws a connection that was used at some time.
func (m *twoServers) conn(t *rapid.T) ConnID {
	return rapid.SampledFrom(m.conns).Draw(t, "conn")
}

// request sends one on a living connection, or on one that never connected.
func (m *twoServers) request(t *rapid.T) {
	live := []ConnID{99}
	for _, c := range m.conns {
		if m.n.conns[c] != 0 {
			live = append(live, c)
		}
	}
	m.send(t, rapid.SampledFrom(live).Draw(t, "conn"), drawRequest(t))
	m.s.Drop(m.now, 99)
	m.n.dropConn(99)
}

// end sends what makes the server hang up.
func (m *twoServers) end(t *rapid.T) {
	op := rapid.SampledFrom([]OpCode{OpCloseSession, 99, OpConnect}).Draw(t, "op")
	c := m.conn(t)
	if _, known := m.n.conns[c]; known {
		m.send(t, c, Request{Op: op})
	}
}

func (m *twoServers) connect(t *rapid.T) {
	r := Request{Op: OpConnect, Timeout: Time(rapid.IntRange(0, 50).Draw(t, "timeout")) * time.Second}
	if rapid.Bool().Draw(t, "again") {
		r.SessionID = sessionBase + rapid.Int64Range(1, m.n.last+1).Draw(t, "session")
		r.Password = SessionPassword(r.SessionID) + rapid.SampledFrom([]uint64{0, 0, 0, 1}).Draw(t, "wrong")
	}
	r.LastZxidSeen = m.n.zxid + rapid.SampledFrom([]int64{0, 0, 0, -1, 1}).Draw(t, "ahead")
	c := ConnID(len(m.conns))
	m.conns = append(m.conns, c)
	m.send(t, c, r)
}

func (m *twoServers) drop(t *rapid.T) {
	c := m.conn(t)
	m.s.Drop(m.now, c)
	m.n.dropConn(c)
	m.compare(t)
}

func (m *twoServers) setWatches(t *rapid.T) {
	w := &WatchSet{
		RelativeZxid: rapid.Int64Range(0, m.n.zxid).Draw(t, "relative"),
		Data:         rapid.SliceOfN(drawnPaths, 0, 3).Draw(t, "data"),
		Exist:        rapid.SliceOfN(drawnPaths, 0, 3).Draw(t, "exist"),
		Child:        rapid.SliceOfN(drawnPaths, 0, 3).Draw(t, "child"),
	}
	m.send(t, m.conn(t), Request{Op: OpSetWatches, Watches: w})
}

func (m *twoServers) passTime(t *rapid.T) {
	m.now += Time(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond
	m.s.Tick(m.now, &m.out)
	m.n.passTime(m.now)
	m.compare(t)
}

func (m *twoServers) expire(t *rapid.T) {
	id := sessionBase + rapid.Int64Range(1, m.n.last+1).Draw(t, "session")
	_, alive := m.n.sessions[id]
	require.Equal(t, alive, m.s.Expire(m.now, id, &m.out))
	if alive {
		m.n.expire(id)
	}
	m.compare(t)
}

// age sets a counter, mostly to the neighbourhood of an edge.
func (m *twoServers) age(t *rapid.T) {
	path := rapid.SampledFrom(slices.Sorted(maps.Keys(m.n.nodes))).Draw(t, "path")
	count := rapid.SampledFrom([]int32{math.MaxInt32 - 1, math.MaxInt32, -2, -1, 0}).Draw(t, "count")
	m.s.SetCreateCount(path, count)
	z := m.n.nodes[path]
	z.creates = int64(count)
	m.n.nodes[path] = z
	m.compare(t)
}

// moveOn goes on with a copy.
func (m *twoServers) moveOn(*rapid.T) {
	dst := new(Server)
	m.s.CopyInto(dst)
	m.s = dst
}
