package scenarios

import (
	"zoosim/checker"
	"zoosim/faults"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
)

// reduce replaces the enabled transitions, all of them, by a subset that is
// enough: a single transition if there is one, whichever, as those commute; else
// the smallest of such subsets, and of these that of the first client; with
// symmetry on, that of the client whose state comes first, whoever it is, so that
// states that are taken for one have the same ways on. It notes whether there is
// none.
func (r *Runner) reduce(all []move, on Reductions) []move {
	r.whole = false
	if len(all) <= 1 {
		return all
	}
	best, owner, least := -1, -1, 0
	better := func(client, size int) bool {
		if best < 0 || size < least || size == least && on.Symmetry && client != owner && r.before(client, owner) {
			owner, least = client, size
			return true
		}
		return false
	}
	if r.ended {
		return all[:1] // see [Runner.closing]
	}
	if on.Replication && r.s.Servers > 1 {
		for i := range all {
			if m := &all[i]; m.kind == moveArrival && simzk.Replicates(m.at) {
				all[0] = *m
				return all[:1]
			}
		}
	}
	timers := false
	for len(r.locals) < len(r.clients) {
		r.locals = append(r.locals, 0)
	}
	clear(r.locals)
	for i := range all {
		m := &all[i]
		if m.isOwn() {
			r.locals[m.client]++
			timers = timers || m.kind == moveKernel && m.kernel.Kind == sim.MoveTimer
		} else if on.Private && r.private(m) {
			all[0] = *m
			return all[:1]
		}
	}
	if on.Delivery && !r.shortest && timers {
		kind := sim.MoveTimer
		for i := range r.clients {
			if k, ok := r.pausing(i, all); ok && better(i, 1) {
				best, kind = i, k
			}
		}
		if best >= 0 {
			return wake(best, kind, all)
		}
	}
	if on.Delivery {
		for i, size := range r.locals[:len(r.clients)] {
			if size == 0 || best >= 0 && (size > least || size == least && !on.Symmetry) {
				continue
			}
			if !r.favoured(i, all) {
				continue
			}
			if size == 1 {
				return r.only(i, all)
			}
			if better(i, size) {
				best = i
			}
		}
		if best >= 0 {
			return r.only(best, all)
		}
	}
	r.whole = true
	return all
}

// closing appends the first transition of a run that has ended: what clients do
// to close commutes, and leads to one state.
func (r *Runner) closing(dst []move) []move {
	r.kernelMoves = r.world.K.Moves(r.kernelMoves[:0])
	for i := range r.kernelMoves {
		if k := &r.kernelMoves[i]; k.Proc < 0 || k.Kind == sim.MoveRun || !r.handsOver(k.Proc) {
			return append(dst, move{kind: moveKernel, client: r.clientOf(k), kernel: *k})
		}
	}
	first := len(dst)
	if dst = r.abandoned(dst); r.s.Servers > 1 {
		dst = r.serverMoves(dst)
	}
	return dst[:min(len(dst), first+1)]
}

// before orders two clients by their states, whoever they are: by their
// histories, and where those are alike or do not matter by all that there is.
func (r *Runner) before(a, b int) bool {
	x, y := r.historyOf(a), r.historyOf(b)
	if x != y {
		return x < y
	}
	return r.block(a) < r.block(b)
}

// historyOf is the hash of a client's history, if [Runner.block] has it in it.
func (r *Runner) historyOf(client int) uint64 {
	c := &r.clients[client]
	p := r.world.K.Proc(c.p.ID())
	if c.done && r.reductions.Done || p.Status() == sim.Crashed {
		return 0
	}
	return p.MaskedHistory()
}

// private reports whether a transition is a step of the server that touches
// nothing but its own session.
func (r *Runner) private(m *move) bool {
	return m.kind == moveKernel && m.kernel.Kind == sim.MoveDeliver && sim.Dir(m.kernel.B) == sim.ToServer &&
		r.world.Private(sim.LinkID(m.kernel.A), r.left[faults.Expiry] == 0)
}

// ownerOfMove is the client that a transition is about, also if it is a step
// of the server.
func (r *Runner) ownerOfMove(m *move) int32 {
	switch {
	case m.kind == moveExpiry:
		return int32(r.ownerOf(m.session))
	case m.kind == moveKernel && m.kernel.Kind == sim.MoveDeliver:
		return int32(r.world.ProcessOf(sim.LinkID(m.kernel.A)).Client())
	}
	return max(m.client, 0)
}

// isOwn reports whether a transition is a step of a client's process alone: its
// code, what arrives for it, its timers; or its crash, its interrupt or that it gives
// its session up, and with it all that is under way to it: these are to be chosen
// wherever one of the others is.
func (m *move) isOwn() bool {
	return m.kind == moveKernel && m.kernel.Proc >= 0 || m.kind == moveFault && ownFaults>>m.fault&1 == 1
}

// ownFaults are the faults among those, a bit each.
const ownFaults = 1<<faults.Crash | 1<<faults.Interrupt | 1<<faults.Resession

// isLocal reports whether a transition is such a step of a client's process.
func isLocal(m *move, client int) bool { return int(m.client) == client && m.isOwn() }

// only keeps the client's local transitions. A crash is left out if none of
// the others puts anything out: a process that is told something and then
// crashes leaves the same world as one that crashes first.
func (r *Runner) only(client int, all []move) []move {
	silent := true
	for i := range all {
		if m := &all[i]; isLocal(m, client) && m.kind == moveKernel && m.kernel.Kind != sim.MoveDeliver {
			silent = false
		}
	}
	n := 0
	for i := range all {
		if !isLocal(&all[i], client) || silent && all[i].kind == moveFault && all[i].fault == faults.Crash {
			continue
		}
		all[n] = all[i]
		n++
	}
	return all[:n]
}

// favoured reports whether the local transitions of a client are enough. They
// commute with everything but the client's own steps, so they are if, of all
// that can be the next local step in any continuation, what is not enabled now
// commutes with what is; and if none of them shows in a property.
//
// What can come later is a message, if none is waiting now and the process is
// not cut off: an event, the end of the connection. It commutes with the steps that are enabled if these are
// segments of code alone that ask nothing a message can change, no code can
// run on the event task meanwhile, and they send nothing unless the connection
// is sure to stay.
func (r *Runner) favoured(client int, all []move) bool {
	c := &r.clients[client]
	local, arrival := false, false
	for i := range all {
		m := &all[i]
		if !isLocal(m, client) {
			continue
		}
		switch {
		case m.kind == moveFault:
			if m.fault != faults.Interrupt && r.monitor.Believes(client) {
				return false // the end of a belief shows
			}
			continue
		case m.kernel.Kind == sim.MoveDeliver:
			arrival = arrival || r.world.Waiting(c.p)
			if r.world.EndsBelief(sim.LinkID(m.kernel.A)) && r.monitor.Believes(client) {
				return false
			}
		case m.kernel.Kind == sim.MoveApp && r.monitor.Believes(client):
			return false // the client may notice that its connection is broken
		}
		local = true
	}
	if !local {
		return false
	}
	stays := r.connectionStays(c.p)
	callbacks := r.world.CanCallBack(c.p)
	alone := r.atomic(c.p)
	cutOff := r.world.CutOff(c.p)
	for i := range all {
		m := &all[i]
		if m.kind != moveKernel || !isLocal(m, client) {
			continue
		}
		switch m.kernel.Kind {
		case sim.MoveRun:
			quiet, known := r.quiet(c.p, sim.TaskID(m.kernel.A), alone, arrival, stays, callbacks)
			if !known {
				unknown := *m
				r.unknown = &unknown
			}
			if !quiet {
				return false
			}
		case sim.MoveTimer:
			// To take it early is no detour only where nothing is to be shortest.
			if !arrival && !cutOff && (r.shortest || !stays || !r.world.Quiet(c.p)) {
				return false // it races with what is still to come
			}
		case sim.MoveApp:
			if !arrival && !cutOff {
				return false // it races with what is still to come
			}
		}
	}
	return true
}

// pausing reports whether, beside a client's crash and its interrupt, one of its
// transitions is enough: the end of its sleep, as between two tries of a request,
// or the redial of its connection. All that its code can do next is to end that
// sleep, send requests and wait for them. This commutes with whatever arrives
// before, if no fault is left that ends a connection and the session stays; and
// with the redial, whatever becomes of the session.
func (r *Runner) pausing(client int, all []move) (sim.MoveKind, bool) {
	var sleeps *move
	redials := false
	for i := range all {
		switch m := &all[i]; {
		case int(m.client) != client:
		case m.kind == moveFault && m.fault == faults.Crash && r.monitor.Believes(client):
			return 0, false // the end of a belief shows
		case m.kind == moveKernel && m.kernel.Kind == sim.MoveTimer:
			sleeps = m
		case m.kind == moveKernel && m.kernel.Kind == sim.MoveApp:
			redials = simzk.Redials(m.kernel)
		}
	}
	if sleeps == nil {
		return 0, false
	}
	p := r.clients[client].p
	stays := !r.breaks() && r.world.Returns(p)
	if !stays && !(redials && r.left[faults.Resession] == 0 && r.world.Waits(p)) {
		return 0, false
	}
	k := r.world.K.Proc(p.ID())
	t, asleep := r.world.K.Sleeper(k)
	if !asleep || !r.atomic(p) || r.world.CanCallBack(p) {
		return 0, false
	}
	hidden := true
	peek := r.world.K.PeekBehindSleep(k, t, func(seg any) {
		hidden = hidden && simzk.Sends(seg)
		simzk.Records(seg, func(x *simzk.Record) {
			hidden = hidden && !r.isVisible(checker.Kind(x.Kind), false)
		})
	})
	if peek.Unknown {
		unknown := *sleeps
		r.unknown = &unknown
	}
	if !hidden || !peek.Awaits || peek.Asked || peek.Unknown {
		return 0, false
	}
	if stays {
		return sim.MoveTimer, true
	}
	return sim.MoveApp, true
}

// wake keeps a client's transitions of a kind, its crash and its interrupt.
func wake(client int, k sim.MoveKind, all []move) []move {
	n := 0
	for i := range all {
		if m := &all[i]; isLocal(m, client) && (m.kind == moveFault || m.kernel.Kind == k) {
			all[n] = *m
			n++
		}
	}
	return all[:n]
}

// breaks reports whether a fault is left that may end a connection.
func (r *Runner) breaks() bool {
	for _, k := range []faults.Kind{faults.Expiry, faults.Resession, faults.Cut, faults.CutRequest, faults.CutReply} {
		if r.left[k] > 0 {
			return true
		}
	}
	return false
}

// connectionStays reports whether the process's connection works and nothing
// is left that could end it.
func (r *Runner) connectionStays(p *simzk.Process) bool {
	if !r.world.HasHandles(p) {
		return !r.failsOver() // there is none to end, or that to a store
	}
	return !r.breaks() && r.world.Steady(p)
}

// quiet reports whether a ready task's next segment shows in no property and,
// if no message waits, commutes with one that comes. It is not known if the
// code has not been seen to run it.
func (r *Runner) quiet(p *simzk.Process, t sim.TaskID, alone, arrival, stays, callbacks bool) (quiet, known bool) {
	if !alone && !arrival && callbacks {
		return false, true
	}
	visible := false
	peek := r.world.K.Peek(r.world.K.Proc(p.ID()), t, alone, func(seg any) {
		simzk.Records(seg, func(x *simzk.Record) {
			visible = visible || r.isVisible(checker.Kind(x.Kind), stays || alone && r.s.Faults[faults.Resession] == 0)
		})
	}, func(kind int32) bool { return simzk.OfSession(kind) && stays })
	if visible || peek.Unknown || peek.Asked && (arrival || alone) {
		// What follows the answer is not known yet, and may show.
		return false, !peek.Unknown
	}
	return alone || arrival || !peek.Asked && (stays || !peek.Awaits), true
}

// isVisible reports whether an event of a client can decide a property of
// several clients. The end of a belief can. Its begin can only be moved to an
// earlier moment, where it overlaps no fewer beliefs and overtakes no fewer
// tickets; but the order of grants decides the one of tokens, and unless the
// client is sure to be told of nothing else before (first), a belief that begins
// earlier may also end by the loss of its session. Nor is the client sure of the
// ticket on which it is granted what it asks for if one of a session that it has
// given up may vanish meanwhile.
func (r *Runner) isVisible(k checker.Kind, first bool) bool {
	switch k {
	case checker.Grant:
		return r.variant.Tokens || !first
	case checker.ReleaseInvoke, checker.Deposed, checker.Panic:
		return true
	}
	return false
}
