package zkmodel

import (
	"math"
	"strings"
	"time"
)

// change is one change that was made to the tree, with what undoes it. The
// slots it names keep path, owner and czxid until release, so that the watches
// can be fired once the whole transaction stands.
type change struct {
	op       OpCode // OpCreate, OpDelete, OpSetData
	node     int32
	creates  int32 // of the parent, before a create
	version  int32 // before a setData
	pzxid    int64 // of the parent, before
	mzxid    int64
	mtime    int64
	data     []byte
	dataHash uint64
}

// millis is a server time as a Stat shows it.
func millis(now Time) int64 { return int64(now / time.Millisecond) }

// create makes a znode in the transaction s.zxid. Its checks come in the order
// of class PrepRequestProcessor (3.8.0).
func (s *Server) create(a *createOp, path string, data []byte, ch *change) Code {
	owner, code := s.ownerOf(a)
	if code != OK {
		return code
	}
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || hasNUL(path) {
		return BadArguments
	}
	acl := a.acl
	if acl != nil {
		if acl, code = s.fixACL(a.conn, acl); code != OK {
			return code
		}
	}
	p := s.lookup(path[:slash])
	if p == none {
		return NoNode
	}
	if !s.permits(p, PermCreate, a.conn) {
		return NoAuth
	}
	if a.flags&FlagSequential != 0 {
		path = appendSequence(path, s.nextNumber(p))
	}
	// The parent exists, so its path is valid; "/" as a parent is a second
	// slash. What is left to check is the last name.
	if path != "/" && (slash == 1 || !validName(path[slash+1:])) {
		return BadArguments
	}
	h := hashPath(path)
	if s.find(path, h) != none {
		return NodeExists
	}
	if s.nodes[p].owner > 0 {
		return NoChildrenForEphemerals
	}
	if owner < 0 && s.owned == 0 {
		s.passChecks(a.now)
	}
	n := s.alloc()
	z := &s.nodes[n]
	*z = znode{
		path: path, data: data, hash: h, dataHash: hashBytes(data), owner: owner,
		czxid: s.zxid, mzxid: s.zxid, pzxid: s.zxid,
		parent: p, first: none, last: none, ephNext: none, ephPrev: none,
	}
	z.ctime = millis(a.now)
	z.mtime = z.ctime
	if acl != nil {
		z.acl = s.acls.put(acl, 0)
	}
	parent := &s.nodes[p]
	*ch = change{op: OpCreate, node: n, creates: parent.creates, pzxid: parent.pzxid}
	if parent.creates < math.MaxInt32 || s.opts.DocumentedWrap {
		// At the edge the counter sticks, and pzxid with it: DataTree
		// keeps a new cversion only if it is greater than the old one.
		parent.creates++
		parent.pzxid = s.zxid
	}
	s.linkChild(n)
	if owner > 0 {
		s.linkEphemeral(a.k, n)
	}
	s.attach(n)
	return OK
}

// appendSequence is path with the counter n behind it as Java's "%010d" has
// it: ten digits, the sign of a negative number being one of the ten places.
func appendSequence(path string, n int32) string {
	var buf [11]byte
	i, v, least := len(buf), int64(n), 1
	if v < 0 {
		v, least = -v, 2
	}
	for ; v > 0 || i > least; v /= 10 {
		i--
		buf[i] = byte('0' + v%10)
	}
	if n < 0 {
		i--
		buf[i] = '-'
	}
	return path + string(buf[i:])
}

// remove deletes the znode at path for the client on connection c. Its slot is
// not released yet.
func (s *Server) remove(c ConnID, path string, version int32, ch *change) Code {
	n := s.lookup(path)
	if n <= configNode {
		slash := strings.LastIndexByte(path, '/')
		if slash < 0 || hasNUL(path) || specialPath(path) {
			return BadArguments
		}
		if p := s.lookup(path[:slash]); p != none && !s.permits(p, PermDelete, c) {
			return NoAuth
		}
		return NoNode // the parent's or its own
	}
	z := &s.nodes[n]
	if !s.permits(z.parent, PermDelete, c) {
		return NoAuth
	}
	if version != -1 && version != z.version {
		return BadVersion
	}
	if z.children > 0 {
		return NotEmpty
	}
	s.cut(n, ch)
	return OK
}

// cut takes a znode without children out of the tree in the transaction
// s.zxid.
func (s *Server) cut(n int32, ch *change) {
	z := &s.nodes[n]
	parent := &s.nodes[z.parent]
	*ch = change{op: OpDelete, node: n, pzxid: parent.pzxid}
	s.unlinkChild(n)
	parent.pzxid = s.zxid
	if z.owner > 0 {
		s.unlinkEphemeral(n)
	}
	s.detach(n)
}

// setData writes the data of the znode at path for the client on connection c.
func (s *Server) setData(now Time, c ConnID, path string, data []byte, version int32, ch *change) Code {
	n := s.lookup(path)
	if code := s.checkAt(c, n, path, version, PermWrite); code != OK {
		return code
	}
	z := &s.nodes[n]
	*ch = change{
		op: OpSetData, node: n, version: z.version,
		mzxid: z.mzxid, mtime: z.mtime, data: z.data, dataHash: z.dataHash,
	}
	z.data, z.dataHash = data, hashBytes(data)
	z.version++
	z.mzxid, z.mtime = s.zxid, millis(now)
	return OK
}

// check compares the version of the znode at path; -1 matches any.
func (s *Server) check(c ConnID, path string, version int32) Code {
	return s.checkAt(c, s.lookup(path), path, version, PermRead)
}

// checkAt is check for a znode that was looked up already, and with the
// permission that it takes.
func (s *Server) checkAt(c ConnID, n int32, path string, version, perm int32) Code {
	switch {
	case path == "" || n == none && !validPath(path):
		return BadArguments
	case n == none:
		return NoNode
	case !s.permits(n, perm, c):
		return NoAuth
	case version != -1 && version != s.nodes[n].version:
		return BadVersion
	}
	return OK
}

// undo takes back the newest change that still stands.
func (s *Server) undo(ch *change) {
	z := &s.nodes[ch.node]
	switch ch.op {
	case OpCreate:
		parent := &s.nodes[z.parent]
		parent.creates, parent.pzxid = ch.creates, ch.pzxid
		s.unlinkChild(ch.node)
		if z.owner > 0 {
			s.unlinkEphemeral(ch.node)
		}
		s.detach(ch.node)
		s.release(ch.node)
	case OpDelete:
		s.nodes[z.parent].pzxid = ch.pzxid
		s.putChild(ch.node)
		if z.owner > 0 {
			s.putEphemeral(ch.node)
		}
		s.attach(ch.node)
	case OpSetData:
		z.data, z.dataHash, z.version = ch.data, ch.dataHash, ch.version
		z.mzxid, z.mtime = ch.mzxid, ch.mtime
	}
}
