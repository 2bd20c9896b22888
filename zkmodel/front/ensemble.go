package front

import (
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/serverloop"
)

// ensemble is several servers and the links between them, on which a message
// takes as long as Options say.
type ensemble struct {
	o        *Options
	peers    []peer
	flying   []flight // in the order of their arrival, since all take as long
	sent     bool     // a message is on its way since hurried was asked
	out      zkmodel.PeerOutput
	machines []peerMachine
}

// peer is one server, which may be down.
type peer struct {
	zkmodel.Peer
	down  bool
	again zkmodel.Time // when it starts again, 0 for never
}

// flight is a message on its way.
type flight struct {
	at      zkmodel.Time
	message zkmodel.PeerMessage
}

func newEnsemble(o *Options, now zkmodel.Time) *ensemble {
	e := &ensemble{o: o, peers: make([]peer, o.Servers), machines: make([]peerMachine, o.Servers)}
	so := o.Server
	if so.SessionsBefore == 0 {
		so.SessionsBefore = sessionsAt(now) / maxServers // the servers share the numbers
	}
	for i := range e.peers {
		p := &e.peers[i]
		p.Init(zkmodel.PeerOptions{Server: so, ID: i + 1, Servers: o.Servers})
		p.Server().SetListingKey(listingKey)
		e.machines[i] = peerMachine{e, i}
	}
	// No port is open yet, so nothing but messages can come of it.
	for i := range e.peers {
		e.peers[i].Start(now, &e.out)
	}
	e.collect(now)
	return e
}

func (e *ensemble) servers() int                     { return len(e.peers) }
func (e *ensemble) machine(i int) serverloop.Machine { return &e.machines[i] }
func (e *ensemble) running(i int) bool               { return !e.peers[i].down }
func (e *ensemble) hurried() (yes bool)              { yes, e.sent = e.sent, false; return yes }

// collect sends the messages that an input has put out and returns the frames.
func (e *ensemble) collect(now zkmodel.Time) []zkmodel.Frame {
	for i := range e.out.Messages {
		e.flying = append(e.flying, flight{now + e.o.Lag, e.out.Messages[i]})
		e.sent = true
	}
	clear(e.out.Messages)
	e.out.Messages = e.out.Messages[:0]
	frames := e.out.Frames
	e.out.Frames, e.out.Txns, e.out.Steps = e.out.Frames[:0], e.out.Txns[:0], e.out.Steps[:0]
	return frames
}

// input carries out an input of server i and writes what it puts out.
func (e *ensemble) input(now zkmodel.Time, i int, run runner, do func(p *zkmodel.Peer, out *zkmodel.PeerOutput)) {
	run(i, func(out *zkmodel.Output) {
		do(&e.peers[i].Peer, &e.out)
		out.Frames = append(out.Frames, e.collect(now)...)
	})
}

// peerMachine is one server as its port sees it.
type peerMachine struct {
	e *ensemble
	i int
}

func (m *peerMachine) Handle(now zkmodel.Time, c zkmodel.ConnID, r *zkmodel.Request, out *zkmodel.Output) {
	if !m.e.running(m.i) {
		out.Frames = append(out.Frames, zkmodel.Frame{Conn: c, Hangup: true})
		return
	}
	m.e.peers[m.i].Handle(now, c, r, &m.e.out)
	out.Frames = append(out.Frames, m.e.collect(now)...)
}

func (m *peerMachine) Drop(now zkmodel.Time, c zkmodel.ConnID) {
	if m.e.running(m.i) {
		m.e.peers[m.i].Drop(now, c)
	}
}

// settle delivers the messages that are due.
func (e *ensemble) settle(now zkmodel.Time, run runner) {
	for len(e.flying) > 0 && e.flying[0].at <= now {
		m := e.flying[0].message
		e.flying[0] = flight{}
		e.flying = e.flying[1:]
		if i := int(m.To) - 1; e.running(i) {
			e.input(now, i, run, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Deliver(now, &m, out) })
		}
	}
}

func (e *ensemble) pass(now zkmodel.Time, run runner) {
	e.settle(now, run)
	for i := range e.peers {
		p := &e.peers[i]
		switch {
		case p.down && p.again != 0 && p.again <= now:
			p.down, p.again = false, 0
			e.input(now, i, run, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Start(now, out) })
		case !p.down && p.NextTimer() <= now:
			e.input(now, i, run, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.Timer(now, out) })
		}
	}
	e.settle(now, run)
}

func (e *ensemble) next() (at zkmodel.Time, ok bool) {
	sooner := func(t zkmodel.Time) {
		if !ok || t < at {
			at, ok = t, true
		}
	}
	for i := range e.peers {
		switch p := &e.peers[i]; {
		case !p.down:
			sooner(p.NextTimer())
		case p.again != 0:
			sooner(p.again)
		}
	}
	if len(e.flying) > 0 {
		sooner(e.flying[0].at)
	}
	return at, ok
}

// leader is the index of the server that leads, -1 if none does.
func (e *ensemble) leader() int {
	for i := range e.peers {
		if p := &e.peers[i]; !p.down && p.Role() == zkmodel.RoleLeading && p.Serving() {
			return i
		}
	}
	return -1
}

// expire ends a session as the leader does; without one, nothing expires.
func (e *ensemble) expire(now zkmodel.Time, session int64, run runner) (ok bool) {
	i := e.leader()
	if i < 0 {
		return false
	}
	e.input(now, i, run, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { ok = p.Expire(now, session, out) })
	return ok
}

func (e *ensemble) alive(session int64) bool { return e.truth().SessionAlive(session) }

// truth is the state of the leader, or of the server that has applied most.
func (e *ensemble) truth() *zkmodel.Server {
	if i := e.leader(); i >= 0 {
		return e.peers[i].Server()
	}
	best := e.peers[0].Server()
	for i := range e.peers {
		if s := e.peers[i].Server(); s.LastZxid() > best.LastZxid() {
			best = s
		}
	}
	return best
}

func (e *ensemble) view(i int) serverView {
	p := &e.peers[i]
	v := serverView{mode: modeDown, server: p.Server()}
	if p.down {
		return v
	}
	v.serving = p.Serving()
	switch p.Role() {
	case zkmodel.RoleLeading:
		v.mode = "leader"
		followers := 0
		for k := range e.peers {
			if f := &e.peers[k]; !f.down && f.Role() == zkmodel.RoleFollowing && f.Serving() {
				followers++
			}
		}
		v.quorum = []metric{
			{"learners", followers},
			{"synced_followers", followers},
			{"synced_non_voting_followers", 0},
			{"synced_observers", 0},
			{"quorum_size", len(e.peers)},
		}
	case zkmodel.RoleFollowing:
		v.mode = "follower"
	default:
		v.mode = "looking"
	}
	return v
}

// crash stops a server, the leader if i is -1, and starts it again after a time
// if that is not 0. The front has closed its connections. It returns the index
// of the server, -1 if there is none to stop.
func (e *ensemble) crash(now zkmodel.Time, i int, again time.Duration, run runner) int {
	if i < 0 {
		i = e.leader()
	}
	if i < 0 || e.peers[i].down {
		return -1
	}
	p := &e.peers[i]
	p.down = true
	if again > 0 {
		p.again = now + again
	}
	for k := range e.peers {
		if k != i && e.running(k) {
			e.input(now, k, run, func(p *zkmodel.Peer, out *zkmodel.PeerOutput) { p.PeerLost(now, i+1, out) })
		}
	}
	return i
}
