package scenarios

import (
	"slices"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
)

// moveKind is the kind of an enabled transition of an untimed run.
type moveKind uint8

const (
	moveKernel  moveKind = iota
	moveExpiry           // a session that no client keeps alive ends: session
	moveEnd              // nothing can happen any more: judge, let clients close
	moveFault            // fault strikes client, or the message at the head of a link
	moveLease            // a lease that nobody will give back ends
	moveArrival          // the head of a link between servers of an ensemble arrives: at
	moveStart            // a server that has crashed starts again: at
)

// move is an enabled transition of an untimed run.
type move struct {
	kind    moveKind
	fault   faults.Kind
	client  int32
	session int64
	kernel  sim.Move
	at      int32
}

// beginUntimed starts an untimed run: nothing is drawn, and faults are moves
// within the budget.
func (r *Runner) beginUntimed(m *sim.Memo, st sim.Strategy) {
	w := r.world
	w.K.SetUntimed(true)
	w.K.SetMemo(m)
	w.Begin(st)
	r.plant()
	r.judgeService(m == nil)
	r.draw()
	r.fitModes()
	r.left = r.s.Faults
	r.goesOn = 0
	r.changed()
	r.reset()
	if r.s.SessionsOpen {
		r.openSessions()
	}
}

// openSessions carries out what opens the session of each client, so that the
// run begins with the main tasks ready, and every server knowing of them.
func (r *Runner) openSessions() {
	for i := range r.clients {
		for r.clients[i].current == nil && r.variant.Store == zk.StoreNone {
			r.next = r.moves(r.next[:0])
			at := slices.IndexFunc(r.next, func(m move) bool { return m.kind == moveKernel && int(r.ownerOfMove(&m)) == i })
			if at < 0 {
				at = slices.IndexFunc(r.next, func(m move) bool { return m.kind == moveArrival })
			}
			r.do(&r.next[at])
		}
	}
	for links := r.world.AppendArrivals(nil); len(links) > 0; links = r.world.AppendArrivals(links[:0]) {
		r.world.Arrive(links[0])
	}
}

// runUntimed carries out a run in untimed mode, with real tasks; st chooses
// among all enabled transitions.
func (r *Runner) runUntimed(st sim.Strategy) Outcome {
	r.beginUntimed(nil, st)
	return r.finishUntimed(func(all []move) int { return r.world.K.ChooseMove(len(all)) })
}

// finishUntimed makes the transitions that pick selects until there are none,
// the scenario's bound is reached, or pick returns -1.
func (r *Runner) finishUntimed(pick func(all []move) int) Outcome {
	limit := r.s.Moves
	if limit == 0 {
		limit = maxSteps
	}
	end := checker.CutOff
	for n := 0; n < limit; n++ {
		r.next = r.moves(r.next[:0])
		i := -1
		if len(r.next) > 0 {
			i = pick(r.next)
		}
		if i < 0 {
			break
		}
		m := r.next[i]
		r.do(&m)
	}
	if r.ended {
		end = checker.Quiescent
	} else {
		r.ev = checker.Event{Kind: end, Client: -1}
		r.observe()
	}
	out := r.outcome(end)
	r.addService(&out)
	out.Results = append([]checker.Result(nil), out.Results...)
	r.world.K.Seal()
	out.Hash = r.world.K.TraceHash()
	return out
}

// moves appends the enabled transitions.
func (r *Runner) moves(dst []move) []move {
	r.kernelMoves = r.world.K.Moves(r.kernelMoves[:0])
	for i := range r.kernelMoves {
		k := &r.kernelMoves[i]
		if k.Proc >= 0 && k.Kind != sim.MoveRun && r.handsOver(k.Proc) {
			continue // its tasks run first
		}
		dst = append(dst, move{})
		m := &dst[len(dst)-1]
		m.client, m.kernel = r.clientOf(k), *k
	}
	dst = r.abandoned(dst)
	if r.s.Servers > 1 {
		dst = r.serverMoves(dst)
	}
	if r.ended {
		return dst
	}
	if len(dst) == 0 {
		dst = append(dst, move{kind: moveEnd, client: -1})
	}
	return r.faultMoves(dst)
}

// abandoned appends the ends of the sessions and leases that nobody keeps alive.
func (r *Runner) abandoned(dst []move) []move {
	r.sessions = r.world.DeadSessions(r.sessions[:0])
	for _, id := range r.sessions {
		dst = append(dst, move{kind: moveExpiry, client: -1, session: id})
	}
	if r.world.Forsaken() {
		dst = append(dst, move{kind: moveLease, client: -1})
	}
	return dst
}

// serverMoves appends what servers of an ensemble can do among themselves.
func (r *Runner) serverMoves(dst []move) []move {
	r.peers = r.world.AppendArrivals(r.peers[:0])
	for _, link := range r.peers {
		dst = append(dst, move{kind: moveArrival, client: -1, at: link})
	}
	r.peers = r.world.AppendStopped(r.peers[:0])
	for _, id := range r.peers {
		dst = append(dst, move{kind: moveStart, client: -1, at: id})
	}
	return dst
}

// atomic reports whether the process takes a message, or a timer, and runs to
// its next wait in one step: no other message reaches it in between. That is
// how a client library looks to a recipe that has no callbacks; where code of
// the recipe can run on the event task, its steps and those of the other tasks
// are interleaved with the arrival of messages, unless all of it runs there.
// What a process sends to a store a fail-over may break or not, which shows.
func (r *Runner) atomic(p *simzk.Process) bool {
	return !r.interleave && !r.failsOver() && (r.world.OnEventThread(p) || !r.world.CanCallBack(p))
}

// failsOver reports whether a store may still fail over.
func (r *Runner) failsOver() bool { return r.left[faults.LeaderCrash] > 0 && r.world.CanFailOver() }

// handsOver reports whether the process has been told something that its tasks
// have not yet acted on.
func (r *Runner) handsOver(id sim.ProcID) bool {
	return r.world.K.Proc(id).Ready() > 0 && r.atomic(r.world.Process(id))
}

// clientOf is the client whose process a kernel move is about, -1 for none.
func (r *Runner) clientOf(m *sim.Move) int32 {
	if m.Proc < 0 {
		return -1
	}
	return int32(r.world.Process(m.Proc).Client())
}

// faultMoves appends the faults that the budget still allows. Whether a fault
// is enabled depends on the server, the network and the budget, never on how
// far a client has got.
func (r *Runner) faultMoves(dst []move) []move {
	if r.left == (faults.Budget{}) {
		return dst
	}
	for i := range r.clients {
		p := r.clients[i].p
		if p.Status() == sim.Crashed {
			continue
		}
		for _, k := range clientFaults {
			if r.left[k] > 0 && r.canStrike(k, p) {
				dst = append(dst, move{kind: moveFault, fault: k, client: int32(i)})
			}
		}
	}
	if r.failsOver() || r.left[faults.LeaderCrash] > 0 && r.world.CanCrashLeader() {
		dst = append(dst, move{kind: moveFault, fault: faults.LeaderCrash})
	}
	if r.left[faults.CutRequest] > 0 || r.left[faults.CutReply] > 0 {
		dst = r.lossMoves(dst)
	}
	return dst
}

// clientFaults are the faults that strike a client, whatever it does.
var clientFaults = [...]faults.Kind{faults.Crash, faults.Expiry, faults.Resession, faults.Cut, faults.Interrupt}

// canStrike reports whether a fault of a client is enabled.
func (r *Runner) canStrike(k faults.Kind, p *simzk.Process) bool {
	switch k {
	case faults.Expiry:
		return r.world.LiveSession(p) || r.world.HasLease(p)
	case faults.Resession:
		return r.world.LiveSession(p)
	case faults.Cut:
		return r.world.Linked(p) || r.world.HasCall(p)
	case faults.Interrupt:
		return r.variant.Interruptible
	}
	return true
}

// lossMoves appends the losses of requests that are under way.
func (r *Runner) lossMoves(dst []move) []move {
	r.links = r.world.Losable(r.links[:0])
	for _, k := range r.kernelMoves {
		var p *simzk.Process
		if k.Kind == sim.MoveDeliver && sim.Dir(k.B) == sim.ToServer && slices.Contains(r.links, sim.LinkID(k.A)) {
			p = r.world.ProcessOf(sim.LinkID(k.A))
		} else if caller, ok := r.world.CallOf(k); ok {
			p = caller
		} else {
			continue
		}
		client := int32(p.Client())
		for _, f := range []faults.Kind{faults.CutRequest, faults.CutReply} {
			if r.left[f] > 0 {
				dst = append(dst, move{kind: moveFault, fault: f, client: client, kernel: k})
			}
		}
	}
	return dst
}

// do carries out a transition, and notes which processes it may have changed.
func (r *Runner) do(m *move) {
	owner := r.touches(m)
	r.carryOut(m)
	if m.kind != moveKernel {
		r.world.K.Purge()
	}
	if owner != nil {
		r.world.K.Touch(owner)
	} else {
		r.world.K.TouchAll()
	}
}

// touches is the one process whose own part of the world a transition can
// change, nil if it may be several.
func (r *Runner) touches(m *move) *sim.Proc {
	switch k := m.kernel; {
	case m.kind == moveFault && m.fault != faults.LeaderCrash:
		return r.world.K.Proc(r.clients[m.client].p.ID())
	case m.kind != moveKernel:
		return nil
	case k.Kind == sim.MoveDeliver:
		return r.world.K.Proc(r.world.ProcessOf(sim.LinkID(k.A)).ID())
	case k.Proc != sim.NoProc:
		return r.world.K.Proc(k.Proc)
	}
	return nil
}

// carryOut makes the change itself.
func (r *Runner) carryOut(m *move) {
	r.changed()
	switch m.kind {
	case moveKernel:
		r.world.K.Do(m.kernel)
	case moveExpiry:
		r.world.ExpireSession(m.session)
	case moveLease:
		r.world.EndLease()
	case moveArrival:
		r.world.Arrive(m.at)
	case moveStart:
		r.world.StartServer(int(m.at))
	case moveEnd:
		r.end()
	case moveFault:
		r.left[m.fault]--
		r.strike(m)
	}
}

// changed forgets what was computed of the state.
func (r *Runner) changed() {
	clear(r.blocks)
	r.sharedSum = 0
	r.isRanked = false
}

// strike carries out a fault.
func (r *Runner) strike(m *move) {
	w, p := r.world, r.clients[m.client].p
	switch m.fault {
	case faults.Crash:
		w.Crash(p, faults.Crash)
		r.clients[m.client].crashed = true
		r.event(checker.Crash, int(m.client))
		r.observe()
	case faults.Expiry:
		w.Expire(p)
	case faults.Resession:
		w.Resession(p)
	case faults.Cut:
		w.Cut(p)
	case faults.LeaderCrash:
		if r.s.Servers > 1 {
			w.CrashLeader()
			break
		}
		w.FailOver()
		if r.left[faults.LeaderCrash] > 0 {
			w.Rejoin()
		}
	case faults.CutRequest, faults.CutReply:
		r.lose(m)
	case faults.Interrupt:
		w.Interrupt(p)
	}
}

// lose loses a request that is under way, or its reply.
func (r *Runner) lose(m *move) {
	switch w := r.world; {
	case m.kernel.Kind == sim.MoveApp:
		w.LoseCall(m.kernel, m.fault)
	case m.fault == faults.CutRequest:
		w.LoseRequest(sim.LinkID(m.kernel.A))
	default:
		w.LoseReply(m.kernel)
	}
}

// end judges the run, as nothing can happen any more but faults, and lets
// the clients that are done close their sessions.
func (r *Runner) end() {
	r.ev = checker.Event{Kind: checker.Quiescent, Client: -1}
	r.observe()
	r.ended = true
	r.left = faults.Budget{}
	for i := range r.clients {
		if p := r.clients[i].p; p.Status() != sim.Crashed && p.AtGate(gateEnd) {
			r.world.OpenGate(p)
		}
	}
}

// copyInto makes dst, a runner of the same scenario, a copy of the untimed
// run.
func (r *Runner) copyInto(dst *Runner) {
	r.world.CopyInto(dst.world)
	dst.programs = r.programs
	dst.clients = append(dst.clients[:0], r.clients...)
	for i := range dst.clients {
		c := &dst.clients[i]
		c.p = dst.world.Process(c.p.ID())
		if c.current != nil {
			c.current = dst.world.Clients()[c.current.ID()]
		}
	}
	dst.owner = append(dst.owner[:0], r.owner...)
	dst.begun, dst.ended, dst.left, dst.zxids = r.begun, r.ended, r.left, r.zxids
	dst.whole, dst.goesOn = r.whole, r.goesOn
	dst.changed()
	r.monitor.CopyInto(&dst.monitor)
}

// reconnects reports whether a client may have to connect again in an untimed
// run.
func (s *Scenario) reconnects() bool {
	for k, n := range s.Faults {
		if n > 0 && faults.Kind(k) != faults.Crash && faults.Kind(k) != faults.Interrupt {
			return true
		}
	}
	return false
}
