package zkmodel

// How a leader begins: it agrees with a quorum on an epoch and brings the
// followers to its own history.

// asked takes the wish of a server to follow this one.
func (p *Peer) asked(now Time, m *PeerMessage, out *PeerOutput) {
	switch p.role {
	case RoleLooking:
		p.asks[m.From], p.asksWith[m.From] = m.Link, m.Epoch
	case RoleFollowing:
		p.refuseFollower(m.From, m.Link, out)
	case RoleLeading:
		if p.epoch != 0 && m.Epoch > p.epoch {
			// It has promised another one and cannot come back; ZooKeeper
			// leaves it outside until the next election.
			p.look(now, out)
			p.asks[m.From], p.asksWith[m.From] = m.Link, m.Epoch
			return
		}
		p.invite(int(m.From), m.Link, m.Epoch, out)
		p.agreeOnEpoch(now, out)
	}
}

// invite begins a link with a follower.
func (p *Peer) invite(i int, link uint32, accepted int32, out *PeerOutput) {
	p.syncs = dropSyncs(p.syncs, int8(i))
	p.followers[i] = follower{
		stage: stageAsked, link: link, in: 1, accepted: accepted,
		quitTick: p.halfTicks/2 + p.o.InitLimit,
	}
	if p.epoch != 0 {
		p.tellEpoch(i, out)
	}
}

func (p *Peer) tellEpoch(i int, out *PeerOutput) {
	p.followers[i].stage = stageInvited
	p.toFollower(i, &PeerMessage{Kind: MessageLeaderInfo, Epoch: p.epoch}, out)
}

// count is the number of followers that have come to a stage, and this server.
func (p *Peer) countStage(least followerStage) int {
	n := 1
	for i := range p.followers {
		if p.followers[i].stage >= least {
			n++
		}
	}
	return n
}

// agreeOnEpoch chooses an epoch that is greater than all that a quorum knows
// of, and asks for the promise to accept nothing of earlier ones.
func (p *Peer) agreeOnEpoch(now Time, out *PeerOutput) {
	if p.epoch != 0 || p.countStage(stageAsked) < p.quorum() {
		return
	}
	p.epoch = p.accepted
	for i := range p.followers {
		if f := &p.followers[i]; f.stage >= stageAsked {
			p.epoch = max(p.epoch, f.accepted)
		}
	}
	p.epoch++
	p.accepted = p.epoch
	p.giveUpAt = now + p.ticks(p.o.InitLimit)
	for i := range p.followers {
		if p.followers[i].stage == stageAsked {
			p.tellEpoch(i, out)
		}
	}
	p.agree(now, out)
}

// promised takes the promise of a follower, with what it has. A server that
// has more than this one should lead.
func (p *Peer) takePromise(now Time, m *PeerMessage, out *PeerOutput) {
	f := &p.followers[m.From]
	f.stage, f.counts = stagePromised, m.Flag
	f.current, f.logged, f.applied = m.Epoch, m.Zxid, m.Applied
	if p.agreed {
		p.sync(int(m.From), out)
		return
	}
	if advanced(f.current, f.logged, p.current, p.lastLogged()) {
		p.look(now, out)
		return
	}
	p.agree(now, out)
}

// agree begins the epoch once a quorum has promised it.
func (p *Peer) agree(now Time, out *PeerOutput) {
	n := 1
	for i := range p.followers {
		if f := &p.followers[i]; f.stage >= stagePromised && f.counts {
			n++
		}
	}
	if p.agreed || n < p.quorum() {
		return
	}
	p.agreed = true
	p.current = p.epoch
	for i := range p.followers {
		if p.followers[i].stage == stagePromised {
			p.sync(i, out)
		}
	}
	p.establish(now, out)
}

// sync brings a follower to this server's history: what it has too much goes,
// what it lacks comes, or it gets the whole state (class LearnerHandler,
// syncFollower). From here on it gets every proposal.
func (p *Peer) sync(i int, out *PeerOutput) {
	f := &p.followers[i]
	f.stage = stageSyncing
	from := p.behind(f.logged)
	common := p.base
	if from > 0 {
		common = p.log[from-1].Zxid
	}
	switch {
	case f.logged < p.base || f.applied > common:
		s := new(Server)
		p.server.CopyInto(s)
		s.forgetConns()
		p.toFollower(i, &PeerMessage{Kind: MessageSnapshot, Snapshot: s}, out)
		from = p.applied
	case f.logged > common:
		p.toFollower(i, &PeerMessage{Kind: MessageTruncate, Zxid: common}, out)
	}
	for ; from < len(p.log); from++ {
		p.toFollower(i, &PeerMessage{Kind: MessagePropose, Entry: p.log[from]}, out)
	}
	p.toFollower(i, &PeerMessage{Kind: MessageNewLeader, Epoch: p.epoch}, out)
}

// establish begins to serve once a quorum has the history, all of which is
// thereby committed.
func (p *Peer) establish(now Time, out *PeerOutput) {
	if p.established || !p.agreed || p.countStage(stageSynced) < p.quorum() {
		return
	}
	p.established = true
	p.committed = p.lastLogged()
	p.applyTo(now, p.committed, out)
	p.trackAll(now)
	p.startReaper(now)
	for i := range p.followers {
		if p.followers[i].stage == stageSynced {
			p.toFollower(i, &PeerMessage{Kind: MessageUpToDate, Zxid: p.committed}, out)
		}
	}
}

// takeAckLeader takes the word of a follower that it has the history.
func (p *Peer) takeAckLeader(now Time, m *PeerMessage, out *PeerOutput) {
	f := &p.followers[m.From]
	f.stage, f.acked = stageSynced, m.Zxid
	if !p.established {
		p.establish(now, out)
		return
	}
	p.toFollower(int(m.From), &PeerMessage{Kind: MessageUpToDate, Zxid: p.committed}, out)
	p.commit(out)
}
