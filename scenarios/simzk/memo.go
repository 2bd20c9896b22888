package simzk

import (
	"slices"

	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

var _ sim.MemoApp = (*World)(nil)

// ObservationKey implements [sim.MemoApp].
func (w *World) ObservationKey(sp *sim.Proc, t sim.TaskID) uint64 {
	s := &w.procs[sp.ID()].slots[t]
	var h sim.Hash
	s.hash(&h)
	return h.Sum()
}

// hash writes what a slot shows to code: no zxids and no Stats, which are
// asked for.
func (s *slot) hash(h *sim.Hash) {
	h.Uint64(uint64(s.value))
	h.Uint64(uint64(uint32(s.call.Watcher))<<32 | uint64(uint8(s.call.Event.Type))<<8 | uint64(s.call.Event.State))
	h.String(s.call.Event.Path)
	hashResponse(h, &s.resp)
}

// hashResponse writes what a response shows to code.
func hashResponse(h *sim.Hash, r *zkmodel.Response) {
	h.Uint64(uint64(uint32(r.Err))<<32 | uint64(len(r.Children))<<16 | uint64(len(r.Multi)))
	h.String(r.Path)
	h.Uint64(uint64(len(r.Data)))
	for _, b := range r.Data {
		h.Uint64(uint64(b))
	}
	for _, name := range r.Children {
		h.String(name)
	}
	for i := range r.Multi {
		m := &r.Multi[i]
		h.Uint64(uint64(uint32(m.Err))<<32 | uint64(uint32(m.Op)))
		h.String(m.Path)
	}
}

// Observation implements [sim.MemoApp].
func (w *World) Observation(sp *sim.Proc, t sim.TaskID) any {
	s := w.procs[sp.ID()].slots[t]
	s.resp.Stat, s.resp.Zxid, s.resp.Xid = zkmodel.Stat{}, 0, 0
	return s
}

// Observe implements [sim.MemoApp].
func (w *World) Observe(sp *sim.Proc, t sim.TaskID, o any) {
	p := w.procs[sp.ID()]
	for int(t) >= len(p.slots) {
		p.slots = append(p.slots, slot{})
	}
	p.slots[t] = o.(slot)
}

// Capture implements [sim.MemoApp].
func (w *World) Capture(sp *sim.Proc) any {
	s := &w.procs[sp.ID()].segment
	if len(s.requests)+len(s.records)+len(s.writes)+len(s.opens) == 0 {
		return (*segment)(nil)
	}
	return &segment{
		requests: clone(s.requests), records: clone(s.records),
		writes: clone(s.writes), opens: clone(s.opens),
	}
}

func clone[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return slices.Clone(s)
}

// Foretell implements [sim.MemoApp].
func (w *World) Foretell(sp *sim.Proc, t sim.TaskID, kind, arg int32) (int64, bool) {
	p := w.procs[sp.ID()]
	switch kind {
	case querySerial:
		return p.serial, true
	case queryStat:
		w.stats.asked |= 1 << uint(arg&15)
		f := zk.StatField(arg & 15)
		if i := int(arg >> 4); i < len(p.stats) {
			return statField(&p.stats[i], f), true
		} else if i == len(p.stats) && len(p.slots[t].resp.Multi) == 0 {
			return statField(&p.slots[t].resp.Stat, f), true // the task takes it over first
		}
	}
	return 0, false
}

// OfSession reports whether a question is about a handle's connection or
// session.
func OfSession(kind int32) bool {
	return kind == querySession || kind == queryState || kind == queryTimeout
}

// Records calls f for each record in a segment that [sim.World.Peek] shows.
func Records(seg any, f func(*Record)) {
	if s := seg.(*segment); s != nil {
		for i := range s.records {
			f(&s.records[i])
		}
	}
}

// Install implements [sim.MemoApp]. Nothing is appended to a segment that was
// installed: no code runs in its world.
func (w *World) Install(sp *sim.Proc, o any) {
	if s := o.(*segment); s != nil {
		w.procs[sp.ID()].segment = *s
	}
}

// HashProcess writes the state of a process: its kernel part, its handles with
// what is under way on their connections, and what it is about to be told.
// history is as in [sim.World.HashProc]; rank gives the order of a zxid among
// those of the world.
func (w *World) HashProcess(h *sim.Hash, p *Process, history bool, rank func(int64) uint64) {
	w.K.HashProc(h, p.sp, history)
	if p.sp.Status() != sim.Crashed {
		for t := range p.slots {
			if p.sp.Told(sim.TaskID(t)) {
				p.slots[t].hash(h)
			}
		}
		bits := uint64(p.atGate) << 8
		if p.gate.on {
			bits |= 1
		}
		if p.interrupts {
			bits |= 2
		}
		h.Uint64(bits)
	}
	for l := range w.conns {
		if c := &w.conns[l]; c.client != nil && c.client.p == p {
			c.hash(h, l, &w.server)
		}
	}
	if p.sp.Status() == sim.Crashed {
		return
	}
	w.K.HashAppTimers(h, p.sp.ID())
	for _, c := range w.Clients() {
		if c.p == p {
			c.hash(h)
		}
	}
	if w.stats.hashed != 0 {
		p.hashStats(h, w.stats.hashed, rank)
	}
}

// hashStats writes the fields of Stats that code has been seen to ask for.
func (p *Process) hashStats(h *sim.Hash, fields uint32, rank func(int64) uint64) {
	for i := range p.stats {
		for f := zk.StatField(0); fields>>f != 0; f++ {
			if fields>>f&1 == 0 {
				continue
			}
			v := statField(&p.stats[i], f)
			if f == zk.FieldCzxid || f == zk.FieldMzxid || f == zk.FieldPzxid {
				v = int64(rank(v))
			}
			h.Uint64(uint64(v))
		}
	}
}

// hash writes what is under way on a connection.
func (c *conn) hash(h *sim.Hash, link int, s *zkmodel.Server) {
	bits := uint64(link) << 8
	if c.serverGone {
		bits |= 1
	}
	if c.clientGone {
		bits |= 2
	}
	if bits&3 == 3 && c.toServer.len()+c.toClient.len() == 0 {
		return // closed; the number may be used again
	}
	h.Uint64(bits)
	for _, m := range c.toServer.items[c.toServer.head:] {
		if m.fin {
			h.Uint64(1 << 40)
			continue
		}
		h.Uint64(uint64(uint32(m.req.Op))<<32 | uint64(uint32(m.req.Version)))
		h.Uint64(uint64(uint32(m.req.Flags))<<32 | uint64(uint32(m.req.Xid)))
		h.String(m.req.Path)
		if m.req.Watch {
			h.Uint64(1)
		}
		h.Uint64(uint64(len(m.req.Data)))
		for _, b := range m.req.Data {
			h.Uint64(uint64(b))
		}
		h.Uint64(uint64(m.req.SessionID))
		for i := range m.req.Multi {
			h.Uint64(uint64(uint32(m.req.Multi[i].Op)))
			h.String(m.req.Multi[i].Path)
		}
		if set := m.req.Watches; set != nil {
			hashWatchSet(h, set, s)
		}
	}
	h.Uint64(1 << 41)
	for i := c.toClient.head; i < len(c.toClient.items); i++ {
		f := &c.toClient.items[i]
		if f.Hangup {
			h.Uint64(1 << 42)
			continue
		}
		r := &f.Response
		h.Uint64(uint64(r.Kind)<<56 | uint64(uint8(r.Event))<<48 | uint64(uint32(r.Xid)))
		h.Uint64(uint64(r.SessionID))
		hashResponse(h, r)
	}
}

// hashWatchSet writes a request to set watches again: of its zxid only what the
// server would make of it now.
func hashWatchSet(h *sim.Hash, set *zkmodel.WatchSet, s *zkmodel.Server) {
	for i, list := range [][]string{set.Data, set.Exist, set.Child} {
		h.Uint64(uint64(len(list)))
		for _, path := range list {
			h.String(path)
			if st, ok := s.Lookup(path); ok && (i == 0 && st.Mzxid > set.RelativeZxid || i == 2 && st.Pzxid > set.RelativeZxid) {
				h.Uint64(1)
			}
		}
	}
}

// hash writes the state of a handle.
func (c *Client) hash(h *sim.Hash) {
	c.m.Hash(h)
	bits := uint64(uint32(c.callback)+1) << 8
	if c.link >= 0 {
		bits |= 1
	}
	if c.resetting {
		bits |= 2
	}
	h.Uint64(bits)
	for i := c.calls.head; i < len(c.calls.items); i++ {
		x := &c.calls.items[i]
		h.Uint64(uint64(uint32(x.Watcher))<<32 | uint64(uint8(x.Event.Type)))
		h.String(x.Event.Path)
	}
	for i := range c.tags {
		if t := &c.tags[i]; t.on {
			h.Uint64(uint64(i)<<32 | uint64(uint32(t.task)))
		}
	}
}

// HashShared writes what belongs to no process: the server and the resource.
// With zxids it also writes what setting watches again would show the clients.
func (w *World) HashShared(h *sim.Hash, zxids bool, rank func(int64) uint64) {
	w.server.Hash(h)
	w.K.HashAppTimers(h, sim.NoProc)
	if w.resource.high != 0 {
		h.Uint64(rank(w.resource.high))
	}
	if !zxids {
		return
	}
	for _, c := range w.Clients() {
		w.missed = c.m.AppendMissed(w.missed[:0], &w.server)
		bits := uint64(1)
		for _, m := range w.missed {
			bits <<= 1
			if m {
				bits |= 1
			}
		}
		h.Uint64(bits)
	}
}

// AppendZxids appends the zxids of the world that [World.HashShared] and
// [World.HashProcess] rank.
func (w *World) AppendZxids(dst []int64) []int64 {
	dst = append(w.server.AppendZxids(dst), w.resource.high)
	if w.ZxidsAsked() {
		for _, p := range w.procs[:w.nprocs] {
			for i := range p.stats {
				dst = append(dst, p.stats[i].Czxid, p.stats[i].Mzxid, p.stats[i].Pzxid)
			}
		}
	}
	return dst
}

// ZxidsAsked reports whether zxids in Stats belong to the identity of a state.
func (w *World) ZxidsAsked() bool {
	return w.stats.hashed&(1<<zk.FieldCzxid|1<<zk.FieldMzxid|1<<zk.FieldPzxid) != 0
}

// StatFields says which fields of Stats code has asked for since
// [World.HashStatFields], a bit each. Worlds that are copied from one another
// share it.
func (w *World) StatFields() uint32 { return w.stats.asked }

// HashStatFields sets which fields of Stats belong to the identity of a state:
// all those that code may ask for.
func (w *World) HashStatFields(fields uint32) { w.stats = &statFields{hashed: fields, asked: fields} }

// statFields is about the fields of Stats, a bit each.
type statFields struct{ hashed, asked uint32 }
