package simzk

import (
	"time"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// procFaults is what faults do to a process.
type procFaults struct {
	sent       int           // recipe requests so far
	eventDelay time.Duration // for the next watch event, 0 for none
}

// SetFaults sets who decides what becomes of requests and counts bites.
func (w *World) SetFaults(in *faults.Injector) { w.injector = in }

// onRequest counts a recipe request and asks what becomes of it.
func (p *Process) onRequest() faults.Loss {
	p.faults.sent++
	if p.w.injector == nil {
		return faults.LoseNothing
	}
	return p.w.injector.OnRequest(p.client, p.faults.sent)
}

// bit reports a fault that changed something for p.
func (p *Process) bit(k faults.Kind) {
	p.w.moves++
	if p.w.injector != nil && !p.w.K.Untimed() {
		p.w.injector.Bite(k)
	}
	p.w.observer.Bit(p, k)
}

// takeEventDelay is the delay of the next watch event, taken once.
func (p *Process) takeEventDelay() time.Duration {
	d := p.faults.eventDelay
	if d > 0 {
		p.faults.eventDelay = 0
		p.bit(faults.DelayEvent)
	}
	return d
}

// traceFault adds a line about a process to a trace that is recorded.
func (w *World) traceFault(format string, p *Process) {
	if w.K.Tracing() {
		w.K.Tracef(format, p.name)
	}
}

// Crash stops a process for ever; its sockets close behind what was sent. k
// is the fault that it counts for.
func (w *World) Crash(p *Process, k faults.Kind) {
	for _, c := range w.Clients() {
		if c.p == p {
			w.hangup(c)
		}
	}
	w.K.Crash(p.sp)
	w.traceFault("fault: %s crashes", p)
	p.bit(k)
	w.watchSessions()
}

// Pause stops a process until Resume.
func (w *World) Pause(p *Process) {
	w.K.Pause(p.sp)
	w.traceFault("fault: %s pauses", p)
}

// Forsake says that a pause or a partition of p, or its being crashed, never
// ends: the server will see its sessions expire.
func (w *World) Forsake(p *Process) {
	p.forsaken = true
	w.watchSessions()
}

// Resume lets a paused process go on. The pause bit if anything was held.
func (w *World) Resume(p *Process) {
	if w.K.Held(p.sp) > 0 {
		p.bit(faults.Pause)
	}
	w.traceFault("%s resumes", p)
	w.K.Resume(p.sp)
}

// Expire ends the live sessions of a process at the server, or its lease in the
// store.
func (w *World) Expire(p *Process) bool {
	if w.store.kind != zk.StoreNone {
		return w.endLease(p)
	}
	struck := false
	for _, c := range w.Clients() {
		id := c.m.SessionID()
		if c.p != p || id == 0 || !w.Server().SessionAlive(id) || w.ens != nil && w.ens.leader() == 0 {
			continue
		}
		w.traceFault("fault: the server expires the session of %s", p)
		p.bit(faults.Expiry)
		if w.ens != nil {
			struck = w.ens.expire(id) || struck
			continue
		}
		w.out.Reset()
		w.touchServer()
		w.server.Expire(w.K.Now(), id, &w.out)
		w.emitEnds()
		struck = true
	}
	return struck
}

// Resession lets the libraries of a process give their sessions up.
func (w *World) Resession(p *Process) bool {
	struck := false
	for _, c := range w.Clients() {
		if c.p != p || c.m.SessionID() == 0 {
			continue
		}
		w.traceFault("fault: the client library of %s gives its session up", p)
		p.bit(faults.Resession)
		w.cout.Reset()
		c.m.NewSession(w.K.Now(), &w.cout)
		w.act(c)
		struck = true
	}
	return struck
}

// Cut cuts the connections of a process. What is under way to the server is
// handled first, or lost, by choice.
func (w *World) Cut(p *Process) bool {
	if w.store.kind != zk.StoreNone {
		return w.cutCalls(p)
	}
	struck := false
	for _, c := range w.Clients() {
		if c.p != p || c.link < 0 {
			continue
		}
		l := c.link
		cn := &w.conns[l]
		w.traceFault("fault: the connection of %s is cut", p)
		p.bit(faults.Cut)
		if cn.toServer.len() > 0 && w.K.Choose(LabelCut, 2) == 1 {
			for cn.toServer.len() > 0 && !cn.serverGone {
				m := *cn.toServer.front()
				cn.toServer.pop()
				w.serve(l, &m.req)
				cn = &w.conns[l]
			}
		}
		w.sever(c)
		struck = true
	}
	return struck
}

// Partition lets nothing through between the client of a process and the
// server until Heal.
func (w *World) Partition(p *Process) {
	p.partitioned = true
	w.traceFault("fault: %s is cut off from the server", p)
	// Connections that the client has given up are blocked as well.
	for l := range w.conns {
		if cn := &w.conns[l]; cn.client != nil && cn.client.p.client == p.client {
			w.K.Block(sim.LinkID(l))
		}
	}
}

// partitioned reports whether a client, whichever process it has, is cut off
// from the server.
func (w *World) partitioned(client int) bool {
	for _, p := range w.procs[:w.nprocs] {
		if p.client == client && p.partitioned {
			return true
		}
	}
	return false
}

// Heal ends a partition.
func (w *World) Heal(p *Process) {
	if !w.partitioned(p.client) {
		return
	}
	for _, q := range w.procs[:w.nprocs] {
		if q.client == p.client {
			q.partitioned = false
		}
	}
	bitten := false
	w.traceFault("%s can reach the server again", p)
	for l := range w.conns {
		cn := &w.conns[l]
		if cn.client != nil && cn.client.p.client == p.client {
			bitten = w.K.HeldOn(sim.LinkID(l)) > 0 || bitten
			w.K.Unblock(sim.LinkID(l))
		}
	}
	bitten = w.letGo(p.client) || bitten
	for _, c := range w.Clients() {
		if c.p != p || len(c.dialing) == 0 {
			continue
		}
		bitten = true
		w.openLink(c)
		for i := range c.dialing {
			w.send(c, &c.dialing[i])
		}
		c.dialing = c.dialing[:0]
	}
	if bitten {
		p.bit(faults.Partition)
	}
}

// DelayEvent holds up the event task of p for d at its next watch event.
func (w *World) DelayEvent(p *Process, d time.Duration) { p.faults.eventDelay = d }

// Interrupt interrupts the first task of p, or calls what the program set
// with [Process.OnInterrupt]. The interrupt bites when it ends a wait, which
// may be the task's next one.
func (w *World) Interrupt(p *Process) {
	w.traceFault("fault: %s is interrupted", p)
	if p.interrupts {
		p.bit(faults.Interrupt)
		w.K.StartTask(p.sp, startInterrupt)
		p.growSlots()
		return
	}
	w.K.Interrupt(p.sp, 0)
}

// Interrupted implements [sim.App].
func (w *World) Interrupted(sp *sim.Proc, _ sim.TaskID) { w.procs[sp.ID()].bit(faults.Interrupt) }

// isRecipeOp reports whether requests of this type count as requests of a
// recipe: not connect, close, ping and setWatches.
func isRecipeOp(o zkmodel.OpCode) bool {
	switch o {
	case zkmodel.OpConnect, zkmodel.OpCloseSession, zkmodel.OpPing, zkmodel.OpSetWatches:
		return false
	}
	return true
}

// IsRecipeOp is exported for observers that count requests.
func IsRecipeOp(o zkmodel.OpCode) bool { return isRecipeOp(o) }
