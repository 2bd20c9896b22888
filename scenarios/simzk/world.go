package simzk

import (
	"slices"

	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// LabelListing chooses the order of a list of children, LabelRedial the pause
// before a reconnect, LabelCut what becomes of requests under way when a
// connection is cut.
const (
	LabelListing sim.Label = "listing"
	LabelRedial  sim.Label = "redial"
	LabelCut     sim.Label = "cut"
)

// Observer is told what happens in a world, in order.
type Observer interface {
	// Served: the server is about to handle a request of a handle; c is nil
	// for a handle that is gone.
	Served(c *Client, r *zkmodel.Request)
	// Sent: the server sent a frame.
	Sent(c *Client, r *zkmodel.Response)
	// Answered: a handle takes a reply.
	Answered(c *Client, r *zkmodel.Response)
	// Applied: the server changed a znode or a session.
	Applied(t *zkmodel.Txn)
	// Up, Down: the handle got a session, lost its connection.
	Up(c *Client)
	Down(c *Client)
	// Lost: the handle learned that its session is over.
	Lost(c *Client)
	// Recorded: a process recorded something with [Process.Record].
	Recorded(p *Process, t sim.TaskID, r *Record)
	// Bit: a fault changed something for p, or, where p is nil, for a server.
	Bit(p *Process, k faults.Kind)
	// Wrote: the resource judged a write with the given fencing token.
	Wrote(p *Process, token int64, accepted bool)
	// Called: the store has handled a request of p: its name and, in words,
	// what came of it.
	Called(p *Process, request, outcome string)
	// Panicked: a task of p panicked.
	Panicked(p *Process, v any)
}

// Tap is told what the server takes in and puts out, for whoever judges the
// server. See package servicetap.
type Tap interface {
	// Request: the server is about to handle a request.
	Request(now sim.Time, c zkmodel.ConnID, r *zkmodel.Request)
	// Output: what an input put out: a request of a client, or time (r nil).
	Output(now sim.Time, client int32, r *zkmodel.Request, out *zkmodel.Output)
	// Drop: the server was told that a connection is gone.
	Drop(now sim.Time, c zkmodel.ConnID)
}

// Record is an entry that a program makes in the run's history. What the
// fields mean is between the program and the observer.
type Record struct {
	Kind int32
	Op   int32
	Arg  int64
	Arg2 int64
	Text string
}

// Options are the settings of a [World].
type Options struct {
	// Server are the server's settings.
	Server zkmodel.ServerOptions
	// Servers is the size of the ensemble; 0 and 1 stand for one server
	// without.
	Servers int
	// CommitsAhead is the fault that can be planted in an ensemble; see
	// [zkmodel.PeerOptions].
	CommitsAhead bool
	// Kernel are the kernel's settings.
	Kernel sim.Options
	_      struct{}
}

// World is a simulated ZooKeeper with its clients. It is used for one run
// after another and keeps its memory.
type World struct {
	// K is the kernel.
	K        *sim.World
	o        Options
	observer Observer
	*room

	server    zkmodel.Server
	serverOwn keptHash  // its version, and its hash if it was written
	ens       *ensemble // in place of server; nil for none
	expiry    expiryTimer
	resource  resource
	store     store
	injector  *faults.Injector
	tap       Tap      // nil for none
	carried   []byte   // data of the request that is carried out
	timers    []func() // of World.At
	moves     int      // transitions other than timers
	steps     int      // requests served and callbacks

	stats *statFields

	conns   []conn // by link
	procs   []*Process
	nprocs  int
	clients []*Client
	nclient int
}

// room is memory for work inside one call, no state.
type room struct {
	out    zkmodel.Output
	cout   zkmodel.ClientOutput
	hasher scratchHasher
}

func newRoom() *room {
	m := &room{}
	s := &m.hasher
	s.nameHash, s.dataHash = s.hasher.nameHash, s.hasher.dataHash
	s.timer = func(a, b int32) (uint64, bool) { return s.world.timerWord(a, b) }
	return m
}

// ShareRoom has w use the memory of another world for what lasts no longer than
// a step, so that it stays in the processor's caches. One goroutine has to use
// both, and no step of one may be made within a step of the other.
func (w *World) ShareRoom(o *World) { w.room = o.room }

// expiryTimer is the queued timer for the server's next session expiry.
type expiryTimer struct {
	armed bool
	busy  bool // it counts as something that can still happen
	at    sim.Time
	gen   int32
}

// conn is one TCP connection, indexed by its link.
type conn struct {
	client     *Client
	server     int // of an ensemble, from 1
	toServer   fifo[message]
	toClient   fifo[zkmodel.Frame]
	serverGone bool // the server has closed its side
	clientGone bool // the client has closed its side
	cutReply   int32
}

// message is what a client sends: a request, or the end of the stream.
type message struct {
	fin bool
	req zkmodel.Request
}

// The App timers.
const (
	timerServer   int32 = iota // a session may be due; b gen
	timerClient                // a handle's machine; b handle
	timerRedial                // b handle
	timerReset                 // the client sees its connection broken; b handle
	timerEvents                // the event task goes on; b handle
	timerWrite                 // a write reaches the resource; b write
	timerWriteAck              // its answer reaches the client; b write
	timerUser                  // World.At; b index
	timerPeer                  // a server of an ensemble; b its number, gen
	timerMessage               // a message to one arrives; b link
	timerCall                  // a call reaches the store; b call
	timerAnswer                // its answer reaches the client; b call
	timerPatience              // a client waits no longer for an answer; b call
	timerReplica               // a change reaches the replica of the store
)

// NewWorld returns a world that tells o what happens.
func NewWorld(o Options, observer Observer) *World {
	w := &World{o: o, observer: observer, stats: &statFields{}, room: newRoom()}
	w.K = sim.NewWorld(w, o.Kernel)
	if o.Servers > 1 {
		w.ens = newEnsemble(w, zkmodel.PeerOptions{Server: o.Server, Servers: o.Servers, CommitsAhead: o.CommitsAhead})
	}
	return w
}

// Begin starts a run.
func (w *World) Begin(s sim.Strategy) {
	w.K.Begin(s)
	w.server.Init(w.o.Server)
	w.touchServer()
	if w.ens != nil {
		w.ens.begin()
	}
	w.expiry = expiryTimer{}
	w.resource.reset()
	w.store.reset()
	w.timers, w.moves, w.steps = w.timers[:0], 0, 0
	for i := range w.conns {
		w.conns[i].reset(nil)
	}
	w.nprocs, w.nclient = 0, 0
}

func (c *conn) reset(cl *Client) {
	c.client, c.server = cl, 0
	c.toServer.reset()
	c.toClient.reset()
	c.serverGone, c.clientGone = false, false
	c.cutReply = 0
}

// SetTap sets who is told of what the server does from now on; nil for nobody.
func (w *World) SetTap(t Tap) { w.tap = t }

// Server is the state of the server, or, of an ensemble, that of the one that
// has applied most; for inspection.
func (w *World) Server() *zkmodel.Server {
	if w.ens != nil {
		return w.ens.truth()
	}
	return &w.server
}

// Plant makes a persistent znode, and its missing parents, before a run. If
// count is above 0, the next sequential child gets this number.
func (w *World) Plant(path string, count int32) {
	if w.ens != nil {
		w.ens.plant(path, count)
		return
	}
	w.server.Plant(path)
	if count > 0 {
		w.server.SetCreateCount(path, count)
	}
}

// StartServers lets the servers of an ensemble find a leader, behind the set-up
// and in front of the run.
func (w *World) StartServers() {
	if w.ens != nil {
		w.ens.elect()
	}
}

// Carried is the data of the request that a server carries out, while the
// observer is told of its changes.
func (w *World) Carried() []byte { return w.carried }

// SessionOwner is the number of the client that opened a session, -1 if it is
// not known.
func (w *World) SessionOwner(session int64) int {
	for i := w.nprocs - 1; i >= 0; i-- {
		if slices.Contains(w.procs[i].sessions, session) {
			return w.procs[i].client
		}
	}
	return -1
}

// Clients are the handles opened so far, in order.
func (w *World) Clients() []*Client { return w.clients[:w.nclient] }

// Transitions counts what happened so far in the units of a story: a client
// takes a message, a timer resumes it, the server serves a request, a session
// expires, a fault changes something. Connects, closes and keep-alive do not
// count.
func (w *World) Transitions() int { return w.moves + w.K.Resumes() }

// Steps counts the recipe requests that the server served, the callbacks, and
// the timers that resumed a client.
func (w *World) Steps() int { return w.steps + w.K.Resumes() }

// Process returns the i-th process started in this run.
func (w *World) Process(i sim.ProcID) *Process { return w.procs[i] }

// watchSessions arms the server's timer for the next session that is due. It
// counts as something that can still happen if a session is left without a
// client that keeps it alive.
func (w *World) watchSessions() {
	if w.K.Untimed() {
		return // whoever selects moves ends sessions
	}
	if w.ens != nil {
		w.ens.arm()
		return
	}
	at, ok := w.server.NextExpiry()
	if !ok {
		return
	}
	busy := w.abandoned()
	e := &w.expiry
	if e.armed && e.at <= at && (e.busy || !busy) {
		return // the queued timer will see to it
	}
	*e = expiryTimer{armed: true, busy: busy, at: at, gen: e.gen + 1}
	w.K.After(at-w.K.Now(), sim.NoProc, timerServer, e.gen, !busy)
}

// abandoned reports whether a session lives that no client keeps alive.
func (w *World) abandoned() bool {
	return w.Server().NumSessions() > w.attended()
}

// attended counts the live sessions whose connection has a client that goes
// on pinging.
func (w *World) attended() int {
	n := 0
	for l := range w.conns {
		c := &w.conns[l]
		if c.client == nil || c.serverGone || c.clientGone || c.client.p.forsaken {
			continue
		}
		if _, ok := w.serverOf(c).ConnSession(zkmodel.ConnID(l)); ok {
			n++
		}
	}
	return n
}
