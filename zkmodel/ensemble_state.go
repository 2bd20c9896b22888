package zkmodel

// CopyInto makes dst a copy of p that shares nothing with it that changes. It
// allocates only where dst never held as much.
func (p *Peer) CopyInto(dst *Peer) {
	server, log, conns, waiting := dst.server, dst.log, dst.conns, dst.waiting
	heard, sessions, syncs := dst.heard, dst.sessions, dst.syncs
	*dst = *p
	dst.server = server
	p.server.CopyInto(&dst.server)
	dst.log = append(log[:0], p.log...)
	dst.conns = append(conns[:0], p.conns...)
	dst.waiting = append(waiting[:0], p.waiting...)
	dst.heard = append(heard[:0], p.heard...)
	dst.sessions = append(sessions[:0], p.sessions...)
	dst.syncs = append(syncs[:0], p.syncs...)
}

// Hash writes the state of the server: what it has applied (see [Server.Hash]),
// what it has logged, its role, and its clients. Zxids, epochs, numbers of
// connections and of links are written as they are; times are not.
func (p *Peer) Hash(h Hasher) {
	p.server.Hash(h)
	h.Uint64(uint64(p.lastApplied()))
	h.Uint64(uint64(len(p.log) - p.applied))
	for i := p.applied; i < len(p.log); i++ {
		p.log[i].hash(h)
	}
	h.Uint64(clientPair(p.accepted, p.current))
	h.Uint64(uint64(p.made))
	h.Uint64(uint64(p.serial)<<32 | uint64(p.links))
	h.Uint64(uint64(p.role)<<8 | uint64(p.o.ID))
	h.Uint64(uint64(len(p.conns)))
	for i := range p.conns {
		x := &p.conns[i]
		h.Uint64(uint64(uint32(x.id))<<32 | uint64(x.serial))
		h.Uint64(packBits(x.open, x.gone))
		h.Uint64(uint64(x.session))
		h.Uint64(uint64(x.timeout))
	}
	h.Uint64(uint64(len(p.waiting)))
	for i := range p.waiting {
		w := &p.waiting[i]
		h.Uint64(uint64(w.conn)<<8 | uint64(w.kind))
		hashFrame(h, &w.request)
	}
	switch p.role {
	case RoleLooking:
		p.looking.hash(h)
	case RoleFollowing:
		p.following.hash(h)
	case RoleLeading:
		p.leading.hash(h)
	}
}

func (v *looking) hash(h Hasher) {
	for i := range v.votes {
		x := &v.votes[i]
		h.Uint64(clientPair(x.epoch, v.asksWith[i]))
		h.Uint64(uint64(x.zxid))
		h.Uint64(uint64(v.asks[i])<<1 | packBits(x.heard))
	}
	h.Uint64(packBits(v.decideAt != 0))
}

func (f *following) hash(h Hasher) {
	h.Uint64(uint64(f.link)<<8 | uint64(f.leader))
	h.Uint64(uint64(f.in)<<32 | uint64(f.out))
	h.Uint64(packBits(f.promised, f.upToDate))
	hashHeard(h, f.heard)
}

func (l *leading) hash(h Hasher) {
	h.Uint64(uint64(uint32(l.epoch))<<2 | packBits(l.agreed, l.established))
	h.Uint64(uint64(l.committed))
	for i := range l.followers {
		f := &l.followers[i]
		h.Uint64(uint64(f.link)<<16 | uint64(f.stage)<<1 | packBits(f.counts))
		h.Uint64(uint64(f.in)<<32 | uint64(f.out))
		h.Uint64(clientPair(f.accepted, f.current))
		h.Uint64(uint64(f.logged))
		h.Uint64(uint64(f.applied))
		h.Uint64(uint64(f.acked))
	}
	h.Uint64(uint64(len(l.sessions)))
	for i := range l.sessions {
		s := &l.sessions[i]
		h.Uint64(uint64(s.id))
		h.Uint64(uint64(s.timeout))
		h.Uint64(uint64(s.owner)<<1 | packBits(s.closing))
	}
	h.Uint64(uint64(len(l.syncs)))
	for _, s := range l.syncs {
		h.Uint64(uint64(s.zxid))
		h.Uint64(uint64(s.conn)<<8 | uint64(s.to))
	}
}

// Hash writes a message under way, a snapshot by its contents.
func (m *PeerMessage) Hash(h Hasher) {
	h.Uint64(uint64(m.Kind)<<16 | uint64(m.From)<<8 | uint64(m.To)<<1 | packBits(m.Flag))
	h.Uint64(packBits(m.Looks))
	h.Uint64(uint64(m.Link)<<32 | uint64(m.Seq))
	h.Uint64(uint64(uint32(m.Epoch))<<32 | uint64(m.Conn))
	h.Uint64(uint64(m.Zxid))
	h.Uint64(uint64(m.Applied))
	h.Uint64(uint64(m.Session))
	h.Uint64(uint64(m.Timeout))
	m.Entry.hash(h)
	hashHeard(h, m.Heard)
	if m.Snapshot != nil {
		m.Snapshot.Hash(h)
	}
}

func (e *Entry) hash(h Hasher) {
	h.Uint64(uint64(e.Zxid))
	h.Uint64(uint64(e.Session))
	h.Uint64(uint64(e.Timeout))
	h.Uint64(clientPair(int32(e.Err), int32(e.Cause)))
	h.Uint64(uint64(e.Conn)<<8 | uint64(e.Origin))
	h.String(e.Host)
	for _, id := range e.IDs {
		h.Uint64(hashID(id))
	}
	hashFrame(h, &e.Request)
}

func hashHeard(h Hasher, heard []HeardSession) {
	h.Uint64(uint64(len(heard)))
	for _, s := range heard {
		h.Uint64(uint64(s.ID))
		h.Uint64(uint64(s.Timeout))
	}
}

// hashFrame writes all of a request.
func hashFrame(h Hasher, r *Request) {
	h.Uint64(clientPair(r.Xid, 0) | packBits(r.Watch, r.Malformed))
	hashClientRequest(h, r, hashPath)
	h.Uint64(uint64(r.LastZxidSeen))
	h.Uint64(uint64(r.Timeout))
	h.Uint64(uint64(r.SessionID))
	h.Uint64(r.Password)
	h.Uint64(uint64(r.TTL))
	hashACLs(h, r.ACL)
	for i := range r.Multi {
		h.Uint64(uint64(r.Multi[i].TTL))
		hashACLs(h, r.Multi[i].ACL)
	}
	if a := r.Auth; a != nil {
		h.String(a.Scheme)
		hashClientData(h, a.Auth)
	}
	if w := r.Watches; w != nil {
		h.Uint64(uint64(w.RelativeZxid))
		for _, list := range [...][]string{w.Data, w.Exist, w.Child, w.Persistent, w.Recursive} {
			h.Uint64(uint64(len(list)))
			for _, path := range list {
				h.String(path)
			}
		}
	}
}

// hashACLs writes an ACL; none and an empty one are different.
func hashACLs(h Hasher, list []ACL) {
	h.Uint64(uint64(len(list))<<1 | packBits(list != nil))
	h.Uint64(hashACL(list))
}

// packBits packs booleans, the first in the lowest bit.
func packBits(bits ...bool) uint64 {
	n := uint64(0)
	for i, b := range bits {
		if b {
			n |= 1 << i
		}
	}
	return n
}
