package checker

// spentKept is how many fired watches of a connection are remembered, so that
// a second event of one is told from an event that nobody asked for.
const spentKept = 8

// spentRing is the watches of a connection that fired last.
type spentRing struct {
	all   [spentKept]owedEvent
	next  uint32 // how many there were
	reply uint32 // how many when the connection got its last reply
}

// serviceOneShot judges one-shot: a watch fires once, however often it was
// registered, and a delete that fires both watches of a connection on a znode
// sends one event. A watch event that is not owed breaks it if a watch has
// fired for it before and has not been registered since, which takes a reply:
// the same event once more, or the event of a later change.
//
// State: the last watches of each connection that fired.
type serviceOneShot struct{}

func (serviceOneShot) observe(g *serviceGround, x *serviceStep) string {
	if x.owed >= 0 {
		if o := &x.c.owed[x.owed]; o.mode <= oneShotWatch {
			x.c.spent.all[x.c.spent.next%spentKept] = *o
			x.c.spent.next++
		}
		return ""
	}
	slot := g.tree.lookup(x.e.Path)
	asked := x.asked(g, slot)
	for n := x.c.spent.next; n > 0 && n+spentKept > x.c.spent.next; n-- {
		o := &x.c.spent.all[(n-1)%spentKept]
		if o.path != x.e.Path || !fires(o.table, x.e.Type) {
			continue
		}
		same := o.event == x.e.Type
		if same && n > x.c.spent.reply || !asked && (same || g.happened(slot, x.e.Type, o.zxid)) {
			x.again = true
			return "a watch of " + name(x.c.client) + " on " + x.e.Path + " fired " + wireTypeName(o.event) +
				" for " + zxidName(o.zxid) + " and once more, " + wireTypeName(x.e.Type) + " at " +
				seconds(x.e.At) + ", without being set again"
		}
	}
	return ""
}

// asked says whether the connection has a watch set that the event could come
// from.
func (x *serviceStep) asked(g *serviceGround, slot int32) bool {
	for table := int32(0); table < serviceTables; table++ {
		if fires(table, x.e.Type) && g.watches.find(g, x.e.Conn, table, slot) != noSlot {
			return true
		}
	}
	return false
}

// fires says whether the watches of a table fire such events.
func fires(table, event int32) bool {
	switch event {
	case wireNodeDeleted:
		return true
	case wireNodeChildrenChanged:
		return table == childTable
	}
	return table == dataTable
}

// happened says whether the last change of its kind to a path, as the znodes
// show it, is later than a zxid.
func (g *serviceGround) happened(slot, event int32, zxid int64) bool {
	if slot == noSlot || !g.tree.all[slot].exists {
		return event == wireNodeDeleted
	}
	switch n := &g.tree.all[slot]; event {
	case wireNodeCreated:
		return n.czxid > zxid
	case wireNodeDataChanged:
		return n.mzxid > zxid
	case wireNodeChildrenChanged:
		return n.pzxid > zxid
	}
	return false
}
