package checker

import "time"

// ServiceGuarantees is the property that [Service] judges: the znode history
// keeps what one ZooKeeper server guarantees.
const ServiceGuarantees Property = "service"

// The guarantees, one validator each, in the order in which they are told
// where one event breaks several.
const (
	sessionOrder = iota
	eventBeforeRead
	oneShot
	eventCause
	ephemeral
	sequence
	writeOrder
	readState
	guaranteeCount
)

// guaranteeNames are the guarantees as results name them.
var guaranteeNames = [guaranteeCount]string{
	"session-order", "event-before-read", "one-shot", "event-cause",
	"ephemeral", "sequence", "write-order", "read-state",
}

// Service judges what a standalone ZooKeeper server does by its guarantees,
// with one validator for each:
//
//   - session-order: replies in the order of the requests, zxids that never
//     fall, no client that goes back in time by a new connection
//   - event-before-read: a watch event precedes what shows the change
//   - one-shot: a watch fires once
//   - event-cause: no watch event without a watch and a change
//   - ephemeral: znodes of a session go with it, and not otherwise than by a
//     delete
//   - sequence: numbers of sequential znodes count the creates under a parent
//   - write-order: transactions in one order, each fitting the one before, and
//     answers that tell what was applied
//   - read-state: reads show the state at the moment of serving
//
// Whoever drives a server feeds it, in this order: a request before the server
// takes it up; then the changes that the server applied, the begin or end of a
// session among them; then the frames that it sent, connection by connection
// in their order, a hang-up or a connect response being one of them. Changes
// and frames may also be mixed as they come. A connection that the server
// notices to be gone is told at once. Events on a connection that is not
// attached are passed over.
//
// It looks at each event once, in order, and stops at the first one that
// breaks a guarantee. The zero value is ready after Reset. A Service that is
// used again allocates nothing while all is well, as soon as it has seen as
// many znodes, watches and connections at once.
type Service struct {
	ground serviceGround

	sessionOrder serviceSessionOrder
	order        serviceOrder
	oneShot      serviceOneShot
	cause        serviceCause
	ephemeral    serviceEphemeral
	sequence     serviceSequence
	writes       serviceWrites
	reads        serviceReads

	step   serviceStep
	broken uint32 // bit i: guarantee i, by the event that was the first to break one
	result Result
	at     time.Duration // of the last event
}

// Reset forgets everything: the server has "/" and "/zookeeper" and has never
// run. What else stands at the start is told by ServicePlant events.
func (s *Service) Reset() {
	s.ground.reset()
	s.ephemeral = serviceEphemeral{}
	s.writes = serviceWrites{}
	s.step = serviceStep{}
	s.broken, s.at = 0, 0
	s.result = Result{Property: ServiceGuarantees, Level: LevelService, Verdict: Pass, Client: -1}
}

// Failed is true as soon as a guarantee is broken.
func (s *Service) Failed() bool { return s.broken != 0 }

// Finish judges the end of the stream, at which no connection may be owed an
// event, and gives the result: fail with the guarantee that was broken and how,
// or pass.
func (s *Service) Finish() Result {
	if s.broken == 0 {
		if why, client := s.order.finish(&s.ground); why != "" {
			s.fail(eventBeforeRead, why, client)
		}
	}
	return s.result
}

// judge notes what a validator says of the event; empty for nothing.
func (s *Service) judge(guarantee int, why string) {
	if why != "" {
		s.fail(guarantee, why, s.step.client)
	}
}

func (s *Service) fail(guarantee int, why string, client int32) {
	if s.broken == 0 {
		s.result.Verdict, s.result.Client, s.result.At = Failed, client, s.at
		s.result.Why = guaranteeNames[guarantee] + ": " + why
	}
	s.broken |= 1 << guarantee
}

// Observe judges the next event.
func (s *Service) Observe(e *ServiceEvent) {
	if s.broken != 0 {
		return
	}
	s.at = e.At
	g, x := &s.ground, &s.step
	switch e.Kind {
	case ServiceRequest:
		if c := g.conn(e.Conn); c != nil {
			c.put(e)
		}
	case ServiceReply:
		if c := g.conn(e.Conn); c != nil {
			*x = serviceStep{e: e, c: c, client: c.client, node: noSlot}
			s.reply(x)
		}
	case ServiceNotify:
		if c := g.conn(e.Conn); c != nil {
			*x = serviceStep{e: e, c: c, client: c.client}
			s.notify(x)
		}
	case ServiceApply:
		x.ofSession(g, e)
		s.apply(x)
	case ServiceOpen, ServiceEnd:
		x.ofSession(g, e)
		s.lifetime(x)
	case ServicePass:
		x.ofSession(g, e)
		s.pass(x)
	case ServiceAttach:
		x.ofSession(g, e)
		x.client = e.Client
		s.attach(x)
	case ServiceDetach:
		if g.conn(e.Conn) != nil {
			g.detach(e.Conn)
		}
	case ServicePlant:
		s.plant(e)
	}
}

// ofSession makes x the step of an event about a session.
func (x *serviceStep) ofSession(g *serviceGround, e *ServiceEvent) {
	*x = serviceStep{e: e, s: g.session(e.Session), client: -1, node: noSlot, parent: noSlot}
	if x.s != nil {
		x.client = x.s.client
	}
}

// reply judges a reply and does what it shows the server to have done.
func (s *Service) reply(x *serviceStep) {
	g := &s.ground
	x.req, x.skipped = x.c.answered(x.e.Xid, x.e.Err)
	if r := x.req; r != nil {
		if x.e.Err == 0 {
			g.watches.catchUp(g, x.e.Conn, r)
		}
		if r.readsNode() {
			x.hash = servicePathHash(r.path)
			x.node = g.tree.atHash(r.path, x.hash)
		}
	}
	s.judge(sessionOrder, s.sessionOrder.observe(g, x))
	s.judge(eventBeforeRead, s.order.observe(x))
	s.judge(writeOrder, s.writes.observe(g, x))
	s.judge(readState, s.reads.observe(g, x))
	if s.broken != 0 {
		return
	}
	g.zxid = max(g.zxid, x.e.Zxid)
	g.watches.register(g, x)
	x.c.drop(x.req)
	x.c.spent.reply = x.c.spent.next
}

// readsNode says whether a request shows a znode.
func (r *serviceRequest) readsNode() bool {
	switch r.op {
	case wireExists, wireGetData, wireGetACL, wireGetChildren, wireGetChildren2:
		return true
	}
	return false
}

// notify judges a watch event.
func (s *Service) notify(x *serviceStep) {
	g := &s.ground
	x.owed = x.c.owes(x.e.Type, x.e.Path)
	if x.owed < 0 {
		r := x.c.taken()
		g.watches.catchUp(g, x.e.Conn, r)
		x.owed = x.c.owes(x.e.Type, x.e.Path)
		if x.owed < 0 && g.watches.unsettled(g, x.e, r) {
			return
		}
	}
	s.judge(eventBeforeRead, s.order.observe(x))
	s.judge(oneShot, s.oneShot.observe(g, x))
	s.judge(eventCause, s.cause.observe(g, x))
	if s.broken == 0 {
		x.c.pay(x.owed)
	}
}

// apply judges a change and makes it.
func (s *Service) apply(x *serviceStep) {
	g, e := &s.ground, x.e
	switch e.Op {
	case wireCreate:
		x.hash = servicePathHash(e.Path)
		x.node = g.tree.atHash(e.Path, x.hash)
		x.parent, x.name = g.tree.parentOf(e.Path)
	case wireDelete, wireSetData, wireSetACL:
		x.node = g.tree.at(e.Path)
	default:
		return
	}
	s.judge(writeOrder, s.writes.observe(g, x))
	if s.broken != 0 {
		return // the others take it that the change fits
	}
	s.judge(ephemeral, s.ephemeral.observe(g, x))
	if e.Op == wireCreate {
		s.judge(sequence, s.sequence.observe(g, x))
	}
	if s.broken != 0 {
		return
	}
	g.zxid = e.Zxid
	switch e.Op {
	case wireCreate:
		x.node = g.tree.create(e, x.hash, x.parent, x.name)
	case wireDelete:
		g.tree.remove(x.node, e.Zxid)
	case wireSetData:
		g.tree.all[x.node].set(e)
	case wireSetACL:
		g.tree.all[x.node].aversion++
	}
	if x.s != nil {
		x.s.change.node = x.node
	}
	g.watches.fire(g, e.Op, x.node, e)
}

// lifetime judges the begin or end of a session.
func (s *Service) lifetime(x *serviceStep) {
	g, e := &s.ground, x.e
	s.judge(writeOrder, s.writes.observe(g, x))
	s.judge(ephemeral, s.ephemeral.observe(g, x))
	if s.broken != 0 {
		return
	}
	g.zxid = e.Zxid
	switch {
	case e.Kind == ServiceOpen && x.s == nil:
		g.open(e.Session)
	case e.Kind == ServiceEnd && x.s != nil:
		g.end(e.Session)
	}
}

// pass judges a transaction that changed nothing.
func (s *Service) pass(x *serviceStep) {
	s.judge(writeOrder, s.writes.observe(&s.ground, x))
	s.judge(ephemeral, s.ephemeral.observe(&s.ground, x))
	s.ground.zxid = max(s.ground.zxid, x.e.Zxid)
}

// attach judges the binding of a connection and makes it.
func (s *Service) attach(x *serviceStep) {
	g, e := &s.ground, x.e
	s.judge(sessionOrder, s.sessionOrder.observe(g, x))
	if s.broken != 0 || e.Conn < 0 {
		return
	}
	x.s.client = e.Client
	g.attach(e).seen = max(x.s.seen, e.Zxid)
}

// plant takes in a znode that stands without a transaction.
func (s *Service) plant(e *ServiceEvent) {
	g := &s.ground
	isNew := g.tree.at(e.Path) == noSlot
	g.tree.plant(e.Path, e.Stat, e.Data)
	st := e.Stat
	if st == nil {
		return
	}
	g.zxid = max(g.zxid, st.Czxid, st.Mzxid, st.Pzxid)
	if owner := g.session(st.EphemeralOwner); isNew && owner != nil {
		owner.ephemerals++
	}
}
