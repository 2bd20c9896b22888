package zkmodel

// follower is what a leader knows of another server.
type follower struct {
	stage    followerStage
	link     uint32
	in, out  uint32 // messages on the link
	accepted int32  // epoch
	current  int32
	logged   int64
	applied  int64
	counts   bool  // it promised the epoch to this leader and to no other
	acked    int64 // the greatest zxid in its log that it has told
	quitTick int   // the last tick before which it has to be heard of
}

// followerStage is how far a follower has come.
type followerStage uint8

const (
	stageNone     followerStage = iota
	stageAsked                  // it wants to follow
	stageInvited                // it was told the epoch
	stagePromised               // it has promised
	stageSyncing                // it gets the leader's history, and what is proposed
	stageSynced                 // it has the history
)

// leading is the state of a server that leads or tries to.
type leading struct {
	followers   [MaxPeers + 1]follower
	sessions    []trackedSession
	syncs       []waitingSync
	epoch       int32 // 0 before it is agreed upon
	agreed      bool  // a quorum has promised it
	established bool  // a quorum has the history
	committed   int64
	giveUpAt    Time // of what is not established
	pingAt      Time
	halfTicks   int
}

// waitingSync is a sync that is answered once an entry is committed.
type waitingSync struct {
	zxid int64
	to   int8
	conn uint32
}

// lead begins to lead, if a quorum wants to follow.
func (p *Peer) lead(now Time, out *PeerOutput) {
	p.role = RoleLeading
	p.leading = leading{
		sessions: p.sessions[:0], syncs: p.syncs[:0],
		giveUpAt: now + p.tick(), pingAt: now + p.tick()/2,
	}
	for i, link := range p.asks {
		if link != 0 {
			p.invite(i, link, p.asksWith[i], out)
		}
	}
	p.looking = looking{}
	p.agreeOnEpoch(now, out)
}

// toFollower sends a message on the link to a follower.
func (p *Peer) toFollower(i int, m *PeerMessage, out *PeerOutput) {
	f := &p.followers[i]
	f.out++
	m.From, m.To, m.Link, m.Seq = p.self(), int8(i), f.link, f.out
	out.Messages = append(out.Messages, *m)
}

// dropFollower ends the link to a follower.
func (p *Peer) dropFollower(i int, out *PeerOutput) {
	if p.followers[i].stage != stageNone {
		p.toFollower(i, &PeerMessage{Kind: MessageClose}, out)
		p.followers[i] = follower{}
	}
}

// refuseFollower ends a link that this server does not take.
func (p *Peer) refuseFollower(to int8, link uint32, out *PeerOutput) {
	out.Messages = append(out.Messages, PeerMessage{From: p.self(), To: to, Kind: MessageClose, Link: link, Seq: 1})
}

// fromFollower takes a message of a follower.
func (p *Peer) fromFollower(now Time, m *PeerMessage, out *PeerOutput) {
	f := &p.followers[m.From]
	if f.stage == stageNone || m.Link != f.link {
		return // of a link that is over
	}
	if f.in++; m.Seq != f.in || m.Kind == MessageClose {
		p.dropFollower(int(m.From), out)
		p.syncs = dropSyncs(p.syncs, m.From)
		return
	}
	if f.stage == stageSynced {
		f.quitTick = p.halfTicks/2 + p.o.SyncLimit
	}
	switch m.Kind {
	case MessageAckEpoch:
		p.takePromise(now, m, out)
	case MessageAckLeader:
		p.takeAckLeader(now, m, out)
	case MessageAck:
		f.acked = m.Zxid
		p.commit(out)
		if p.server.opts.Mutant == ReadsWaitForAll {
			p.answerSyncs(out)
		}
	case MessageRequest:
		e := m.Entry
		p.propose(now, &e, out)
	case MessageSync:
		p.takeSync(m, out)
	case MessagePing:
		for _, h := range m.Heard {
			p.touch(now, h.ID, h.Timeout)
		}
	case MessageRevalidate:
		lives := p.revive(now, m.Session, m.Timeout, m.From)
		p.toFollower(int(m.From), &PeerMessage{Kind: MessageRevalidated, Conn: m.Conn, Flag: lives}, out)
	}
}

// dropSyncs drops the syncs of a follower that is gone.
func dropSyncs(syncs []waitingSync, of int8) []waitingSync {
	keep := syncs[:0]
	for _, s := range syncs {
		if s.to != of {
			keep = append(keep, s)
		}
	}
	return keep
}

// leadingTimer pings the followers every half tick, and every tick looks
// whether there is a quorum of them (class Leader, lead).
func (p *Peer) leadingTimer(now Time, out *PeerOutput) {
	if !p.established && now >= p.giveUpAt {
		p.look(now, out)
		return
	}
	if p.established {
		p.expireDue(now, out)
		p.reapDue(now, out)
	}
	if now < p.pingAt {
		return
	}
	p.pingAt = now + p.tick()/2
	p.halfTicks++
	if p.halfTicks%2 == 0 && !p.keepQuorum(out) {
		p.look(now, out)
		return
	}
	for i := range p.followers {
		if p.followers[i].stage >= stageSyncing {
			p.toFollower(i, &PeerMessage{Kind: MessagePing}, out)
		}
	}
}

// keepQuorum drops the followers that were silent for too long, and reports
// whether enough are left.
func (p *Peer) keepQuorum(out *PeerOutput) bool {
	n := 1
	for i := range p.followers {
		f := &p.followers[i]
		switch {
		case f.stage == stageNone:
		case p.halfTicks/2 > f.quitTick:
			p.dropFollower(i, out)
			p.syncs = dropSyncs(p.syncs, int8(i))
		case f.stage == stageSynced:
			n++
		}
	}
	return !p.established || n >= p.quorum()
}
