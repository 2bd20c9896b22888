package zkmodel

import "strings"

// setWatches registers the watches of a client that reconnected. For what it
// missed since w.RelativeZxid it sends the event at once instead, data watches
// before exist and child watches (class DataTree, setWatches). Persistent and
// recursive watches are registered without a look at what they missed.
func (s *Server) setWatches(c ConnID, w *WatchSet, out *Output) {
	if w == nil {
		return
	}
	for _, path := range w.Data {
		s.watchAgain(c, path, EventNodeDataChanged, w.RelativeZxid, out)
	}
	for _, path := range w.Exist {
		h := hashPath(path)
		if s.find(path, h) != none {
			out.event(c, EventNodeCreated, path)
		} else {
			s.watch(&s.dataWatches, c, path, h, watchOnce)
		}
	}
	for _, path := range w.Child {
		s.watchAgain(c, path, EventNodeChildrenChanged, w.RelativeZxid, out)
	}
	for _, path := range w.Persistent {
		s.watchBoth(c, path, watchPersistent)
	}
	for _, path := range w.Recursive {
		s.watchBoth(c, path, watchRecursive)
	}
}

// watchAgain registers the one-shot watch that waits for an event e on a znode,
// or sends what has happened there since zxid.
func (s *Server) watchAgain(c ConnID, path string, e EventType, zxid int64, out *Output) {
	h := hashPath(path)
	n := s.find(path, h)
	if n == none {
		out.event(c, EventNodeDeleted, path)
		return
	}
	t, changed := &s.dataWatches, s.nodes[n].mzxid
	if e == EventNodeChildrenChanged {
		t, changed = &s.childWatches, s.nodes[n].pzxid
	}
	if changed > zxid {
		out.event(c, e, path)
		return
	}
	s.watch(t, c, path, h, watchOnce)
}

// watchBoth registers a watch that addWatch asks for, in both tables. Where
// modes coexist, as in 3.9, a recursive one stands in the data table alone.
func (s *Server) watchBoth(c ConnID, path string, m watchMode) {
	h := hashPath(path)
	s.watch(&s.dataWatches, c, path, h, m)
	if m != watchRecursive || !s.opts.WatchModesCoexist {
		s.watch(&s.childWatches, c, path, h, m)
	}
}

// addWatch answers a request for a persistent or recursive watch; neither a
// znode nor a valid path is asked for.
func (s *Server) addWatch(c ConnID, r *Request, out *Output) {
	resp := s.reply(c, r, out)
	switch r.Flags {
	case WatchPersistent:
		s.watchBoth(c, r.Path, watchPersistent)
	case WatchRecursive:
		s.watchBoth(c, r.Path, watchRecursive)
	default:
		resp.Err = MarshallingError
	}
}

// watchesOf appends the tables that a type of watches means.
func (s *Server) watchesOf(watchType int32) []*watchTable {
	both := [...]*watchTable{&s.childWatches, &s.dataWatches}
	switch watchType {
	case WatchTypeChildren:
		return both[:1]
	case WatchTypeData:
		return both[1:]
	case WatchTypeAny:
		return both[:]
	}
	return nil
}

// checkWatches says whether there is a watch on a path: in 3.8.0 one of any
// connection, where modes coexist one of this connection.
func (s *Server) checkWatches(c ConnID, path string, watchType int32) Code {
	tables := s.watchesOf(watchType)
	if tables == nil || path != "" && strings.IndexByte(path, '/') < 0 {
		return MarshallingError
	}
	if path == "" {
		return NoWatcher // though there may be one
	}
	h := hashPath(path)
	for _, t := range tables {
		for i, other := range t.hashes {
			if other == h && t.entries[i].path == path && (t.entries[i].conn == c || !s.opts.WatchModesCoexist) {
				return OK
			}
		}
	}
	return NoWatcher
}

// removeWatches removes the watches of a connection on a path, of all modes.
func (s *Server) removeWatches(c ConnID, path string, watchType int32) Code {
	tables := s.watchesOf(watchType)
	if tables == nil {
		return MarshallingError
	}
	code, h := NoWatcher, hashPath(path)
	for _, t := range tables {
		if i := t.find(c, path, h); i >= 0 {
			t.remove(i)
			code = OK
		}
	}
	return code
}
