package zkmodel

import (
	"math"
	"slices"
	"time"
)

// A znode that is neither persistent nor ephemeral is a container or has a
// time to live. Both show in its owner, as in class EphemeralType: the lowest
// number for a container, the highest byte set for a time to live, which
// stands in the low 40 bits.
const (
	containerOwner int64 = math.MinInt64
	ttlOwner       int64 = -1 << 56

	// ttlMax is the longest time to live, in milliseconds: almost 35 years.
	ttlMax int64 = 1<<40 - 1
)

// createOp says how a create differs from a plain one.
type createOp struct {
	now   Time
	conn  ConnID
	k     int32  // session, none for a znode without
	op    OpCode // OpCreate, OpCreate2, OpCreateContainer, OpCreateTTL
	flags int32
	ttl   int64
	acl   []ACL
}

// ownerOf is what a create makes the owner of its znode. Flags and time to
// live are checked first (class PrepRequestProcessor, validateCreateRequest).
// Which kind of znode it is depends on the request's type as well as on the
// flags: create and create2 make a plain znode of a container, and
// createContainer makes a container of everything.
func (s *Server) ownerOf(a *createOp) (int64, Code) {
	ttl := a.flags == FlagTTL || a.flags == FlagTTLSequential
	switch {
	case a.flags < 0 || a.flags > FlagTTLSequential:
		return 0, BadArguments
	case ttl && !s.opts.TTLNodes:
		return 0, Unimplemented
	case ttl && (a.op != OpCreateTTL || a.ttl <= 0 || a.ttl > ttlMax):
		return 0, BadArguments
	case !ttl && a.op == OpCreateTTL && a.ttl >= 0:
		return 0, BadArguments
	case a.op == OpCreateContainer:
		return containerOwner, OK
	case ttl:
		return ttlOwner | a.ttl, OK
	case a.flags&FlagEphemeral != 0 && a.k != none:
		return s.sessions[a.k].id, OK
	}
	return 0, OK
}

// reapable says whether the reaper may delete a znode at time t, now or later;
// now says whether it may at t (class ContainerManager, getCandidates). A
// container goes once it has had a child and has none; a TTL znode, once it
// has no child and its data is older than its time to live.
func (z *znode) reapable(t Time) (now, later bool) {
	switch {
	case z.owner >= 0 || z.children > 0:
		return false, false
	case z.owner == containerOwner:
		return z.creates > 0, false
	}
	return millis(t)-z.mtime > z.owner&ttlMax, true
}

// reapDue is the next time at which the reaper finds something to delete,
// given the znodes of now; false if it never does.
func (s *Server) reapDue() (Time, bool) {
	if s.owned == 0 {
		return 0, false
	}
	due, found := Time(0), false
	for i := range s.nodes {
		z := &s.nodes[i]
		if !z.live || z.owner >= 0 {
			continue
		}
		at := s.reapAt
		now, later := z.reapable(at)
		if !now && later {
			// The first check behind mtime+ttl, at least a millisecond later.
			old := Time(z.mtime+(z.owner&ttlMax)+1) * time.Millisecond
			if old > at {
				at += (old - at + s.opts.ContainerCheck - 1) / s.opts.ContainerCheck * s.opts.ContainerCheck
			}
			now = true
		}
		if now && (!found || at < due) {
			due, found = at, true
		}
	}
	return due, found
}

// passChecks moves the reaper's next check on to the time behind now, unless
// there is something to do at one that has come. It is called before each
// change, so that a check does not find what came behind it.
func (s *Server) passChecks(now Time) {
	if s.reapAt > now {
		return
	}
	if due, ok := s.reapDue(); ok && due <= now {
		s.reapAt = due
		return
	}
	s.reapAt = (now/s.opts.ContainerCheck + 1) * s.opts.ContainerCheck
}

// reap deletes what the reaper finds at its check at s.reapAt, each znode in a
// transaction of its own and in no session, in order of their paths
// (ZooKeeper: in hash order).
func (s *Server) reap(out *Output) {
	for _, path := range s.takeDue() {
		s.zxid++
		s.reapOne(path, out)
	}
}

// takeDue is what the reaper finds at its check at s.reapAt, which is over then.
func (s *Server) takeDue() []string {
	at := s.reapAt
	s.reapAt += s.opts.ContainerCheck
	var due []string // by path: where slots lie must not show
	for i := range s.nodes {
		if z := &s.nodes[i]; z.live && z.owner < 0 {
			if now, _ := z.reapable(at); now {
				due = append(due, z.path)
			}
		}
	}
	slices.Sort(due)
	return due
}

// reapOne deletes a znode in the transaction s.zxid, if it is still there and
// empty.
func (s *Server) reapOne(path string, out *Output) {
	n := s.lookup(path)
	if n == none || s.nodes[n].owner >= 0 || s.nodes[n].children > 0 {
		return
	}
	var ch change
	s.cut(n, &ch)
	s.fire(&ch, 0, CauseReaper, out)
	s.release(n)
}
