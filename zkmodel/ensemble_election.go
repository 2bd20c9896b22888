package zkmodel

import "time"

// vote is what a server that looks for a leader has to offer.
type vote struct {
	heard bool
	at    Time
	epoch int32
	zxid  int64
}

// looking is the state of a server that looks for a leader.
type looking struct {
	votes    [MaxPeers + 1]vote
	asks     [MaxPeers + 1]uint32 // links that others have opened in the belief that this server leads; 0 for none
	asksWith [MaxPeers + 1]int32  // with the epoch they have accepted
	voteAt   Time                 // when to say again that it looks
	decideAt Time                 // when to choose, 0 before a quorum was heard
}

// look begins an election: no client is served any more.
func (p *Peer) look(now Time, out *PeerOutput) {
	p.hangUpAll(out)
	switch p.role {
	case RoleFollowing:
		p.toLeader(&PeerMessage{Kind: MessageClose}, out)
	case RoleLeading:
		for i := range p.followers {
			p.dropFollower(i, out)
		}
	}
	p.role = RoleLooking
	p.looking = looking{}
	p.following = following{heard: p.heard[:0]}
	p.leading = leading{sessions: p.sessions[:0], syncs: p.syncs[:0]}
	p.votes[p.o.ID] = vote{heard: true, at: now, epoch: p.current, zxid: p.lastLogged()}
	p.sayVote(now, out)
	p.count(now)
}

// sayVote tells all others what this server has to offer.
func (p *Peer) sayVote(now Time, out *PeerOutput) {
	p.voteAt = now + voteEvery
	p.votes[p.o.ID].at = now
	for i := 1; i <= p.o.Servers; i++ {
		if i != p.o.ID {
			p.sendVote(int8(i), out)
		}
	}
}

func (p *Peer) sendVote(to int8, out *PeerOutput) {
	out.Messages = append(out.Messages, PeerMessage{
		From: p.self(), To: to, Kind: MessageVote,
		Flag: p.role == RoleLeading && p.established, Looks: p.role == RoleLooking,
		Epoch: p.current, Zxid: p.lastLogged(),
	})
}

// takeVote takes the vote of a server that looks for a leader, or the word of
// one that leads.
func (p *Peer) takeVote(now Time, m *PeerMessage, out *PeerOutput) {
	switch {
	case m.Flag:
		if p.role == RoleLooking {
			p.follow(now, m.From, out)
		}
	case p.role == RoleLeading && p.epoch == 0 && better(m.Epoch, m.Zxid, int(m.From), p.current, p.lastLogged(), p.o.ID):
		p.look(now, out) // nobody follows yet, and the sender should be followed
	case p.role == RoleLeading && m.Looks:
		p.sendVote(m.From, out)
	case p.role == RoleLooking:
		v := &p.votes[m.From]
		isNew := !v.heard || now-v.at > voteLife
		*v = vote{heard: true, at: now, epoch: m.Epoch, zxid: m.Zxid}
		if isNew {
			p.sendVote(m.From, out)
		}
		p.count(now)
	}
}

// count begins the last wait once a quorum is heard.
func (p *Peer) count(now Time) {
	n := 0
	for i := 1; i <= p.o.Servers; i++ {
		if p.votes[i].counts(now) {
			n++
		}
	}
	switch {
	case n < p.quorum():
		p.decideAt = 0
	case p.decideAt == 0:
		p.decideAt = now + finalizeWait
	}
}

func (v *vote) counts(now Time) bool { return v.heard && now-v.at <= voteLife }

// decide chooses the server that should lead.
func (p *Peer) decide(now Time, out *PeerOutput) {
	if p.count(now); p.decideAt == 0 {
		return
	}
	best := 0
	for i := 1; i <= p.o.Servers; i++ {
		v, b := &p.votes[i], &p.votes[best]
		if v.counts(now) && (best == 0 || better(v.epoch, v.zxid, i, b.epoch, b.zxid, best)) {
			best = i
		}
	}
	if best == p.o.ID {
		p.lead(now, out)
	} else {
		p.follow(now, int8(best), out)
	}
}

// better reports whether the first server should lead rather than the second:
// the one with the most advanced log, among equals the one with the greatest
// number (class FastLeaderElection, totalOrderPredicate).
func better(epoch int32, zxid int64, id int, epoch2 int32, zxid2 int64, id2 int) bool {
	return advanced(epoch, zxid, epoch2, zxid2) || epoch == epoch2 && zxid == zxid2 && id > id2
}

// advanced reports whether the first history has more than the second.
func advanced(epoch int32, zxid int64, epoch2 int32, zxid2 int64) bool {
	return epoch > epoch2 || epoch == epoch2 && zxid > zxid2
}

// lookingTimer does what is due of an election.
func (p *Peer) lookingTimer(now Time, out *PeerOutput) {
	if p.decideAt != 0 && now >= p.decideAt {
		p.decide(now, out)
	}
	if p.role == RoleLooking && now >= p.voteAt {
		p.sayVote(now, out)
		p.count(now)
	}
}

// nextLooking is when lookingTimer has something to do.
func (p *Peer) nextLooking() Time {
	if p.decideAt != 0 {
		return min(p.voteAt, p.decideAt)
	}
	return p.voteAt
}

// tick is tickTime.
func (p *Peer) tick() Time { return p.server.opts.Tick }

// ticks is a number of ticks as a time.
func (p *Peer) ticks(n int) Time { return time.Duration(n) * p.tick() }
