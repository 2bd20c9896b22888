package zkmodel

// The state of a server in parts: what belongs to one client, and what belongs
// to none. Written so, with names that do not tell clients apart, it lets a
// search take states that differ only in who is who for one.

// HashShared writes what belongs to no session: all znodes but the ephemeral
// ones.
func (s *Server) HashShared(h Hasher) {
	var b bag
	for i := range s.nodes {
		z := &s.nodes[i]
		if !z.live || z.owner > 0 {
			continue
		}
		e := fold(fold(aboutNode, z.hash), z.dataHash)
		b.add(fold(e, uint64(uint32(z.version))<<32|uint64(uint32(z.creates))))
		if z.owner < 0 || z.acl > 0 {
			b.add(s.hashRare(z))
		}
	}
	h.Uint64(b.lo)
	h.Uint64(b.hi)
}

// HashSession writes a session, by its place among the sessions of its client:
// whether it lives and is attached, and its znodes in creation order. name and
// data give the hashes of paths and contents.
func (s *Server) HashSession(h Hasher, id int64, place int, name func(string) uint64, data func([]byte) uint64) {
	k := s.findSession(id)
	if k == none {
		h.Uint64(uint64(place)<<8 | 1)
		return
	}
	bits := uint64(place)<<8 | 2
	if s.sessions[k].attached {
		bits |= 4
	}
	h.Uint64(bits)
	h.Uint64(uint64(s.sessions[k].timeout))
	s.HashEphemerals(h, id, name, data)
}

// HashEphemerals writes the znodes of a session in creation order: all of it that
// matters behind its end.
func (s *Server) HashEphemerals(h Hasher, id int64, name func(string) uint64, data func([]byte) uint64) {
	k := s.findSession(id)
	if k == none {
		return
	}
	for i := s.sessions[k].ephFirst; i != none; i = s.nodes[i].ephNext {
		z := &s.nodes[i]
		h.Uint64(name(z.path))
		h.Uint64(data(z.data))
		h.Uint64(uint64(uint32(z.version))<<32 | uint64(uint32(z.creates)))
		if z.acl > 0 {
			h.Uint64(s.acls.hash(z.acl))
		}
	}
}

// HashConn writes the watches of a connection, who authenticated on it, and
// whether it is attached to a session of the server's.
func (s *Server) HashConn(h Hasher, c ConnID, name func(string) uint64) {
	var b bag
	for i := range s.dataWatches.entries {
		if w := &s.dataWatches.entries[i]; w.conn == c {
			b.add(fold(fold(aboutDataWatch, name(w.path)), uint64(w.mode)))
		}
	}
	for i := range s.childWatches.entries {
		if w := &s.childWatches.entries[i]; w.conn == c {
			b.add(fold(fold(aboutChildWatch, name(w.path)), uint64(w.mode)))
		}
	}
	for i := range s.identities {
		if a := &s.identities[i]; a.conn == c {
			b.add(a.idsHash())
		}
	}
	h.Uint64(b.lo)
	h.Uint64(b.hi)
	if i, ok := s.findConn(c); ok {
		bits := uint64(1)
		if s.conns[i].session != 0 {
			bits = 2
		}
		h.Uint64(bits)
	}
}
