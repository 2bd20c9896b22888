package zkmodel

// NumSessions counts the live sessions.
func (s *Server) NumSessions() int { return len(s.sessions) }

// ConnSession is the live session attached to a connection.
func (s *Server) ConnSession(c ConnID) (int64, bool) {
	i, ok := s.findConn(c)
	if !ok || s.conns[i].session == 0 {
		return 0, false
	}
	return s.conns[i].session, true
}

// Unused reports whether a live session has no ephemeral znodes, and its
// connection no watches.
func (s *Server) Unused(id int64) bool {
	k := s.findSession(id)
	return k != none && s.sessions[k].ephFirst == none && !s.Watched(id)
}

// Watched reports whether the connection of a live session has watches.
func (s *Server) Watched(id int64) bool {
	k := s.findSession(id)
	if k == none || !s.sessions[k].attached {
		return false
	}
	c := s.sessions[k].conn
	for _, t := range []*watchTable{&s.dataWatches, &s.childWatches} {
		for i := range t.entries {
			if t.entries[i].conn == c {
				return true
			}
		}
	}
	return false
}
