package zkmodel

// following is the state of a server that follows a leader or tries to.
type following struct {
	leader   int8
	link     uint32
	in, out  uint32 // messages on the link
	promised bool   // the leader has given its epoch
	upToDate bool
	quitAt   Time // when the leader has been silent for too long
	heard    []HeardSession
}

// follow opens a link to a leader.
func (p *Peer) follow(now Time, leader int8, out *PeerOutput) {
	for i := range p.asks {
		if p.asks[i] != 0 {
			p.refuseFollower(int8(i), p.asks[i], out)
		}
	}
	p.looking = looking{}
	p.role = RoleFollowing
	p.links++
	p.following = following{leader: leader, link: p.links, heard: p.heard[:0], quitAt: now + p.tick()}
	p.toLeader(&PeerMessage{Kind: MessageFollowerInfo, Epoch: p.accepted}, out)
}

// toLeader sends a message on the link to the leader.
func (p *Peer) toLeader(m *PeerMessage, out *PeerOutput) {
	p.out++
	m.From, m.To, m.Link, m.Seq = p.self(), p.leader, p.link, p.out
	out.Messages = append(out.Messages, *m)
}

// fromLeader takes a message of the leader.
func (p *Peer) fromLeader(now Time, m *PeerMessage, out *PeerOutput) {
	if m.Link != p.link || m.From != p.leader {
		return // of a link that is over
	}
	if p.in++; m.Seq != p.in || m.Kind == MessageClose {
		p.look(now, out) // what came in between is lost, and the link with it
		return
	}
	if p.upToDate {
		p.quitAt = now + p.ticks(p.o.SyncLimit)
	}
	switch m.Kind {
	case MessageLeaderInfo:
		p.promise(now, m, out)
	case MessageSnapshot:
		p.install(m.Snapshot, out)
	case MessageTruncate:
		p.truncate(m.Zxid)
	case MessagePropose:
		p.logged(now, m, out)
	case MessageNewLeader:
		p.current = m.Epoch
		p.toLeader(&PeerMessage{Kind: MessageAckLeader, Zxid: p.lastLogged()}, out)
	case MessageUpToDate:
		p.upToDate = true
		p.quitAt = now + p.ticks(p.o.SyncLimit)
		p.applyTo(now, m.Zxid, out)
	case MessageCommit:
		if p.o.AppliesLater {
			p.toSelf(PeerMessage{Kind: MessageCommit, Zxid: m.Zxid}, out)
			return
		}
		p.applyTo(now, m.Zxid, out)
	case MessagePing:
		p.pong(out)
	case MessageRevalidated:
		if i, w := p.connBySerial(m.Conn), p.first(m.Conn); i >= 0 && w >= 0 {
			r := p.waiting[w].request
			p.revalidated(now, i, m.Flag, &r, out)
		}
	case MessageSynced:
		if p.o.AppliesLater {
			p.toSelf(PeerMessage{Kind: MessageSynced, Conn: m.Conn}, out)
			return
		}
		p.synced(now, m.Conn, out)
	}
}

// promise takes the leader's epoch: nothing of an earlier one is accepted any
// more.
func (p *Peer) promise(now Time, m *PeerMessage, out *PeerOutput) {
	if m.Epoch < p.accepted {
		p.look(now, out)
		return
	}
	isNew := m.Epoch > p.accepted
	p.accepted = m.Epoch
	p.promised = true
	p.quitAt = now + p.ticks(p.o.InitLimit)
	p.toLeader(&PeerMessage{
		Kind: MessageAckEpoch, Flag: isNew, Epoch: p.current, Zxid: p.lastLogged(), Applied: p.lastApplied(),
	}, out)
}

// logged takes a proposal into the log.
func (p *Peer) logged(now Time, m *PeerMessage, out *PeerOutput) {
	if m.Entry.Zxid <= p.lastLogged() {
		p.look(now, out)
		return
	}
	p.log = append(p.log, m.Entry)
	if p.current == p.accepted { // else the answer to NewLeader says so
		p.toLeader(&PeerMessage{Kind: MessageAck, Zxid: m.Entry.Zxid}, out)
	}
}

// pong answers a ping with the sessions that were heard of since the last one.
func (p *Peer) pong(out *PeerOutput) {
	m := PeerMessage{Kind: MessagePing}
	if len(p.heard) > 0 {
		m.Heard = append(m.Heard, p.heard...)
		p.heard = p.heard[:0]
	}
	p.toLeader(&m, out)
}
