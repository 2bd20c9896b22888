package zkmodel

// noConn stands for a connection that is not here.
const noConn ConnID = -1

// lastLogged is the zxid of the last entry, applied or not.
func (p *Peer) lastLogged() int64 {
	if n := len(p.log); n > 0 {
		return p.log[n-1].Zxid
	}
	return p.base
}

// lastApplied is the zxid of the state.
func (p *Peer) lastApplied() int64 {
	if p.applied > 0 {
		return p.log[p.applied-1].Zxid
	}
	return p.base
}

// behind is the index of the first entry with a zxid greater than z.
func (p *Peer) behind(z int64) int {
	lo, hi := 0, len(p.log)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if p.log[mid].Zxid <= z {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// truncate drops the entries behind z that are not applied.
func (p *Peer) truncate(z int64) {
	n := max(p.behind(z), p.applied)
	clear(p.log[n:])
	p.log = p.log[:n]
}

// install takes a state over in place of the log.
func (p *Peer) install(s *Server, out *PeerOutput) {
	opts, key := p.server.opts, p.server.listingKey
	s.CopyInto(&p.server)
	p.server.forgetConns()
	p.server.opts, p.server.listingKey = opts, key
	clear(p.log)
	p.log, p.applied = p.log[:0], 0
	p.base = s.zxid
	out.Installed = p.base
}

// applyTo applies the entries up to z that are not applied yet.
func (p *Peer) applyTo(now Time, z int64, out *PeerOutput) {
	for p.applied < len(p.log) && p.log[p.applied].Zxid <= z {
		e := p.log[p.applied]
		p.applied++
		p.apply(now, &e, out)
	}
	if drop := p.applied - p.o.CommitLog; drop > p.o.CommitLog {
		p.base = p.log[drop-1].Zxid
		n := copy(p.log, p.log[drop:])
		clear(p.log[n:])
		p.log, p.applied = p.log[:n], p.o.CommitLog
	}
}

// apply does what an entry says. The connection that waits for it, if it is
// one of this server's, gets the reply, and then what has waited behind it is
// done.
func (p *Peer) apply(now Time, e *Entry, out *PeerOutput) {
	i := -1
	if e.Origin == p.self() {
		i = p.connBySerial(e.Conn)
	}
	if p.role == RoleLeading && p.server.owned != 0 {
		p.server.passChecks(now)
	}
	p.server.zxid = e.Zxid - 1
	txns := len(out.Txns)
	p.carryOut(e, i, out)
	p.server.zxid = e.Zxid
	if len(out.Txns) == txns {
		out.Txns = append(out.Txns, Txn{Zxid: e.Zxid, Op: OpError, Session: e.Session})
	}
	out.step(&e.Request, e.Zxid)
	if i >= 0 {
		p.answered(now, e.Conn, out)
	}
}

// carryOut changes the state as an entry says and puts out frames; i is the
// connection that gets the reply, -1 for none.
func (p *Peer) carryOut(e *Entry, i int, out *PeerOutput) {
	begin, s := len(out.Frames), &p.server
	k := s.findSession(e.Session)
	switch {
	case e.Err != OK:
		if i >= 0 {
			p.hangUp(i, out)
		}
	case e.Request.Op == OpConnect:
		s.zxid++
		p.begin(e, i, out)
	case e.Cause == CauseReaper:
		s.zxid++
		s.reapOne(e.Request.Path, &out.Output)
	case k == none: // it ended in front of this entry
		s.zxid++
		s.reply(noConn, &e.Request, &out.Output).Err = SessionExpired
	case e.Request.Op == OpCloseSession:
		p.end(e, k, i, out)
	default:
		// As nobody's on every server, with what the client was known as when
		// it sent the request.
		if e.Host != "" || len(e.IDs) > 0 {
			s.identities = append(s.identities, connIdentity{conn: noConn, host: e.Host, ids: e.IDs})
		}
		s.carryOut(e.Time, noConn, k, &e.Request, &out.Output)
		s.forgetIdentity(noConn)
	}
	c := noConn
	if i >= 0 {
		c = p.conns[i].id
	}
	out.address(begin, c)
	if s.opts.Mutant != NoMutant {
		s.spoil(c, &e.Request, &out.Output, begin)
	}
}

// end ends a session. Whoever still is connected with it is not told, but for
// connection i, which asked for it.
func (p *Peer) end(e *Entry, k int32, i int, out *PeerOutput) {
	for j := range p.conns {
		if x := &p.conns[j]; x.session == e.Session && x.open && j != i {
			p.hangUp(j, out)
		}
	}
	p.server.endSession(k, e.Cause, &out.Output)
	p.endTracking(e.Session)
	if i >= 0 {
		p.server.reply(p.conns[i].id, &e.Request, &out.Output)
		p.hangUp(i, out)
	}
}

// address gives the frames from index begin on that are for no connection to
// c, or drops them if that is none either.
func (o *Output) address(begin int, c ConnID) {
	keep := begin
	for i := begin; i < len(o.Frames); i++ {
		f := &o.Frames[i]
		if f.Conn == noConn {
			if f.Conn = c; c == noConn {
				continue
			}
		}
		if keep != i {
			o.Frames[keep] = *f
		}
		keep++
	}
	clear(o.Frames[keep:])
	o.Frames = o.Frames[:keep]
}

// forgetConns forgets every connection and what it watched.
func (s *Server) forgetConns() {
	for len(s.conns) > 0 {
		s.Drop(0, s.conns[0].id)
	}
}

// bindConn binds a connection to a session, which may not have begun here yet.
func (s *Server) bindConn(c ConnID, id int64) {
	s.setConn(c, id)
	if k := s.findSession(id); k != none {
		s.sessions[k].conn, s.sessions[k].attached = c, true
	}
}
