package simzk

import (
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/stores"
)

// stream lets the next change leave for the replica of a Redis.
func (w *World) stream() {
	s := &w.store
	switch {
	case s.kind != zk.StoreRedis || s.streams || s.redis.Behind() == 0:
	case s.held > 0:
		w.lagBites()
	default:
		s.streams = true
		w.K.After(w.K.Draw(sim.LabelLatency, storeLatency), sim.NoProc, timerReplica, 0, false)
	}
}

// lagBites notes that the present lag of the replica holds something up.
func (w *World) lagBites() {
	if s := &w.store; !s.bitten {
		s.bitten = true
		w.storeBit(faults.Lag)
	}
}

// replicate: a change reaches the replica, unless that lags.
func (w *World) replicate() {
	s := &w.store
	s.streams = false
	switch {
	case s.redis.Behind() == 0: // the primary it came from is gone
	case s.held > 0:
		w.lagBites()
	default:
		s.redis.Replicate()
		w.moves++
		w.K.Tracef("store: the replica has a change")
		w.stream()
	}
}

// storeBit reports a fault of the store, which may touch every client.
func (w *World) storeBit(k faults.Kind) {
	w.moves++
	if w.injector != nil && !w.K.Untimed() {
		w.injector.Bite(k)
	}
	w.observer.Bit(nil, k)
}

// primaryServer and replicaServer number the servers of a Redis for
// [World.CrashLeader] and [World.Lag].
const (
	primaryServer = 1
	replicaServer = 2
)

// CanFailOver reports whether the store has a server that can go on in place of
// the one that serves.
func (w *World) CanFailOver() bool {
	return w.store.kind == zk.StoreRedis && !w.store.redis.Single()
}

// FailOver stops the primary of the store; the replica goes on with what it
// has, at once. What is under way to the primary is lost. It returns
// primaryServer, or 0 if there is no replica.
func (w *World) FailOver() int {
	if !w.CanFailOver() {
		return 0
	}
	w.K.Tracef("fault: the primary crashes, and the replica goes on")
	if n := w.store.redis.Behind(); n > 0 && w.K.Tracing() {
		w.K.Tracef("fault: what the replica had not got is lost")
	}
	w.storeBit(faults.LeaderCrash)
	w.store.redis.FailOver()
	for i := range w.store.calls {
		if x := &w.store.calls[i]; x.stage == callUnderWay {
			x.broken = true
		}
	}
	return primaryServer
}

// Rejoin starts the server that a fail-over stopped as replica of the other.
func (w *World) Rejoin() {
	w.store.redis.Rejoin()
	w.K.Tracef("replica: is there again, on the former primary")
}

// lagStore holds up what is sent to the replica until catchUpStore; 0 if there
// is none.
func (w *World) lagStore() int {
	s := &w.store
	if !w.CanFailOver() {
		return 0
	}
	w.K.Tracef("fault: the replica lags behind the primary")
	if s.held++; s.held == 1 {
		s.bitten = false
	}
	return replicaServer
}

func (w *World) catchUpStore() {
	if w.store.held--; w.store.held == 0 {
		w.K.Tracef("replica: no longer lags")
		w.stream()
	}
}

// HasLease reports whether a process has the lock as far as the store is
// concerned, or has had it there without having been told yet.
func (w *World) HasLease(p *Process) bool {
	m := w.store.machine()
	return m != nil && p.tends != "" && m.Owner(w.storeTime()) == p.tends
}

// endLease ends the lease of a process, as a clock of the store that jumps
// does.
func (w *World) endLease(p *Process) bool {
	if !w.HasLease(p) {
		return false
	}
	w.K.Tracef("fault: the lease of %s is over", p.name)
	p.bit(faults.Expiry)
	w.store.machine().End(w.storeTime())
	w.stream()
	return true
}

// HasCall reports whether a call of the process, or its answer, is under way.
func (w *World) HasCall(p *Process) bool {
	for i := range w.store.calls {
		if x := &w.store.calls[i]; x.p == p && !x.over() && !x.nobodys {
			return true
		}
	}
	return false
}

// cutCalls cuts the connection of a process to the store: what is under way is
// lost.
func (w *World) cutCalls(p *Process) bool {
	if !w.HasCall(p) {
		return false
	}
	w.K.Tracef("fault: the connection of %s is cut", p.name)
	p.bit(faults.Cut)
	for i := range w.store.calls {
		x := &w.store.calls[i]
		switch {
		case x.p != p || x.over() || x.nobodys:
		case x.stage == callUnderWay:
			x.broken = true
		default:
			x.value = callLost
		}
	}
	return true
}

// HoldsToken reports whether the hold with a fencing token is that which the
// store knows of, its process alive.
func (w *World) HoldsToken(token int64) bool {
	s := &w.store
	owner := ""
	if s.kind == zk.StoreDatabase && s.database.Version() == token {
		owner = s.database.Owner(w.storeTime())
	}
	if owner == "" {
		return false
	}
	for _, p := range w.procs[:w.nprocs] {
		if p.tends == owner && p.sp.Status() != sim.Crashed {
			return true
		}
	}
	return false
}

// For untimed runs.

// Forsaken reports whether somebody has the lock in the store who will not give
// it back: a process that has crashed, or one whose last word of it was lost.
// Its lease may end.
func (w *World) Forsaken() bool {
	m := w.store.machine()
	if m == nil || m.Owner(w.storeTime()) == "" {
		return false
	}
	for _, p := range w.procs[:w.nprocs] {
		if p.sp.Status() != sim.Crashed && w.HasLease(p) {
			return false
		}
	}
	return true
}

// EndLease ends the lease of whoever has the lock.
func (w *World) EndLease() {
	w.moves++
	w.K.Tracef("store: the lease of %s is over", w.nameOf(w.store.machine().Owner(w.storeTime())))
	w.store.machine().End(w.storeTime())
	w.stream()
}

// CallOf is the process whose call a move delivers to the store, if that would
// carry it out.
func (w *World) CallOf(m sim.Move) (*Process, bool) {
	if m.Kind != sim.MoveApp || m.A != timerCall {
		return nil, false
	}
	x := &w.store.calls[m.B]
	return x.p, !x.broken && x.p.sp.Status() != sim.Crashed
}

// LoseCall loses the call that a move delivers, or its answer.
func (w *World) LoseCall(m sim.Move, k faults.Kind) {
	x := &w.store.calls[m.B]
	x.loss = faults.LoseRequest
	if k == faults.CutReply {
		x.loss = faults.LoseReply
	}
	w.K.Do(m)
}

// copyInto makes dst, whose processes are there, a copy.
func (s *store) copyInto(dst *store, w *World) {
	redis, calls := dst.redis, append(dst.calls[:0], s.calls...)
	s.redis.CopyInto(&redis)
	*dst = *s
	dst.redis, dst.calls = redis, calls
	for i := range dst.calls {
		x := &dst.calls[i]
		x.p = w.procs[x.p.sp.ID()]
	}
}

// hash writes the store. With masked set it leaves out who has the lock.
func (s *store) hash(h *sim.Hash, masked bool, rank func(int64) uint64) {
	word := func(owner string) {
		h.Uint64(bit(owner != ""))
		if !masked {
			h.String(owner)
		}
	}
	switch s.kind {
	case zk.StoreDatabase:
		word(s.database.Owner(0))
		h.Uint64(rankOf(rank, s.database.Version()))
	case zk.StoreRedis:
		s.redis.Owners(word)
		h.Uint64(bit(s.redis.Single()) | bit(s.streams)<<1)
	}
}

// hashOf writes what of the store belongs to a process: its calls and the lease
// that it tends; where it is masked, also which of the owners it is.
func (s *store) hashOf(x *hasher, p *Process) {
	if s.kind == zk.StoreNone {
		return
	}
	crashed := p.sp.Status() == sim.Crashed
	if !crashed {
		x.name(p.tends)
	}
	for i := range s.calls {
		c := &s.calls[i]
		if c.p != p || c.over() || crashed && c.broken {
			continue
		}
		x.Uint64(uint64(c.stage)<<40 | uint64(c.req.Op)<<32 | uint64(uint32(c.tag.task)))
		x.name(c.req.Owner)
		x.Uint64(uint64(c.value)<<1 | bit(c.broken))
	}
	if x.mask == nil {
		return
	}
	switch s.kind {
	case zk.StoreDatabase:
		x.name(s.database.Owner(0))
	case zk.StoreRedis:
		s.redis.Owners(x.name)
	}
}

// hashCalls writes the calls that a segment puts out.
func hashCalls(x *hasher, calls []stores.Request) {
	for i := range calls {
		x.Uint64(uint64(calls[i].Op)<<56 | uint64(calls[i].Lease))
		x.name(calls[i].Owner)
	}
}
