package zkmodel

// AppendZxids appends the zxids that the server keeps in its znodes, some of
// them more than once.
func (s *Server) AppendZxids(dst []int64) []int64 {
	for i := range s.nodes {
		if z := &s.nodes[i]; z.live {
			dst = append(dst, z.czxid, z.mzxid, z.pzxid)
		}
	}
	return dst
}

// HashZxids writes the zxids of the znodes, each as rank gives it. [Server.Hash]
// leaves them out.
func (s *Server) HashZxids(h Hasher, rank func(zxid int64) uint64) {
	var b bag
	for i := range s.nodes {
		if z := &s.nodes[i]; z.live {
			b.add(fold(fold(fold(z.hash, rank(z.czxid)), rank(z.mzxid)), rank(z.pzxid)))
		}
	}
	h.Uint64(b.lo)
	h.Uint64(b.hi)
}

// AppendSessions appends the ids of the live sessions, in increasing order.
func (s *Server) AppendSessions(dst []int64) []int64 {
	for i := range s.sessions {
		dst = append(dst, s.sessions[i].id)
	}
	return dst
}
