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
