package checker

import "strconv"

// serviceChange is a transaction of a session: what its reply must fit.
type serviceChange struct {
	path   string
	zxid   int64
	node   int32 // the slot of its last znode
	op     int32
	count  int32 // changes in it
	before int32 // version (of an ACL change, aversion) that its last change replaced
}

// serviceWrites judges write-order: the writes are a sequence of transactions
// with rising zxids, each of which fits the znodes that the ones before it
// left; what a client asked for is applied once if it is answered OK and not
// at all if it is answered with an error, under the zxid of the answer, which
// shows the path and the Stat; a version that was asked for was the znode's;
// and an error was true. Errors of a single operation in a multi are not
// judged.
//
// State: the transaction that goes on, the last one of each session, and the
// greatest zxid that was seen.
type serviceWrites struct {
	zxid    int64 // of the transaction that goes on, 0 for none
	session int64
	cause   ServiceCause
}

func (v *serviceWrites) observe(g *serviceGround, x *serviceStep) string {
	switch x.e.Kind {
	case ServiceApply:
		if why := v.advance(g, x, x.e.Op != wireSetACL); why != "" {
			return why
		}
		if why := x.fits(g); why != "" {
			return why
		}
		x.note(g)
	case ServiceOpen, ServicePass:
		return v.advance(g, x, false)
	case ServiceEnd:
		why := v.advance(g, x, true)
		v.zxid = 0
		return why
	case ServiceReply:
		v.zxid = 0
		if x.req != nil {
			return x.answer(g)
		}
	}
	return ""
}

// advance judges the zxid of a change: greater than all before, or that of the
// transaction that goes on.
func (v *serviceWrites) advance(g *serviceGround, x *serviceStep, goesOn bool) string {
	e := x.e
	if e.Zxid > g.zxid {
		v.zxid, v.session, v.cause = 0, e.Session, e.Cause
		if goesOn {
			v.zxid = e.Zxid
		}
		return ""
	}
	if goesOn && e.Zxid == v.zxid && e.Session == v.session && e.Cause == v.cause {
		return ""
	}
	return "a transaction" + x.by() + " was applied at " + seconds(e.At) + " as " + zxidName(e.Zxid) + " after " + zxidName(g.zxid)
}

// fits judges a change by the znodes before it.
func (x *serviceStep) fits(g *serviceGround) string {
	what := ""
	switch x.e.Op {
	case wireCreate:
		switch {
		case x.node != noSlot:
			what = "it was there"
		case x.parent == noSlot:
			what = "its parent was not there"
		case g.tree.all[x.parent].owner != 0:
			what = "its parent was ephemeral"
		default:
			return ""
		}
	default:
		switch {
		case x.node == noSlot:
			what = "it was not there"
		case x.e.Op == wireDelete && x.node == rootSlot:
			what = "it is the root"
		case x.e.Op == wireDelete && g.tree.all[x.node].children > 0:
			what = "it had children"
		default:
			return ""
		}
	}
	return wireOpName(x.e.Op) + "(" + x.e.Path + ")" + x.by() + " was applied at " + seconds(x.e.At) + " as " + zxidName(x.e.Zxid) +
		" although " + what
}

// note keeps a change for the reply to come.
func (x *serviceStep) note(g *serviceGround) {
	if x.s == nil {
		return
	}
	c := &x.s.change
	if c.zxid != x.e.Zxid {
		c.zxid, c.count = x.e.Zxid, 0
	}
	c.count++
	c.path, c.op = x.e.Path, x.e.Op
	switch x.e.Op {
	case wireDelete, wireSetData:
		c.before = g.tree.all[x.node].version
	case wireSetACL:
		c.before = g.tree.all[x.node].aversion
	}
}

// answer judges the reply to a write.
func (x *serviceStep) answer(g *serviceGround) string {
	want, op := int32(1), x.req.op
	switch op {
	case wireCreate2, wireCreateContainer, wireCreateTTL:
		op = wireCreate
	case wireCreate, wireDelete, wireSetData, wireSetACL:
	case wireMulti:
		want = x.req.changes
	case wireCheck:
		return x.untrue(g)
	default:
		return ""
	}
	var c serviceChange
	if s := g.session(x.c.session); s != nil && s.change.zxid == x.e.Zxid {
		c = s.change
	}
	what := ""
	switch {
	case x.e.Err != 0 && c.count > 0:
		what = "although it was applied"
	case x.e.Err != 0 && op != wireMulti:
		return x.untrue(g)
	case x.e.Err != 0:
		return ""
	case c.count == 0 && want > 0:
		what = "although it was not applied"
	case c.count != want:
		what = "although " + strconv.Itoa(int(want)) + " changes were asked for and " + strconv.Itoa(int(c.count)) + " applied"
	case op == wireMulti:
		return ""
	default:
		if what = x.mismatch(g, op, &c); what == "" {
			return ""
		}
	}
	return x.req.call() + " of " + name(x.c.client) + " was answered " + wireErrName(x.e.Err) + " with " +
		zxidName(x.e.Zxid) + " at " + seconds(x.e.At) + " " + what
}

// mismatch says in what the change is not the one that was asked for and
// shown; empty if in nothing.
func (x *serviceStep) mismatch(g *serviceGround, op int32, c *serviceChange) string {
	path := x.req.path
	if op == wireCreate {
		path = x.e.Path
	}
	switch {
	case c.op != op || path != "" && c.path != path:
		return "although " + wireOpName(c.op) + "(" + c.path + ") was applied"
	case op != wireCreate && x.req.version != -1 && x.req.version != c.before:
		return "although it asked for version " + strconv.Itoa(int(x.req.version)) + " and the znode had " +
			strconv.Itoa(int(c.before))
	}
	if x.e.Stat == nil || op == wireDelete {
		return ""
	}
	if n := &g.tree.all[c.node]; n.exists && n.path == c.path {
		if what := n.differs(x.e.Stat); what != "" {
			return "and a Stat with " + what
		}
	}
	return ""
}

// untrue judges the error of a single write by the znodes: each speaks of one
// thing, whatever would have been found wrong next.
func (x *serviceStep) untrue(g *serviceGround) string {
	isCreate := true
	switch x.req.op {
	case wireDelete, wireSetData, wireSetACL, wireCheck:
		isCreate = false
	}
	n, what := g.tree.at(x.req.path), ""
	up, _ := g.tree.parentOf(x.req.path)
	switch x.e.Err {
	case wireNoNode:
		if isCreate && up != noSlot {
			what = "its parent was there"
		} else if !isCreate && n != noSlot {
			what = "it was there"
		}
	case wireNodeExists:
		if n == noSlot && !sequentialFlags(x.req.flags) {
			what = "it was not there"
		}
	case wireBadVersion:
		if x.req.op == wireSetACL {
			return "" // it is compared with aversion
		}
		if n == noSlot {
			what = "it was not there"
		} else if x.req.version == -1 || x.req.version == g.tree.all[n].version {
			what = "it had the version asked for"
		}
	case wireNotEmpty:
		if n == noSlot || g.tree.all[n].children == 0 {
			what = "it had no children"
		}
	case wireNoChildrenForEphemerals:
		if up == noSlot || g.tree.all[up].owner == 0 {
			what = "its parent was not ephemeral"
		}
	}
	if what == "" {
		return ""
	}
	return x.req.call() + " of " + name(x.c.client) + " was answered " + wireErrName(x.e.Err) + " with " +
		zxidName(x.e.Zxid) + " at " + seconds(x.e.At) + " although " + what
}

// sequentialFlags says whether the flags of a create ask for a number.
func sequentialFlags(flags int32) bool { return flags == 2 || flags == 3 || flags == 6 }
