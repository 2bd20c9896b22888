package zkmodel

// Deliver takes a message of another server, or of this one.
func (p *Peer) Deliver(now Time, m *PeerMessage, out *PeerOutput) {
	switch {
	case m.Kind == MessageVote:
		p.takeVote(now, m, out)
	case m.From == m.To:
		p.fromSelf(now, m, out)
	case m.Kind == MessageFollowerInfo:
		p.asked(now, m, out)
	case p.role == RoleFollowing:
		p.fromLeader(now, m, out)
	case p.role == RoleLeading:
		p.fromFollower(now, m, out)
	case m.Kind == MessageClose && p.asks[m.From] == m.Link:
		p.asks[m.From] = 0
	}
}

// fromSelf takes a message of this server to itself: what it may apply now.
func (p *Peer) fromSelf(now Time, m *PeerMessage, out *PeerOutput) {
	switch {
	case !p.Serving() || m.Epoch != p.current:
	case m.Kind == MessageSynced:
		p.synced(now, m.Conn, out)
	default:
		p.applyTo(now, m.Zxid, out)
	}
}

// toSelf sends a message of this server to itself.
func (p *Peer) toSelf(m PeerMessage, out *PeerOutput) {
	m.From, m.To, m.Epoch = p.self(), p.self(), p.current
	out.Messages = append(out.Messages, m)
}

// PeerLost tells the server that a connected server stopped, as the end of its
// connections does. What it had sent and is not delivered is lost.
func (p *Peer) PeerLost(now Time, peer int, out *PeerOutput) {
	switch p.role {
	case RoleFollowing:
		if int(p.leader) == peer {
			p.look(now, out)
		}
	case RoleLeading:
		p.followers[peer] = follower{}
		p.syncs = dropSyncs(p.syncs, int8(peer))
	case RoleLooking:
		p.votes[peer], p.asks[peer] = vote{}, 0
		p.count(now)
	}
}

// NextTimer is the time at which Timer has something to do.
func (p *Peer) NextTimer() Time {
	switch p.role {
	case RoleFollowing:
		return p.quitAt
	case RoleLeading:
		at := p.pingAt
		if !p.established {
			return min(at, p.giveUpAt)
		}
		if due, ok := p.nextExpiry(); ok {
			at = min(at, due)
		}
		if due, ok := p.server.reapDue(); ok {
			at = min(at, due)
		}
		return at
	}
	return p.nextLooking()
}

// Timer does what is due. When nothing is due, it does nothing.
func (p *Peer) Timer(now Time, out *PeerOutput) {
	switch p.role {
	case RoleLooking:
		p.lookingTimer(now, out)
	case RoleFollowing:
		if now >= p.quitAt {
			p.look(now, out)
		}
	case RoleLeading:
		p.leadingTimer(now, out)
	}
}
