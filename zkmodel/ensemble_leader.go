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
	out.Messages = append(out.Messages, PeerMessage{
		From: p.self(), To: p.self(), Kind: MessageCommit, Epoch: p.epoch, Zxid: z,
	})
	p.answerSyncs(out)
}

// loggedBy counts the servers that have an entry in their log.
func (p *Peer) loggedBy(z int64) int {
	if p.o.aheadOfQuorum {
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
		if s.zxid <= p.committed {
			p.toFollower(int(s.to), &PeerMessage{Kind: MessageSynced, Conn: s.conn}, out)
			continue
		}
		p.syncs[keep] = s
		keep++
	}
	p.syncs = p.syncs[:keep]
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
