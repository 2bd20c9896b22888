package checker

// The two tables of watches that a server has (class DataTree): of getData and
// exists, and of the getChildren pair.
const (
	dataTable = iota
	childTable
	serviceTables
)

// The modes of a watch. addWatch has the numbers of the last two less one.
const (
	tentativeWatch int32 = iota - 1 // one-shot, unless a setWatches sends an event in its place
	oneShotWatch
	persistentWatch
	recursiveWatch
)

// serviceWatch is a watch that is set: one for each connection, table and
// path. It is linked with those on the same path and those of the same
// connection.
type serviceWatch struct {
	conn, path         int32
	table, mode        int32
	pathPrev, pathNext int32
	connPrev, connNext int32
}

// serviceWatches is the watches that the server must have set. It knows what
// 3.8.0 was measured to do: a watch has one mode, that of its last
// registration; a delete that fired a connection's data watch takes its child
// watch without another event; no connection gets an event twice from a table.
type serviceWatches struct {
	all       []serviceWatch
	free      []int32
	recursive bool   // one was set at some time
	stamp     uint32 // of the change that fires now
}

func (w *serviceWatches) reset() {
	w.all, w.free = w.all[:0], w.free[:0]
	w.recursive, w.stamp = false, 0
}

// find is the watch of a connection on a path, noSlot if none is set. Of the
// two lists that it stands in the shorter is searched.
func (w *serviceWatches) find(g *serviceGround, conn, table, path int32) int32 {
	if path == noSlot {
		return noSlot
	}
	c, x := &g.conns[conn], &g.tree.all[path]
	if c.nwatches < x.nwatches[table] {
		for i := c.watches; i != noSlot; i = w.all[i].connNext {
			if w.all[i].path == path && w.all[i].table == table {
				return i
			}
		}
		return noSlot
	}
	for i := x.watches[table]; i != noSlot; i = w.all[i].pathNext {
		if w.all[i].conn == conn {
			return i
		}
	}
	return noSlot
}

// set sets a watch on a path.
func (w *serviceWatches) set(g *serviceGround, conn, table int32, path string, mode int32) {
	w.setAt(g, conn, table, g.tree.intern(path, servicePathHash(path)), mode)
}

// setAt sets a watch on the path of a slot.
func (w *serviceWatches) setAt(g *serviceGround, conn, table, slot, mode int32) {
	w.recursive = w.recursive || mode == recursiveWatch
	if i := w.find(g, conn, table, slot); i != noSlot {
		if mode != tentativeWatch {
			w.all[i].mode = mode
		} else if w.all[i].mode == tentativeWatch {
			w.all[i].mode = oneShotWatch // left by an earlier setWatches, so there to stay
		}
		return
	}
	i := int32(len(w.all))
	if n := len(w.free); n > 0 {
		i = w.free[n-1]
		w.free = w.free[:n-1]
	} else {
		w.all = append(w.all, serviceWatch{})
	}
	c, x := &g.conns[conn], &g.tree.all[slot]
	w.all[i] = serviceWatch{
		conn: conn, path: slot, table: table, mode: mode,
		pathPrev: noSlot, pathNext: x.watches[table], connPrev: noSlot, connNext: c.watches,
	}
	if x.watches[table] != noSlot {
		w.all[x.watches[table]].pathPrev = i
	}
	if c.watches != noSlot {
		w.all[c.watches].connPrev = i
	}
	x.watches[table], c.watches = i, i
	x.nwatches[table]++
	c.nwatches++
}

// remove takes a watch away. The slot of its path is still to be released.
func (w *serviceWatches) remove(g *serviceGround, i int32) {
	k := &w.all[i]
	c, x := &g.conns[k.conn], &g.tree.all[k.path]
	if k.pathPrev != noSlot {
		w.all[k.pathPrev].pathNext = k.pathNext
	} else {
		x.watches[k.table] = k.pathNext
	}
	if k.pathNext != noSlot {
		w.all[k.pathNext].pathPrev = k.pathPrev
	}
	if k.connPrev != noSlot {
		w.all[k.connPrev].connNext = k.connNext
	} else {
		c.watches = k.connNext
	}
	if k.connNext != noSlot {
		w.all[k.connNext].connPrev = k.connPrev
	}
	x.nwatches[k.table]--
	c.nwatches--
	w.free = append(w.free, i)
}

// drop takes away the watches of a connection that is over.
func (w *serviceWatches) drop(g *serviceGround, c *serviceConn) {
	for c.watches != noSlot {
		path := w.all[c.watches].path
		w.remove(g, c.watches)
		g.tree.release(path)
	}
}

// fire owes the events of a change that stands to the connections that watch,
// in the order of class DataTree. The slot of a deleted znode is released.
func (w *serviceWatches) fire(g *serviceGround, op, slot int32, e *ServiceEvent) {
	up := g.tree.all[slot].parent
	w.stamp++
	switch op {
	case wireDelete:
		w.trigger(g, dataTable, slot, wireNodeDeleted, e)
		w.trigger(g, childTable, slot, wireNodeDeleted, e)
		w.stamp++
		w.trigger(g, childTable, up, wireNodeChildrenChanged, e)
		g.tree.release(slot)
	case wireSetData:
		w.trigger(g, dataTable, slot, wireNodeDataChanged, e)
	case wireSetACL:
	default:
		w.trigger(g, dataTable, slot, wireNodeCreated, e)
		w.stamp++
		w.trigger(g, childTable, up, wireNodeChildrenChanged, e)
	}
}

// trigger fires the watches of a table on one path, and the recursive ones,
// which stand in the data table alone, on the paths above it.
func (w *serviceWatches) trigger(g *serviceGround, table, slot, event int32, e *ServiceEvent) {
	path := e.Path
	if event == wireNodeChildrenChanged {
		path = g.tree.all[slot].path
	}
	for i := g.tree.all[slot].watches[table]; i != noSlot; {
		k := w.all[i]
		w.owe(g, k.conn, owedEvent{path: path, zxid: e.Zxid, event: event, table: table, mode: k.mode})
		if k.mode <= oneShotWatch {
			w.remove(g, i)
		}
		i = k.pathNext
	}
	if !w.recursive || table != dataTable {
		return
	}
	for slot != rootSlot {
		slot = g.tree.all[slot].parent
		for i := g.tree.all[slot].watches[table]; i != noSlot; i = w.all[i].pathNext {
			if w.all[i].mode == recursiveWatch {
				w.owe(g, w.all[i].conn, owedEvent{path: path, zxid: e.Zxid, event: event, table: table, mode: recursiveWatch})
			}
		}
	}
}

// owe owes an event to a connection unless this change has it owed already.
func (w *serviceWatches) owe(g *serviceGround, conn int32, o owedEvent) {
	c := &g.conns[conn]
	if c.stamp == w.stamp {
		return
	}
	c.stamp = w.stamp
	c.owed = append(c.owed, o)
}
