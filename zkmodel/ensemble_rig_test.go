package zkmodel_test

import (
	"slices"
	"time"

	"zoosim/checker"
	"zoosim/scenarios/servicetap"
	"zoosim/zkmodel"
)

// ensembleRig drives the servers of an ensemble and the connections of its
// clients: it holds the links, and delivers when it is told to. All that
// happens is judged.
type ensembleRig struct {
	now   zkmodel.Time
	peers []zkmodel.Peer // from 1
	dead  []bool
	links [][]peerLink // from, to; from 1
	conns []*rigConn   // by ConnID
	sent  int          // messages and frames, ever

	// copies, if set, get the inputs that the servers get, each in a fresh copy
	// of its server; after is called behind each input.
	copies []zkmodel.Peer
	after  func()

	service checker.EnsembleService
	tap     servicetap.EnsembleTap
	out     zkmodel.PeerOutput
}

// peerLink is one direction between two servers.
type peerLink struct {
	queue []queued[zkmodel.PeerMessage]
	held  bool
}

// rigConn is a connection of a client.
type rigConn struct {
	id       zkmodel.ConnID
	client   int32
	server   int
	toServer []queued[zkmodel.Request]
	toClient []queued[zkmodel.Frame]
	gone     bool // the client knows that it is over
	dropped  bool // the server knows
}

// queued is something under way, and its place in the order of all that was
// sent.
type queued[T any] struct {
	n int
	x T
}

func newEnsembleRig(o zkmodel.PeerOptions) *ensembleRig {
	r := &ensembleRig{}
	r.service.Reset(o.Servers)
	r.tap = servicetap.EnsembleTap{To: &r.service, Client: func(c zkmodel.ConnID) int32 { return r.conns[c].client }}
	r.peers = make([]zkmodel.Peer, o.Servers+1)
	r.dead = make([]bool, o.Servers+1)
	r.links = make([][]peerLink, o.Servers+1)
	for i := 1; i <= o.Servers; i++ {
		o.ID = i
		r.links[i] = make([]peerLink, o.Servers+1)
		r.peers[i].Init(o)
	}
	return r
}

func (r *ensembleRig) servers() int { return len(r.peers) - 1 }

// start starts a server, or starts it again.
func (r *ensembleRig) start(id int) {
	r.dead[id] = false
	r.do(id, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Start(r.now, out) })
}

// kill stops a server: its connections close, what it had sent still arrives.
func (r *ensembleRig) kill(id int) {
	r.dead[id] = true
	for i := 1; i <= r.servers(); i++ {
		r.links[i][id].queue = nil
	}
	r.links[id][id].queue = nil
	for _, c := range r.conns {
		if c.server == id && !c.dropped {
			c.dropped = true
			r.tap.Drop(r.now, id, c.id)
			r.toClient(c, zkmodel.Frame{Conn: c.id, Hangup: true})
		}
	}
	for i := 1; i <= r.servers(); i++ {
		if i != id && !r.dead[i] {
			r.links[id][i].queue = nil
			r.do(i, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.PeerLost(r.now, id, out) })
		}
	}
}

func (r *ensembleRig) toClient(c *rigConn, f zkmodel.Frame) {
	r.sent++
	c.toClient = append(c.toClient, queued[zkmodel.Frame]{r.sent, f})
}

// dial opens a connection.
func (r *ensembleRig) dial(client int32, server int, connect zkmodel.Request) *rigConn {
	c := &rigConn{id: zkmodel.ConnID(len(r.conns)), client: client, server: server}
	r.conns = append(r.conns, c)
	if r.dead[server] {
		c.dropped = true
		r.toClient(c, zkmodel.Frame{Conn: c.id, Hangup: true})
		return c
	}
	connect.Op = zkmodel.OpConnect
	r.send(c, connect)
	return c
}

func (r *ensembleRig) send(c *rigConn, req zkmodel.Request) {
	r.sent++
	c.toServer = append(c.toServer, queued[zkmodel.Request]{r.sent, req})
}

// hangUp: the client closes a connection; what it sent is lost.
func (r *ensembleRig) hangUp(c *rigConn) {
	c.gone, c.toServer = true, nil
	if !c.dropped {
		c.dropped = true
		r.peers[c.server].Drop(r.now, c.id)
		r.tap.Drop(r.now, c.server, c.id)
	}
}

// serve hands a server the next frame of a connection.
func (r *ensembleRig) serve(c *rigConn) {
	req := c.toServer[0].x
	c.toServer = c.toServer[1:]
	if c.dropped {
		return
	}
	r.tap.Request(r.now, c.server, c.id, &req)
	r.do(c.server, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Handle(r.now, c.id, &req, out) })
}

// deliver hands over the next message of a link.
func (r *ensembleRig) deliver(from, to int) {
	l := &r.links[from][to]
	m := l.queue[0].x
	l.queue = l.queue[1:]
	r.do(to, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Deliver(r.now, &m, out) })
}

func (r *ensembleRig) timer(id int) {
	r.do(id, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Timer(r.now, out) })
}

// do gives a server an input and carries out what it puts out.
func (r *ensembleRig) do(id int, input func(p *zkmodel.Peer, out *zkmodel.PeerOutput)) {
	if r.copies != nil {
		r.peers[id].CopyInto(&r.copies[id])
	}
	input(&r.peers[id], &r.out)
	if r.copies != nil {
		var out zkmodel.PeerOutput
		input(&r.copies[id], &out)
		if !slices.EqualFunc(out.Messages, r.out.Messages, sameMessage) || len(out.Frames) != len(r.out.Frames) ||
			!slices.Equal(out.Txns, r.out.Txns) {
			panic("a copy of a server does something else")
		}
	}
	r.emit(id)
	if r.after != nil {
		for i := range r.copies {
			r.peers[i].CopyInto(&r.copies[i])
		}
		r.after()
	}
}

// sameMessage compares messages by their hashes.
func sameMessage(a, b zkmodel.PeerMessage) bool {
	var x, y sumHash
	a.Hash(&x)
	b.Hash(&y)
	return x == y
}

// emit carries out what a server put out.
func (r *ensembleRig) emit(id int) {
	r.tap.Output(r.now, id, &r.out)
	for i := range r.out.Frames {
		f := r.out.Frames[i]
		c := r.conns[f.Conn]
		if c.dropped {
			continue
		}
		if f.Hangup {
			c.dropped = true
			r.peers[id].Drop(r.now, c.id)
		}
		r.toClient(c, f)
	}
	for i := range r.out.Messages {
		m := r.out.Messages[i]
		if to := int(m.To); !r.dead[to] {
			r.sent++
			l := &r.links[id][to]
			l.queue = append(l.queue, queued[zkmodel.PeerMessage]{r.sent, m})
		}
	}
	r.out.Reset()
}

// leader is the server that leads and serves in the greatest epoch, 0 for none.
func (r *ensembleRig) leader() int {
	best := 0
	for i := 1; i <= r.servers(); i++ {
		p := &r.peers[i]
		if !r.dead[i] && p.Role() == zkmodel.RoleLeading && p.Serving() && (best == 0 || p.Epoch() > r.peers[best].Epoch()) {
			best = i
		}
	}
	return best
}

// nextTimer is the earliest timer of the servers that live and are not frozen.
func (r *ensembleRig) nextTimer(frozen func(id int) bool) (zkmodel.Time, int) {
	at, who := zkmodel.Time(1<<62), 0
	for i := 1; i <= r.servers(); i++ {
		if t := r.peers[i].NextTimer(); !r.dead[i] && !frozen(i) && t < at {
			at, who = t, i
		}
	}
	return max(at, r.now), who
}

// mostDeliveries is more than an ensemble in peace needs before it waits for
// time to pass.
const mostDeliveries = 10_000

// ms is so many milliseconds.
func ms(n int) zkmodel.Time { return zkmodel.Time(n) * time.Millisecond }
