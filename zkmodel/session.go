package zkmodel

import "math"

// sessionBase is what the first session id is counted from. As in ZooKeeper
// the highest byte is the id of the server; the clock below it is left out, so
// that the low 32 bits are the number of the session in connect order.
const sessionBase int64 = 0x0100000000000000

// serverSession is a session that has not ended. They are kept in the order of
// their ids.
type serverSession struct {
	id       int64
	timeout  Time // negotiated
	deadline Time // end of its expiry bucket
	conn     ConnID
	attached bool  // conn is there
	ephFirst int32 // its ephemeral znodes in creation order
	ephLast  int32
}

// serverConn is a connection that has sent something and that Drop has not
// taken away. They are kept in the order of their ids.
type serverConn struct {
	id      ConnID
	session int64 // whose conn this is; 0: hung up by the server, what still comes is ignored
}

// SessionPassword is the password of a session, a function of its id as in
// ZooKeeper, where any server can verify it; never 0.
func SessionPassword(id int64) uint64 { return mix64(uint64(id)^0xB3415C00) | 1 }

// findSession is the index of a living session, none if there is none.
func (s *Server) findSession(id int64) int32 {
	lo, hi := 0, len(s.sessions)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.sessions[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(s.sessions) && s.sessions[lo].id == id {
		return int32(lo)
	}
	return none
}

// findConn is the place of a connection in the order, and whether it is there.
func (s *Server) findConn(c ConnID) (int, bool) {
	lo, hi := 0, len(s.conns)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s.conns[mid].id < c {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(s.conns) && s.conns[lo].id == c
}

// setConn binds a connection to a session; 0 marks it as hung up.
func (s *Server) setConn(c ConnID, session int64) {
	i, ok := s.findConn(c)
	if !ok {
		s.conns = append(s.conns, serverConn{})
		copy(s.conns[i+1:], s.conns[i:])
	}
	s.conns[i] = serverConn{id: c, session: session}
}

// hangUp closes a connection from the server's side. The session stays.
func (s *Server) hangUp(c ConnID, out *Output) {
	s.detachConn(c)
	s.setConn(c, 0)
	out.Frames = append(out.Frames, Frame{Conn: c, Hangup: true})
}

// detachConn takes a connection's watches away and parts it from its session.
func (s *Server) detachConn(c ConnID) {
	i, ok := s.findConn(c)
	if !ok || s.conns[i].session == 0 {
		return
	}
	s.dataWatches.drop(c)
	s.childWatches.drop(c)
	if len(s.identities) > 0 {
		s.forgetIdentity(c)
	}
	if k := s.findSession(s.conns[i].session); k != none {
		s.sessions[k].attached = false
	}
}

// Drop tells the server that a TCP connection is gone: its watches vanish, the
// session stays until it expires. A driver calls it for connections that the
// server hung up as well, once nothing more can come through them; until then
// the server remembers to ignore what does.
func (s *Server) Drop(now Time, c ConnID) {
	if s.opts.Mutant == EphemeralGoesAtOnce {
		for k := range s.sessions {
			if s.sessions[k].attached && s.sessions[k].conn == c {
				s.forgetEphemerals(int32(k))
			}
		}
	}
	s.detachConn(c)
	if i, ok := s.findConn(c); ok {
		s.conns = append(s.conns[:i], s.conns[i+1:]...)
	}
}

// connect answers a connect request on a new connection (class
// ZooKeeperServer, processConnectRequest).
func (s *Server) connect(now Time, c ConnID, r *Request, out *Output) {
	if r.LastZxidSeen > s.zxid {
		s.hangUp(c, out)
		return
	}
	timeout := s.negotiate(r.Timeout)
	if r.SessionID == 0 {
		s.zxid++
		s.lastSession++
		k := s.openSession(sessionBase+s.lastSession, out)
		s.adopt(now, k, c, timeout, out)
		s.greet(c, r)
		return
	}
	k := s.findSession(r.SessionID)
	if k != none && s.sessions[k].attached {
		// Before the password is looked at, as measured.
		s.hangUp(s.sessions[k].conn, out)
	}
	if k == none || r.Password != SessionPassword(r.SessionID) {
		out.Frames = append(out.Frames, Frame{Conn: c, Response: Response{Kind: KindConnect, Op: OpConnect}})
		s.hangUp(c, out)
		return
	}
	s.adopt(now, k, c, timeout, out)
	s.greet(c, r)
}

// greet keeps the address of a client that tells one.
func (s *Server) greet(c ConnID, r *Request) {
	if r.Path != "" && r.Path != localHost {
		s.identify(c).host = r.Path
	}
}

// negotiate is the session timeout that the server grants.
func (s *Server) negotiate(t Time) Time { return min(max(t, 2*s.opts.Tick), 20*s.opts.Tick) }

// openSession is the createSession transaction s.zxid.
func (s *Server) openSession(id int64, out *Output) int32 {
	k := len(s.sessions)
	for k > 0 && s.sessions[k-1].id > id {
		k--
	}
	s.sessions = append(s.sessions, serverSession{})
	copy(s.sessions[k+1:], s.sessions[k:])
	s.sessions[k] = serverSession{id: id, ephFirst: none, ephLast: none}
	out.Txns = append(out.Txns, Txn{Zxid: s.zxid, Op: OpConnect, Session: id})
	return int32(k)
}

// adopt binds a session to the connection c and says so.
func (s *Server) adopt(now Time, k int32, c ConnID, timeout Time, out *Output) {
	sess := &s.sessions[k]
	sess.timeout, sess.conn, sess.attached = timeout, c, true
	s.touch(now, k)
	s.setConn(c, sess.id)
	s.welcome(c, sess, out)
}

// welcome appends the connect response for a session.
func (s *Server) welcome(c ConnID, sess *serverSession, out *Output) {
	out.Frames = append(out.Frames, Frame{Conn: c, Response: Response{
		Kind: KindConnect, Op: OpConnect,
		Timeout: sess.timeout, SessionID: sess.id, Password: SessionPassword(sess.id),
	}})
}

// touch puts a session into the expiry bucket that a packet received now gives
// it (class ExpiryQueue, roundToNextInterval).
func (s *Server) touch(now Time, k int32) {
	sess := &s.sessions[k]
	sess.deadline = ((now+sess.timeout)/s.opts.Tick + 1) * s.opts.Tick
}

// NextExpiry is the earliest time at which Tick would do something: expire a
// session, or delete a container or a TTL znode. It is false if there is
// nothing to wait for.
func (s *Server) NextExpiry() (Time, bool) {
	at, ok := s.reapDue()
	for i := range s.sessions {
		if d := s.sessions[i].deadline; !ok || d < at {
			at, ok = d, true
		}
	}
	return at, ok
}

// Tick expires every session whose bucket has ended at now, bucket by bucket
// and within a bucket by session id (ZooKeeper leaves that order open), and
// deletes the containers and TTL znodes that are due.
func (s *Server) Tick(now Time, out *Output) {
	for {
		due, at := none, Time(math.MaxInt64)
		for i := range s.sessions {
			if d := s.sessions[i].deadline; d <= now && d < at {
				due, at = int32(i), d
			}
		}
		if s.owned != 0 {
			if check, ok := s.reapDue(); ok && check <= now && check < at {
				s.reapAt = check
				s.reap(out)
				continue
			}
		}
		if due == none {
			return
		}
		if s.owned != 0 {
			s.passChecks(at)
		}
		s.expire(due, out)
	}
}

// Expire ends a living session now, whatever its deadline; false if there is
// no such session.
func (s *Server) Expire(now Time, session int64, out *Output) bool {
	k := s.findSession(session)
	if k == none {
		return false
	}
	if s.owned != 0 {
		s.passChecks(now)
	}
	s.expire(k, out)
	return true
}

// expire ends a session from the server's side. Its client gets no message,
// just the end of its connection; what it watches is therefore gone before its
// znodes go.
func (s *Server) expire(k int32, out *Output) {
	if sess := &s.sessions[k]; sess.attached {
		s.hangUp(sess.conn, out)
	}
	s.endSession(k, CauseExpiry, out)
}

// endSession is the closeSession transaction: one zxid for the session and all
// its ephemeral znodes, which go in creation order (ZooKeeper: in hash order).
func (s *Server) endSession(k int32, cause Cause, out *Output) {
	s.zxid++
	if s.opts.Mutant == EphemeralSurvives {
		s.keepLast(k)
	}
	id := s.sessions[k].id
	for {
		n := s.sessions[k].ephFirst
		if n == none {
			break
		}
		var ch change
		s.cut(n, &ch)
		s.fire(&ch, id, cause, out)
		s.release(n)
	}
	out.Txns = append(out.Txns, Txn{Zxid: s.zxid, Op: OpCloseSession, Session: id, Cause: cause})
	s.sessions = append(s.sessions[:k], s.sessions[k+1:]...)
}

// closeSession is the client's own end of its session: the events of its own
// ephemeral znodes, the reply, then the end of the connection.
func (s *Server) closeSession(c ConnID, k int32, r *Request, out *Output) {
	s.endSession(k, CauseClose, out)
	s.reply(c, r, out)
	s.hangUp(c, out)
}

// SessionAlive says whether the server holds the session.
func (s *Server) SessionAlive(id int64) bool { return s.findSession(id) != none }

// SessionConn is the connection of a living session; false if it has none.
func (s *Server) SessionConn(id int64) (ConnID, bool) {
	k := s.findSession(id)
	if k == none || !s.sessions[k].attached {
		return 0, false
	}
	return s.sessions[k].conn, true
}

// linkEphemeral appends n to the znodes of session k.
func (s *Server) linkEphemeral(k, n int32) {
	s.nodes[n].ephPrev, s.nodes[n].ephNext = s.sessions[k].ephLast, none
	s.putEphemeral(n)
}

// putEphemeral links n between the znodes of its owner that it names.
func (s *Server) putEphemeral(n int32) {
	z := &s.nodes[n]
	if z.ephPrev != none {
		s.nodes[z.ephPrev].ephNext = n
	} else {
		s.sessions[s.findSession(z.owner)].ephFirst = n
	}
	if z.ephNext != none {
		s.nodes[z.ephNext].ephPrev = n
	} else {
		s.sessions[s.findSession(z.owner)].ephLast = n
	}
}

// unlinkEphemeral takes n out of the znodes of its owner; n keeps its links.
func (s *Server) unlinkEphemeral(n int32) {
	z := &s.nodes[n]
	if z.ephPrev != none {
		s.nodes[z.ephPrev].ephNext = z.ephNext
	} else {
		s.sessions[s.findSession(z.owner)].ephFirst = z.ephNext
	}
	if z.ephNext != none {
		s.nodes[z.ephNext].ephPrev = z.ephPrev
	} else {
		s.sessions[s.findSession(z.owner)].ephLast = z.ephPrev
	}
}
