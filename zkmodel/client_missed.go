package zkmodel

// HashMissed writes, for each watch that the client would set again after a
// reconnect, whether s would answer it with an event for what a client that
// has seen the zxid last has not seen: the outcome of the comparison with the
// last zxid that setWatches makes. With that for its own last zxid, and for
// those that it will have once it has taken what is under way, all is said that
// matters of them. The watches are those that stand once the reply to the
// request xid has come, 0 for now; name gives the hashes of paths.
func (c *Client) HashMissed(h Hasher, s *Server, last int64, xid int32, name func(string) uint64) {
	var b bag
	for t := range c.watches {
		for i := range c.watches[t] {
			path := c.watches[t][i].path
			z := s.stampsOf(path)
			switch WatchTable(t) {
			case TableData:
				b.add(fold(name(path), missedBits(z.mzxid > last, false)))
			case TableChild:
				b.add(fold(name(path), missedBits(false, z.pzxid > last)))
			}
		}
	}
	h.Uint64(b.lo)
	h.Uint64(b.hi)
	for i := c.head; i < len(c.sent) && c.sent[i].xid <= xid; i++ {
		if c.sent[i].watcher != 0 {
			z := s.stampsOf(c.sent[i].path)
			h.Uint64(missedBits(z.mzxid > last, z.pzxid > last))
		}
	}
}

func missedBits(data, children bool) uint64 {
	bits := uint64(4)
	if data {
		bits |= 1
	}
	if children {
		bits |= 2
	}
	return bits
}

// stamps are zxids of a znode, 0 if there is none.
type stamps struct{ mzxid, pzxid int64 }

func (s *Server) stampsOf(path string) stamps {
	n := s.find(path, hashPath(path))
	if n == none {
		return stamps{}
	}
	return stamps{s.nodes[n].mzxid, s.nodes[n].pzxid}
}
