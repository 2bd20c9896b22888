package zkmodel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// wordHasher keeps what it is given.
type wordHasher []uint64

func (h *wordHasher) Uint64(x uint64) { *h = append(*h, x) }
func (h *wordHasher) String(s string) { *h = append(*h, hashPath(s)) }

func fingerprint(s *Server) string {
	var h wordHasher
	s.Hash(&h)
	return fmt.Sprint([]uint64(h))
}

// A copy lives its own life, and does what the original does.
func TestStateCopyIsIndependent(t *testing.T) {
	g := newServerRig(t, 3)
	g.make("/p", "/p/a", "/gone")
	g.must(2, rqCreate("/p/e", FlagEphemeral))
	g.must(3, rqList("/p"))
	g.must(1, rqDelete("/gone"))
	var dst Server
	g.CopyInto(&dst)
	want := fingerprint(g.Server)
	require.Equal(t, want, fingerprint(&dst))

	play := func(s *Server) []string {
		c := &serverRig{Server: s, t: t}
		lines := c.send(1, rqCreate("/p/new", 0))
		lines = append(lines, c.send(2, rqSet("/p/a"))...)
		lines = append(lines, c.send(2, Request{Op: OpCloseSession})...)
		lines = append(lines, c.send(9, Request{Op: OpConnect})...)
		return append(lines, fmt.Sprint(c.resp, fingerprint(s)))
	}
	got := play(&dst)
	require.NotEqual(t, want, fingerprint(&dst))
	require.Equal(t, want, fingerprint(g.Server), "the original does not notice")
	require.Equal(t, got, play(g.Server), "and does the same when asked the same")
}

// CopyInto and Init use the memory that is there.
func TestStateAllocations(t *testing.T) {
	g := newServerRig(t, 3)
	for i := range 100 {
		g.make(fmt.Sprintf("/n%d", i))
		g.must(2, rqList("/"))
	}
	dst, small := new(Server), new(Server)
	small.Init(ServerOptions{})
	g.CopyInto(dst)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		small.CopyInto(dst)
		g.CopyInto(dst)
	}))
	r := Request{Op: OpConnect}
	create := rqCreate("/x", FlagEphemeral)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		dst.Init(ServerOptions{})
		g.out.Reset()
		dst.Handle(0, 1, &r, &g.out)
		dst.Handle(0, 1, &create, &g.out)
	}))
	small.Init(ServerOptions{})
	dst.Init(ServerOptions{})
	require.Equal(t, fingerprint(small), fingerprint(dst), "an old server made new is a new server")
	_, ok := dst.Lookup("/n7")
	require.False(t, ok)
}

// Slots and table entries come back, however a znode went.
func TestStateDoesNotLeak(t *testing.T) {
	g := newServerRig(t, 1)
	entries := func() int {
		n := 0
		for _, e := range g.table.slots {
			if e != 0 {
				n++
			}
		}
		return n
	}
	g.make("/p", "/p/a")
	churn(g, 100)
	require.EqualValues(t, g.count, entries(), "after the table has grown")
	arena, table := len(g.nodes), len(g.table.slots)
	for range 200 {
		g.must(1, rqCreate("/x", 0))
		g.must(1, rqDelete("/x"))
		g.must(1, rqMulti(MultiOp{Op: OpCreate, Path: "/x"}, MultiOp{Op: OpDelete, Path: "/x", Version: -1}))
		g.ask(1, rqMulti(MultiOp{Op: OpCreate, Path: "/x"}, MultiOp{Op: OpDelete, Path: "/p/a", Version: -1}, MultiOp{Op: OpDelete}))
		g.send(2, Request{Op: OpConnect})
		g.must(2, rqCreate("/e", FlagEphemeral))
		g.must(2, Request{Op: OpCloseSession})
		g.Drop(g.now, 2)
		require.EqualValues(t, g.count, entries())
	}
	require.Len(t, g.nodes, arena)
	require.Len(t, g.table.slots, table)
	require.Len(t, g.conns, 1)
	require.Len(t, g.sessions, 1)
}

// What must show in the hash, one change at a time.
func TestStateHashTells(t *testing.T) {
	base := func() *serverRig {
		g := newServerRig(t, 2)
		g.make("/p", "/p/a")
		g.must(1, rqCreate("/e1", FlagEphemeral))
		g.must(1, rqCreate("/e2", FlagEphemeral))
		return g
	}
	seen := map[string]string{fingerprint(base().Server): "nothing"}
	for name, change := range map[string]func(g *serverRig){
		"create":          func(g *serverRig) { g.make("/q") },
		"another name":    func(g *serverRig) { g.make("/r") },
		"another parent":  func(g *serverRig) { g.make("/p/q") },
		"null data":       func(g *serverRig) { g.must(1, Request{Op: OpCreate, Path: "/q"}) },
		"empty data":      func(g *serverRig) { g.must(1, Request{Op: OpCreate, Path: "/q", Data: []byte{}}) },
		"ephemeral":       func(g *serverRig) { g.must(1, rqCreate("/q", FlagEphemeral)) },
		"another's":       func(g *serverRig) { g.must(2, rqCreate("/q", FlagEphemeral)) },
		"delete":          func(g *serverRig) { g.must(1, rqDelete("/p/a")) },
		"same data":       func(g *serverRig) { g.must(1, Request{Op: OpSetData, Path: "/p", Data: []byte("d")}) },
		"data":            func(g *serverRig) { g.must(1, rqSet("/p")) },
		"data of a child": func(g *serverRig) { g.must(1, rqSet("/p/a")) },
		"counter":         func(g *serverRig) { g.SetCreateCount("/p", 7) },
		"create, delete":  func(g *serverRig) { g.make("/p/q"); g.must(1, rqDelete("/p/q")) },
		"data watch":      func(g *serverRig) { g.must(1, rqGet("/p")) },
		"another client's": func(g *serverRig) {
			g.must(2, rqGet("/p"))
		},
		"data watch elsewhere": func(g *serverRig) { g.must(1, rqGet("/p/a")) },
		"child watch":          func(g *serverRig) { g.must(1, rqList("/p")) },
		"absent watch":         func(g *serverRig) { g.ask(1, rqExists("/q")) },
		"connect":              func(g *serverRig) { g.send(3, Request{Op: OpConnect}) },
		"connect elsewhere":    func(g *serverRig) { g.send(4, Request{Op: OpConnect}) },
		"drop":                 func(g *serverRig) { g.Drop(0, 2) },
		"close":                func(g *serverRig) { g.send(2, Request{Op: OpCloseSession}) },
		"close, drop":          func(g *serverRig) { g.send(2, Request{Op: OpCloseSession}); g.Drop(0, 2) },
		"hang up":              func(g *serverRig) { g.send(2, Request{Op: 99}) },
		"expiry of the owner":  func(g *serverRig) { g.Expire(0, sessionBase+1, &g.out) },
		"order of ephemerals": func(g *serverRig) {
			g.Init(ServerOptions{})
			*g = serverRig{Server: g.Server, t: g.t}
			for c := ConnID(1); c <= 2; c++ {
				g.send(c, Request{Op: OpConnect, Timeout: 30e9})
			}
			g.make("/p", "/p/a")
			g.must(1, rqCreate("/e2", FlagEphemeral))
			g.must(1, rqCreate("/e1", FlagEphemeral))
		},
		"timeout": func(g *serverRig) {
			g.Drop(0, 2)
			g.send(2, Request{Op: OpConnect, SessionID: sessionBase + 2, Password: SessionPassword(sessionBase + 2)})
		},
		"listing key": func(g *serverRig) { g.SetListingKey(1) },
		"wrap":        func(g *serverRig) { g.opts.DocumentedWrap = true },
		"tick":        func(g *serverRig) { g.opts.Tick = 1 },
	} {
		g := base()
		change(g)
		h := fingerprint(g.Server)
		require.Empty(t, seen[h], name)
		seen[h] = name
	}
}

// What must not show: zxids, times, places.
func TestStateHashIgnores(t *testing.T) {
	base := func() *serverRig {
		g := newServerRig(t, 2)
		g.make("/p", "/p/a")
		return g
	}
	want := fingerprint(base().Server)
	for name, change := range map[string]func(g *serverRig){
		"reads": func(g *serverRig) {
			g.must(1, Request{Op: OpGetData, Path: "/p"})
			g.must(1, Request{Op: OpGetChildren, Path: "/p"})
			g.must(1, Request{Op: OpSync, Path: "/p"})
		},
		"a failed write": func(g *serverRig) { g.ask(1, rqCreate("/p", 0)) },
		"a failed multi": func(g *serverRig) {
			g.ask(1, rqMulti(MultiOp{Op: OpCreate, Path: "/x"}, MultiOp{Op: OpDelete, Path: "/p"}))
		},
		"a ping later": func(g *serverRig) { g.now = 5e9; g.must(1, Request{Op: OpPing}) },
		"a lost watch": func(g *serverRig) { g.must(1, rqGet("/p")); g.Drop(0, 1); reattach(g, 1) },
		"a fired watch": func(g *serverRig) {
			count := g.nodes[rootNode].creates
			g.make("/q")
			g.must(1, rqGet("/q"))
			g.must(2, rqList("/q"))
			g.must(1, rqDelete("/q"))
			g.SetCreateCount("/", count)
		},
		"a connection anew":   func(g *serverRig) { g.Drop(0, 2); reattach(g, 2) },
		"znodes made and cut": func(g *serverRig) { churn(g, 1000) },
	} {
		g := base()
		change(g)
		require.Equal(t, want, fingerprint(g.Server), name)
	}
}

// reattach connects session n again, on connection n.
func reattach(g *serverRig, n int64) {
	id := sessionBase + n
	g.send(ConnID(n), Request{Op: OpConnect, SessionID: id, Password: SessionPassword(id), Timeout: 30e9})
}

// churn makes znodes and deletes them, so that slots are used in another order
// and the table has grown, then sets the counter back.
func churn(g *serverRig, n int) {
	count := g.nodes[rootNode].creates
	for i := range n {
		g.make(fmt.Sprintf("/churn%d", i))
	}
	for i := range n {
		g.must(1, rqDelete(fmt.Sprintf("/churn%d", i*7%n)))
	}
	g.must(1, rqDelete("/p/a"))
	g.must(1, rqDelete("/p"))
	g.make("/p", "/p/a")
	g.SetCreateCount("/", count)
}

// Requests of clients that work in directories of their own, in any order,
// lead to states that hash alike.
func TestStateHashIsOrderIndependent(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const clients = 3
		var scripts [clients][]Request
		for c := range clients {
			dir := fmt.Sprintf("/d%d/w", c)
			path := rapid.Map(rapid.SampledFrom([]string{"", "/x", "/y", "/x/z", "/s-", "/s-0000000001"}), func(s string) string { return dir + s })
			scripts[c] = rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) Request {
				op := rapid.SampledFrom([]OpCode{OpCreate, OpCreate, OpCreate2, OpDelete, OpSetData, OpExists, OpGetData, OpGetChildren, OpMulti}).Draw(rt, "op")
				r := Request{Op: op, Path: path.Draw(rt, "path"), Version: -1}
				r.Flags = rapid.Int32Range(0, 3).Draw(rt, "flags")
				r.Watch = rapid.Bool().Draw(rt, "watch")
				r.Data = []byte(rapid.SampledFrom([]string{"", "a", "longer data"}).Draw(rt, "data"))
				if op == OpMulti {
					r.Multi = []MultiOp{{Op: OpCreate, Path: r.Path, Flags: r.Flags}, {Op: OpDelete, Path: path.Draw(rt, "path2"), Version: -1}}
				}
				return r
			}), 0, 12).Draw(rt, "script")
		}
		play := func(label string) string {
			g := newServerRig(t, clients)
			g.Plant("/d0")
			g.Plant("/d1")
			g.Plant("/d2")
			left := scripts
			for {
				var ready []int
				for c := range clients {
					if len(left[c]) > 0 {
						ready = append(ready, c)
					}
				}
				if len(ready) == 0 {
					return fingerprint(g.Server)
				}
				c := rapid.SampledFrom(ready).Draw(rt, label)
				g.send(ConnID(c+1), left[c][0])
				left[c] = left[c][1:]
			}
		}
		require.Equal(rt, play("first order"), play("second order"))
	})
}

// From servers that are alike but for what a session's end takes away, that end
// leads to servers that are alike, and puts out the same.
func TestStateBehindTheEndOfASession(t *testing.T) {
	const ending = sessionBase + 1 // of connection 1
	type behind struct{ now, then, puts string }
	led, again := map[string]behind{}, 0
	rng := rand.New(rand.NewPCG(1, 2))
	paths := []string{"/a", "/a/b", "/c"}
	for range 20_000 {
		g := newServerRig(t, 3)
		for range rng.IntN(5) {
			c, path := ConnID(1+rng.IntN(3)), paths[rng.IntN(len(paths))]
			switch rng.IntN(6) {
			case 0:
				g.send(c, rqCreate(path, FlagEphemeral))
			case 1:
				g.send(c, rqCreate(path, 0))
			case 2:
				g.send(c, rqDelete(path))
			case 3:
				g.send(c, rqExists(path))
			case 4:
				g.send(c, rqList(path))
			default:
				g.Drop(g.now, c)
			}
		}
		var h wordHasher
		g.HashBehindEnd(&h, ending)
		x := behind{now: fingerprint(g.Server)}
		g.out.Reset()
		require.True(t, g.Expire(g.now, ending, &g.out))
		for i := range g.out.Frames {
			if f := &g.out.Frames[i]; f.Conn == 1 {
				g.Drop(g.now, f.Conn)
			} else {
				x.puts += fmt.Sprintln(f.Conn, showFrame(f))
			}
		}
		for _, txn := range g.out.Txns {
			txn.Zxid, txn.Czxid = 0, 0
			x.puts += showTxn(txn)
		}
		x.then = fingerprint(g.Server)
		key := fmt.Sprint([]uint64(h))
		if before, ok := led[key]; ok && before.now != x.now {
			require.Equal(t, [2]string{before.then, before.puts}, [2]string{x.then, x.puts})
			again++
		}
		led[key] = x
	}
	require.Greater(t, again, 100)
}
