package zkmodel

import (
	"strings"
	"time"
)

// ConnID names a TCP connection to the server. The driver of the server
// chooses the numbers and gives none twice in a run.
type ConnID int32

// ServerOptions says how a [Server] departs from a ZooKeeper server as it
// comes. The zero value is ready to use.
type ServerOptions struct {
	// Tick is ZooKeeper's tickTime: session timeouts are clamped to
	// [2*Tick, 20*Tick] and sessions expire at whole multiples of it.
	// Default 2 s, as in the sample configuration.
	Tick Time

	// DocumentedWrap lets the counter of sequential znodes wrap from
	// 2147483647 to negative numbers ("q--2147483648"), as the documentation
	// says. The default is what ZooKeeper 3.8.0 was measured to do: the
	// counter sticks, and every later sequential create under that name
	// answers NodeExists.
	DocumentedWrap bool

	// Mutant is a fault planted in the server; default none.
	Mutant Mutant

	// SessionsBefore is how many session ids are passed over. ZooKeeper takes it
	// from the clock, so that a server does not take the session of an earlier
	// life for one of its own. Default 0: sessions are numbered from 1.
	SessionsBefore int64

	// TTLNodes lets clients create znodes with a time to live
	// (zookeeper.extendedTypesEnabled). Off by default: Unimplemented.
	TTLNodes bool

	// ContainerCheck is how often the reaper looks for containers and TTL
	// znodes to delete, counted from time 0 (znode.container.checkIntervalMs).
	// Default 60 s.
	ContainerCheck Time

	// WatchModesCoexist lets a connection have a one-shot, a persistent and a
	// recursive watch on one path, as from ZooKeeper 3.9 on (ZOOKEEPER-4466);
	// a recursive watch then has no part in the events of children lists. By
	// default the newest registration decides for all, as in 3.8.
	WatchModesCoexist bool

	_ struct{}
}

const (
	// defaultTick is tickTime in ZooKeeper's sample configuration.
	defaultTick = 2 * time.Second
	// defaultContainerCheck is the default of znode.container.checkIntervalMs.
	defaultContainerCheck = time.Minute
)

// Server is one standalone ZooKeeper server: the znode tree, the watches and
// the sessions. It has no quotas, no SASL and no super user, and cannot be
// reconfigured.
// [Server.Init] makes it ready; [Server.Handle], [Server.Drop] and
// [Server.Tick] are its inputs, [Output] is what it puts out. A Server is not
// safe for concurrent use.
type Server struct {
	opts ServerOptions

	treeState
	dataWatches  watchTable // of getData and exists
	childWatches watchTable
	sessions     []serverSession
	conns        []serverConn
	identities   []connIdentity // in order of their arrival
	zxid         int64          // last processed
	lastSession  int64          // number of the newest session
	listingKey   uint64
	reapAt       Time // the reaper's next check, counted only while it matters

	// Room for work inside one call, no state: not copied, not hashed.
	changes []change // of the multi being carried out
	ranks   []rankedChild
}

// Frame is what the server writes to one connection. The frames of a
// connection arrive in the order in which they stand in an [Output]; between
// connections the order means nothing.
type Frame struct {
	Conn     ConnID
	Hangup   bool // the server closes the connection here; no Response
	Response Response
}

// Cause says why a znode was changed or a session ended.
type Cause uint8

// The causes.
const (
	CauseRequest Cause = iota // a request of a client
	CauseClose                // the client closed its session
	CauseExpiry               // the session expired
	CauseReaper               // an unused container, or a time to live that is over
)

// String names the cause, as "expiry".
func (c Cause) String() string {
	switch c {
	case CauseRequest:
		return "request"
	case CauseClose:
		return "close"
	case CauseExpiry:
		return "expiry"
	case CauseReaper:
		return "reaper"
	}
	return "cause(?)"
}

// Txn is one change that the server applied, in apply order: what a checker
// needs to know of the truth. The changes of one multi or of one session's end
// share a zxid. A session's end comes behind the deletes of its znodes.
type Txn struct {
	Zxid     int64
	Op       OpCode // OpCreate, OpDelete, OpSetData, OpSetACL, OpConnect (a new session) or OpCloseSession
	Path     string // of the znode; empty for sessions
	Session  int64  // whose request or end it was; 0 for the reaper's
	Owner    int64  // the session that owns the znode, 0 if it is not ephemeral
	Czxid    int64  // of the znode
	Cause    Cause
	Notified int32 // watch events sent because of this change
}

// Output collects what the inputs of a [Server] put out; they append to it.
type Output struct {
	Frames []Frame
	Txns   []Txn
}

// Reset empties o and keeps its memory.
func (o *Output) Reset() { o.Frames, o.Txns = o.Frames[:0], o.Txns[:0] }

// event appends a watch event. Xid and zxid are -1 (3.8; later releases put
// the zxid of the change there).
func (o *Output) event(c ConnID, e EventType, path string) {
	o.Frames = append(o.Frames, Frame{Conn: c, Response: Response{
		Kind: KindEvent, Xid: -1, Zxid: -1, Event: e, Path: path,
	}})
}

// Init makes s a server that has never run: "/" with "/zookeeper" below it, no
// session, zxid 0. Memory of an earlier use of s is used again.
func (s *Server) Init(o ServerOptions) {
	if o.Tick <= 0 {
		o.Tick = defaultTick
	}
	if o.ContainerCheck <= 0 {
		o.ContainerCheck = defaultContainerCheck
	}
	s.opts = o
	s.initTree()
	s.dataWatches.reset()
	s.childWatches.reset()
	s.sessions, s.conns, s.identities = s.sessions[:0], s.conns[:0], s.identities[:0]
	s.zxid, s.lastSession, s.listingKey, s.reapAt = 0, o.SessionsBefore, 0, 0
}

// Handle takes the next frame that connection c delivers and appends to out
// what it causes. The first frame of a connection is its connect request; any
// other hangs it up. Once the server has hung up, frames are ignored.
func (s *Server) Handle(now Time, c ConnID, r *Request, out *Output) {
	from := len(out.Frames)
	s.handle(now, c, r, out)
	if s.opts.Mutant != NoMutant {
		s.spoil(c, r, out, from)
	}
}

func (s *Server) handle(now Time, c ConnID, r *Request, out *Output) {
	i, known := s.findConn(c)
	switch {
	case known && s.conns[i].session == 0:
		return
	case !known && r.Op == OpConnect:
		s.connect(now, c, r, out)
		return
	case !known:
		s.hangUp(c, out)
		return
	}
	k := s.findSession(s.conns[i].session)
	if k == none {
		return
	}
	if s.owned != 0 {
		s.passChecks(now)
	}
	if r.Op == OpAuth || r.Op == OpSasl {
		s.handshake(c, r, out) // does not keep the session alive
		return
	}
	s.touch(now, k)
	s.carryOut(now, c, k, r, out)
}

// carryOut does what a request asks for, on behalf of session k, and replies to
// c. In an ensemble k may be none for a read: its session is then known to the
// leader and not yet here; and what is put out for c is dropped if c is noConn.
func (s *Server) carryOut(now Time, c ConnID, k int32, r *Request, out *Output) {
	if r.Malformed {
		s.malformed(c, r, out)
		return
	}
	switch r.Op {
	case OpCreate, OpCreate2, OpDelete, OpSetData, OpCreateContainer, OpCreateTTL:
		s.write(now, c, k, r, out)
	case OpCheck:
		// On success 3.8.0 never answers: it fails while it serialises.
		s.zxid++
		if code := s.check(c, r.Path, r.Version); code != OK {
			s.reply(c, r, out).Err = code
		}
	case OpMulti:
		s.multi(now, c, k, r, out)
	case OpExists, OpGetData, OpGetChildren, OpGetChildren2:
		s.read(c, r, out)
	case OpSync:
		s.reply(c, r, out).Path = r.Path
	case OpPing:
		s.reply(c, r, out).Xid = pingXid
	case OpSetWatches, OpSetWatches2:
		s.setWatches(c, r.Watches, out)
		s.reply(c, r, out)
	case OpCloseSession:
		s.closeSession(c, k, r, out)
	default:
		s.handleRare(now, c, k, r, out)
	}
}

// pingXid is the xid of every reply to a ping, whatever the ping had.
const pingXid = -2

// reply appends the reply to r, an OK without a body so far, with the last
// zxid that the server has processed. The result holds until the next append.
func (s *Server) reply(c ConnID, r *Request, out *Output) *Response {
	out.Frames = append(out.Frames, Frame{Conn: c, Response: Response{
		Kind: KindReply, Op: r.Op, Xid: r.Xid, Zxid: s.zxid,
	}})
	return &out.Frames[len(out.Frames)-1].Response
}

// write carries out a request for one change. A failed one uses up a zxid too.
func (s *Server) write(now Time, c ConnID, k int32, r *Request, out *Output) {
	s.zxid++
	var (
		ch   change
		code Code
	)
	switch r.Op {
	case OpDelete:
		code = s.remove(c, r.Path, r.Version, &ch)
	case OpSetData:
		code = s.setData(now, c, r.Path, r.Data, r.Version, &ch)
	default:
		a := createOp{now: now, conn: c, k: k, op: r.Op, flags: r.Flags, ttl: r.TTL, acl: r.ACL}
		code = s.create(&a, r.Path, r.Data, &ch)
	}
	if code != OK {
		s.reply(c, r, out).Err = code
		return
	}
	s.fire(&ch, s.sessions[k].id, CauseRequest, out)
	resp := s.reply(c, r, out)
	switch r.Op {
	case OpDelete:
		s.release(ch.node)
	case OpSetData:
		s.stat(ch.node, &resp.Stat)
	case OpCreate:
		resp.Path = s.nodes[ch.node].path
	default:
		s.stat(ch.node, &resp.Stat)
		resp.Path = s.nodes[ch.node].path
	}
}

// read answers a request that reads one znode. Paths are not validated; a
// watch is left where the read succeeds, by exists also where no znode is.
func (s *Server) read(c ConnID, r *Request, out *Output) {
	h := hashPath(r.Path)
	n := s.find(r.Path, h)
	resp := s.reply(c, r, out)
	if n == none {
		resp.Err = NoNode
		if r.Op != OpExists {
			return
		}
		if hasNUL(r.Path) {
			resp.Err = BadArguments
		} else if r.Watch {
			s.watch(&s.dataWatches, c, r.Path, h, watchOnce)
		}
		return
	}
	if r.Op != OpExists && !s.permits(n, PermRead, c) {
		resp.Err = NoAuth
		return
	}
	switch r.Op {
	case OpExists:
		s.stat(n, &resp.Stat)
	case OpGetData:
		s.stat(n, &resp.Stat)
		resp.Data = s.nodes[n].data
	case OpGetChildren2:
		s.stat(n, &resp.Stat)
		resp.Children = s.list(n)
	case OpGetChildren:
		resp.Children = s.list(n)
	}
	if !r.Watch {
		return
	}
	if r.Op == OpExists || r.Op == OpGetData {
		s.watch(&s.dataWatches, c, r.Path, h, watchOnce)
	} else {
		s.watch(&s.childWatches, c, r.Path, h, watchOnce)
	}
}

// Plant makes a persistent znode with empty data, and its missing parents,
// outside any session: a scenario's set-up before a run. No watch fires and
// no [Txn] is put out; each znode made has a zxid and counts as a create under
// its parent. A path that is there stays as it is. It panics where no such
// znode can be.
func (s *Server) Plant(path string) {
	if !validPath(path) {
		panic("zkmodel: Server.Plant: invalid path " + path)
	}
	for end := 1; end < len(path); end++ {
		i := strings.IndexByte(path[end:], '/')
		if i < 0 {
			end = len(path)
		} else {
			end += i
		}
		if s.lookup(path[:end]) != none {
			continue
		}
		s.zxid++
		var ch change
		if code := s.create(&createOp{k: none}, path[:end], []byte{}, &ch); code != OK {
			panic("zkmodel: Server.Plant: " + path[:end] + ": " + code.String())
		}
	}
}

// SetCreateCount sets how many children the znode at path is taken to have had
// so far; the next sequential child gets this number. It panics if there is no
// such znode.
func (s *Server) SetCreateCount(path string, n int32) {
	i := s.lookup(path)
	if i == none {
		panic("zkmodel: Server.SetCreateCount: no znode " + path)
	}
	s.nodes[i].creates = n
}

// SetVersion sets how often the data of the znode at path is taken to have
// changed so far. It panics if there is no such znode.
func (s *Server) SetVersion(path string, n int32) {
	i := s.lookup(path)
	if i == none {
		panic("zkmodel: Server.SetVersion: no znode " + path)
	}
	s.nodes[i].version = n
}

// Lookup is the Stat of the znode at path; false if there is none.
func (s *Server) Lookup(path string) (Stat, bool) {
	n := s.lookup(path)
	if n == none {
		return Stat{}, false
	}
	var st Stat
	s.stat(n, &st)
	return st, true
}

// NumNodes is the number of znodes, those that a fresh server has and what is
// below "/zookeeper" left out.
func (s *Server) NumNodes() int {
	return int(s.count) - 1 - s.subtree(procNode)
}

// subtree is the number of znodes at and below n.
func (s *Server) subtree(n int32) int {
	sum := 1
	for i := s.nodes[n].first; i != none; i = s.nodes[i].next {
		sum += s.subtree(i)
	}
	return sum
}
