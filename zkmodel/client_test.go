package zkmodel

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// hashText is a Hasher that keeps what it is told.
type hashText struct{ strings.Builder }

func (h *hashText) Uint64(x uint64) { fmt.Fprintf(h, "%d ", x) }
func (h *hashText) String(s string) { fmt.Fprintf(h, "%q ", s) }

func clientHash(c *Client) string {
	var h hashText
	c.Hash(&h)
	return h.Builder.String()
}

// sumHash is a Hasher that allocates nothing.
type sumHash uint64

func (h *sumHash) Uint64(x uint64) { *h = *h*31 + sumHash(x) }
func (h *sumHash) String(s string) { *h = *h*31 + sumHash(len(s)) }

// busyRig is a client with something in every list, some of it answered.
func busyRig(t testing.TB) *clientRig {
	r := connectedRig(t, CuratorOptions())
	r.ask("getData", "/a", 5, "OK z3")
	r.ask("exists", "/b", 6, "NoNode")
	r.ask("getChildren", "/c", 7, "OK")
	r.do("closed")
	r.c.Submit(r.now, 4, 0, &Request{
		Op: OpMulti, Multi: []MultiOp{{Op: OpCreate, Path: "/m", Data: []byte("123456789"), Flags: 1}, {Op: OpCheck, Path: "/n", Version: 2}},
	}, &r.out)
	r.do("submit 5 getData /q w8")
	return r
}

// sendRig is busyRig connected again, with the head of the list answered.
func sendRig(t testing.TB) *clientRig {
	r := busyRig(t)
	r.do("redial")
	r.do("connect 1")
	require.Len(t, r.out.Send, 3)
	require.Empty(t, r.do("reply 4"))
	require.Equal(t, "done(4 OK)", r.do("reply 5"))
	return r
}

func TestClientCopyInto(t *testing.T) {
	for name, rig := range map[string]func(testing.TB) *clientRig{"down": busyRig, "up": sendRig} {
		t.Run(name, func(t *testing.T) {
			r := rig(t)
			before := clientHash(&r.c)
			r2 := &clientRig{t: t, now: r.now}
			r.c.CopyInto(&r2.c)
			require.Equal(t, before, clientHash(&r2.c))
			require.Equal(t, r.c.Pending(), r2.c.Pending())
			steps := []string{
				"redial", "connect 1", "submit 9 getData /z w3", "reply 6", "event NodeDeleted /a",
				"listen 12", "closed", "submit 10 sync /", "redial", "connect 1", "newsession", "connect 4",
			}
			var want []string
			for _, s := range steps {
				want = append(want, r.do(s))
			}
			require.Equal(t, before, clientHash(&r2.c), "the copy has changed with the original")
			for i, s := range steps {
				require.Equal(t, want[i], r2.do(s), s)
			}
			require.Equal(t, clientHash(&r.c), clientHash(&r2.c))
		})
	}
}

func TestClientAllocatesNothingOnceGrown(t *testing.T) {
	for name, rig := range map[string]func(testing.TB) *clientRig{"down": busyRig, "up": sendRig} {
		r := rig(t)
		var dst Client
		var h sumHash
		r.c.CopyInto(&dst)
		require.Zero(t, testing.AllocsPerRun(100, func() { r.c.CopyInto(&dst) }), name)
		require.Zero(t, testing.AllocsPerRun(100, func() { r.c.Hash(&h) }), name)
	}

	r := connectedRig(t, CuratorOptions())
	require.Zero(t, testing.AllocsPerRun(100, func() { roundTrip(&r.c, &r.out) }))
	o := CuratorOptions()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		r.c.Init(o)
		r.out.Reset()
		r.c.AddListener(9)
		r.c.Start(0, &r.out)
		r.c.Deliver(0, &Response{Kind: KindConnect, SessionID: 1, Timeout: DefaultSessionTimeout}, &r.out)
		roundTrip(&r.c, &r.out)
		r.c.TransportClosed(0, &r.out)
		r.c.Submit(0, 1, 0, &Request{Op: OpSync}, &r.out)
	}))
}

// A client that has been used is after Init like a new one.
func TestClientInitAgain(t *testing.T) {
	for _, r := range []*clientRig{busyRig(t), sendRig(t)} {
		var fresh Client
		fresh.Init(GoOptions())
		r.c.Init(GoOptions())
		require.Equal(t, clientHash(&fresh), clientHash(&r.c))
		require.Zero(t, r.c.Pending())
		r.play("start", "dial send(connect s0 p0 z0 10s)", "connect 1", "up", "submit 1 sync /", "send(#1 sync /)")
	}
}

// Everything that decides what the client does next shows in its hash, and
// times do not.
func TestClientHash(t *testing.T) {
	base := clientHash(&busyRig(t).c)
	seen := map[string]string{base: "base"}
	for name, change := range map[string]func(*Client){
		"phase":            func(c *Client) { c.phase = phaseLost },
		"state":            func(c *Client) { c.state = ClientExpired },
		"closing":          func(c *Client) { c.closing = true },
		"session":          func(c *Client) { c.sessionID++ },
		"password":         func(c *Client) { c.password++ },
		"timeout":          func(c *Client) { c.negotiated++ },
		"sent":             func(c *Client) { c.sent = append(c.sent, clientSent{tag: 1}) },
		"sent xid":         func(c *Client) { c.sent = append(c.sent, clientSent{tag: 1, xid: 1}) },
		"sent watcher":     func(c *Client) { c.sent = append(c.sent, clientSent{tag: 1, watcher: 1}) },
		"sent op":          func(c *Client) { c.sent = append(c.sent, clientSent{tag: 1, op: 1}) },
		"sent path":        func(c *Client) { c.sent = append(c.sent, clientSent{tag: 1, path: "/a"}) },
		"queue":            func(c *Client) { c.queued = c.queued[:1] },
		"queue tag":        func(c *Client) { c.queued[0].tag++ },
		"queue watcher":    func(c *Client) { c.queued[0].watcher++ },
		"queue op":         func(c *Client) { c.queued[0].request.Op++ },
		"queue path":       func(c *Client) { c.queued[0].request.Path = "/" },
		"queue data":       func(c *Client) { c.queued[0].request.Data = []byte{1} },
		"queue empty data": func(c *Client) { c.queued[0].request.Data = []byte{} },
		"queue flags":      func(c *Client) { c.queued[0].request.Flags++ },
		"queue version":    func(c *Client) { c.queued[0].request.Version++ },
		"queue multi":      func(c *Client) { c.queued[0].request.Multi = c.queued[0].request.Multi[:1] },
		"multi op":         func(c *Client) { c.queued[0].request.Multi[0].Op++ },
		"multi path":       func(c *Client) { c.queued[0].request.Multi[0].Path = "/" },
		"multi flags":      func(c *Client) { c.queued[0].request.Multi[0].Flags++ },
		"multi version":    func(c *Client) { c.queued[0].request.Multi[0].Version++ },
		"multi data head":  func(c *Client) { c.queued[0].request.Multi[0].Data = []byte("023456789") },
		"multi data tail":  func(c *Client) { c.queued[0].request.Multi[0].Data = []byte("12345678x") },
		"data table":       func(c *Client) { c.watches.add(TableData, "/z", 1) },
		"exist table":      func(c *Client) { c.watches.add(TableExist, "/z", 1) },
		"child table":      func(c *Client) { c.watches.add(TableChild, "/z", 1) },
		"watcher":          func(c *Client) { c.watches[TableData][0].watcher++ },
		"listener":         func(c *Client) { c.AddListener(1) },
		"no listener":      func(c *Client) { c.RemoveListener(90) },
	} {
		r := busyRig(t)
		change(&r.c)
		got := clientHash(&r.c)
		require.Empty(t, seen[got], name)
		seen[got] = name
	}

	r := busyRig(t)
	r.c.clientTimes = clientTimes{1, 2, 3, 4}
	r.c.lastZxid, r.c.xid = 99, 77
	require.Equal(t, base, clientHash(&r.c))
}

// A client reads a znode and leaves a watch; here the caller plays the server.
func ExampleClient() {
	var c Client
	var out ClientOutput
	c.Init(JavaOptions())
	c.Start(0, &out)
	fmt.Println(out.Dial, out.Send[0].Op)

	out.Reset()
	c.Deliver(0, &Response{Kind: KindConnect, SessionID: 1, Timeout: DefaultSessionTimeout}, &out)
	fmt.Println(out.Up, c.State())

	const tag, watcher = 7, 1
	out.Reset()
	c.Submit(0, tag, watcher, &Request{Op: OpGetData, Path: "/lock"}, &out)
	fmt.Println(out.Send[0].Op, out.Send[0].Xid, out.Send[0].Watch)

	out.Reset()
	c.Deliver(0, &Response{Kind: KindReply, Xid: 1, Zxid: 2, Data: []byte("x")}, &out)
	fmt.Printf("%d %s\n", out.Done[0].Tag, out.Done[0].Response.Data)

	out.Reset()
	c.Deliver(0, &Response{Kind: KindEvent, Event: EventNodeDeleted, Path: "/lock"}, &out)
	fmt.Println(out.Calls[0].Watcher, out.Calls[0].Event.Type)

	// Output:
	// true connect
	// true Connected
	// getData 1 true
	// 7 x
	// 1 NodeDeleted
}

// roundTrip is a read with a watch, its reply, and the event.
func roundTrip(c *Client, out *ClientOutput) {
	req := Request{Op: OpGetData, Path: "/lock/x-0000000001"}
	out.Reset()
	c.Submit(0, 1, 5, &req, out)
	reply := Response{Kind: KindReply, Op: OpGetData, Xid: out.Send[0].Xid, Zxid: 5}
	c.Deliver(0, &reply, out)
	event := Response{Kind: KindEvent, Xid: -1, Zxid: -1, Event: EventNodeDeleted, Path: req.Path}
	c.Deliver(0, &event, out)
}

func benchClient(b *testing.B) (*Client, *ClientOutput) {
	r := connectedRig(b, CuratorOptions())
	b.ReportAllocs()
	b.ResetTimer()
	return &r.c, &r.out
}

// A request without a watch, and its reply.
func BenchmarkClientSubmitDeliver(b *testing.B) {
	c, out := benchClient(b)
	req := Request{Op: OpCreate, Path: "/lock/x-", Flags: 3}
	reply := Response{Kind: KindReply, Op: OpCreate, Zxid: 5, Path: "/lock/x-0000000001"}
	for b.Loop() {
		out.Reset()
		c.Submit(0, 1, 0, &req, out)
		reply.Xid = out.Send[0].Xid
		c.Deliver(0, &reply, out)
	}
}

// A read that leaves a watch, its reply, and the event: three inputs.
func BenchmarkClientWatchRoundTrip(b *testing.B) {
	c, out := benchClient(b)
	for b.Loop() {
		roundTrip(c, out)
	}
}

func BenchmarkClientCopyInto(b *testing.B) {
	r := sendRig(b)
	var dst Client
	b.ReportAllocs()
	for b.Loop() {
		r.c.CopyInto(&dst)
	}
}

func BenchmarkClientHash(b *testing.B) {
	r := sendRig(b)
	var h sumHash
	b.ReportAllocs()
	for b.Loop() {
		r.c.Hash(&h)
	}
}
