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

// create makes a znode for session k (none for a znode without session) in the
// transaction s.zxid. Its checks come in the order of class
// PrepRequestProcessor (3.8.0), the ones on ACLs left out.
func (s *Server) create(now Time, k int32, path string, data []byte, flags int32, ch *change) Code {
	if code := createFlags(flags); code != OK {
		return code
	}
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || hasNUL(path) {
		return BadArguments
	}
	p := s.lookup(path[:slash])
	if p == none {
		return NoNode
	}
	if flags&FlagSequential != 0 {
		path = appendSequence(path, s.nodes[p].creates)
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
	if s.nodes[p].owner != 0 {
		return NoChildrenForEphemerals
	}
	n := s.alloc()
	z := &s.nodes[n]
	*z = znode{
		path: path, data: data, hash: h, dataHash: hashBytes(data),
		czxid: s.zxid, mzxid: s.zxid, pzxid: s.zxid,
		parent: p, first: none, last: none, ephNext: none, ephPrev: none,
	}
	z.ctime = millis(now)
	z.mtime = z.ctime
	parent := &s.nodes[p]
	*ch = change{op: OpCreate, node: n, creates: parent.creates, pzxid: parent.pzxid}
	if parent.creates < math.MaxInt32 || s.opts.DocumentedWrap {
		// At the edge the counter sticks, and pzxid with it: DataTree
		// keeps a new cversion only if it is greater than the old one.
		parent.creates++
		parent.pzxid = s.zxid
	}
	s.linkChild(n)
	if flags&FlagEphemeral != 0 && k != none {
		z.owner = s.sessions[k].id
		s.linkEphemeral(k, n)
	}
	s.attach(n)
	return OK
}

// createFlags checks the flags of a create. Containers (4) are made as plain
// persistent znodes, as create and create2 do in ZooKeeper 3.8.0; TTL znodes
// (5, 6) are off by default there (zookeeper.extendedTypesEnabled).
func createFlags(flags int32) Code {
	switch flags {
	case 0, FlagEphemeral, FlagSequential, FlagEphemeral | FlagSequential, flagContainer:
		return OK
	case flagTTL, flagTTLSequential:
		return Unimplemented
	}
	return BadArguments
}

// The create flags of znode kinds that the model does not have.
const (
	flagContainer     int32 = 4
	flagTTL           int32 = 5
	flagTTLSequential int32 = 6
)

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

// remove deletes the znode at path. Its slot is not released yet.
func (s *Server) remove(path string, version int32, ch *change) Code {
	n := s.lookup(path)
	if n <= configNode {
		if strings.IndexByte(path, '/') < 0 || hasNUL(path) || specialPath(path) {
			return BadArguments
		}
		return NoNode // the parent's or its own
	}
	z := &s.nodes[n]
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
	if z.owner != 0 {
		s.unlinkEphemeral(n)
	}
	s.detach(n)
}

// setData writes the data of the znode at path.
func (s *Server) setData(now Time, path string, data []byte, version int32, ch *change) Code {
	n := s.lookup(path)
	if code := s.checkAt(n, path, version); code != OK {
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
func (s *Server) check(path string, version int32) Code {
	return s.checkAt(s.lookup(path), path, version)
}

// checkAt is check for a znode that was looked up already.
func (s *Server) checkAt(n int32, path string, version int32) Code {
	switch {
	case path == "" || n == none && !validPath(path):
		return BadArguments
	case n == none:
		return NoNode
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
		if z.owner != 0 {
			s.unlinkEphemeral(ch.node)
		}
		s.detach(ch.node)
		s.release(ch.node)
	case OpDelete:
		s.nodes[z.parent].pzxid = ch.pzxid
		s.putChild(ch.node)
		if z.owner != 0 {
			s.putEphemeral(ch.node)
		}
		s.attach(ch.node)
	case OpSetData:
		z.data, z.dataHash, z.version = ch.data, ch.dataHash, ch.version
		z.mzxid, z.mtime = ch.mzxid, ch.mtime
	}
}
