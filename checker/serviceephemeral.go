package checker

// serviceEphemeral judges ephemeral: a znode of a session vanishes only by a
// delete or by the close transaction of that session, which takes nothing
// else; none is left when the session has ended, and none appears later.
//
// State: the number of znodes of each living session, and the close
// transaction that goes on.
type serviceEphemeral struct {
	closing int64 // session whose close transaction deletes, 0 for none
	zxid    int64 // of that transaction
}

func (v *serviceEphemeral) observe(g *serviceGround, x *serviceStep) string {
	e := x.e
	if why := v.unfinished(g, x); why != "" {
		return why
	}
	switch {
	case e.Kind == ServiceEnd:
		v.closing = 0
		if x.s != nil && x.s.ephemerals > 0 {
			return "a znode of " + sessionName(e.Session, x.s.client) + ", " + g.ephemeralOf(e.Session) +
				", outlived it: it was over at " + seconds(e.At) + " with " + zxidName(e.Zxid)
		}
	case e.Kind == ServiceApply && e.Op == wireDelete:
		return v.remove(g, x)
	case e.Kind == ServiceApply && e.Op == wireCreate && e.Owner != 0:
		owner := g.session(e.Owner)
		if owner == nil {
			return "the znode " + e.Path + " of " + sessionName(e.Owner, -1) + " was created at " + seconds(e.At) +
				" while that session was not open"
		}
		if owner != x.s {
			return "the znode " + e.Path + " was created at " + seconds(e.At) + " for " +
				sessionName(e.Owner, owner.client) + " by " + sessionName(e.Session, x.client)
		}
		owner.ephemerals++
	}
	return ""
}

// remove judges a delete.
func (v *serviceEphemeral) remove(g *serviceGround, x *serviceStep) string {
	e, owner := x.e, g.tree.all[x.node].owner
	if e.Cause == ServiceByClose || e.Cause == ServiceByExpiry {
		v.closing, v.zxid = e.Session, e.Zxid
		switch {
		case owner == 0:
			return "the znode " + e.Path + ", which belongs to no session, went at " + seconds(e.At) + " with the end of " +
				sessionName(e.Session, x.client)
		case owner != e.Session:
			return "the znode " + e.Path + " of " + sessionName(owner, g.clientOf(owner)) + " went at " + seconds(e.At) +
				" with the end of " + sessionName(e.Session, x.client)
		}
	}
	if owner == 0 {
		return ""
	}
	if e.Cause == ServiceByServer {
		return "the znode " + e.Path + " of " + sessionName(owner, g.clientOf(owner)) + " went at " + seconds(e.At) +
			" with no request and while its session lived"
	}
	if s := g.session(owner); s != nil {
		s.ephemerals--
	}
	return ""
}

// unfinished judges a close transaction that deleted znodes when something
// that is no part of it follows.
func (v *serviceEphemeral) unfinished(g *serviceGround, x *serviceStep) string {
	e := x.e
	if v.closing == 0 || v.zxid == e.Zxid && v.closing == e.Session {
		return ""
	}
	x.client = g.clientOf(v.closing)
	return "znodes of " + sessionName(v.closing, x.client) + " went with its end as " + zxidName(v.zxid) +
		", but it had not ended when " + zxidName(e.Zxid) + " came at " + seconds(e.At)
}

// ephemeralOf is the path of a znode of a session.
func (g *serviceGround) ephemeralOf(session int64) string {
	for i := range g.tree.all {
		if n := &g.tree.all[i]; n.exists && n.owner == session {
			return n.path
		}
	}
	return "which no transaction has deleted"
}

// clientOf is the client of a living session, -1 if it is not known.
func (g *serviceGround) clientOf(session int64) int32 {
	if s := g.session(session); s != nil {
		return s.client
	}
	return -1
}
