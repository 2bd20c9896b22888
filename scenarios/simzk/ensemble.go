package simzk

import (
	"time"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// LabelPeer chooses how long a message between two servers takes, LabelHost
// the server to which a client goes first.
const (
	LabelPeer sim.Label = "peer"
	LabelHost sim.Label = "host"
)

// EnsembleTap is the [Tap] of an ensemble; servers are counted from 1.
type EnsembleTap interface {
	Request(now sim.Time, server int, c zkmodel.ConnID, r *zkmodel.Request)
	Output(now sim.Time, server int, out *zkmodel.PeerOutput)
	Drop(now sim.Time, server int, c zkmodel.ConnID)
	// Seen: a client has received a reply.
	Seen(now sim.Time, client int32, session, zxid int64)
}

// ensemble is the servers of a world that has several, with the links between
// them, on which messages take a drawn time and arrive in order.
type ensemble struct {
	w        *World
	o        zkmodel.PeerOptions
	peers    []zkmodel.Peer // from 1
	dead     []bool
	held     []int  // lags of each server
	bitten   []bool // its lag has held something up
	timers   []expiryTimer
	links    [][]peerLink // from, to
	reported int64        // zxid of the last change that the observer was told of
	busy     int          // messages under way that are more than keep-alive
	served   int          // the server of the request that is being handled
	tap      EnsembleTap
	out      zkmodel.PeerOutput
}

// peerLink is one direction between two servers, or the way of a server's own
// commits.
type peerLink struct {
	queue   fifo[zkmodel.PeerMessage]
	last    sim.Time // arrival of the newest message
	void    int      // arrivals of messages that were lost
	arrived int      // messages that wait for the end of a lag
}

// peerLatency is that of a message between servers.
var peerLatency = sim.Exponential(100*time.Microsecond, 300*time.Microsecond, 64)

// newEnsemble returns the servers of a world, which are all to be started.
func newEnsemble(w *World, o zkmodel.PeerOptions) *ensemble {
	n := o.Servers + 1
	e := &ensemble{
		w: w, o: o, peers: make([]zkmodel.Peer, n), dead: make([]bool, n), held: make([]int, n), bitten: make([]bool, n),
		timers: make([]expiryTimer, n), links: make([][]peerLink, n),
	}
	for i := range e.links {
		e.links[i] = make([]peerLink, n)
	}
	return e
}

// begin makes the servers ones that have never run.
func (e *ensemble) begin() {
	e.reported, e.busy = 0, 0
	e.o.AppliesLater = e.w.K.Untimed()
	for i := 1; i < len(e.peers); i++ {
		e.o.ID = i
		e.peers[i].Init(e.o)
		e.dead[i], e.held[i], e.bitten[i] = false, 0, false
		e.timers[i] = expiryTimer{gen: e.timers[i].gen}
		for j := range e.links[i] {
			l := &e.links[i][j]
			l.queue.reset()
			l.last, l.void, l.arrived = 0, 0, 0
		}
	}
}

// plant sets a znode up that stands at the beginning; see [World.Plant].
func (e *ensemble) plant(path string, count int32) {
	for i := 1; i < len(e.peers); i++ {
		e.peers[i].Plant(path)
		if count > 0 {
			e.peers[i].Server().SetCreateCount(path, count)
		}
	}
}

// elect starts the servers, and lets all serve in their first epoch before the
// run begins: their messages take no time.
func (e *ensemble) elect() {
	now := e.w.K.Now()
	e.out.Reset()
	for i := 1; i < len(e.peers); i++ {
		e.peers[i].Start(now, &e.out)
	}
	for next := 0; ; {
		for ; next < len(e.out.Messages); next++ {
			m := e.out.Messages[next]
			e.peers[m.To].Deliver(now, &m, &e.out)
		}
		first, serving := 1, true
		for i := 1; i < len(e.peers); i++ {
			serving = serving && e.peers[i].Serving()
			if e.peers[i].NextTimer() < e.peers[first].NextTimer() {
				first = i
			}
		}
		if serving {
			break
		}
		now = e.peers[first].NextTimer()
		e.peers[first].Timer(now, &e.out)
	}
	e.arm()
}

// start starts a server, or starts it again.
func (e *ensemble) start(id int) {
	e.dead[id] = false
	e.out.Reset()
	e.peers[id].Start(e.w.K.Now(), &e.out)
	e.emit(id)
	if e.w.K.Untimed() {
		e.settle(id)
	}
}

// truth is the state of the server that has applied most.
func (e *ensemble) truth() *zkmodel.Server {
	best := 1
	for i := 2; i < len(e.peers); i++ {
		if e.peers[i].LastApplied() > e.peers[best].LastApplied() {
			best = i
		}
	}
	return e.peers[best].Server()
}

// leader is the server that leads and serves in the greatest epoch, 0 for none.
func (e *ensemble) leader() int {
	best := 0
	for i := 1; i < len(e.peers); i++ {
		p := &e.peers[i]
		if !e.dead[i] && p.Role() == zkmodel.RoleLeading && p.Serving() && (best == 0 || p.Epoch() > e.peers[best].Epoch()) {
			best = i
		}
	}
	return best
}

// peer is the server of a connection.
func (e *ensemble) peer(c zkmodel.ConnID) *zkmodel.Peer { return &e.peers[e.w.conns[c].server] }

// handle lets a server handle a request that has arrived.
func (e *ensemble) handle(l sim.LinkID, r *zkmodel.Request) {
	id := e.w.conns[l].server
	if e.tap != nil {
		e.tap.Request(e.w.K.Now(), id, zkmodel.ConnID(l), r)
	}
	e.out.Reset()
	e.peers[id].Handle(e.w.K.Now(), zkmodel.ConnID(l), r, &e.out)
	if r.Op == zkmodel.OpConnect && r.SessionID == 0 {
		if s, ok := e.peers[id].ConnSession(zkmodel.ConnID(l)); ok {
			p := e.w.conns[l].client.p
			p.sessions = append(p.sessions, s)
		}
	}
	e.emit(id)
}

// connect gives a new connection of a client to the next server; one that is
// dead refuses it. In untimed mode the clients begin at one server after
// another.
func (e *ensemble) connect(c *Client) {
	switch {
	case c.host != 0:
		c.host = c.host%e.o.Servers + 1
	case e.w.K.Untimed():
		c.host = 1 + c.p.client%e.o.Servers
	default:
		c.host = 1 + e.w.K.Choose(LabelHost, e.o.Servers)
	}
	cn := &e.w.conns[c.link]
	cn.server = c.host
	if e.dead[c.host] {
		cn.serverGone = true
		cn.toClient.push(zkmodel.Frame{Conn: zkmodel.ConnID(c.link), Hangup: true})
		e.w.K.Send(c.link, sim.ToClient, false)
	}
}

// drop tells a server that a connection is gone.
func (e *ensemble) drop(c zkmodel.ConnID) {
	id := e.w.conns[c].server
	if !e.dead[id] {
		e.peers[id].Drop(e.w.K.Now(), c)
	}
	if e.tap != nil {
		e.tap.Drop(e.w.K.Now(), id, c)
	}
}

// emit carries out what a server put out.
func (e *ensemble) emit(id int) {
	w := e.w
	if e.tap != nil {
		e.tap.Output(w.K.Now(), id, &e.out)
	}
	e.note(&e.out)
	told, step := e.reported, 0
	for i := range e.out.Txns {
		t := &e.out.Txns[i]
		if t.Zxid <= told {
			continue // another server was first
		}
		for e.out.Steps[step].Txns <= i {
			step++
		}
		e.reported, w.carried = t.Zxid, e.out.Steps[step].Request.Data
		if t.Op != zkmodel.OpError {
			w.applied(t)
		}
	}
	w.emitFrames(e.out.Frames)
	for i := range e.out.Messages {
		e.send(&e.out.Messages[i])
	}
	e.arm()
}

// note lets the trace's hash tell what a server did.
func (e *ensemble) note(out *zkmodel.PeerOutput) {
	for i := range out.Steps {
		if z := out.Steps[i].Zxid; z != 0 {
			e.w.K.Note(uint64(z))
		}
	}
}

// send lets a message leave.
func (e *ensemble) send(m *zkmodel.PeerMessage) {
	if e.dead[m.To] {
		return
	}
	l, k := &e.links[m.From][m.To], e.w.K
	l.queue.push(*m)
	if !m.KeepAlive() {
		e.busy++
	}
	if k.Untimed() {
		return // whoever selects moves lets it arrive
	}
	at := max(k.Now()+k.Draw(LabelPeer, peerLatency), l.last)
	l.last = at
	k.After(at-k.Now(), sim.NoProc, timerMessage, linkCode(int(m.From), int(m.To)), m.KeepAlive())
}

func linkCode(from, to int) int32 { return int32(from<<8 | to) }

// arrive: the next message of a link has arrived.
func (e *ensemble) arrive(code int32) {
	from, to := int(code>>8), int(code&0xff)
	l := &e.links[from][to]
	switch {
	case l.void > 0:
		l.void--
	case e.lags(from, to) || l.arrived > 0:
		l.arrived++
		if !e.bitten[to] && !l.queue.front().KeepAlive() {
			e.bitten[to] = true
			e.bite(faults.Lag)
		}
	default:
		e.deliver(e.w.K.Now(), from, to)
	}
}

func (e *ensemble) deliver(now sim.Time, from, to int) {
	l := &e.links[from][to]
	m := *l.queue.front()
	l.queue.pop()
	if !m.KeepAlive() {
		e.busy--
	}
	if e.w.K.Tracing() && !m.KeepAlive() && m.Kind != zkmodel.MessageVote {
		if from == to && m.Kind == zkmodel.MessageCommit {
			e.w.K.Tracef("server %d: applies what is committed up to zxid %#x", to, m.Zxid)
		} else {
			e.w.K.Tracef("server %d: %s of server %d", to, m.Kind, from)
		}
	}
	e.out.Reset()
	e.peers[to].Deliver(now, &m, &e.out)
	e.emit(to)
}

// lose loses what is under way on a link.
func (e *ensemble) lose(from, to int) {
	l := &e.links[from][to]
	l.void += l.queue.len() - l.arrived
	for ; l.queue.len() > 0; l.queue.pop() {
		if !l.queue.front().KeepAlive() {
			e.busy--
		}
	}
	l.arrived = 0
}

// arm queues a timer for each server's next deadline. It counts as something
// that can still happen while a server looks for a leader, and while a session
// is left without a client that keeps it alive.
func (e *ensemble) arm() {
	if e.w.K.Untimed() {
		return // nobody falls silent
	}
	busy := e.w.abandoned()
	for i := 1; i < len(e.peers) && !busy; i++ {
		busy = !e.dead[i] && !e.peers[i].Serving()
	}
	k := e.w.K
	for i := 1; i < len(e.peers); i++ {
		at, t := e.peers[i].NextTimer(), &e.timers[i]
		if e.dead[i] || t.armed && t.at <= at && (t.busy || !busy) {
			continue // the queued timer will see to it
		}
		*t = expiryTimer{armed: true, busy: busy, at: at, gen: (t.gen + 1) & 0xffff}
		k.After(at-k.Now(), sim.NoProc, timerPeer, int32(i)<<16|t.gen, !busy)
	}
}

// timer is the timer of a server.
func (e *ensemble) timer(code int32) {
	id, t := int(code>>16), &e.timers[code>>16]
	if code&0xffff != t.gen || !t.armed {
		return
	}
	t.armed = false
	if e.dead[id] {
		return
	}
	e.out.Reset()
	e.peers[id].Timer(e.w.K.Now(), &e.out)
	e.emit(id)
}

// expire has the leader end a session; false if nobody leads.
func (e *ensemble) expire(session int64) bool {
	id := e.leader()
	if id == 0 {
		return false
	}
	e.out.Reset()
	ok := e.peers[id].Expire(e.w.K.Now(), session, &e.out)
	e.emit(id)
	return ok
}

// Settled reports whether no server has anything to tell another, keep-alive
// excepted, and nothing is under way between a store and its clients.
func (w *World) Settled() bool {
	if w.store.kind != zk.StoreNone {
		return !w.store.busy()
	}
	return w.ens == nil || w.ens.busy == 0
}

// SetEnsembleTap sets who is told of what the servers of an ensemble do from
// now on; nil for nobody.
func (w *World) SetEnsembleTap(t EnsembleTap) { w.ens.tap = t }

// ServedBy is the server of an ensemble that handles a request, while the
// observer is told of it.
func (w *World) ServedBy() int { return w.ens.served }

// Servers is the number of servers.
func (w *World) Servers() int {
	if w.ens == nil {
		return 1
	}
	return w.ens.o.Servers
}

// Peer is the i-th server of an ensemble, from 1.
func (w *World) Peer(i int) *zkmodel.Peer { return &w.ens.peers[i] }

// ClientOf is the number of the client to which a connection belongs.
func (w *World) ClientOf(c zkmodel.ConnID) int32 { return int32(w.conns[c].client.p.client) }
