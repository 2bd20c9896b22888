package zkmodel

// The identity of an ensemble in a search of states. The search has no clock:
// [Peer.Timer] is called while servers look for a leader and at no other time,
// so that no ping is sent; and of messages under way none is lost but when the
// server at one end stops, and [Peer.PeerLost] is called at the other.

// Stop makes p a server that has crashed: what is on disk is all there is of it
// until [Peer.Start].
func (p *Peer) Stop() { p.forgetRole() }

// SessionLives reports whether the server leads and keeps a session whose end
// has not been proposed.
func (p *Peer) SessionLives(id int64) bool {
	i, ok := p.tracked(id)
	return ok && p.role == RoleLeading && p.established && !p.sessions[i].closing
}

// AppendSessions appends the ids of the sessions for which [Peer.SessionLives]
// is true, in increasing order.
func (p *Peer) AppendSessions(dst []int64) []int64 {
	if p.role != RoleLeading || !p.established {
		return dst
	}
	for i := range p.sessions {
		if s := &p.sessions[i]; !s.closing {
			dst = append(dst, s.id)
		}
	}
	return dst
}

// HashPeers writes the state of the servers peers[1:], of which those that do
// not run are stopped. Where [Peer.Hash] writes all that there is, this leaves
// out what nothing depends on in a search of states: what every server has
// applied is in their states and is not in their logs any more; a connection is
// called by its id, and one that is gone by nothing, since its number never
// comes again; messages on a link are not counted, since none is missing; and
// nobody asks which sessions a follower has heard of. Zxids and epochs are
// written as they are.
func HashPeers(h Hasher, peers []Peer) {
	common := peers[1].lastApplied()
	for i := 2; i < len(peers); i++ {
		common = min(common, peers[i].lastApplied())
	}
	for i := 1; i < len(peers); i++ {
		peers[i].hashAmong(h, peers, common)
	}
}

// hashAmong writes the state of a server, its log behind the zxid common.
func (p *Peer) hashAmong(h Hasher, peers []Peer, common int64) {
	p.server.Hash(h)
	p.server.HashZxids(h, sameZxid)
	h.Uint64(uint64(p.lastApplied()))
	from := p.behind(common)
	h.Uint64(uint64(len(p.log) - from))
	for i := from; i < len(p.log); i++ {
		p.log[i].hashAmong(h, peers)
	}
	h.Uint64(uint64(p.base))
	h.Uint64(clientPair(p.accepted, p.current))
	h.Uint64(uint64(p.made))
	h.Uint64(uint64(p.links)<<16 | uint64(p.role)<<8 | uint64(p.o.ID))
	h.Uint64(uint64(len(p.conns)))
	for i := range p.conns {
		x := &p.conns[i]
		h.Uint64(uint64(uint32(x.id))<<2 | packBits(x.open, x.gone))
		h.Uint64(uint64(x.session))
		h.Uint64(uint64(x.timeout))
	}
	h.Uint64(uint64(len(p.waiting)))
	for i := range p.waiting {
		w := &p.waiting[i]
		h.Uint64(p.connWord(w.conn)<<8 | uint64(w.kind))
		hashFrame(h, &w.request)
	}
	switch p.role {
	case RoleLooking:
		p.looking.hash(h)
	case RoleFollowing:
		h.Uint64(uint64(p.link)<<8 | uint64(p.leader))
		h.Uint64(packBits(p.promised, p.upToDate))
	case RoleLeading:
		p.hashLeading(h, peers)
	}
}

func (p *Peer) hashLeading(h Hasher, peers []Peer) {
	h.Uint64(uint64(uint32(p.epoch))<<2 | packBits(p.agreed, p.established))
	h.Uint64(uint64(p.committed))
	for i := range p.followers {
		f := &p.followers[i]
		h.Uint64(uint64(f.link)<<8 | uint64(f.stage))
		h.Uint64(uint64(f.acked))
		if f.stage >= stageSyncing && p.agreed {
			continue // what it had before no longer matters
		}
		h.Uint64(clientPair(f.accepted, f.current) ^ packBits(f.counts)<<63)
		h.Uint64(uint64(f.logged))
		h.Uint64(uint64(f.applied))
	}
	h.Uint64(uint64(len(p.sessions)))
	for i := range p.sessions {
		s := &p.sessions[i]
		h.Uint64(uint64(s.id))
		h.Uint64(uint64(s.timeout))
		h.Uint64(uint64(s.owner)<<1 | packBits(s.closing))
	}
	h.Uint64(uint64(len(p.syncs)))
	for _, s := range p.syncs {
		h.Uint64(uint64(s.zxid))
		h.Uint64(peers[s.to].connWord(s.conn)<<8 | uint64(s.to))
	}
}

// connWord stands for a connection's number, 0 for that of one that is gone.
func (p *Peer) connWord(serial uint32) uint64 {
	i := p.connBySerial(serial)
	if i < 0 {
		return 0
	}
	return uint64(uint32(p.conns[i].id)) + 1
}

func sameZxid(z int64) uint64 { return uint64(z) }

func (e *Entry) hashAmong(h Hasher, peers []Peer) {
	x := *e
	x.Conn = 0
	x.hash(h)
	if e.Origin != 0 {
		h.Uint64(peers[e.Origin].connWord(e.Conn))
	}
}

// HashAmong writes a message that is under way between two of the servers
// peers[1:], as [HashPeers] writes those.
func (m *PeerMessage) HashAmong(h Hasher, peers []Peer) {
	h.Uint64(uint64(m.Kind)<<16 | uint64(m.From)<<8 | uint64(m.To)<<1 | packBits(m.Flag))
	h.Uint64(packBits(m.Looks))
	h.Uint64(uint64(uint32(m.Epoch))<<32 | uint64(m.Link))
	h.Uint64(uint64(m.Zxid))
	h.Uint64(uint64(m.Applied))
	h.Uint64(uint64(m.Session))
	h.Uint64(uint64(m.Timeout))
	switch m.Kind {
	case MessageRevalidate, MessageSync:
		h.Uint64(peers[m.From].connWord(m.Conn))
	case MessageRevalidated, MessageSynced: // of a follower to itself as well
		h.Uint64(peers[m.To].connWord(m.Conn))
	case MessagePropose, MessageRequest:
		m.Entry.hashAmong(h, peers)
	case MessageSnapshot:
		m.Snapshot.Hash(h)
		m.Snapshot.HashZxids(h, sameZxid)
		h.Uint64(uint64(m.Snapshot.zxid))
	}
}
