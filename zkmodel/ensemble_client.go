package zkmodel

// peerConn is a connection of a client. Until it is open it waits for the
// answer to its connect request; once it is gone what still comes is ignored.
type peerConn struct {
	id         ConnID
	serial     uint32
	open, gone bool
	session    int64
	timeout    Time
}

// waitKind says what a request of a client waits for.
type waitKind uint8

const (
	waitTurn    waitKind = iota // those before it on its connection
	waitCommit                  // its entry
	waitSync                    // the leader's word
	waitConnect                 // the leader's word, or the entry of a new session
	waitOpen                    // the connection to be open
)

// peerWait is a request of a client that is not answered.
type peerWait struct {
	conn    uint32
	kind    waitKind
	request Request
}

// findConn is the place of a connection in the order, and whether it is there.
func (p *Peer) findConn(c ConnID) (int, bool) {
	lo, hi := 0, len(p.conns)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if p.conns[mid].id < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(p.conns) && p.conns[lo].id == c
}

// connBySerial is the index of a connection that is not gone, -1 for none.
func (p *Peer) connBySerial(serial uint32) int {
	for i := range p.conns {
		if p.conns[i].serial == serial && !p.conns[i].gone {
			return i
		}
	}
	return -1
}

// ConnSession is the session of a connection that is open or waits to be.
func (p *Peer) ConnSession(c ConnID) (int64, bool) {
	i, ok := p.findConn(c)
	if !ok || p.conns[i].gone {
		return 0, false
	}
	return p.conns[i].session, true
}

// Handle takes the next frame that connection c delivers. The first frame of a
// connection is its connect request; any other hangs it up. Once the server
// has hung up, frames are ignored.
func (p *Peer) Handle(now Time, c ConnID, r *Request, out *PeerOutput) {
	i, known := p.findConn(c)
	if !known {
		p.serial++
		p.conns = append(p.conns, peerConn{})
		copy(p.conns[i+1:], p.conns[i:])
		p.conns[i] = peerConn{id: c, serial: p.serial}
		if r.Op != OpConnect || !p.Serving() {
			p.hangUp(i, out) // without a reply, as measured
			return
		}
		p.connect(now, i, r, out)
		return
	}
	x := &p.conns[i]
	switch {
	case x.gone:
	case !x.open:
		p.waiting = append(p.waiting, peerWait{x.serial, waitOpen, *r})
	default:
		p.request(now, x, r, out)
	}
}

// Drop tells the server that a connection is gone; see [Server.Drop].
func (p *Peer) Drop(now Time, c ConnID) {
	p.server.Drop(now, c)
	if i, ok := p.findConn(c); ok {
		p.forgetWaiting(p.conns[i].serial)
		p.conns = append(p.conns[:i], p.conns[i+1:]...)
	}
}

// hangUp closes a connection from the server's side.
func (p *Peer) hangUp(i int, out *PeerOutput) {
	x := &p.conns[i]
	p.forgetWaiting(x.serial)
	p.server.hangUp(x.id, &out.Output)
	x.open, x.gone = false, true
}

// hangUpAll closes all connections.
func (p *Peer) hangUpAll(out *PeerOutput) {
	for i := range p.conns {
		if !p.conns[i].gone {
			p.hangUp(i, out)
		}
	}
}

func (p *Peer) forgetWaiting(serial uint32) {
	keep := 0
	for i := range p.waiting {
		if p.waiting[i].conn != serial {
			p.waiting[keep] = p.waiting[i]
			keep++
		}
	}
	clear(p.waiting[keep:])
	p.waiting = p.waiting[:keep]
}

// request takes a frame on an open connection: what a quorum must agree to goes
// to the leader at once, and everything else is done here in its turn.
func (p *Peer) request(now Time, x *peerConn, r *Request, out *PeerOutput) {
	if r.Op == OpAuth || r.Op == OpSasl {
		p.server.handshake(x.id, r, &out.Output) // at once, and the session is not heard of
		p.wasServed(x, r, out)
		return
	}
	if !p.heardOf(now, x) {
		return // ZooKeeper drops it (MissingSessionException)
	}
	kind := p.route(now, x, r, out)
	if kind == waitTurn && !p.isWaiting(x.serial) {
		p.serve(now, x, r, out)
		return
	}
	p.waiting = append(p.waiting, peerWait{x.serial, kind, *r})
}

// heardOf takes note that the client of a connection lives. A follower tells
// its leader later.
func (p *Peer) heardOf(now Time, x *peerConn) bool {
	if p.role == RoleLeading {
		return p.touch(now, x.session, x.timeout)
	}
	for i := range p.heard {
		if p.heard[i].ID == x.session {
			p.heard[i].Timeout = x.timeout
			return true
		}
	}
	p.heard = append(p.heard, HeardSession{x.session, x.timeout})
	return true
}

// route sends a request to the leader if that is where it belongs, and says
// what it waits for.
func (p *Peer) route(now Time, x *peerConn, r *Request, out *PeerOutput) waitKind {
	switch {
	case isWrite(r):
		e := Entry{Session: x.session, Origin: p.self(), Conn: x.serial, Request: *r}
		if a := p.server.identity(x.id); a != nil {
			e.Host, e.IDs = a.host, a.ids
		}
		if r.Op == OpCloseSession {
			e.Cause = CauseClose
		}
		p.submit(now, &e, out)
		return waitCommit
	case p.role == RoleFollowing && (r.Op == OpSync || p.server.opts.Mutant == ReadsWaitForAll && isRead(r)):
		p.toLeader(&PeerMessage{Kind: MessageSync, Conn: x.serial}, out)
		return waitSync
	}
	return waitTurn // also a sync at the leader, as measured
}

// submit brings an entry to the leader.
func (p *Peer) submit(now Time, e *Entry, out *PeerOutput) {
	if p.role == RoleLeading {
		p.propose(now, e, out)
		return
	}
	p.toLeader(&PeerMessage{Kind: MessageRequest, Entry: *e}, out)
}

// isWrite says whether a request uses up a zxid.
func isWrite(r *Request) bool {
	switch r.Op {
	case OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL, OpDelete, OpDeleteContainer,
		OpSetData, OpSetACL, OpCheck, OpMulti, OpCreateSession:
		return true
	case OpReconfig, OpCloseSession:
		return !r.Malformed
	}
	return false
}

func (p *Peer) isWaiting(serial uint32) bool {
	for i := range p.waiting {
		if p.waiting[i].conn == serial {
			return true
		}
	}
	return false
}

// serve does a request that this server can do alone.
func (p *Peer) serve(now Time, x *peerConn, r *Request, out *PeerOutput) {
	k := p.server.findSession(x.session)
	begin := len(out.Frames)
	p.server.carryOut(now, x.id, k, r, &out.Output)
	if p.server.opts.Mutant != NoMutant {
		p.server.spoil(x.id, r, &out.Output, begin)
	}
	p.wasServed(x, r, out)
}

// wasServed notes that a request was done, and whether that has hung its
// connection up.
func (p *Peer) wasServed(x *peerConn, r *Request, out *PeerOutput) {
	out.step(r, 0)
	if i, ok := p.server.findConn(x.id); ok && p.server.conns[i].session == 0 {
		x.open, x.gone = false, true // it was hung up
		p.forgetWaiting(x.serial)
	}
}

// answered goes on with a connection whose oldest request has been answered.
func (p *Peer) answered(now Time, serial uint32, out *PeerOutput) {
	i, w := p.connBySerial(serial), p.first(serial)
	if i < 0 || w < 0 {
		return
	}
	wasConnect := p.waiting[w].kind == waitConnect
	p.forget(w)
	if wasConnect {
		p.takeUp(now, &p.conns[i], out)
	}
	for {
		w := p.first(serial)
		if w < 0 || p.waiting[w].kind != waitTurn {
			return
		}
		r := p.waiting[w].request
		p.forget(w)
		p.serve(now, &p.conns[i], &r, out)
	}
}

// takeUp takes up what came on a connection before it was open.
func (p *Peer) takeUp(now Time, x *peerConn, out *PeerOutput) {
	for w := range p.waiting {
		if y := &p.waiting[w]; y.conn == x.serial {
			y.kind = p.route(now, x, &y.request, out)
		}
	}
}

// first is the index of the oldest request of a connection, -1 for none.
func (p *Peer) first(serial uint32) int {
	for w := range p.waiting {
		if p.waiting[w].conn == serial {
			return w
		}
	}
	return -1
}

// forget forgets the request at index w.
func (p *Peer) forget(w int) {
	n := copy(p.waiting[w:], p.waiting[w+1:])
	p.waiting[w+n] = peerWait{}
	p.waiting = p.waiting[:w+n]
}

// synced goes on with a connection whose sync the leader has answered.
func (p *Peer) synced(now Time, serial uint32, out *PeerOutput) {
	w, i := p.first(serial), p.connBySerial(serial)
	if w < 0 || i < 0 || p.waiting[w].kind != waitSync {
		return
	}
	r := p.waiting[w].request
	p.serve(now, &p.conns[i], &r, out)
	p.answered(now, serial, out)
}

// connect takes the connect request of a new connection.
func (p *Peer) connect(now Time, i int, r *Request, out *PeerOutput) {
	x := &p.conns[i]
	if r.LastZxidSeen > p.server.zxid && !p.o.takesAnyone {
		p.hangUp(i, out)
		return
	}
	x.timeout = p.server.negotiate(r.Timeout)
	if r.SessionID == 0 {
		x.session = p.newSession()
		e := Entry{Session: x.session, Timeout: x.timeout, Origin: p.self(), Conn: x.serial, Request: *r}
		p.waiting = append(p.waiting, peerWait{x.serial, waitConnect, *r})
		p.submit(now, &e, out)
		return
	}
	for j := range p.conns {
		// Before the password is looked at, as measured.
		if y := &p.conns[j]; j != i && y.session == r.SessionID && !y.gone {
			p.hangUp(j, out)
		}
	}
	x.session = r.SessionID
	if r.Password != SessionPassword(r.SessionID) {
		p.refuse(i, r, out)
		return
	}
	p.waiting = append(p.waiting, peerWait{x.serial, waitConnect, *r})
	if p.role == RoleLeading {
		p.revalidated(now, i, p.revive(now, x.session, x.timeout, p.self()), r, out)
		return
	}
	p.toLeader(&PeerMessage{Kind: MessageRevalidate, Conn: x.serial, Session: x.session, Timeout: x.timeout}, out)
}

// newSession is the id of a new session. As in ZooKeeper its highest byte is
// the number of the server; the low 32 bits are different for every session of
// the ensemble.
func (p *Peer) newSession() int64 {
	p.made++
	return sessionBase*int64(p.o.ID) + (p.made-1)*int64(p.o.Servers) + int64(p.o.ID)
}

// refuse tells a client that its session is over.
func (p *Peer) refuse(i int, r *Request, out *PeerOutput) {
	out.Frames = append(out.Frames, Frame{Conn: p.conns[i].id, Response: Response{Kind: KindConnect, Op: OpConnect}})
	p.hangUp(i, out)
	out.step(r, 0)
}

// revalidated ends the wait of a connection for its session, which lives or
// not.
func (p *Peer) revalidated(now Time, i int, lives bool, r *Request, out *PeerOutput) {
	if !lives {
		p.refuse(i, r, out)
		return
	}
	p.open(i, r, out)
	out.step(r, 0)
	p.answered(now, p.conns[i].serial, out)
}

// open binds a connection to its session, as r asked, and says so.
func (p *Peer) open(i int, r *Request, out *PeerOutput) {
	x := &p.conns[i]
	x.open = true
	p.server.bindConn(x.id, x.session)
	p.server.greet(x.id, r)
	out.Frames = append(out.Frames, Frame{Conn: x.id, Response: Response{
		Kind: KindConnect, Op: OpConnect,
		Timeout: x.timeout, SessionID: x.session, Password: SessionPassword(x.session),
	}})
}

// begin begins a session. i is the connection that waits for it, -1 for none
// here.
func (p *Peer) begin(e *Entry, i int, out *PeerOutput) {
	s := &p.server
	k := s.openSession(e.Session, &out.Output)
	s.sessions[k].timeout = e.Timeout
	if i >= 0 {
		p.open(i, &e.Request, out)
		return
	}
	for j := range p.conns {
		// A client may have come here before the session did.
		if x := &p.conns[j]; x.session == e.Session && x.open {
			s.bindConn(x.id, e.Session)
		}
	}
}
