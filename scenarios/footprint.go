package scenarios

import (
	"strings"

	"zoosim/checker"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/sim/explore"
	"zoosim/zkmodel"
)

// Footprints for sleep sets. A transition's is noted while it is carried out:
// what it must touch by its kind, and what the runner, as the observer of its
// world, is told that it touched. Where in doubt it touches everything.

// The things of a footprint; those of a client, a fault kind and a path follow
// one another, and wrap around.
const (
	thingLocal   uint64 = iota // of a client: its code, its library, its timers, what it has been sent
	thingServed                // its session and connection at the server, the end of its queue
	thingLink                  // whether its connection is open
	thingJudged                // what the monitors know of it alone
	clientThings               // how many these are

	thingFault    uint64 = 48 // the budget of a kind of fault
	faultThings   uint64 = 12
	thingSessions uint64 = 60 // the number of the next session
	thingHolds    uint64 = 61 // who believes to hold the lock
	thingQueue    uint64 = 62 // the tickets in order
	thingZxids    uint64 = 63 // the order of zxids
	thingNode     uint64 = 64 // a znode and its list of children; an even number for each
	nodeThings    uint64 = 32
)

// touch collects the footprint of the transition that is carried out.
type touch struct {
	explore.Footprint
	r *Runner
}

func (t *touch) client(what uint64, client int) uint64 {
	return (uint64(client)*clientThings + what) % thingFault
}

// node is the thing for a znode; that for its watches follows it. Setting a
// watch reads the latter, since watches may be set in any order; what fires
// them writes it.
func (t *touch) node(path string) uint64 {
	var h sim.Hash
	h.String(path)
	return thingNode + 2*(h.Sum()%nodeThings)
}

func (t *touch) wholeClient(client int) {
	for what := range clientThings {
		t.Write(t.client(what, client))
	}
}

// doTouching carries out a transition and returns its footprint.
func (r *Runner) doTouching(m *move) explore.Footprint {
	t := &touch{r: r}
	owner := int(r.ownerOfMove(m))
	switch {
	case r.ended || m.kind == moveEnd || owner < 0 || r.variant.Store != zk.StoreNone && m.kind != moveKernel:
		t.WriteAll()
	case m.kind == moveFault:
		t.Write(thingFault + uint64(m.fault)%faultThings)
		t.wholeClient(owner)
	case m.kind == moveExpiry:
		t.Read(t.client(thingLocal, owner))
		t.Write(t.client(thingServed, owner))
		t.Write(t.client(thingLink, owner))
	case m.kernel.Kind == sim.MoveDeliver && sim.Dir(m.kernel.B) == sim.ToServer:
		t.Write(t.client(thingServed, owner))
		if !r.world.Serves(sim.LinkID(m.kernel.A)) {
			t.Write(t.client(thingLink, owner)) // the end of a stream
		}
	case m.kernel.Proc == sim.NoProc:
		t.WriteAll()
	default:
		t.Write(t.client(thingLocal, owner))
		t.Read(t.client(thingLink, owner))
	}
	links, writes := uint64(0), 0
	if owner >= 0 {
		links, writes = r.world.LinksOf(r.clients[owner].p), r.world.NumWrites()
	}
	r.touch = t
	r.do(m)
	r.touch = nil
	if owner >= 0 {
		if r.world.LinksOf(r.clients[owner].p) != links {
			t.Write(t.client(thingLink, owner))
			t.Write(t.client(thingServed, owner))
		}
		if r.world.NumWrites() != writes {
			t.WriteAll()
		}
	}
	return t.Footprint
}

// served notes what a request reads.
func (t *touch) served(q *zkmodel.Request) {
	switch q.Op {
	case zkmodel.OpConnect:
		t.Write(thingSessions)
	case zkmodel.OpPing, zkmodel.OpCloseSession, zkmodel.OpSync:
	case zkmodel.OpSetWatches:
		if q.Watches != nil {
			for _, list := range [][]string{q.Watches.Data, q.Watches.Exist, q.Watches.Child} {
				for _, path := range list {
					t.reads(path, true)
				}
			}
		}
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpDelete, zkmodel.OpSetData, zkmodel.OpCheck,
		zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		t.reads(q.Path, q.Watch)
	case zkmodel.OpMulti:
		for i := range q.Multi {
			t.reads(q.Multi[i].Path, false)
		}
	default:
		t.WriteAll()
	}
}

// reads notes that a znode is looked at, and its parent, which says whether
// there can be one.
func (t *touch) reads(path string, watch bool) {
	t.Read(t.node(path))
	t.Read(t.node(parentOf(path)))
	if watch {
		t.Read(t.node(path) + 1)
	}
}

func parentOf(path string) string { return path[:max(strings.LastIndexByte(path, '/'), 0)] }

// sent notes that the server sent a client something.
func (t *touch) sent(c *simzk.Client) {
	t.Write(t.client(thingServed, c.Process().Client()))
	if t.r.zxids {
		t.Read(thingZxids)
	}
}

// applied notes a change at the server.
func (t *touch) applied(x *zkmodel.Txn) {
	switch x.Op {
	case zkmodel.OpConnect:
		t.Write(thingSessions)
	case zkmodel.OpCloseSession:
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpDelete, zkmodel.OpSetData:
		t.Write(thingZxids)
		for _, path := range []string{x.Path, parentOf(x.Path)} {
			t.Write(t.node(path))
			t.Write(t.node(path) + 1)
		}
	default:
		t.WriteAll()
	}
}

// observed notes what the monitors make of an event. It comes before they are
// told.
func (t *touch) observed(e *checker.Event) {
	switch e.Kind {
	case checker.Request, checker.Notify, checker.Listing:
		return // for metrics alone
	case checker.WriteAccepted, checker.WriteRefused:
		t.WriteAll()
		return
	}
	if e.Client < 0 || t.r.monitor.family.name != "lock" {
		t.WriteAll() // what other monitors mind is not known here
		return
	}
	t.Write(t.client(thingJudged, int(e.Client)))
	switch e.Kind {
	case checker.Grant:
		t.Write(thingHolds)
		t.Read(thingQueue)
	case checker.ReleaseInvoke, checker.Panic:
		t.Write(thingHolds)
	case checker.Lost, checker.Down, checker.Crash:
		if t.r.monitor.Believes(int(e.Client)) {
			t.Write(thingHolds)
		}
	case checker.TicketCreate, checker.TicketDelete:
		t.Write(thingQueue)
	}
}

// id names a transition among those of a state.
func (m *move) id() uint64 {
	var h sim.Hash
	h.Uint64(uint64(m.kind)<<56 | uint64(m.fault)<<48 | uint64(m.kernel.Kind)<<40 | uint64(uint32(m.client)))
	h.Uint64(uint64(m.session))
	h.Uint64(uint64(uint32(m.kernel.A))<<32 | uint64(uint32(m.kernel.B)))
	h.Uint64(uint64(uint32(m.at))<<32 | uint64(uint32(m.kernel.Proc)))
	return h.Sum()
}
