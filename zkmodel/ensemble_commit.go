package zkmodel

// propose puts an entry at the end of the log and sends it to the followers.
func (p *Peer) propose(now Time, e *Entry, out *PeerOutput) {
	e.Time = now
	last := p.lastLogged()
	if int32(last>>32) < p.epoch {
		last = int64(p.epoch) << 32
	}
	e.Zxid = last + 1
	p.admit(now, e)
	p.log = append(p.log, *e)
	for i := range p.followers {
		if p.followers[i].stage >= stageSyncing {
			p.toFollower(i, &PeerMessage{Kind: MessagePropose, Entry: *e}, out)
		}
	}
	p.commit(out)
}

// admit lets the sessions know of an entry (class PrepRequestProcessor). The
// end of a session is taken from any server.
func (p *Peer) admit(now Time, e *Entry) {
	switch e.Request.Op {
	case OpConnect:
		p.track(now, e.Session, e.Timeout, e.Origin)
	case OpCloseSession:
		if i, ok := p.tracked(e.Session); ok {
			p.sessions[i].closing = true
		}
	default:
		if e.Origin != 0 && p.moved(e.Session, e.Origin) {
			e.Err = SessionMoved
		}
	}
}

// commit commits what a quorum has logged, one after the other.
func (p *Peer) commit(out *PeerOutput) {
	if !p.established {
		return
	}
	for i := p.behind(p.committed); i < len(p.log) && p.loggedBy(p.log[i].Zxid) >= p.quorum(); i++ {
		p.commitOne(p.log[i].Zxid, out)
	}
}

// commitOne commits an entry. This server applies it when its own message
// arrives, which may be later than at a follower.
func (p *Peer) commitOne(z int64, out *PeerOutput) {
	p.committed = z
	for i := range p.followers {
		if p.followers[i].stage >= stageSynced {
			p.toFollower(i, &PeerMessage{Kind: MessageCommit, Zxid: z}, out)
		}
	}
	p.toSelf(PeerMessage{Kind: MessageCommit, Zxid: z}, out)
	p.answerSyncs(out)
}

// loggedBy counts the servers that have an entry in their log.
func (p *Peer) loggedBy(z int64) int {
	if p.o.CommitsAhead {
		return p.o.Servers
	}
	n := 1
	for i := range p.followers {
		if f := &p.followers[i]; f.stage >= stageSynced && f.acked >= z {
			n++
		}
	}
	return n
}

// takeSync answers the sync of a follower's client at once if nothing is
// outstanding, and otherwise behind the commit of what is (class Leader,
// processSync).
func (p *Peer) takeSync(m *PeerMessage, out *PeerOutput) {
	p.syncs = append(p.syncs, waitingSync{zxid: p.lastLogged(), to: m.From, conn: m.Conn})
	p.answerSyncs(out)
}

func (p *Peer) answerSyncs(out *PeerOutput) {
	keep := 0
	for _, s := range p.syncs {
		if s.zxid <= p.committed && (p.server.opts.Mutant != ReadsWaitForAll || p.loggedByAll(s.zxid)) {
			p.toFollower(int(s.to), &PeerMessage{Kind: MessageSynced, Conn: s.conn}, out)
			continue
		}
		p.syncs[keep] = s
		keep++
	}
	p.syncs = p.syncs[:keep]
}
