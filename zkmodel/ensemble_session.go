package zkmodel

// trackedSession is a session as the leader keeps it (class
// SessionTrackerImpl), in order of ids: the leader alone decides when it
// expires, and which server speaks for it.
type trackedSession struct {
	id       int64
	timeout  Time // as the session began
	deadline Time // end of its expiry bucket
	owner    int8 // the server whose writes are taken, 0 for whichever comes first
	closing  bool // its end has been proposed
}

// tracked is the place of a session in the order, and whether it is there.
func (p *Peer) tracked(id int64) (int, bool) {
	lo, hi := 0, len(p.sessions)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if p.sessions[mid].id < id {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(p.sessions) && p.sessions[lo].id == id
}

// track adds a session.
func (p *Peer) track(now Time, id int64, timeout Time, owner int8) {
	i, ok := p.tracked(id)
	if !ok {
		p.sessions = append(p.sessions, trackedSession{})
		copy(p.sessions[i+1:], p.sessions[i:])
	}
	p.sessions[i] = trackedSession{id: id, timeout: timeout, deadline: p.bucket(now, timeout), owner: owner}
}

// bucket is when a session ends that was heard of now for the last time (class
// ExpiryQueue, roundToNextInterval).
func (p *Peer) bucket(now, timeout Time) Time { return ((now+timeout)/p.tick() + 1) * p.tick() }

// touch puts the end of a session off; false if it has none or its end has
// been proposed.
func (p *Peer) touch(now Time, id int64, timeout Time) bool {
	i, ok := p.tracked(id)
	if !ok || p.sessions[i].closing {
		return false
	}
	p.sessions[i].deadline = p.bucket(now, timeout)
	return true
}

// revive lets a client take its session up at a server, which speaks for it
// from now on; false if it cannot.
func (p *Peer) revive(now Time, id int64, timeout Time, server int8) bool {
	if !p.touch(now, id, timeout) {
		return false
	}
	i, _ := p.tracked(id)
	p.sessions[i].owner = server
	return true
}

// moved reports whether a server speaks for a session that another one has
// taken up; the first one to speak after an election takes it up.
func (p *Peer) moved(id int64, server int8) bool {
	i, ok := p.tracked(id)
	if !ok || p.sessions[i].closing {
		return false // its end says more
	}
	if p.sessions[i].owner == 0 {
		p.sessions[i].owner = server
	}
	return p.sessions[i].owner != server
}

// endTracking forgets a session that has ended.
func (p *Peer) endTracking(id int64) {
	if i, ok := p.tracked(id); ok {
		p.sessions = append(p.sessions[:i], p.sessions[i+1:]...)
	}
}

// trackAll gives every session its full timeout, as a new leader does.
func (p *Peer) trackAll(now Time) {
	p.sessions = p.sessions[:0]
	for i := range p.server.sessions {
		s := &p.server.sessions[i]
		p.sessions = append(p.sessions, trackedSession{
			id: s.id, timeout: s.timeout, deadline: p.bucket(now, s.timeout),
		})
	}
}

// nextExpiry is when the next session is due; false if none will be.
func (p *Peer) nextExpiry() (Time, bool) {
	at, ok := Time(0), false
	for i := range p.sessions {
		if s := &p.sessions[i]; !s.closing && (!ok || s.deadline < at) {
			at, ok = s.deadline, true
		}
	}
	return at, ok
}

// expireDue proposes the end of every session that is due, bucket by bucket
// and within a bucket by id.
func (p *Peer) expireDue(now Time, out *PeerOutput) {
	for {
		at, ok := p.nextExpiry()
		if !ok || at > now {
			return
		}
		for i := range p.sessions {
			if s := &p.sessions[i]; s.deadline == at && !s.closing {
				p.expire(now, s.id, out)
			}
		}
	}
}

// expire proposes the end of a session.
func (p *Peer) expire(now Time, id int64, out *PeerOutput) {
	p.propose(now, &Entry{Session: id, Cause: CauseExpiry, Request: Request{Op: OpCloseSession}}, out)
}

// Expire has the leader end a living session now, whatever its deadline; false
// if this server leads no quorum, or there is no such session.
func (p *Peer) Expire(now Time, session int64, out *PeerOutput) bool {
	i, ok := p.tracked(session)
	if !ok || p.sessions[i].closing || p.role != RoleLeading || !p.established {
		return false
	}
	p.expire(now, session, out)
	return true
}

// reapDue proposes to delete the containers and TTL znodes that are due.
func (p *Peer) reapDue(now Time, out *PeerOutput) {
	for {
		at, ok := p.server.reapDue()
		if !ok || at > now {
			return
		}
		p.server.reapAt = at
		for _, path := range p.server.takeDue() {
			e := Entry{Cause: CauseReaper, Request: Request{Op: OpDeleteContainer, Path: path}}
			p.propose(now, &e, out)
		}
	}
}

// startReaper sets the reaper's first check.
func (p *Peer) startReaper(now Time) {
	every := p.server.opts.ContainerCheck
	p.server.reapAt = (now/every + 1) * every
}
