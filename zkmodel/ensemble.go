package zkmodel

import "time"

// MaxPeers is the largest number of servers in an ensemble.
const MaxPeers = 7

// PeerOptions are the settings of one server of an ensemble. All servers have
// the same, but for ID.
type PeerOptions struct {
	// Server are the settings that a standalone server has as well.
	Server ServerOptions
	// ID is the number of the server (myid), from 1.
	ID int
	// Servers is the size of the ensemble, 1 to [MaxPeers].
	Servers int
	// InitLimit is how many ticks a follower may take to have the leader's
	// history; default 10, as in the sample configuration.
	InitLimit int
	// SyncLimit is how many ticks a leader and a follower bear to hear nothing
	// of each other; default 5, as in the sample configuration.
	SyncLimit int
	// CommitLog is how many applied entries are kept for followers that lag;
	// one that lags more gets a whole state. Default 500 (commitLogCount).
	CommitLog int
	// AppliesLater has a follower, too, apply what is committed when a message of
	// its own arrives, so that it may log and acknowledge what comes meanwhile
	// (class CommitProcessor). By default it applies a commit as it arrives.
	AppliesLater bool

	// CommitsAhead is a planted fault: the leader commits what no quorum has.
	CommitsAhead bool

	takesAnyone bool // by tests: also a client that has seen more than the server
	_           struct{}
}

// The times of an election: how often a server that looks for a leader says
// so, how long it waits for a better vote once it has heard a quorum (class
// FastLeaderElection, finalizeWait), and how long a vote counts.
const (
	voteEvery    = 200 * time.Millisecond
	finalizeWait = 200 * time.Millisecond
	voteLife     = time.Second
)

// Role is what a server of an ensemble does.
type Role uint8

// The roles.
const (
	RoleLooking   Role = iota // for a leader; it serves nobody
	RoleFollowing             // or about to
	RoleLeading               // or about to
)

// String names the role as ZooKeeper does, as "LOOKING".
func (r Role) String() string {
	switch r {
	case RoleLooking:
		return "LOOKING"
	case RoleFollowing:
		return "FOLLOWING"
	case RoleLeading:
		return "LEADING"
	}
	return "Role(?)"
}

// Peer is one server of an ensemble: a log, the state that the applied part of
// it led to, and a role. [Peer.Init] makes it ready, [Peer.Start] starts it, as
// after a crash; its other inputs are the frames of its clients
// ([Peer.Handle], [Peer.Drop]), the messages of other servers
// ([Peer.Deliver], [Peer.PeerLost]) and time ([Peer.NextTimer],
// [Peer.Timer]). A Peer is not safe for concurrent use.
//
// The links between servers are the driver's. Messages from one server to
// another arrive in order, late or never; where one is lost, those behind it on
// the way to the same server do no harm, and both ends find out in time. A
// server that stopped has its clients' connections closed by the driver, and
// PeerLost called at the servers that were connected to it.
//
// Replication is that of Zab: proposals, acknowledgements of a quorum, commits;
// a new leader agrees with a quorum on an epoch and brings it to its own history
// before it serves anybody. Which server becomes leader is decided more simply
// than in ZooKeeper: of those that a looking server has heard, the one with the
// most advanced log.
type Peer struct {
	o PeerOptions

	// What is on disk, as it were. The server's connections and watches are
	// not.
	server   Server
	log      []Entry // behind base; the first applied ones are in the server's state
	base     int64   // zxid in front of the log
	applied  int
	accepted int32  // epoch
	current  int32  // epoch of the leader whose history this is
	made     int64  // sessions
	serial   uint32 // of connections, never used again
	links    uint32 // made to leaders

	role    Role
	conns   []peerConn // by id
	waiting []peerWait // in order of arrival
	looking
	following
	leading
}

// Init makes p a server that has never run. Memory of an earlier use of p is
// used again.
func (p *Peer) Init(o PeerOptions) {
	if o.Server.Tick <= 0 {
		o.Server.Tick = defaultTick
	}
	o.InitLimit = orDefault(o.InitLimit, 10)
	o.SyncLimit = orDefault(o.SyncLimit, 5)
	o.CommitLog = orDefault(o.CommitLog, 500)
	p.o = o
	p.server.Init(o.Server)
	p.log, p.base, p.applied = p.log[:0], 0, 0
	p.accepted, p.current, p.made, p.serial, p.links = 0, 0, o.Server.SessionsBefore, 0, 0
	p.forgetRole()
}

func orDefault(n, d int) int {
	if n == 0 {
		return d
	}
	return n
}

// forgetRole leaves what is on disk.
func (p *Peer) forgetRole() {
	p.role = RoleLooking
	p.server.forgetConns()
	p.conns, p.waiting = p.conns[:0], p.waiting[:0]
	p.looking = looking{}
	p.following = following{heard: p.following.heard[:0]}
	p.leading = leading{sessions: p.leading.sessions[:0], syncs: p.leading.syncs[:0]}
}

// Start starts the server, or starts it again after a crash, of which only its
// log survived: what it has logged, applied or not, what it promised.
func (p *Peer) Start(now Time, out *PeerOutput) {
	p.forgetRole()
	p.look(now, out)
}

// ID is the number of the server.
func (p *Peer) ID() int { return p.o.ID }

// Role is what the server does now.
func (p *Peer) Role() Role { return p.role }

// Serving reports whether the server takes clients: it leads with a quorum, or
// follows such a leader and has its history.
func (p *Peer) Serving() bool {
	switch p.role {
	case RoleFollowing:
		return p.upToDate
	case RoleLeading:
		return p.established
	}
	return false
}

// Epoch is the epoch of the history that the server has.
func (p *Peer) Epoch() int32 { return p.current }

// LastLogged is the zxid of the last entry in the log.
func (p *Peer) LastLogged() int64 { return p.lastLogged() }

// LastApplied is the zxid of the last entry that is in the state.
func (p *Peer) LastApplied() int64 { return p.lastApplied() }

// Server is the state that this server has applied, for set-up and inspection.
// Its own inputs must not be used.
func (p *Peer) Server() *Server { return &p.server }

// Plant is [Server.Plant], to be called alike for every server of the ensemble
// before any of them starts.
func (p *Peer) Plant(path string) {
	p.server.Plant(path)
	p.base = p.server.zxid
}

// quorum is the least number of servers that decide.
func (p *Peer) quorum() int { return p.o.Servers/2 + 1 }

// self is the number of the server in messages.
func (p *Peer) self() int8 { return int8(p.o.ID) }
