package simzk

import (
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// bite counts a fault of a server, which may touch every client.
func (e *ensemble) bite(k faults.Kind) {
	e.w.moves++
	if e.w.injector != nil && !e.w.K.Untimed() {
		e.w.injector.Bite(k)
	}
	e.w.observer.Bit(nil, k)
}

// lags reports whether messages from one server to another are held up. The
// leader's own commits are its lag; others wait for who is to receive them.
func (e *ensemble) lags(from, to int) bool {
	if e.held[to] == 0 {
		return false
	}
	return from == to || e.peers[to].Role() != zkmodel.RoleLeading
}

// CrashLeader stops the leader of an ensemble, or the primary of a store; 0 if
// nobody leads, or can go on.
func (w *World) CrashLeader() int {
	if w.store.kind != zk.StoreNone {
		return w.FailOver()
	}
	if w.ens == nil || w.ens.leader() == 0 {
		return 0
	}
	id := w.ens.leader()
	w.K.Tracef("fault: server %d, the leader, crashes", id)
	w.ens.bite(faults.LeaderCrash)
	w.ens.crash(id)
	return id
}

// crash stops a server: the connections of its clients close, and the other
// servers notice.
func (e *ensemble) crash(id int) {
	w := e.w
	e.dead[id] = true
	for i := 1; i < len(e.peers); i++ {
		e.lose(id, i)
		if i != id {
			e.lose(i, id)
		}
	}
	for l := range w.conns {
		c := &w.conns[l]
		if c.client == nil || c.server != id || c.serverGone {
			continue
		}
		c.serverGone = true
		w.drop(zkmodel.ConnID(l))
		if w.K.Untimed() {
			w.forget(sim.LinkID(l))
		}
		if !c.clientGone {
			c.toClient.push(zkmodel.Frame{Conn: zkmodel.ConnID(l), Hangup: true})
			w.K.Send(sim.LinkID(l), sim.ToClient, false)
		}
	}
	for i := 1; i < len(e.peers); i++ {
		if i != id && !e.dead[i] {
			e.out.Reset()
			e.peers[i].PeerLost(w.K.Now(), id, &e.out)
			e.emit(i)
		}
	}
	if w.K.Untimed() {
		e.peers[id].Stop()
		e.settle(0)
		e.forgetRequests()
		w.K.Tracef("server %d: leads in epoch %d", e.leader(), e.peers[e.leader()].Epoch())
	}
}

// StartServer starts a server that has crashed.
func (w *World) StartServer(id int) {
	if w.store.kind != zk.StoreNone {
		w.Rejoin()
		return
	}
	if w.ens.dead[id] {
		w.K.Tracef("server %d: starts again", id)
		w.ens.start(id)
	}
}

// Lag holds up what is sent to the server that serves the process, until
// CatchUp, or to the replica of a store; 0 if there is none.
func (w *World) Lag(p *Process) int {
	if w.store.kind != zk.StoreNone {
		return w.lagStore()
	}
	for _, c := range w.Clients() {
		if w.ens == nil || c.p != p || c.link < 0 || w.conns[c.link].serverGone {
			continue
		}
		id := w.conns[c.link].server
		w.K.Tracef("fault: server %d lags behind the others", id)
		w.ens.held[id]++
		w.ens.bitten[id] = false
		return id
	}
	return 0
}

// CatchUp ends one lag of a server.
func (w *World) CatchUp(id int) {
	if w.store.kind != zk.StoreNone {
		w.catchUpStore()
		return
	}
	e, k := w.ens, w.K
	if e.held[id]--; e.held[id] > 0 {
		return
	}
	k.Tracef("server %d: no longer lags", id)
	for from := 1; from < len(e.peers); from++ {
		l := &e.links[from][id]
		n := l.arrived
		l.arrived = 0
		l.last = max(l.last, k.Now())
		// They arrive behind each other, in front of what is under way.
		for ; n > 0; n-- {
			k.After(0, sim.NoProc, timerMessage, linkCode(from, id), false)
		}
	}
}
