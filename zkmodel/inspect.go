package zkmodel

// What an operator may ask a server; no part of what clients see.

// SessionInfo is what there is to tell of a living session.
type SessionInfo struct {
	ID         int64
	Timeout    Time // negotiated
	Deadline   Time // when it expires if its client stays silent
	Ephemerals []string
}

// WatchInfo is one watch.
type WatchInfo struct {
	Conn    ConnID
	Session int64
	Path    string
	Child   bool // of getChildren, not of getData and exists
}

// Data is the data of a znode; false if there is none.
func (s *Server) Data(path string) ([]byte, bool) {
	n := s.lookup(path)
	if n == none {
		return nil, false
	}
	return s.nodes[n].data, true
}

// LastZxid is the zxid of the last change that the server has processed.
func (s *Server) LastZxid() int64 { return s.zxid }

// Sessions lists the living sessions in the order of their ids, and their
// ephemeral znodes in the order in which they were created.
func (s *Server) Sessions() []SessionInfo {
	all := make([]SessionInfo, 0, len(s.sessions))
	for i := range s.sessions {
		x := &s.sessions[i]
		info := SessionInfo{ID: x.id, Timeout: x.timeout, Deadline: x.deadline}
		for n := x.ephFirst; n != none; n = s.nodes[n].ephNext {
			info.Ephemerals = append(info.Ephemerals, s.nodes[n].path)
		}
		all = append(all, info)
	}
	return all
}

// Watches lists the watches: first those of getData and exists, then those of
// the getChildren pair; a persistent one is in both.
func (s *Server) Watches() []WatchInfo {
	all := make([]WatchInfo, 0, len(s.dataWatches.entries)+len(s.childWatches.entries))
	for _, t := range [...]*watchTable{&s.dataWatches, &s.childWatches} {
		for i := range t.entries {
			e := &t.entries[i]
			session, _ := s.ConnSession(e.conn)
			all = append(all, WatchInfo{Conn: e.conn, Session: session, Path: e.path, Child: t == &s.childWatches})
		}
	}
	return all
}

// TreeSize is the number of znodes, all that a fresh server has included, and
// the length of their paths and data in bytes (class DataTree,
// approximateDataSize).
func (s *Server) TreeSize() (znodes int, bytes int64) {
	for i := range s.nodes {
		if z := &s.nodes[i]; z.live {
			bytes += int64(len(z.path) + len(z.data))
		}
	}
	return int(s.count), bytes
}
