package zkmodel

// Watches are one-shot: they belong to a connection, one for each path and
// table, however often they are registered, and go when they fire or when the
// connection does.

// watchTable is one of the two tables of class WatchManager: that of getData
// and exists, or that of the getChildren pair.
type watchTable struct {
	hashes  []uint64 // of the paths; apart, since a scan reads nothing else
	entries []watchEntry
}

type watchEntry struct {
	path string
	conn ConnID
}

func (t *watchTable) reset() {
	t.hashes, t.entries = t.hashes[:0], t.entries[:0]
}

func (t *watchTable) copyInto(dst *watchTable) {
	dst.hashes = append(dst.hashes[:0], t.hashes...)
	dst.entries = append(dst.entries[:0], t.entries...)
}

// add registers a watch; a second one of the same connection and path is the
// first one.
func (t *watchTable) add(c ConnID, path string, h uint64) {
	for i, other := range t.hashes {
		if other == h && t.entries[i].conn == c && t.entries[i].path == path {
			return
		}
	}
	t.hashes = append(t.hashes, h)
	t.entries = append(t.entries, watchEntry{path: path, conn: c})
}

// trigger fires the watches on path and removes them, in order of
// registration. Connections that got an event in out.Frames[quiet:] lose their
// watch without another one. It returns the number of events.
func (t *watchTable) trigger(out *Output, path string, h uint64, e EventType, quiet int) int32 {
	i := 0
	for i < len(t.hashes) && t.hashes[i] != h {
		i++
	}
	if i == len(t.hashes) {
		return 0
	}
	had := out.Frames[quiet:]
	sent, keep := int32(0), i
	for ; i < len(t.hashes); i++ {
		if t.hashes[i] != h || t.entries[i].path != path {
			t.hashes[keep], t.entries[keep] = t.hashes[i], t.entries[i]
			keep++
			continue
		}
		if c := t.entries[i].conn; !addressed(had, c) {
			out.event(c, e, path)
			sent++
		}
	}
	t.hashes, t.entries = t.hashes[:keep], t.entries[:keep]
	return sent
}

// addressed says whether a frame goes to c.
func addressed(frames []Frame, c ConnID) bool {
	for i := range frames {
		if frames[i].Conn == c {
			return true
		}
	}
	return false
}

// drop removes the watches of a connection.
func (t *watchTable) drop(c ConnID) {
	keep := 0
	for i := range t.entries {
		if t.entries[i].conn == c {
			continue
		}
		if keep != i {
			t.hashes[keep], t.entries[keep] = t.hashes[i], t.entries[i]
		}
		keep++
	}
	t.hashes, t.entries = t.hashes[:keep], t.entries[:keep]
}

// fire sends the watch events of a change that stands, in the order of class
// DataTree, and reports the change.
func (s *Server) fire(ch *change, session int64, cause Cause, out *Output) {
	z := &s.nodes[ch.node]
	var sent int32
	switch ch.op {
	case OpCreate:
		sent = s.dataWatches.trigger(out, z.path, z.hash, EventNodeCreated, len(out.Frames))
		sent += s.fireParent(z.parent, out)
	case OpSetData:
		sent = s.dataWatches.trigger(out, z.path, z.hash, EventNodeDataChanged, len(out.Frames))
	case OpDelete:
		before := len(out.Frames)
		sent = s.dataWatches.trigger(out, z.path, z.hash, EventNodeDeleted, before)
		sent += s.childWatches.trigger(out, z.path, z.hash, EventNodeDeleted, before)
		sent += s.fireParent(z.parent, out)
	}
	out.Txns = append(out.Txns, Txn{
		Zxid: s.zxid, Op: ch.op, Path: z.path, Session: session,
		Owner: z.owner, Czxid: z.czxid, Cause: cause, Notified: sent,
	})
}

// fireParent tells of a child of p that was created or deleted.
func (s *Server) fireParent(p int32, out *Output) int32 {
	z := &s.nodes[p]
	return s.childWatches.trigger(out, z.path, z.hash, EventNodeChildrenChanged, len(out.Frames))
}

// setWatches registers the watches of a client that reconnected. For what it
// missed since w.RelativeZxid it sends the event at once instead, data watches
// before exist and child watches (class DataTree, setWatches).
func (s *Server) setWatches(c ConnID, w *WatchSet, out *Output) {
	if w == nil {
		return
	}
	for _, path := range w.Data {
		h := hashPath(path)
		switch n := s.find(path, h); {
		case n == none:
			out.event(c, EventNodeDeleted, path)
		case s.nodes[n].mzxid > w.RelativeZxid:
			out.event(c, EventNodeDataChanged, path)
		default:
			s.dataWatches.add(c, path, h)
		}
	}
	for _, path := range w.Exist {
		h := hashPath(path)
		if s.find(path, h) != none {
			out.event(c, EventNodeCreated, path)
		} else {
			s.dataWatches.add(c, path, h)
		}
	}
	for _, path := range w.Child {
		h := hashPath(path)
		switch n := s.find(path, h); {
		case n == none:
			out.event(c, EventNodeDeleted, path)
		case s.nodes[n].pzxid > w.RelativeZxid:
			out.event(c, EventNodeChildrenChanged, path)
		default:
			s.childWatches.add(c, path, h)
		}
	}
}
