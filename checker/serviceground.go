package checker

// serviceGround is what the service monitors share: the truth as the
// transactions tell it, and who is connected. They read it; [Service] alone
// changes it, behind them.
type serviceGround struct {
	tree     serviceTree
	watches  serviceWatches
	conns    []serviceConn    // by number
	sessions []serviceSession // living ones, by id
	hint     int              // where the last session was found
	zxid     int64            // the greatest that was seen
}

// serviceConn is a connection, with what single monitors keep about it.
type serviceConn struct {
	session  int64
	client   int32
	attached bool
	requests []serviceRequest // unanswered ones from head on
	head     int

	seen  int64       // session-order
	owed  []owedEvent // event-before-read
	spent spentRing   // one-shot

	watches  int32 // first of its watches
	nwatches int32
	stamp    uint32 // of the last change it got an event for
}

// serviceRequest is a request without its answer.
type serviceRequest struct {
	path    string
	watches *ServiceWatchSet // of a setWatches
	op      int32
	xid     int32
	flags   int32
	version int32
	changes int32
	watch   bool
	isSet   bool // the setWatches has been carried out
}

// serviceSession is a living session, with what single monitors keep about it.
type serviceSession struct {
	id         int64
	client     int32
	ephemerals int32         // ephemeral
	seen       int64         // session-order
	change     serviceChange // write-order: its last transaction
}

// serviceStep is an event with what it is about, looked up once.
type serviceStep struct {
	e       *ServiceEvent
	c       *serviceConn    // of the event, nil for changes
	s       *serviceSession // living one of the event, or nil
	req     *serviceRequest // that a reply answers, or nil
	skipped *serviceRequest // the oldest one that a reply passes over, or nil
	hash    uint64          // of the path of a change or read
	node    int32           // the znode there, noSlot if there is none
	parent  int32           // the one above it, for a create
	name    string          // of a created znode, below its parent
	client  int32           // to blame, -1 if none can be named
	owed    int             // which of the owed events a watch event is, -1 for none
	again   bool            // a watch event was found to be a repeated one
}

func (g *serviceGround) reset() {
	g.tree.reset()
	g.watches.reset()
	g.conns, g.sessions = g.conns[:0], g.sessions[:0]
	g.hint, g.zxid = 0, 0
}

// conn is a connection that is attached, or nil.
func (g *serviceGround) conn(c int32) *serviceConn {
	if uint(c) >= uint(len(g.conns)) || !g.conns[c].attached {
		return nil
	}
	return &g.conns[c]
}

// attach makes the record of a connection.
func (g *serviceGround) attach(e *ServiceEvent) *serviceConn {
	for len(g.conns) <= int(e.Conn) {
		if len(g.conns) < cap(g.conns) {
			g.conns = g.conns[:len(g.conns)+1]
		} else {
			g.conns = append(g.conns, serviceConn{})
		}
		c := &g.conns[len(g.conns)-1]
		*c = serviceConn{requests: c.requests[:0], owed: c.owed[:0], watches: noSlot}
	}
	c := &g.conns[e.Conn]
	c.session, c.client, c.attached = e.Session, e.Client, true
	return c
}

// detach forgets what a connection had.
func (g *serviceGround) detach(conn int32) {
	c := &g.conns[conn]
	g.watches.drop(g, c)
	*c = serviceConn{requests: c.requests[:0], owed: c.owed[:0], watches: noSlot}
}

// place is where a session stands in the order or would stand.
func (g *serviceGround) place(id int64) int {
	if g.hint < len(g.sessions) && g.sessions[g.hint].id == id {
		return g.hint
	}
	lo, hi := 0, len(g.sessions)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if g.sessions[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	g.hint = lo
	return lo
}

// session is a living session, or nil.
func (g *serviceGround) session(id int64) *serviceSession {
	if i := g.place(id); i < len(g.sessions) && g.sessions[i].id == id {
		return &g.sessions[i]
	}
	return nil
}

// open makes the record of a session.
func (g *serviceGround) open(id int64) {
	i := g.place(id)
	g.sessions = append(g.sessions, serviceSession{})
	copy(g.sessions[i+1:], g.sessions[i:])
	g.sessions[i] = serviceSession{id: id, client: -1}
}

// end forgets a session.
func (g *serviceGround) end(id int64) {
	i := g.place(id)
	g.sessions = append(g.sessions[:i], g.sessions[i+1:]...)
}

// put takes in a request.
func (c *serviceConn) put(e *ServiceEvent) {
	if len(c.requests) == cap(c.requests) && c.head > len(c.requests)/2 {
		c.requests = c.requests[:copy(c.requests, c.requests[c.head:])]
		c.head = 0
	}
	c.requests = append(c.requests, serviceRequest{
		path: e.Path, watches: e.Watches, op: e.Op, xid: e.Xid, flags: e.Flags,
		version: e.Version, changes: e.Changes, watch: e.Watch,
	})
}

// answered finds the request that a reply answers, and the oldest one that it
// passes over although that is still to be answered. A check that succeeds
// never is: 3.8.0 fails while it serialises that reply.
func (c *serviceConn) answered(xid, err int32) (req, skipped *serviceRequest) {
	for i := c.head; i < len(c.requests); i++ {
		r := &c.requests[i]
		isCheck := r.op == wireCheck
		if r.xid == xid && (!isCheck || err != 0) || r.op == wirePing && xid == wirePingXid {
			return r, skipped
		}
		if !isCheck && skipped == nil {
			skipped = r
		}
	}
	return nil, nil
}

// taken is the request that the server is at: the oldest one unanswered.
func (c *serviceConn) taken() *serviceRequest {
	for i := c.head; i < len(c.requests); i++ {
		if c.requests[i].op != wireCheck {
			return &c.requests[i]
		}
	}
	return nil
}

// drop forgets the requests up to one that is answered.
func (c *serviceConn) drop(req *serviceRequest) {
	for &c.requests[c.head] != req {
		c.head++
	}
	if c.head++; c.head == len(c.requests) {
		c.requests, c.head = c.requests[:0], 0
	}
}
