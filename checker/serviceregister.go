package checker

import "slices"

// register sets or removes the watches that a request leaves once its reply is
// sent: getData and getChildren where they succeed, exists also on an absent
// znode, whatever its path.
func (w *serviceWatches) register(g *serviceGround, x *serviceStep) {
	r, conn, err := x.req, x.e.Conn, x.e.Err
	switch r.op {
	case wireExists, wireGetData:
		if r.watch && (err == 0 || err == wireNoNode && r.op == wireExists) {
			w.setAt(g, conn, dataTable, g.tree.intern(r.path, x.hash), oneShotWatch)
		}
	case wireGetChildren, wireGetChildren2:
		if r.watch && err == 0 {
			w.setAt(g, conn, childTable, g.tree.intern(r.path, x.hash), oneShotWatch)
		}
	case wireAddWatch:
		if err == 0 {
			w.add(g, conn, r.path, r.flags+1)
		}
	case wireRemoveWatches:
		if err == 0 {
			w.unset(g, conn, r.path, r.flags)
		}
	}
}

// add sets a persistent watch, which stands in both tables, or a recursive
// one, which never tells of children.
func (w *serviceWatches) add(g *serviceGround, conn int32, path string, mode int32) {
	w.set(g, conn, dataTable, path, mode)
	if mode == persistentWatch {
		w.set(g, conn, childTable, path, mode)
	}
}

// The types of a removeWatches (class WatcherType).
const (
	removeChildren int32 = iota + 1
	removeData
	removeAny
)

// unset removes watches of whatever mode.
func (w *serviceWatches) unset(g *serviceGround, conn int32, path string, kind int32) {
	slot := g.tree.lookup(path)
	if slot == noSlot {
		return
	}
	if kind == removeData || kind == removeAny {
		if i := w.find(g, conn, dataTable, slot); i != noSlot {
			w.remove(g, i)
		}
	}
	if kind == removeChildren || kind == removeAny {
		if i := w.find(g, conn, childTable, slot); i != noSlot {
			w.remove(g, i)
		}
	}
	g.tree.release(slot)
}

// catchUp carries out a setWatches: for what the client missed it owes the
// event at once, else it sets the watch (class DataTree, setWatches). An exist
// watch on a znode that is there answers NodeCreated even if nothing changed.
// It is called when the first event or the reply shows that the server has
// carried it out, which takes it no time.
func (w *serviceWatches) catchUp(g *serviceGround, conn int32, r *serviceRequest) {
	if r == nil || r.watches == nil || r.isSet {
		return
	}
	set := r.watches
	r.isSet = true
	for _, path := range set.Data {
		switch n := g.tree.at(path); {
		case n == noSlot:
			w.missed(g, conn, dataTable, path, wireNodeDeleted)
		case g.tree.all[n].mzxid > set.RelativeZxid:
			w.missed(g, conn, dataTable, path, wireNodeDataChanged)
		default:
			w.set(g, conn, dataTable, path, oneShotWatch)
		}
	}
	for _, path := range set.Exist {
		if g.tree.at(path) != noSlot {
			w.missed(g, conn, dataTable, path, wireNodeCreated)
		} else {
			w.set(g, conn, dataTable, path, oneShotWatch)
		}
	}
	for _, path := range set.Child {
		switch n := g.tree.at(path); {
		case n == noSlot:
			w.missed(g, conn, childTable, path, wireNodeDeleted)
		case g.tree.all[n].pastEdge:
			w.set(g, conn, childTable, path, tentativeWatch)
		case g.tree.all[n].pzxid > set.RelativeZxid:
			w.missed(g, conn, childTable, path, wireNodeChildrenChanged)
		default:
			w.set(g, conn, childTable, path, oneShotWatch)
		}
	}
	for _, path := range set.Persistent {
		w.add(g, conn, path, persistentWatch)
	}
	for _, path := range set.Recursive {
		w.add(g, conn, path, recursiveWatch)
	}
}

// unsettled says whether an event that is not owed comes from a setWatches on
// a znode past the edge of its count, where the pzxid that decides is not
// judged. The watch that catchUp has set in its place is then taken away.
func (w *serviceWatches) unsettled(g *serviceGround, e *ServiceEvent, r *serviceRequest) bool {
	if r == nil || !r.isSet || e.Type != wireNodeChildrenChanged || !slices.Contains(r.watches.Child, e.Path) {
		return false
	}
	slot := g.tree.at(e.Path)
	if slot == noSlot || !g.tree.all[slot].pastEdge {
		return false
	}
	i := w.find(g, e.Conn, childTable, slot)
	if i != noSlot && w.all[i].mode == tentativeWatch {
		w.remove(g, i)
	}
	return i != noSlot
}

// missed owes a connection an event of a change that it missed.
func (w *serviceWatches) missed(g *serviceGround, conn, table int32, path string, event int32) {
	c := &g.conns[conn]
	c.owed = append(c.owed, owedEvent{path: path, zxid: g.zxid, event: event, table: table, mode: oneShotWatch})
}
