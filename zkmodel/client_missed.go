package zkmodel

// AppendMissed appends, for each watch that the client would set again after a
// reconnect, whether s would answer it with an event for what the client has
// not seen: the outcome of the comparison with the last zxid that setWatches
// makes. It is all that matters of that zxid.
func (c *Client) AppendMissed(dst []bool, s *Server) []bool {
	for t := range c.watches {
		for i := range c.watches[t] {
			missed := false
			if n := s.find(c.watches[t][i].path, hashPath(c.watches[t][i].path)); n != none {
				switch WatchTable(t) {
				case TableData:
					missed = s.nodes[n].mzxid > c.lastZxid
				case TableChild:
					missed = s.nodes[n].pzxid > c.lastZxid
				}
			}
			dst = append(dst, missed)
		}
	}
	return dst
}
