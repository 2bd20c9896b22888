package checker

// serviceSessionOrder judges session-order: the replies on a connection come
// in the order of the requests; their zxids never fall, not even from one
// connection of a session to the next; and a connection is attached only to a
// session that lives, and not if its client has seen more than the server.
//
// State: the greatest zxid shown on each connection and to each session.
type serviceSessionOrder struct{}

func (serviceSessionOrder) observe(g *serviceGround, x *serviceStep) string {
	if x.e.Kind == ServiceAttach {
		return x.attachment(g)
	}
	switch {
	case x.req == nil:
		return name(x.c.client) + " got a reply at " + seconds(x.e.At) + " to no request that it had sent and not had answered"
	case x.req.op == wireAuth:
		return "" // answered out of line, with zxid 0
	case x.skipped != nil:
		return name(x.c.client) + " got the reply to " + x.req.call() + " at " + seconds(x.e.At) +
			" before the one to its earlier " + x.skipped.call()
	case x.e.Err == wireUnimplemented && x.e.Zxid == -1:
		return "" // (class UnimplementedRequestProcessor)
	case x.e.Zxid < x.c.seen:
		return "the reply to " + x.req.call() + " showed " + name(x.c.client) + " " + zxidName(x.e.Zxid) + " at " +
			seconds(x.e.At) + " after it had been shown " + zxidName(x.c.seen)
	}
	x.c.seen = x.e.Zxid
	if s := g.session(x.c.session); s != nil {
		s.seen = max(s.seen, x.e.Zxid)
	}
	return ""
}

// attachment judges the connect response that binds a connection.
func (x *serviceStep) attachment(g *serviceGround) string {
	switch {
	case x.s == nil:
		return name(x.e.Client) + " was connected at " + seconds(x.e.At) + " with " + sessionName(x.e.Session, -1) +
			", which is not open"
	case x.e.Zxid > g.zxid:
		return name(x.e.Client) + ", which had seen " + zxidName(x.e.Zxid) + ", was connected at " + seconds(x.e.At) +
			" by a server that was at " + zxidName(g.zxid)
	}
	return ""
}
