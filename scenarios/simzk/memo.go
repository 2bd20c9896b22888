package simzk

import (
	"slices"
	"strings"

	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

var _ sim.MemoApp = (*World)(nil)

// ObservationKey implements [sim.MemoApp].
func (w *World) ObservationKey(sp *sim.Proc, t sim.TaskID) uint64 {
	p := w.procs[sp.ID()]
	x := hasher{}
	x.slot(&p.slots[t], p)
	return x.Sum()
}

// MaskedKey implements [sim.MemoApp].
func (w *World) MaskedKey(sp *sim.Proc, t sim.TaskID) uint64 {
	p := w.procs[sp.ID()]
	x := hasher{mask: p}
	x.slot(&p.slots[t], p)
	return x.Sum()
}

// MaskedAnswer implements [sim.MemoApp].
func (w *World) MaskedAnswer(sp *sim.Proc, kind int32, v int64) int64 {
	p := w.procs[sp.ID()]
	switch kind {
	case querySession:
		return p.sessionWord(v)
	case querySerial:
		return 0
	case queryStat: // ids of sessions are far larger than what else it may be
		if v >= sessionBase {
			return p.sessionWord(v)
		}
	}
	return v
}

// sessionBase is the least session id.
const sessionBase = 1 << 56

// sessionWord stands for the id of a session: the process's first, its second,
// ..., or another's.
func (p *Process) sessionWord(id int64) int64 {
	if id == 0 {
		return 0
	}
	for i, own := range p.sessions {
		if own == id {
			return int64(i) + 1
		}
	}
	return -1
}

// hasher writes states into a hash. With a mask it does so as the given process
// sees them, whoever that is: its own GUIDs and session ids are told from those
// of others, but not which ones they are. The number that the server appended
// to a name still tells whose it is.
type hasher struct {
	sim.Hash
	mask *Process
	// fields are those of Stats that belong to a state, and rank gives the order
	// of a zxid; 0 and nil leave Stats out.
	fields uint32
	rank   func(int64) uint64
}

// scratchHasher is a hasher that a world uses again and again, with its
// methods as functions: making those costs memory.
type scratchHasher struct {
	hasher
	nameHash func(string) uint64
	dataHash func([]byte) uint64
	timer    func(a, b int32) (uint64, bool)
}

func (w *World) scratchHasher() *scratchHasher {
	if w.hasher == nil {
		s := &scratchHasher{}
		s.nameHash, s.dataHash = s.hasher.nameHash, s.hasher.dataHash
		s.timer = w.timerWord
		w.hasher = s
	}
	return w.hasher
}

// guidTail follows the eight digits of a process in its GUIDs.
const guidTail = "-0000-4000-8000-"

// name writes a path, a name or contents.
func (x *hasher) name(s string) {
	if x.mask != nil && len(s) > len(guidTail)+8 {
		if i := strings.Index(s, guidTail); i >= 8 {
			x.String(s[:i-8])
			var serial [8]byte
			putHex(serial[:], uint64(x.mask.serial))
			x.Uint64(2 + bit(s[i-8:i] == string(serial[:])))
			s = s[i:]
		}
	}
	x.String(s)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// session writes the id of a session.
func (x *hasher) session(id int64) {
	if x.mask != nil {
		id = x.mask.sessionWord(id)
	}
	x.Uint64(uint64(id))
}

// slot writes what a slot shows to code: no zxids and no Stats, which are
// asked for.
func (x *hasher) slot(s *slot, p *Process) {
	x.Uint64(uint64(s.value))
	x.Uint64(p.watcherWord(s.call.Watcher)<<32 | uint64(uint8(s.call.Event.Type))<<8 | uint64(s.call.Event.State))
	x.name(s.call.Event.Path)
	x.response(&s.resp)
}

// response writes what a response shows to code; of its Stats, what belongs to
// a state.
func (x *hasher) response(r *zkmodel.Response) {
	if x.fields != 0 {
		x.stat(&r.Stat)
	}
	x.Uint64(uint64(uint32(r.Err))<<32 | uint64(len(r.Children))<<16 | uint64(len(r.Multi)))
	x.name(r.Path)
	x.data(r.Data)
	if x.mask != nil && len(r.Children) > 1 {
		x.set(r.Children)
	} else {
		for _, name := range r.Children {
			x.name(name)
		}
	}
	for i := range r.Multi {
		m := &r.Multi[i]
		x.Uint64(uint64(uint32(m.Err))<<32 | uint64(uint32(m.Op)))
		x.name(m.Path)
		if x.fields != 0 {
			x.stat(&m.Stat)
		}
	}
}

// set writes names whose order tells who is who: it is that of hashes of the
// names. Code that minds the order of a list is not symmetric.
func (x *hasher) set(names []string) {
	var sum uint64
	for _, name := range names {
		y := hasher{mask: x.mask}
		y.name(name)
		sum += y.Sum()
	}
	x.Uint64(sum)
}

// data writes contents.
func (x *hasher) data(b []byte) {
	x.Uint64(uint64(len(b)))
	if len(b) > 0 {
		x.name(string(b))
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
	s := o.(slot)
	// Code may change a list that it is given.
	s.resp.Children = slices.Clone(s.resp.Children)
	if len(s.resp.Multi) > 0 {
		s.resp.Multi = slices.Clone(s.resp.Multi)
		for i := range s.resp.Multi {
			s.resp.Multi[i].Children = slices.Clone(s.resp.Multi[i].Children)
		}
	}
	p.slots[t] = s
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
// rank gives the order of a zxid among those of the world. With masked set it
// writes the process's share of the server too, and nothing that tells who it
// is.
func (w *World) HashProcess(h *sim.Hash, p *Process, history sim.History, masked bool, rank func(int64) uint64) {
	s := w.scratchHasher()
	x := &s.hasher
	x.Hash, x.mask = *h, nil
	x.fields, x.rank = w.stats.hashed, rank
	if masked {
		x.mask = p
	}
	w.K.HashProc(&x.Hash, p.sp, history)
	if p.sp.Status() != sim.Crashed {
		for t := range p.slots {
			if p.sp.Told(sim.TaskID(t)) {
				x.slot(&p.slots[t], p)
			}
		}
		x.Uint64(uint64(p.atGate)<<8 | bit(p.gate.on) | bit(p.interrupts)<<1)
	}
	for l := range w.conns {
		if c := &w.conns[l]; c.client != nil && c.client.p == p {
			x.conn(c, l, &w.server, s.nameHash)
		}
	}
	if masked {
		for i, id := range p.sessions {
			w.server.HashSession(x, id, i, s.nameHash, s.dataHash)
		}
	}
	if p.sp.Status() != sim.Crashed {
		w.K.HashAppTimers(&x.Hash, p.sp.ID(), s.timer)
		for _, c := range w.Clients() {
			if c.p == p {
				x.client(c, s.nameHash)
			}
		}
		if x.fields != 0 {
			x.stats(p)
		}
	}
	if len(w.resource.writes) > 0 {
		w.resource.hashWrites(x, p, rank)
	}
	*h = x.Hash
}

// timerWord stands for a timer of a handle by the place of that among those of
// its process. Those of writes are [resource.hashWrites]'s to write.
func (w *World) timerWord(a, b int32) (uint64, bool) {
	switch a {
	case timerWrite, timerWriteAck:
		return 0, false
	case timerClient, timerRedial, timerReset, timerEvents:
		b = w.clients[b].n
	}
	return uint64(uint32(a))<<32 | uint64(uint32(b)), true
}

// nameHash and dataHash are the hashes of a path and of contents.
func (x *hasher) nameHash(s string) uint64 {
	y := hasher{mask: x.mask}
	y.name(s)
	return y.Sum()
}

func (x *hasher) dataHash(b []byte) uint64 {
	y := hasher{mask: x.mask}
	y.data(b)
	return y.Sum()
}

// stats writes the Stats that code may still ask about.
func (x *hasher) stats(p *Process) {
	for i := range p.stats {
		if p.statAlive(int32(i)) {
			x.stat(&p.stats[i])
		}
	}
}

// stat writes the fields of a Stat that code has been seen to ask for.
func (x *hasher) stat(s *zkmodel.Stat) {
	for f := zk.StatField(0); x.fields>>f != 0; f++ {
		if x.fields>>f&1 == 0 {
			continue
		}
		v := statField(s, f)
		switch f {
		case zk.FieldCzxid, zk.FieldMzxid, zk.FieldPzxid:
			x.Uint64(x.rank(v))
		case zk.FieldEphemeralOwner:
			x.session(v)
		default:
			x.Uint64(uint64(v))
		}
	}
}

// conn writes what is under way on a connection.
func (x *hasher) conn(c *conn, link int, s *zkmodel.Server, nameHash func(string) uint64) {
	bits := uint64(link)<<8 | bit(c.serverGone) | bit(c.clientGone)<<1
	if x.mask != nil {
		bits = uint64(link%linksPerProcess)<<8 | bits&3
	}
	// What a crashed client has not taken nobody takes.
	unread := c.clientGone && c.client.p.sp.Status() == sim.Crashed
	if bits&3 == 3 && c.toServer.len() == 0 && (unread || c.toClient.len() == 0) {
		return // closed; the number may be used again
	}
	x.Uint64(bits)
	if x.mask != nil {
		s.HashConn(x, zkmodel.ConnID(link), nameHash)
	}
	for i := c.toServer.head; i < len(c.toServer.items); i++ {
		m := &c.toServer.items[i]
		if m.fin {
			x.Uint64(1 << 40)
			continue
		}
		x.request(&m.req, c.client.m.Age(m.req.Xid), s)
	}
	if unread {
		return
	}
	x.Uint64(1 << 41)
	for i := c.toClient.head; i < len(c.toClient.items); i++ {
		f := &c.toClient.items[i]
		if f.Hangup {
			x.Uint64(1 << 42)
			continue
		}
		r := &f.Response
		x.Uint64(uint64(r.Kind)<<56 | uint64(uint8(r.Event))<<48 | uint64(uint32(c.client.m.Age(r.Xid))))
		x.session(r.SessionID)
		x.response(r)
	}
}

// linksPerProcess is how many links of a process the kernel numbers together.
const linksPerProcess = sim.LinksPerProc

// request writes a request that is under way.
func (x *hasher) request(r *zkmodel.Request, age int32, s *zkmodel.Server) {
	x.Uint64(uint64(uint32(r.Op))<<32 | uint64(uint32(r.Version)))
	x.Uint64(uint64(uint32(r.Flags))<<32 | uint64(uint32(age)))
	x.name(r.Path)
	x.Uint64(bit(r.Watch))
	x.data(r.Data)
	x.session(r.SessionID)
	for i := range r.Multi {
		x.Uint64(uint64(uint32(r.Multi[i].Op)))
		x.name(r.Multi[i].Path)
		x.data(r.Multi[i].Data)
	}
	if r.Watches != nil {
		x.watchSet(r.Watches, s)
	}
}

// watchSet writes a request to set watches again: of its zxid only what the
// server would make of it now. The order is that of the paths.
func (x *hasher) watchSet(set *zkmodel.WatchSet, s *zkmodel.Server) {
	for i, list := range [][]string{set.Data, set.Exist, set.Child} {
		x.Uint64(uint64(len(list)))
		var sum uint64
		for _, path := range list {
			y := hasher{mask: x.mask}
			y.name(path)
			if st, ok := s.Lookup(path); ok && (i == 0 && st.Mzxid > set.RelativeZxid || i == 2 && st.Pzxid > set.RelativeZxid) {
				y.Uint64(1)
			}
			sum += y.Sum()
		}
		x.Uint64(sum)
	}
}

// client writes the state of a handle.
func (x *hasher) client(c *Client, name func(string) uint64) {
	if c.p.word == nil {
		c.p.word = c.p.watcherWord
	}
	c.m.HashNamed(x, name, c.p.word)
	x.session(c.m.SessionID())
	x.Uint64(uint64(uint32(c.callback)+1)<<8 | bit(c.link >= 0) | bit(c.resetting)<<1)
	for i := c.calls.head; i < len(c.calls.items); i++ {
		call := &c.calls.items[i]
		x.Uint64(c.p.watcherWord(call.Watcher)<<32 | uint64(uint8(call.Event.Type)))
		x.name(call.Event.Path)
	}
	for i := range c.tags {
		if t := &c.tags[i]; t.on {
			x.Uint64(uint64(i)<<32 | uint64(uint32(t.task)))
		}
	}
}

// HashShared writes what belongs to no process: the server and the resource.
// With masked set it leaves out the share of the server that HashProcess
// writes then.
func (w *World) HashShared(h *sim.Hash, masked bool, rank func(int64) uint64) {
	if masked {
		w.server.HashShared(h)
	} else {
		w.server.Hash(h)
	}
	w.K.HashAppTimers(h, sim.NoProc, w.scratchHasher().timer)
	if w.resource.high != 0 {
		h.Uint64(rank(w.resource.high))
	}
	w.resource.hashShops(h, rank)
}

// HashMissed writes what setting watches again would show a process: now, and
// after each reply that is under way to it. With masked set it writes nothing
// that tells who it is.
func (w *World) HashMissed(h *sim.Hash, p *Process, masked bool) {
	s := w.scratchHasher()
	s.mask = nil
	if masked {
		s.mask = p
	}
	for _, c := range w.Clients() {
		if c.p != p {
			continue
		}
		last := c.m.LastZxid()
		c.m.HashMissed(h, &w.server, last, 0, s.nameHash)
		if c.link < 0 {
			continue
		}
		under := &w.conns[c.link].toClient
		for i := under.head; i < len(under.items); i++ {
			if r := &under.items[i].Response; r.Kind == zkmodel.KindReply {
				last = max(last, r.Zxid)
				c.m.HashMissed(h, &w.server, last, r.Xid, s.nameHash)
			}
		}
	}
}

// AppendZxids appends the zxids of the world that [World.HashShared] and
// [World.HashProcess] rank.
func (w *World) AppendZxids(dst []int64) []int64 {
	dst = w.resource.appendTokens(w.server.AppendZxids(dst))
	if !w.ZxidsAsked() {
		return dst
	}
	for _, p := range w.procs[:w.nprocs] {
		if p.sp.Status() == sim.Crashed {
			continue // nobody looks at them any more
		}
		for i := range p.stats {
			dst = appendZxids(dst, &p.stats[i])
		}
		for t := range p.slots {
			if p.sp.Told(sim.TaskID(t)) {
				dst = appendResponseZxids(dst, &p.slots[t].resp)
			}
		}
	}
	for l := range w.conns {
		c := &w.conns[l]
		for i := c.toClient.head; i < len(c.toClient.items); i++ {
			dst = appendResponseZxids(dst, &c.toClient.items[i].Response)
		}
	}
	return dst
}

func appendZxids(dst []int64, s *zkmodel.Stat) []int64 {
	return append(dst, s.Czxid, s.Mzxid, s.Pzxid)
}

func appendResponseZxids(dst []int64, r *zkmodel.Response) []int64 {
	dst = appendZxids(dst, &r.Stat)
	for i := range r.Multi {
		dst = appendZxids(dst, &r.Multi[i].Stat)
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
