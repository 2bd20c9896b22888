package simzk

import (
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// In untimed mode the kernel selects nothing: a search asks for the enabled
// transitions and picks. Client libraries need no timers there, since nothing
// is lost without a trace; what else may happen, and is not the kernel's, is
// below: sessions that nobody keeps alive may end, and faults strike.

// DeadSessions appends the live sessions that no client will keep alive: that
// of a crashed process, or one that its client has given up.
func (w *World) DeadSessions(dst []int64) []int64 {
	first := len(dst)
	if w.ens == nil {
		dst = w.server.AppendSessions(dst)
	} else if id := w.ens.leader(); id != 0 {
		dst = w.ens.peers[id].AppendSessions(dst)
	}
	n := first
	for _, id := range dst[first:] {
		if !w.held(id) && !w.tended(id) {
			dst[n] = id
			n++
		}
	}
	return dst[:n]
}

// held reports whether a client still holds the session.
func (w *World) held(id int64) bool {
	for _, c := range w.Clients() {
		if c.m.SessionID() == id && c.p.sp.Status() != sim.Crashed {
			return true
		}
	}
	return false
}

// tended reports whether a client may yet learn of the session.
func (w *World) tended(id int64) bool {
	for _, c := range w.Clients() {
		if c.link < 0 || c.p.sp.Status() == sim.Crashed {
			continue
		}
		if s, ok := w.connSession(c.link); ok && s == id {
			return true
		}
	}
	return false
}

// ExpireSession ends a live session at the server.
func (w *World) ExpireSession(id int64) {
	if w.ens != nil {
		w.ens.expire(id)
		return
	}
	w.out.Reset()
	w.touchServer()
	if w.server.Expire(w.K.Now(), id, &w.out) {
		w.emitEnds()
	}
}

// LiveSession reports whether the process has a session that the server keeps.
func (w *World) LiveSession(p *Process) bool {
	for _, c := range w.Clients() {
		if id := c.m.SessionID(); c.p == p && id != 0 && w.sessionLives(id) {
			return true
		}
	}
	return false
}

// Losable appends the links on which a recipe request of a client is under
// way to a server that would serve it.
func (w *World) Losable(dst []sim.LinkID) []sim.LinkID {
	for l := range w.conns {
		c := &w.conns[l]
		if c.client == nil || c.serverGone || c.clientGone || c.toServer.len() == 0 {
			continue
		}
		if m := c.toServer.front(); !m.fin && isRecipeOp(m.req.Op) && w.served(sim.LinkID(l)) {
			dst = append(dst, sim.LinkID(l))
		}
	}
	return dst
}

// served reports whether a connection has a session.
func (w *World) served(l sim.LinkID) bool {
	_, ok := w.connSession(l)
	return ok
}

// connSession is the session of a connection at its server; false if it has
// none.
func (w *World) connSession(l sim.LinkID) (int64, bool) {
	if w.ens != nil {
		return w.ens.peer(zkmodel.ConnID(l)).ConnSession(zkmodel.ConnID(l))
	}
	return w.server.ConnSession(zkmodel.ConnID(l))
}

// sessionLives reports whether the server keeps a session, or the leader of an
// ensemble does and has not proposed its end.
func (w *World) sessionLives(id int64) bool {
	if w.ens == nil {
		return w.server.SessionAlive(id)
	}
	leader := w.ens.leader()
	return leader != 0 && w.ens.peers[leader].SessionLives(id)
}

// Serves reports whether the server will handle the message at the head of a
// link to it.
func (w *World) Serves(l sim.LinkID) bool {
	c := &w.conns[l]
	return !c.serverGone && !c.toServer.front().fin
}

// LinksOf is a word that changes when a connection of the process opens or
// closes.
func (w *World) LinksOf(p *Process) uint64 {
	var h sim.Hash
	for l := range w.conns {
		if c := &w.conns[l]; c.client != nil && c.client.p == p {
			h.Uint64(uint64(l)<<2 | bit(c.serverGone)<<1 | bit(c.clientGone))
			h.Uint64(uint64(uint32(c.client.link)))
		}
	}
	return h.Sum()
}

// NumWrites counts the writes that were sent to the resource, and the calls to
// the store.
func (w *World) NumWrites() int { return len(w.resource.writes) + w.store.sent }

// ProcessOf is the process behind a link.
func (w *World) ProcessOf(l sim.LinkID) *Process { return w.conns[l].client.p }

// LoseRequest loses the request at the head of a link and cuts it.
func (w *World) LoseRequest(l sim.LinkID) {
	c := w.conns[l].client
	c.p.bit(faults.CutRequest)
	w.traceLoss(l)
	w.sever(c)
}

func (w *World) traceLoss(l sim.LinkID) {
	if w.K.Tracing() {
		c := &w.conns[l]
		w.K.Tracef("fault: %s of %s is lost and its connection cut", describeRequest(&c.toServer.front().req), c.client.p.Name())
	}
}

// LoseReply lets the server serve the request at the head of a link, loses
// the reply and cuts the link.
func (w *World) LoseReply(m sim.Move) {
	c := &w.conns[m.A]
	c.cutReply = c.toServer.front().req.Xid
	w.K.Do(m)
}

// Linked reports whether the process has a connection.
func (w *World) Linked(p *Process) bool {
	for _, c := range w.Clients() {
		if c.p == p && c.link >= 0 {
			return true
		}
	}
	return false
}

// CopyInto makes dst a copy of w, whose processes must have memos.
func (w *World) CopyInto(dst *World) {
	for len(dst.procs) < w.nprocs {
		dst.procs = append(dst.procs, &Process{w: dst})
	}
	for i, p := range w.procs[:w.nprocs] {
		q := dst.procs[i]
		q.equal = q.sp != nil && i < dst.nprocs && p.sp.Equals(q.sp)
	}
	w.K.CopyInto(dst.K)
	if w.ens != nil {
		w.ens.copyInto(dst.ens)
	} else if w.serverOwn.version == 0 || w.serverOwn.version != dst.serverOwn.version {
		w.server.CopyInto(&dst.server)
	}
	dst.serverOwn = w.serverOwn
	dst.moves, dst.steps, dst.stats = w.moves, w.steps, w.stats
	dst.nprocs = w.nprocs
	for i, p := range w.procs[:w.nprocs] {
		q := dst.procs[i]
		if !q.equal {
			p.copyInto(q)
		}
		q.own, q.share, q.missed = p.own, p.share, p.missed
	}
	for len(dst.clients) < w.nclient {
		dst.clients = append(dst.clients, &Client{w: dst})
	}
	dst.nclient = w.nclient
	for i, c := range w.Clients() {
		if !dst.procs[c.proc].equal {
			c.copyInto(dst.clients[i])
		}
	}
	for len(dst.conns) < len(w.conns) {
		dst.conns = append(dst.conns, conn{})
	}
	dst.conns = dst.conns[:len(w.conns)]
	for i := range w.conns {
		if c := &w.conns[i]; c.client == nil || !dst.procs[c.client.proc].equal {
			c.copyInto(&dst.conns[i], dst)
		}
	}
	dst.resource.high, dst.resource.shops = w.resource.high, w.resource.shops
	dst.resource.writes = refill(dst.resource.writes, w.resource.writes)
	for i := range dst.resource.writes {
		x := &dst.resource.writes[i]
		x.p = dst.procs[x.p.sp.ID()]
	}
	if w.store.kind != zk.StoreNone || dst.store.kind != zk.StoreNone {
		w.store.copyInto(&dst.store, dst)
	}
}

func (p *Process) copyInto(dst *Process) {
	dst.sp = dst.w.K.Proc(p.sp.ID())
	dst.name, dst.client, dst.incarnation = p.name, p.client, p.incarnation
	dst.interruptsRequests, dst.eventThread = p.interruptsRequests, p.eventThread
	dst.latches = refill(dst.latches, p.latches)
	dst.handles = refill(dst.handles, p.handles)
	dst.slots = refill(dst.slots, p.slots)
	dst.stats = refill(dst.stats, p.stats)
	dst.serial, dst.interrupts, dst.partitioned = p.serial, p.interrupts, p.partitioned
	dst.faults = p.faults
	dst.sessions = refill(dst.sessions, p.sessions)
	dst.gate, dst.atGate = p.gate, p.atGate
	dst.store, dst.tends = p.store, p.tends
	dst.kept, dst.base, dst.made = p.kept, p.base, p.made
}

func (c *Client) copyInto(dst *Client) {
	dst.p, dst.proc, dst.id, dst.n = dst.w.procs[c.proc], c.proc, c.id, c.n
	c.m.CopyInto(&dst.m)
	dst.link, dst.host, dst.resetting = c.link, c.host, c.resetting
	dst.dialing = refill(dst.dialing, c.dialing)
	dst.armed, dst.armedAt, dst.redialAt = c.armed, c.armedAt, c.redialAt
	c.calls.copyInto(&dst.calls)
	dst.stalled, dst.callback = c.stalled, c.callback
	dst.tags = refill(dst.tags, c.tags)
	dst.up, dst.sessions = c.up, c.sessions
}

func (c *conn) copyInto(dst *conn, w *World) {
	dst.client = nil
	if c.client != nil {
		dst.client = w.clients[c.client.id]
	}
	c.toServer.copyInto(&dst.toServer)
	c.toClient.copyInto(&dst.toClient)
	dst.server = c.server
	dst.serverGone, dst.clientGone, dst.cutReply = c.serverGone, c.clientGone, c.cutReply
}

func (f *fifo[T]) copyInto(dst *fifo[T]) {
	dst.reset()
	if f.len() > 0 {
		dst.items = append(dst.items, f.items[f.head:]...)
	}
}

// OnEventThread reports whether all code of the process runs on its client's
// event thread.
func (w *World) OnEventThread(p *Process) bool { return p.eventThread }

// CanCallBack reports whether code of the process may run on its event task. What
// was made before the last checkpoint may if it is still registered.
func (w *World) CanCallBack(p *Process) bool {
	if p.interrupts {
		return true
	}
	left := false
	for i, l := range p.latches {
		if l >= 0 {
			continue
		}
		if !dead(int32(i)+1, 1, p.kept.watchers, p.base.watchers) {
			return true
		}
		left = true
	}
	return left && w.callsBack(p)
}

// callsBack reports whether a callback of the process runs, or one is registered
// or about to be.
func (w *World) callsBack(p *Process) bool {
	runsCode := func(watcher int32) bool { return watcher > 0 && p.latches[watcher-1] < 0 }
	for _, c := range w.Clients() {
		if c.p != p {
			continue
		}
		if c.callback != noTask || c.m.AnyWatcher(runsCode) {
			return true
		}
		for i := c.calls.head; i < len(c.calls.items); i++ {
			if runsCode(c.calls.items[i].Watcher) {
				return true
			}
		}
	}
	return false
}

// HasHandles reports whether the process has opened a handle.
func (w *World) HasHandles(p *Process) bool { return len(p.handles) > 0 }

// CutOff reports whether nothing can arrive for the process until it dials:
// it has no connection, and none is being opened.
func (w *World) CutOff(p *Process) bool {
	for _, c := range w.Clients() {
		if c.p == p && (c.link >= 0 || len(c.dialing) > 0) {
			return false
		}
	}
	return w.HasHandles(p)
}

// Steady reports whether the connections of the process work, as far as the
// server and the network are concerned.
func (w *World) Steady(p *Process) bool {
	for _, c := range w.Clients() {
		if c.p != p {
			continue
		}
		if c.link < 0 || c.resetting || c.m.State() != zkmodel.ClientConnected {
			return false
		}
		if cn := &w.conns[c.link]; cn.serverGone || cn.clientGone || !w.served(c.link) {
			return false
		}
	}
	return true
}

// Quiet reports whether nothing can arrive for the process while its
// connections work and it sends nothing: nothing is under way to it, and it
// waits for no reply and no event. A process on a store never counts as quiet:
// with the timers of its polling taken early, comparing its histories costs more
// than there is room for. Nor does one on an ensemble.
func (w *World) Quiet(p *Process) bool {
	if p.store != zk.StoreNone || w.ens != nil {
		return false
	}
	for _, c := range w.Clients() {
		if c.p != p {
			continue
		}
		if c.link < 0 || c.stalled || len(c.dialing) > 0 || c.calls.len() > 0 {
			return false
		}
		cn := &w.conns[c.link]
		if cn.toServer.len() > 0 || cn.toClient.len() > 0 || w.server.Watched(c.m.SessionID()) {
			return false
		}
	}
	return !w.resource.writing(p)
}

// Waits reports whether what the process sends goes out as if it were sent
// later, provided that no fault strikes and its sessions stay; and nothing but
// its connections is under way for it.
func (w *World) Waits(p *Process) bool {
	for _, c := range w.Clients() {
		if c.p == p && (c.resetting || p.partitioned || !c.m.Awaited()) {
			return false
		}
	}
	return w.HasHandles(p) && !w.resource.writing(p)
}

// Returns is Waits for a process whose connections work or will again, with the
// sessions that they had, provided that no fault strikes.
func (w *World) Returns(p *Process) bool {
	if w.ens != nil {
		return false // not proven
	}
	for _, c := range w.Clients() {
		if c.p != p {
			continue
		}
		if id := c.m.SessionID(); id != 0 && !w.server.SessionAlive(id) {
			return false
		}
		up := c.m.State() == zkmodel.ClientConnected
		if up && (c.link < 0 || !w.served(c.link)) || c.link >= 0 && w.conns[c.link].serverGone {
			return false
		}
	}
	return w.Waits(p)
}

// Redials reports whether a timer of the App is the end of a pause before a
// connect attempt.
func Redials(m sim.Move) bool { return m.A == timerRedial }

// EndsBelief reports whether the message at the head of a link to a client
// may tell it that its connection or its session is over.
func (w *World) EndsBelief(l sim.LinkID) bool {
	f := w.conns[l].toClient.front()
	return f.Hangup || f.Response.Kind == zkmodel.KindConnect && f.Response.SessionID == 0
}

// Waiting reports whether a message waits for the process on each connection on
// which one can still come: none comes before.
func (w *World) Waiting(p *Process) bool {
	for _, c := range w.Clients() {
		if c.p == p && c.link >= 0 && w.conns[c.link].toClient.len() == 0 && !w.conns[c.link].serverGone {
			return false
		}
	}
	return true
}

// Private reports whether the request at the head of a link to the server
// touches nothing but its own session: a connect for a new session, or the
// close of a session without znodes and watches; or the end of a stream whose
// connection has no watches; or, if its session stays, the connect that takes
// it up again.
func (w *World) Private(l sim.LinkID, stays bool) bool {
	if w.ens != nil {
		return false // every step of a server sends something to another
	}
	c := &w.conns[l]
	m := c.toServer.front()
	if c.serverGone {
		return true // whatever it is, nobody looks at it
	}
	if m.fin {
		id, ok := w.server.ConnSession(zkmodel.ConnID(l))
		return !ok || !w.server.Watched(id)
	}
	switch m.req.Op {
	case zkmodel.OpConnect:
		id := m.req.SessionID
		return id == 0 || !w.server.SessionAlive(id) || stays && !w.server.Watched(id)
	case zkmodel.OpCloseSession:
		id, ok := w.server.ConnSession(zkmodel.ConnID(l))
		return ok && w.server.Unused(id)
	}
	return false
}

// refill makes dst, which keeps its memory, a copy of src, which often is empty.
func refill[T any](dst, src []T) []T {
	if len(src) == 0 {
		return dst[:0]
	}
	return append(dst[:0], src...)
}
