package serverloop_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"zoosim/zkmodel"
	"zoosim/zkmodel/serverloop"
	"zoosim/zkmodel/wire"
)

// pipes is a host that keeps what is written.
type pipes struct {
	t      require.TestingT
	sent   map[zkmodel.ConnID][]byte
	closed map[zkmodel.ConnID]bool
}

func (p *pipes) Write(c zkmodel.ConnID, b []byte) {
	require.False(p.t, p.closed[c], "connection %d is closed", c)
	p.sent[c] = append(p.sent[c], b...)
}

func (p *pipes) Close(c zkmodel.ConnID) {
	require.False(p.t, p.closed[c], "connection %d is closed twice", c)
	p.closed[c] = true
}

// rig is a loop over a standalone server.
type rig struct {
	pipes
	server zkmodel.Server
	loop   *serverloop.Loop
	now    zkmodel.Time
}

func newRig(t require.TestingT, o serverloop.Options) *rig {
	g := &rig{pipes: pipes{t, map[zkmodel.ConnID][]byte{}, map[zkmodel.ConnID]bool{}}}
	g.server.Init(zkmodel.ServerOptions{})
	g.loop = serverloop.New(&g.server, g, o)
	return g
}

// feed hands over bytes until the loop wants more.
func (g *rig) feed(c zkmodel.ConnID, b []byte) (left []byte) {
	for len(b) > 0 {
		n := g.loop.Next(g.now, c, b)
		if n == 0 {
			return b
		}
		b = b[n:]
	}
	return b
}

func frame(payload []byte) []byte {
	return wire.EndFrame(append(wire.BeginFrame(nil), payload...), 0)
}

func connect(id int64, readOnly bool) []byte {
	q := zkmodel.Request{Timeout: 10 * time.Second, SessionID: id, Password: zkmodel.SessionPassword(id)}
	return frame(wire.AppendConnectRequest(nil, &q, readOnly))
}

func request(q zkmodel.Request) []byte { return frame(wire.AppendRequest(nil, &q)) }

// payload takes the next frame that was written to c.
func (g *rig) payload(c zkmodel.ConnID) []byte {
	p, rest, ok, err := wire.CutFrame(g.sent[c], 1<<30)
	require.NoError(g.t, err)
	require.True(g.t, ok, "no frame on connection %d", c)
	g.sent[c] = rest
	return p
}

func (g *rig) reply(c zkmodel.ConnID, op zkmodel.OpCode) zkmodel.Response {
	r, err := wire.DecodeResponse(g.payload(c), op)
	require.NoError(g.t, err)
	return r
}

func (g *rig) open(c zkmodel.ConnID) int64 {
	g.loop.Open(c, "127.0.0.1")
	require.Empty(g.t, g.feed(c, connect(0, true)))
	r, _, err := wire.DecodeConnectResponse(g.payload(c))
	require.NoError(g.t, err)
	return r.SessionID
}

func TestAConversation(t *testing.T) {
	g := newRig(t, serverloop.Options{})
	g.loop.Open(1, "127.0.0.1")
	old := connect(0, false)
	require.Zero(t, g.loop.Next(0, 1, old[:len(old)-1]), "not whole")
	require.Equal(t, len(old), g.loop.Next(0, 1, append(old, 0, 0)), "one frame at a time")
	require.Len(t, g.payload(1), 36, "no byte where the client sent none")
	second := g.open(2)

	g.feed(2, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpExists, Path: "/a", Watch: true}))
	require.Equal(t, zkmodel.NoNode, g.reply(2, zkmodel.OpExists).Err)
	g.feed(1, append(request(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a"}),
		request(zkmodel.Request{Xid: 2, Op: zkmodel.OpGetData, Path: "/a"})...))
	require.Equal(t, "/a", g.reply(1, zkmodel.OpCreate).Path)
	require.Equal(t, int32(2), g.reply(1, zkmodel.OpGetData).Xid)
	event := g.reply(2, zkmodel.OpPing)
	require.Equal(t, zkmodel.EventNodeCreated, event.Event)
	require.Equal(t, "/a", event.Path)

	g.feed(2, request(zkmodel.Request{Xid: 2, Op: zkmodel.OpCloseSession}))
	require.Equal(t, zkmodel.OK, g.reply(2, zkmodel.OpCloseSession).Err)
	require.True(t, g.closed[2])
	require.False(t, g.server.SessionAlive(second))
	require.Empty(t, g.feed(2, []byte("whatever")), "ignored")
	g.loop.Gone(0, 2)
	g.loop.Gone(0, 2)
}

func TestWhatClosesAConnection(t *testing.T) {
	for name, b := range map[string][]byte{
		"a frame that is too long":   {0, 16, 0, 0},
		"a negative length":          {0xff, 0xff, 0xff, 0xff},
		"an empty frame":             frame(nil),
		"a header that is cut short": frame([]byte{0, 0, 0, 1, 0, 0, 0}),
		"a type that is not known":   request(zkmodel.Request{Xid: 1, Op: 99}),
	} {
		g := newRig(t, serverloop.Options{})
		id := g.open(1)
		g.feed(1, b)
		require.True(t, g.closed[1], name)
		require.True(t, g.server.SessionAlive(id), name)
		_, attached := g.server.SessionConn(id)
		require.False(t, attached, name)
		g.loop.Gone(0, 1)

		g.loop.Open(2, "127.0.0.1")
		g.feed(2, b)
		require.True(t, g.closed[2], "first: %s", name)
		require.Empty(t, g.sent[2], "first: %s", name)
	}
}

func TestTheLongestFrame(t *testing.T) {
	g := newRig(t, serverloop.Options{})
	g.open(1)
	q := zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a"}
	room := wire.DefaultMaxFrame - len(wire.AppendRequest(nil, &q))
	q.Data = make([]byte, room+4)[:room] // null and empty are as long
	g.feed(1, request(q))
	require.Equal(t, zkmodel.OK, g.reply(1, zkmodel.OpCreate).Err)
	q.Data = append(q.Data, 0)
	g.feed(1, request(q))
	require.True(t, g.closed[1])
}

func TestMalformedBodiesAreAnswered(t *testing.T) {
	g := newRig(t, serverloop.Options{})
	g.open(1)
	p := binary.BigEndian.AppendUint32([]byte{0, 0, 0, 9}, uint32(zkmodel.OpGetData))
	g.feed(1, frame(p))
	r := g.reply(1, zkmodel.OpGetData)
	require.Equal(t, zkmodel.MarshallingError, r.Err)
	require.Equal(t, int32(9), r.Xid)
	require.False(t, g.closed[1])
}

func TestWords(t *testing.T) {
	g := newRig(t, serverloop.Options{Word: func(_ zkmodel.ConnID, w string) (string, bool) { return "imok", w == "ruok" }})
	g.loop.Open(1, "127.0.0.1")
	require.Equal(t, []byte("ruo"), g.feed(1, []byte("ruo")))
	require.Empty(t, g.feed(1, []byte("ruok\n")))
	require.Equal(t, "imok", string(g.sent[1]))
	require.True(t, g.closed[1])

	g.loop.Open(2, "127.0.0.1")
	g.feed(2, []byte("nope"))
	require.True(t, g.closed[2])
	require.Empty(t, g.sent[2])

	g.open(3)
	g.feed(3, []byte("ruok"))
	require.Empty(t, g.sent[3], "behind the connect request it is a length")
	require.True(t, g.closed[3])
}

func TestHooks(t *testing.T) {
	var requests, responses []zkmodel.OpCode
	passRequest, passResponse := true, true
	g := newRig(t, serverloop.Options{
		Request: func(_ zkmodel.ConnID, r *zkmodel.Request) bool { requests = append(requests, r.Op); return passRequest },
		Response: func(_ zkmodel.ConnID, r *zkmodel.Response) bool {
			responses = append(responses, r.Op)
			return passResponse
		},
	})
	g.open(1)
	g.feed(1, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a"}))
	require.Equal(t, []zkmodel.OpCode{zkmodel.OpConnect, zkmodel.OpCreate}, requests)
	require.Equal(t, requests, responses)

	passResponse = false
	g.sent[1] = nil
	g.feed(1, request(zkmodel.Request{Xid: 2, Op: zkmodel.OpCreate, Path: "/b"}))
	require.Empty(t, g.sent[1])
	require.True(t, g.closed[1], "a lost reply is a lost connection")
	_, made := g.server.Lookup("/b")
	require.True(t, made)

	passResponse = true
	g.open(2)
	passRequest = false
	g.feed(2, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/c"}))
	_, made = g.server.Lookup("/c")
	require.False(t, made)
	require.True(t, g.closed[2])
}

func TestTimePasses(t *testing.T) {
	g := newRig(t, serverloop.Options{})
	id := g.open(1)
	at, ok := g.server.NextExpiry()
	require.True(t, ok)
	g.loop.Do(at, func(out *zkmodel.Output) { g.server.Tick(at, out) })
	require.True(t, g.closed[1])
	g.loop.Gone(at, 1)

	g.loop.Open(2, "127.0.0.1")
	g.feed(2, connect(id, true))
	r, _, err := wire.DecodeConnectResponse(g.payload(2))
	require.NoError(t, err)
	require.Zero(t, r.SessionID)
	require.True(t, g.closed[2])
}

// However the bytes are split, the same is written.
func TestSplitsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b []byte
		b = append(b, connect(0, true)...)
		paths := []string{"/a", "/b", "/a/c", "bad"}
		for i := range rapid.IntRange(1, 12).Draw(t, "requests") {
			q := zkmodel.Request{Xid: int32(i), Path: rapid.SampledFrom(paths).Draw(t, "path"), Version: -1}
			q.Op = rapid.SampledFrom([]zkmodel.OpCode{
				zkmodel.OpCreate, zkmodel.OpDelete, zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpSetData, zkmodel.OpPing,
			}).Draw(t, "op")
			q.Watch = rapid.Bool().Draw(t, "watch")
			b = append(b, request(q)...)
		}
		whole, split := newRig(t, serverloop.Options{}), newRig(t, serverloop.Options{})
		whole.loop.Open(1, "127.0.0.1")
		split.loop.Open(1, "127.0.0.1")
		require.Empty(t, whole.feed(1, b))
		var left []byte
		for len(b) > 0 {
			n := rapid.IntRange(1, len(b)).Draw(t, "bytes")
			left = split.feed(1, append(left, b[:n]...))
			b = b[n:]
		}
		require.Empty(t, left)
		require.Equal(t, whole.sent, split.sent)
	})
}

// Bytes of all kinds do the loop no harm: what it writes are frames, and it
// closes a connection once.
func FuzzLoop(f *testing.F) {
	hello := connect(0, true)
	f.Add(append(hello, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a", Flags: 3})...), hello, uint8(7))
	f.Add(append(hello, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpMulti, Multi: []zkmodel.MultiOp{
		{Op: zkmodel.OpCreate, Path: "/a"}, {Op: zkmodel.OpCreate, Path: "/a"},
	}})...), []byte("ruok"), uint8(1))
	f.Add(append(hello, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpSetWatches, Watches: &zkmodel.WatchSet{Data: []string{"/a"}}})...),
		append(hello, request(zkmodel.Request{Xid: 1, Op: zkmodel.OpCloseSession})...), uint8(200))
	for op := zkmodel.OpCode(-12); op < 110; op++ {
		f.Add(append(hello, request(zkmodel.Request{Xid: 1, Op: op, Path: "/a"})...), hello, uint8(30))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, step uint8) {
		g := newRig(t, serverloop.Options{})
		var left [2][]byte
		todo := [2][]byte{a, b}
		for i := range todo {
			g.loop.Open(zkmodel.ConnID(i), "127.0.0.1")
		}
		for len(todo[0])+len(todo[1]) > 0 {
			for i := range todo {
				n := min(len(todo[i]), int(step)+1)
				left[i] = g.feed(zkmodel.ConnID(i), append(left[i], todo[i][:n]...))
				todo[i] = todo[i][n:]
			}
			g.now += 100 * time.Millisecond
			g.loop.Do(g.now, func(out *zkmodel.Output) { g.server.Tick(g.now, out) })
		}
		for i := range todo {
			c := zkmodel.ConnID(i)
			for len(g.sent[c]) > 0 {
				g.payload(c)
			}
			g.loop.Gone(g.now, c)
		}
	})
}
