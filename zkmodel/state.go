package zkmodel

// CopyInto makes dst a copy of s that shares nothing with it but strings and
// data, which nobody changes. It allocates only where dst never held as much.
func (s *Server) CopyInto(dst *Server) {
	dst.opts = s.opts
	dst.nodes = append(dst.nodes[:0], s.nodes...)
	dst.free, dst.count, dst.owned = s.free, s.count, s.owned
	if len(s.acls.entries)+len(dst.acls.entries) > 0 {
		s.acls.copyInto(&dst.acls)
	}
	s.table.copyInto(&dst.table)
	s.dataWatches.copyInto(&dst.dataWatches)
	s.childWatches.copyInto(&dst.childWatches)
	dst.sessions = refill(dst.sessions, s.sessions)
	dst.conns = refill(dst.conns, s.conns)
	dst.identities = refill(dst.identities, s.identities)
	dst.zxid, dst.lastSession, dst.listingKey = s.zxid, s.lastSession, s.listingKey
	dst.reapAt = s.reapAt
}

// What an entry of a fingerprint is about.
const (
	aboutNode uint64 = iota + 1
	aboutOrder
	aboutDataWatch
	aboutChildWatch
	aboutSession
	aboutConn
	aboutOwner
	aboutACL
	aboutIdentity
)

// bag is a fingerprint of a set of entries, whatever their order: two sums of
// mixed hashes.
type bag struct{ lo, hi uint64 }

// add enters the hash of an entry.
func (b *bag) add(h uint64) {
	b.lo += h
	b.hi += mix64(h ^ mulA)
}

// fold mixes the next word of an entry into its hash.
func fold(h, word uint64) uint64 { return mix64(h^word) + mulC }

// Hash writes the state of the server: the znodes with data, versions and
// counters, the watches, the sessions and the connections. Where slots lie and
// in which order independent requests came does not show.
//
// Not written are zxids (in Stats, and the last one), since every connect and
// every failed write uses one up, and server times (ctime, mtime, the deadlines
// of sessions), since a search without clock has none. The order of zxids does
// matter to setWatches, to a client that connects with the last zxid it saw,
// and to recipes that compare czxids: a state that is to tell those apart has
// to be written with the ranks of the zxids in it as well, which is the affair
// of whoever knows all holders of zxids, clients and frames included.
//
// The order of siblings is written only under a listing key (see
// [Server.SetListingKey]), because nothing a client sees depends on it
// otherwise.
func (s *Server) Hash(h Hasher) { s.hash(h, none, noConn) }

// HashBehindEnd writes what is left of the server once a session has expired, as
// far as that can be told before: all but what the server keeps of the session's
// connection. From servers of equal hashes the end leads to equal ones, and sends
// and reports the same.
func (s *Server) HashBehindEnd(h Hasher, session int64) {
	k := s.findSession(session)
	if k == none || !s.sessions[k].attached {
		s.hash(h, k, noConn)
	} else {
		s.hash(h, k, s.sessions[k].conn)
	}
}

// hash is Hash without what is known of a connection, and without whether session
// k is attached to one.
func (s *Server) hash(h Hasher, k int32, without ConnID) {
	var b bag
	for i := range s.nodes {
		z := &s.nodes[i]
		if !z.live {
			continue
		}
		e := fold(fold(aboutNode, z.hash), z.dataHash)
		b.add(fold(e, uint64(uint32(z.version))<<32|uint64(uint32(z.creates))))
		if z.owner < 0 || z.acl > 0 {
			b.add(s.hashRare(z))
		}
		if s.listingKey != 0 && z.children > 1 {
			b.add(s.hashSiblings(z))
		}
	}
	s.dataWatches.hashInto(&b, aboutDataWatch, without)
	s.childWatches.hashInto(&b, aboutChildWatch, without)
	for i := range s.sessions {
		sess := &s.sessions[i]
		b.add(s.hashSession(sess, sess.attached && int32(i) != k))
	}
	for i := range s.conns {
		if c := &s.conns[i]; c.id != without {
			b.add(fold(fold(aboutConn, uint64(c.id)), uint64(c.session)))
		}
	}
	for i := range s.identities {
		if a := &s.identities[i]; a.conn != without {
			b.add(a.hash())
		}
	}
	h.Uint64(b.lo)
	h.Uint64(b.hi)
	h.Uint64(uint64(s.lastSession))
	h.Uint64(s.listingKey)
	s.opts.hash(h)
}

// hash writes the options.
func (o *ServerOptions) hash(h Hasher) {
	bits := uint64(0)
	for i, set := range [...]bool{o.DocumentedWrap, o.TTLNodes, o.WatchModesCoexist} {
		if set {
			bits |= 1 << i
		}
	}
	h.Uint64(uint64(o.Mutant)<<56 | uint64(o.Tick)<<3 | bits)
	h.Uint64(uint64(o.ContainerCheck))
	h.Uint64(uint64(o.SessionsBefore))
}

// hashRare is the hash of what few znodes have: a kind beside persistent and
// ephemeral, and an ACL.
func (s *Server) hashRare(z *znode) uint64 {
	e := z.hash
	if z.owner < 0 {
		e = fold(fold(aboutOwner, e), uint64(z.owner))
	}
	if z.acl > 0 { // that of "/zookeeper/config" never changes
		e = fold(fold(aboutACL, e), s.acls.hash(z.acl))
	}
	return e
}

// hashSiblings is the hash of the children of z in creation order.
func (s *Server) hashSiblings(z *znode) uint64 {
	e := fold(aboutOrder, z.hash)
	for i := z.first; i != none; i = s.nodes[i].next {
		e = fold(e, s.nodes[i].hash)
	}
	return e
}

// hashSession is the hash of a session with its znodes in creation order, the
// order in which its end deletes them. It also tells whose each ephemeral znode
// is.
func (s *Server) hashSession(sess *serverSession, attached bool) uint64 {
	e := fold(fold(aboutSession, uint64(sess.id)), uint64(sess.timeout))
	if attached {
		e = fold(e, uint64(uint32(sess.conn))+1)
	} else {
		e = fold(e, 0)
	}
	for i := sess.ephFirst; i != none; i = s.nodes[i].ephNext {
		e = fold(e, s.nodes[i].hash)
	}
	return e
}

// hashInto enters the watches of a table, but for those of a connection.
func (t *watchTable) hashInto(b *bag, about uint64, without ConnID) {
	for i, h := range t.hashes {
		if w := &t.entries[i]; w.conn != without {
			b.add(fold(fold(about, h), w.word()))
		}
	}
}

// refill makes dst, which keeps its memory, a copy of src, which often is empty.
func refill[T any](dst, src []T) []T {
	if len(src) == 0 {
		return dst[:0]
	}
	return append(dst[:0], src...)
}
