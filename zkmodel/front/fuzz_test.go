package front

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/serverloop"
	"zoosim/zkmodel/wire"
)

// fuzzRig is an ensemble behind its server loops, without ports and in virtual
// time. Connection c goes to server c modulo the number of servers.
type fuzzRig struct {
	t      *testing.T
	e      *ensemble
	loops  []*serverloop.Loop
	now    zkmodel.Time
	open   map[zkmodel.ConnID]bool
	frames int
}

func newFuzzRig(t *testing.T) *fuzzRig {
	g := &fuzzRig{t: t, open: map[zkmodel.ConnID]bool{}}
	o := Options{Servers: 3, Lag: 2 * time.Millisecond, Server: zkmodel.ServerOptions{Tick: 200 * time.Millisecond, TTLNodes: true}}
	g.e = newEnsemble(&o, g.now)
	for i := range g.e.servers() {
		g.loops = append(g.loops, serverloop.New(g.e.machine(i), g, serverloop.Options{}))
	}
	return g
}

func (g *fuzzRig) Write(c zkmodel.ConnID, b []byte) {
	require.True(g.t, g.open[c], "connection %d is closed", c)
	payload, rest, ok, err := wire.CutFrame(b, 1<<30)
	require.NoError(g.t, err)
	require.True(g.t, ok)
	require.Empty(g.t, rest)
	require.NotEmpty(g.t, payload)
	g.frames++
}

func (g *fuzzRig) Close(c zkmodel.ConnID) {
	require.True(g.t, g.open[c], "connection %d is closed twice", c)
	g.open[c] = false
}

func (g *fuzzRig) run(i int, input func(out *zkmodel.Output)) { g.loops[i].Do(g.now, input) }

func (g *fuzzRig) server(c zkmodel.ConnID) int { return int(c) % g.e.servers() }

// pass lets d pass.
func (g *fuzzRig) pass(d time.Duration) {
	for end := g.now + d; g.now < end; {
		at, ok := g.e.next()
		if !ok || at > end {
			at = end
		}
		g.now = max(at, g.now+time.Millisecond)
		g.e.pass(g.now, g.run)
	}
}

// await lets time pass until all servers serve.
func (g *fuzzRig) await() {
	for end := g.now + time.Minute; ; g.pass(10 * time.Millisecond) {
		serving := 0
		for i := range g.e.peers {
			if g.e.view(i).serving {
				serving++
			}
		}
		if serving == len(g.e.peers) {
			return
		}
		require.Less(g.t, g.now, end, "the servers find no leader")
	}
}

// feed hands over bytes of a connection and returns those that wait for more.
func (g *fuzzRig) feed(c zkmodel.ConnID, b []byte) []byte {
	for len(b) > 0 {
		n := g.loops[g.server(c)].Next(g.now, c, b)
		g.e.settle(g.now, g.run)
		if n == 0 {
			return b
		}
		b = b[n:]
	}
	return nil
}

// Whatever clients send to the servers of an ensemble, while the leader dies,
// all servers come to the same state and every frame is whole.
func FuzzEnsemble(f *testing.F) {
	hello := wire.EndFrame(wire.AppendConnectRequest(wire.BeginFrame(nil), &zkmodel.Request{Timeout: time.Second}, true), 0)
	then := func(qs ...zkmodel.Request) []byte {
		b := append([]byte(nil), hello...)
		for i := range qs {
			qs[i].Xid = int32(i + 1)
			b = append(b, wire.EndFrame(wire.AppendRequest(wire.BeginFrame(nil), &qs[i]), 0)...)
		}
		return b
	}
	f.Add(then(zkmodel.Request{Op: zkmodel.OpCreate, Path: "/a", Flags: 3}), hello, uint8(40), uint8(3))
	f.Add(then(zkmodel.Request{Op: zkmodel.OpGetChildren, Path: "/", Watch: true}),
		then(zkmodel.Request{Op: zkmodel.OpCreate, Path: "/a"}, zkmodel.Request{Op: zkmodel.OpSync, Path: "/"}, zkmodel.Request{Op: zkmodel.OpCloseSession}),
		uint8(255), uint8(0))
	for op := zkmodel.OpCode(-12); op < 110; op++ {
		q := zkmodel.Request{Op: op, Path: "/a", Multi: []zkmodel.MultiOp{{Op: zkmodel.OpCreate, Path: "/b", Flags: 1}}}
		f.Add(then(q), then(q, q), uint8(30), uint8(op)&7)
	}
	f.Fuzz(func(t *testing.T, a, b []byte, step, crash uint8) {
		g := newFuzzRig(t)
		g.await()
		todo, left := [2][]byte{a, b}, [2][]byte{}
		for i := range todo {
			c := zkmodel.ConnID(i)
			g.open[c] = true
			g.loops[g.server(c)].Open(c, "127.0.0.1")
		}
		size := max(int(step), 1+(len(a)+len(b))/16) // so that it ends soon
		for round := 0; len(todo[0])+len(todo[1]) > 0; round++ {
			for i := range todo {
				n := min(len(todo[i]), size)
				left[i] = g.feed(zkmodel.ConnID(i), append(left[i], todo[i][:n]...))
				todo[i] = todo[i][n:]
			}
			if round == int(crash) {
				g.crash()
			}
			g.pass(20 * time.Millisecond)
		}
		g.pass(time.Second)
		g.await()
		g.pass(time.Second)
		want := g.e.peers[0].Server()
		znodes, bytes := want.TreeSize()
		for i := range g.e.peers {
			s := g.e.peers[i].Server()
			n, size := s.TreeSize()
			require.Equal(t, []any{want.LastZxid(), znodes, bytes}, []any{s.LastZxid(), n, size}, "server %d", i+1)
		}
	})
}

// crash kills the leader and its connections; it starts again.
func (g *fuzzRig) crash() {
	i := g.e.leader()
	if i < 0 {
		return
	}
	for c := range zkmodel.ConnID(2) {
		if g.server(c) == i && g.open[c] {
			g.loops[i].Close(g.now, c)
		}
	}
	g.e.crash(g.now, i, 500*time.Millisecond, g.run)
}
