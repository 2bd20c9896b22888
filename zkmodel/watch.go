package zkmodel

// Watches belong to a connection, one for each path and table, however often
// they are registered. They go when the connection does; a one-shot watch goes
// when it fires.

// watchMode says how a watch fires. A connection that has several on a path is
// possible only with [ServerOptions.WatchModesCoexist].
type watchMode uint8

const (
	watchOnce watchMode = 1 << iota
	watchPersistent
	watchRecursive // for the znode and all below it, but for no lists of children
)

// watchTable is one of the two tables of class WatchManager: that of getData
// and exists, or that of the getChildren pair.
type watchTable struct {
	hashes    []uint64 // of the paths; apart, since a scan reads nothing else
	entries   []watchEntry
	recursive int32 // entries that are
}

type watchEntry struct {
	path string
	conn ConnID
	mode watchMode
}

// word is what of an entry is not its path.
func (e *watchEntry) word() uint64 { return uint64(e.mode)<<32 | uint64(uint32(e.conn)) }

func (t *watchTable) reset() {
	t.hashes, t.entries, t.recursive = t.hashes[:0], t.entries[:0], 0
}

func (t *watchTable) copyInto(dst *watchTable) {
	dst.hashes = refill(dst.hashes, t.hashes)
	dst.entries = refill(dst.entries, t.entries)
	dst.recursive = t.recursive
}

// watch registers a watch. A second one of the same connection and path
// replaces the first or, where modes coexist, joins it.
func (s *Server) watch(t *watchTable, c ConnID, path string, h uint64, m watchMode) {
	i := t.find(c, path, h)
	if i < 0 {
		t.hashes = append(t.hashes, h)
		t.entries = append(t.entries, watchEntry{path: path, conn: c})
		i = len(t.entries) - 1
	} else if s.opts.WatchModesCoexist {
		m |= t.entries[i].mode
	}
	t.setMode(i, m)
}

// setMode changes the mode of an entry.
func (t *watchTable) setMode(i int, m watchMode) {
	e := &t.entries[i]
	if e.mode&watchRecursive != 0 {
		t.recursive--
	}
	if m&watchRecursive != 0 {
		t.recursive++
	}
	e.mode = m
}

// find is the entry of a connection and a path, below 0 if there is none.
func (t *watchTable) find(c ConnID, path string, h uint64) int {
	for i, other := range t.hashes {
		if other == h && t.entries[i].conn == c && t.entries[i].path == path {
			return i
		}
	}
	return -1
}

// remove takes an entry out.
func (t *watchTable) remove(i int) {
	t.setMode(i, 0)
	t.hashes = append(t.hashes[:i], t.hashes[i+1:]...)
	t.entries = append(t.entries[:i], t.entries[i+1:]...)
}

// trigger fires the watches on the znode z and removes those that were
// one-shot, in order of registration. Connections that got an event in
// out.Frames[quiet:] get no other one, and those that may not read z get none.
// It returns the number of events.
func (s *Server) trigger(t *watchTable, out *Output, z *znode, e EventType, quiet int) int32 {
	if t.recursive != 0 {
		return s.triggerAll(t, out, z, e, quiet)
	}
	path, h := z.path, z.hash
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
		w := &t.entries[i]
		fires := t.hashes[i] == h && w.path == path
		if fires && !addressed(had, w.conn) && s.mayHear(z, w.conn) {
			out.event(w.conn, e, path)
			sent++
		}
		if !fires || w.mode&watchPersistent != 0 {
			left := *w
			if fires {
				left.mode &^= watchOnce
			}
			t.hashes[keep], t.entries[keep] = t.hashes[i], left
			keep++
		}
	}
	t.hashes, t.entries = t.hashes[:keep], t.entries[:keep]
	return sent
}

// triggerAll is trigger where there are recursive watches (class WatchManager,
// triggerWatch). A connection gets one event, however many of its watches fire.
func (s *Server) triggerAll(t *watchTable, out *Output, z *znode, e EventType, quiet int) int32 {
	path, h := z.path, z.hash
	sent, keep := int32(0), 0
	for i := range t.hashes {
		w := t.entries[i]
		own := t.hashes[i] == h && w.path == path
		fires := own && w.mode&^watchRecursive != 0 ||
			w.mode&watchRecursive != 0 && e != EventNodeChildrenChanged && (own || below(w.path, path))
		if fires && !addressed(out.Frames[quiet:], w.conn) && s.mayHear(z, w.conn) {
			out.event(w.conn, e, path)
			sent++
		}
		if own {
			w.mode &^= watchOnce
		}
		if w.mode != 0 {
			t.hashes[keep], t.entries[keep] = t.hashes[i], w
			keep++
		}
	}
	t.hashes, t.entries = t.hashes[:keep], t.entries[:keep]
	return sent
}

// mayHear says whether a client may learn of a change of z. Debian's 3.8.0 has
// the check that came with 3.8.4 (ZOOKEEPER-4799).
func (s *Server) mayHear(z *znode, c ConnID) bool {
	return z.acl == 0 || s.permitsBy(z.acl, PermRead, c)
}

// below says whether path lies below the znode at top.
func below(top, path string) bool {
	return top == "/" || top != "" && len(path) > len(top) && path[len(top)] == '/' && path[:len(top)] == top
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
			t.setMode(i, 0)
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
	before := len(out.Frames)
	switch ch.op {
	case OpCreate:
		sent = s.trigger(&s.dataWatches, out, z, EventNodeCreated, before)
		sent += s.fireParent(z.parent, out)
	case OpSetData:
		sent = s.trigger(&s.dataWatches, out, z, EventNodeDataChanged, before)
	case OpDelete:
		sent = s.trigger(&s.dataWatches, out, z, EventNodeDeleted, before)
		sent += s.trigger(&s.childWatches, out, z, EventNodeDeleted, before)
		sent += s.fireParent(z.parent, out)
	}
	out.Txns = append(out.Txns, Txn{
		Zxid: s.zxid, Op: ch.op, Path: z.path, Session: session,
		Owner: max(z.owner, 0), Czxid: z.czxid, Cause: cause, Notified: sent,
	})
}

// fireParent tells of a child of p that was created or deleted.
func (s *Server) fireParent(p int32, out *Output) int32 {
	return s.trigger(&s.childWatches, out, &s.nodes[p], EventNodeChildrenChanged, len(out.Frames))
}
