package simzk

import (
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// The identity of a state: what tells two worlds apart that go on differently.

// HashProcess writes the state of a process: its kernel part, its handles with
// what is under way on their connections, and what it is about to be told.
// rank gives the order of a zxid among those of the world. With masked set it
// writes the process's share of the server too, and nothing that tells who it
// is.
func (w *World) HashProcess(h *sim.Hash, p *Process, history sim.History, masked bool, rank func(int64) uint64) {
	s := w.hasherFor(p, masked)
	x := &s.hasher
	x.rank = rank
	h.Uint64(w.ownHash(s, p, history))
	if masked {
		h.Uint64(w.serverShare(s, p))
	}
	x.Hash = *h
	if len(w.resource.writes) > 0 {
		w.resource.hashWrites(x, p, rank)
	}
	w.store.hashOf(x, p)
	*h = x.Hash
}

// hasherFor is a hasher that writes as a process sees it, if masked is set, and no
// zxids.
func (w *World) hasherFor(p *Process, masked bool) *scratchHasher {
	s := w.scratchHasher()
	s.mask, s.fields, s.rank = nil, w.stats.hashed, nil
	if masked {
		s.mask = p
	}
	return s
}

// keptHash is the hash of a part of the world, kept until that is touched: of
// what nothing changes but steps of a process and what is sent to it, or of the
// server.
type keptHash struct {
	version uint64 // of the part; see [sim.Versions]
	history sim.History
	masked  bool
	sum     uint64
}

// touchServer notes that the server changes.
func (w *World) touchServer() { w.serverOwn = keptHash{version: w.K.NextVersion()} }

// ownHash is the share of [World.HashProcess] that is the process's own, as s
// writes it: its kernel part, its handles, what is under way on their
// connections and what it is about to be told. It is kept until a step touches
// the process, or sends it something, unless what depends on the rest of the
// world may be in it: ranks of zxids, and requests to set watches again.
func (w *World) ownHash(s *scratchHasher, p *Process, history sim.History) uint64 {
	x := &s.hasher
	o := keptHash{version: p.sp.Version(), history: history, masked: x.mask != nil, sum: p.own.sum}
	keeps := o.version != 0 && x.rank == nil
	if keeps && o == p.own {
		return o.sum
	}
	x.Reset()
	w.K.HashProc(&x.Hash, p.sp, history)
	if p.sp.Status() != sim.Crashed {
		for t := range p.slots {
			if p.sp.Told(sim.TaskID(t)) {
				x.slot(&p.slots[t], p)
			}
		}
		x.Uint64(uint64(p.atGate)<<8 | bit(p.gate.on) | bit(p.interrupts)<<1)
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
	for l := range w.conns {
		c := &w.conns[l]
		if c.client == nil || c.client.p != p {
			continue
		}
		if !c.over() {
			x.conn(c, l, w.serverOf(c))
		}
		if w.ens != nil {
			x.Uint64(uint64(c.server)<<32 | uint64(uint32(c.cutReply)))
		}
		keeps = keeps && !c.setsWatches()
	}
	o.sum = x.Sum()
	if keeps {
		p.own = o
	}
	return o.sum
}

// HashBehindCrash writes what a crash would leave of a process: what is under way
// from it, and with masked set its share of the server. It is false if what is left
// hangs on more than that and the rest of the world.
func (w *World) HashBehindCrash(h *sim.Hash, p *Process, masked bool) bool {
	if !w.plain() {
		return false
	}
	s := w.hasherFor(p, masked)
	if masked {
		h.Uint64(w.serverShare(s, p))
	}
	s.Reset()
	told := w.underWay(&s.hasher, p, 0)
	h.Uint64(s.Sum())
	return told
}

// HashBehindEnd writes what belongs to no process, and what belongs to one that has
// crashed, behind the end of a session of its: [World.HashShared] and
// [World.HashProcess] without what ends. It is false if what is left hangs on more.
func (w *World) HashBehindEnd(h *sim.Hash, p *Process, session int64, masked bool) bool {
	if !w.plain() {
		return false
	}
	s := w.hasherFor(p, masked)
	x := &s.hasher
	x.Reset()
	if masked {
		h.Uint64(w.serverHash(true))
		x.Reset()
		for i, id := range p.sessions {
			if id == session {
				x.Uint64(uint64(i))
				w.server.HashEphemerals(x, id, s.nameHash, s.dataHash)
			} else {
				w.server.HashSession(x, id, i, s.nameHash, s.dataHash)
			}
		}
	} else {
		x.Uint64(uint64(session))
		w.server.HashBehindEnd(x, session)
	}
	told := w.underWay(x, p, session)
	h.Uint64(x.Sum())
	w.hashUnowned(h, masked, nil)
	return told
}

// plain reports whether there is one server and nothing else that keeps anything.
func (w *World) plain() bool {
	return w.ens == nil && w.store.kind == zk.StoreNone && len(w.resource.writes) == 0
}

// underWay writes what is under way from a process, but for what is on the
// connection of a session. It is false if another one is at work.
func (w *World) underWay(x *hasher, p *Process, session int64) bool {
	for l := range w.conns {
		c := &w.conns[l]
		if c.client == nil || c.client.p != p || c.over() {
			continue
		}
		id, ok := w.server.ConnSession(zkmodel.ConnID(l))
		if ok && session != 0 && id == session {
			continue
		}
		if ok && session != 0 {
			return false
		}
		x.toServer(c, l, &w.server)
	}
	return true
}

// serverShare is the hash of what the server has of a process, as s writes it. It
// is kept until a step touches one of the two.
func (w *World) serverShare(s *scratchHasher, p *Process) uint64 {
	share := sharedHash{p.sp.Version(), w.serverOwn.version, true, p.share.sum}
	keeps := share.process != 0 && share.server != 0
	if keeps && share == p.share {
		return share.sum
	}
	x := &s.hasher
	x.Reset()
	for l := range w.conns {
		if c := &w.conns[l]; c.client != nil && c.client.p == p && !c.over() {
			w.serverOf(c).HashConn(x, zkmodel.ConnID(l), s.nameHash)
		}
	}
	if w.ens == nil {
		for i, id := range p.sessions {
			w.server.HashSession(x, id, i, s.nameHash, s.dataHash)
		}
	}
	share.sum = x.Sum()
	if keeps {
		p.share = share
	}
	return share.sum
}

// sharedHash is the hash of something that hangs on a process and on the server,
// kept until a step touches one of the two.
type sharedHash struct {
	process, server uint64 // their versions
	masked          bool
	sum             uint64
}

// serverOf is the server of a connection.
func (w *World) serverOf(c *conn) *zkmodel.Server {
	if w.ens != nil {
		return w.ens.peers[c.server].Server()
	}
	return &w.server
}

// timerWord stands for a timer of a handle by the place of that among those of
// its process. Those of writes
// are [resource.hashWrites]'s to write, those of calls [store.hashOf]'s.
func (w *World) timerWord(a, b int32) (uint64, bool) {
	switch a {
	case timerWrite, timerWriteAck, timerCall, timerAnswer:
		return 0, false
	case timerClient, timerRedial, timerReset, timerEvents:
		b = w.clients[b].n
	}
	return uint64(uint32(a))<<32 | uint64(uint32(b)), true
}

// HashShared writes what belongs to no process: the server and the resource.
// With masked set it leaves out the share of the server that HashProcess
// writes then; an ensemble is written as it is.
func (w *World) HashShared(h *sim.Hash, masked bool, rank func(int64) uint64) {
	if w.ens != nil {
		w.ens.hash(h)
	} else {
		h.Uint64(w.serverHash(masked))
	}
	w.hashUnowned(h, masked, rank)
}

// hashUnowned writes what belongs neither to a process nor to the servers.
func (w *World) hashUnowned(h *sim.Hash, masked bool, rank func(int64) uint64) {
	w.K.HashAppTimers(h, sim.NoProc, w.scratchHasher().timer)
	if w.resource.high != 0 {
		h.Uint64(rank(w.resource.high))
	}
	w.resource.hashShops(h, rank)
	w.store.hash(h, masked, rank)
}

// serverHash is the hash of the server, or with masked set of what belongs to no
// process. It is kept until a step touches the server.
func (w *World) serverHash(masked bool) uint64 {
	if o := &w.serverOwn; o.version != 0 && o.sum != 0 && o.masked == masked {
		return o.sum
	}
	x := &w.scratchHasher().hasher
	x.Reset()
	if masked {
		w.server.HashShared(x)
	} else {
		w.server.Hash(x)
	}
	w.serverOwn.masked, w.serverOwn.sum = masked, x.Sum()|1
	return w.serverOwn.sum
}

// HashMissed writes what setting watches again would show a process: now, and
// after each reply that is under way to it. With masked set it writes nothing
// that tells who it is. Of an ensemble it writes the zxids that the process has
// seen or will have.
func (w *World) HashMissed(h *sim.Hash, p *Process, masked bool) {
	if w.ens != nil {
		w.ens.hashSeen(h, p)
		return
	}
	missed := sharedHash{p.sp.Version(), w.serverOwn.version, masked, p.missed.sum}
	keeps := missed.process != 0 && missed.server != 0
	if !keeps || missed != p.missed {
		missed.sum = w.missed(p, masked)
	}
	if keeps {
		p.missed = missed
	}
	h.Uint64(missed.sum)
}

// missed is the hash that [World.HashMissed] writes, kept until a step touches
// the process or the server.
func (w *World) missed(p *Process, masked bool) uint64 {
	s := w.scratchHasher()
	s.mask = nil
	if masked {
		s.mask = p
	}
	h := &s.hasher
	h.Reset()
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
	return h.Sum()
}

// AppendZxids appends the zxids of the world that [World.HashShared] and
// [World.HashProcess] rank.
func (w *World) AppendZxids(dst []int64) []int64 {
	dst = w.resource.appendTokens(w.server.AppendZxids(dst))
	if w.store.kind == zk.StoreDatabase {
		dst = append(dst, w.store.database.Version())
	}
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
// [World.HashStatFields], a bit each, and whether it does [SpellsSessions].
// Worlds that are copied from one another share it.
func (w *World) StatFields() uint32 { return w.stats.asked }

// HashStatFields sets which fields of Stats belong to the identity of a state:
// all those that code may ask for.
func (w *World) HashStatFields(fields uint32) {
	w.stats = &statFields{hashed: fields &^ SpellsSessions, asked: fields}
}

// statFields is about the fields of Stats, a bit each.
type statFields struct{ hashed, asked uint32 }
