package checker

import "strconv"

// serviceReads judges read-state: a read shows the znode as the transactions
// have left it when the server serves the read, and no zxid below the last of
// them (a standalone server, which takes reads and writes in one order).
//
// State: the znodes, and the greatest zxid that was seen.
type serviceReads struct{}

func (serviceReads) observe(g *serviceGround, x *serviceStep) string {
	if x.req == nil {
		return ""
	}
	switch x.req.op {
	case wireExists, wireGetData, wireGetACL, wireGetChildren, wireGetChildren2, wireSync:
	default:
		return ""
	}
	what := ""
	switch {
	case x.e.Zxid < g.zxid:
		what = "after " + zxidName(g.zxid)
	case x.req.op == wireSync:
	case x.e.Err == wireNoNode:
		if x.node != noSlot {
			what = "and said that there was no znode, where there was one"
		}
	case x.e.Err != 0: // says nothing about the znode
	case x.node == noSlot:
		what = "and a znode where there was none"
	default:
		what = x.shown(g)
	}
	if what == "" {
		return ""
	}
	return "the reply to " + x.req.call() + " showed " + name(x.c.client) + " " + zxidName(x.e.Zxid) + " at " +
		seconds(x.e.At) + " " + what
}

// shown says in what a reply that shows a znode is wrong; empty if in nothing.
func (x *serviceStep) shown(g *serviceGround) string {
	n := &g.tree.all[x.node]
	if x.e.Stat != nil {
		if what := n.differs(x.e.Stat); what != "" {
			return "and a Stat with " + what
		}
	}
	if x.e.Data != nil && n.dataKnown && serviceDataHash(x.e.Data) != n.data {
		return "and data that the znode did not have"
	}
	if x.req.op != wireGetChildren && x.req.op != wireGetChildren2 {
		return ""
	}
	names := uint64(0)
	for _, child := range x.e.Children {
		names += servicePathHash(child)
	}
	if names == n.names && len(x.e.Children) == int(n.children) {
		return ""
	}
	for _, child := range x.e.Children {
		if g.tree.at(joinPath(n.path, child)) == noSlot {
			return "and the child " + child + ", which was not there"
		}
	}
	return "and " + strconv.Itoa(len(x.e.Children)) + " children where there were " + strconv.Itoa(int(n.children))
}

// joinPath is the path of a child.
func joinPath(parent, child string) string {
	if parent == "/" {
		return parent + child
	}
	return parent + "/" + child
}
