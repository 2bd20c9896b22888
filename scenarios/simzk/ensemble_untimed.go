package simzk

import (
	"zoosim/sim"
	"zoosim/zkmodel"
)

// In untimed mode a message between two servers is in its link until whoever
// selects moves lets it arrive. Messages of one link arrive in order, those of
// different links in any; what a server has to apply is a message to itself. So
// a server may lag behind as far as it likes, which is what a [faults.Lag] does
// in timed mode. Nobody falls silent, so nobody times out. What servers do
// while they look for a leader, and to bring one that comes back to the leader's
// history, is one step: no client is served meanwhile by those whom it concerns.

// AppendArrivals appends the links between servers on which a message is under
// way, each as [World.Arrive] takes it; those of servers to themselves too.
func (w *World) AppendArrivals(dst []int32) []int32 {
	if w.ens == nil {
		return dst
	}
	for from := 1; from < len(w.ens.peers); from++ {
		for to := 1; to < len(w.ens.peers); to++ {
			if w.ens.links[from][to].queue.len() > 0 {
				dst = append(dst, linkCode(from, to))
			}
		}
	}
	return dst
}

// Replicates reports whether a link is one between two servers, rather than
// that on which a server is told to apply what is committed.
func Replicates(link int32) bool { return link>>8 != link&0xff }

// Arrive lets the message at the head of a link between servers arrive.
func (w *World) Arrive(link int32) {
	w.ens.deliver(w.K.Now(), int(link>>8), int(link&0xff))
}

// AppendStopped appends the numbers of the servers that have crashed and not
// been started again.
func (w *World) AppendStopped(dst []int32) []int32 {
	if w.ens == nil {
		return dst
	}
	for i := 1; i < len(w.ens.peers); i++ {
		if w.ens.dead[i] {
			dst = append(dst, int32(i))
		}
	}
	return dst
}

// CanCrashLeader reports whether a quorum of an ensemble is left if its leader
// crashes.
func (w *World) CanCrashLeader() bool {
	if w.ens == nil || w.ens.leader() == 0 {
		return false
	}
	running := 0
	for i := 1; i < len(w.ens.peers); i++ {
		if !w.ens.dead[i] {
			running++
		}
	}
	return running-1 > w.ens.o.Servers/2
}

// settle lets servers find a leader, all that run or, where of is not 0, that
// one: nothing but their messages and their timers happens until all have one
// and none of their messages is under way.
func (e *ensemble) settle(of int) {
	now := e.w.K.Now()
	for {
		if from, to, ok := e.underWay(of); ok {
			e.deliver(now, from, to)
			continue
		}
		first := 0
		for i := 1; i < len(e.peers); i++ {
			if e.dead[i] || e.peers[i].Serving() || of != 0 && i != of {
				continue
			}
			if first == 0 || e.peers[i].NextTimer() < e.peers[first].NextTimer() {
				first = i
			}
		}
		if first == 0 {
			return
		}
		now = e.peers[first].NextTimer()
		e.out.Reset()
		e.peers[first].Timer(now, &e.out)
		e.emit(first)
	}
}

// underWay is the first link with a message, of all or of one server's.
func (e *ensemble) underWay(of int) (from, to int, ok bool) {
	for from := 1; from < len(e.peers); from++ {
		for to := 1; to < len(e.peers); to++ {
			if (of == 0 || from == of || to == of) && e.links[from][to].queue.len() > 0 {
				return from, to, true
			}
		}
	}
	return 0, 0, false
}

// forgetRequests takes away what is under way on connections that servers have
// closed: nobody takes it, and that it is there tells no states apart.
func (e *ensemble) forgetRequests() {
	for l := range e.w.conns {
		if c := &e.w.conns[l]; c.client != nil && c.serverGone {
			e.forget(sim.LinkID(l))
		}
	}
}

func (e *ensemble) forget(l sim.LinkID) {
	c := &e.w.conns[l]
	for n := c.toServer.len(); n > 0; n-- {
		m := *c.toServer.front()
		c.toServer.pop()
		if m.fin {
			c.toServer.push(m)
			continue
		}
		e.w.K.Drop(l, sim.ToServer)
	}
}

// copyInto makes dst a copy of the servers in untimed mode.
func (e *ensemble) copyInto(dst *ensemble) {
	for i := 1; i < len(e.peers); i++ {
		e.peers[i].CopyInto(&dst.peers[i])
		for j := 1; j < len(e.peers); j++ {
			e.links[i][j].queue.copyInto(&dst.links[i][j].queue)
		}
	}
	copy(dst.dead, e.dead)
	dst.reported, dst.busy = e.reported, e.busy
}

// hash writes the servers, and what is under way between them.
func (e *ensemble) hash(h *sim.Hash) {
	zkmodel.HashPeers(h, e.peers)
	h.Uint64(uint64(e.reported))
	for i := 1; i < len(e.peers); i++ {
		h.Uint64(bit(e.dead[i]))
		for j := 1; j < len(e.peers); j++ {
			q := &e.links[i][j].queue
			h.Uint64(uint64(q.len()))
			for k := q.head; k < len(q.items); k++ {
				q.items[k].HashAmong(h, e.peers)
			}
		}
	}
}

// hashSeen writes the zxids that the servers may yet be told that a process has
// seen.
func (e *ensemble) hashSeen(h *sim.Hash, p *Process) {
	for _, c := range e.w.Clients() {
		if c.p == p && p.sp.Status() != sim.Crashed {
			h.Uint64(uint64(c.m.LastZxid()))
			h.Uint64(uint64(c.host))
		}
	}
	for l := range e.w.conns {
		c := &e.w.conns[l]
		if c.client == nil || c.client.p != p {
			continue
		}
		for i := c.toServer.head; i < len(c.toServer.items); i++ {
			r := &c.toServer.items[i].req
			h.Uint64(uint64(r.LastZxidSeen))
			if r.Watches != nil {
				h.Uint64(uint64(r.Watches.RelativeZxid))
			}
		}
		for i := c.toClient.head; i < len(c.toClient.items); i++ {
			h.Uint64(uint64(c.toClient.items[i].Response.Zxid))
		}
	}
}
