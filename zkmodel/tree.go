package zkmodel

import (
	"math"
	"strings"
	"time"
)

// none is the index of no znode.
const none int32 = -1

// The fixed places of the first znodes of every tree, which nobody can delete.
const (
	rootNode   int32 = 0
	procNode   int32 = 1 // "/zookeeper"
	configNode int32 = 3 // "/zookeeper/config"; "/zookeeper/quota" has 2
)

// znode is one slot of the arena. Its children are a list in creation order;
// the ephemeral znodes of a session are another. A slot taken out of both
// lists keeps its own links, so that putting it back in reverse order restores
// them exactly: that is how a failed multi is undone.
type znode struct {
	path     string
	data     []byte
	hash     uint64 // of path
	dataHash uint64
	owner    int64 // session of an ephemeral znode, 0 otherwise

	czxid, mzxid, pzxid int64
	ctime, mtime        int64 // ms

	// creates counts the children ever created (cversion as ZooKeeper stores
	// it, before class DataNode translates it for a Stat).
	creates  int32
	version  int32
	children int32

	parent           int32
	first, last      int32 // child
	next, prev       int32 // sibling; next also chains the free slots
	ephNext, ephPrev int32 // of the same owner

	live bool // in the tree
}

// treeState is the znode tree: an arena with a free list, and a table from
// paths to slots.
type treeState struct {
	nodes []znode
	free  int32 // first free slot
	count int32 // znodes in the tree
	table pathTable
}

// initTree makes the tree of a server that never ran. The numbers of "/" and
// "/zookeeper" are such that a Stat shows cversion -1 and -2, as measured.
func (t *treeState) initTree() {
	t.nodes, t.free, t.count = t.nodes[:0], none, 0
	t.table.reset()
	root := t.alloc()
	t.nodes[root] = emptyZnode("/")
	t.attach(root)
	for _, path := range [...]string{"/zookeeper", "/zookeeper/quota", "/zookeeper/config"} {
		n, parent := t.alloc(), rootNode
		t.nodes[n] = emptyZnode(path)
		if n != procNode {
			parent = procNode
		}
		t.nodes[n].parent = parent
		t.attach(n)
		t.linkChild(n)
	}
}

// emptyZnode is a persistent znode with no data (empty, not null), no link and
// no zxid.
func emptyZnode(path string) znode {
	z := znode{path: path, data: []byte{}, hash: hashPath(path)}
	z.dataHash = hashBytes(z.data)
	z.parent, z.first, z.last, z.next, z.prev, z.ephNext, z.ephPrev = none, none, none, none, none, none, none
	return z
}

// alloc hands out a slot; its contents are old.
func (t *treeState) alloc() int32 {
	if n := t.free; n != none {
		t.free = t.nodes[n].next
		return n
	}
	if len(t.nodes) == cap(t.nodes) {
		t.nodes = append(t.nodes, znode{})
	} else {
		t.nodes = t.nodes[:len(t.nodes)+1]
	}
	return int32(len(t.nodes) - 1)
}

// release gives the slot of a detached znode back.
func (t *treeState) release(n int32) {
	z := &t.nodes[n]
	z.path, z.data = "", nil
	z.next, t.free = t.free, n
}

// attach enters a slot into the path table.
func (t *treeState) attach(n int32) {
	t.nodes[n].live = true
	t.count++
	if t.table.full(t.count) {
		t.table.grow()
		for i := range t.nodes {
			if z := &t.nodes[i]; z.live && int32(i) != n {
				t.table.insert(z.hash, int32(i))
			}
		}
	}
	t.table.insert(t.nodes[n].hash, n)
}

// detach takes a slot out of the path table.
func (t *treeState) detach(n int32) {
	t.nodes[n].live = false
	t.count--
	t.table.remove(t.nodes[n].hash, n)
}

// find is the znode at path, whose hash is h. The empty path is an alias of
// the root (class DataTree), in reads as well as for the parent of "/x".
func (t *treeState) find(path string, h uint64) int32 {
	if path == "" {
		return rootNode
	}
	tag, i := pathTag(h), t.table.home(h)
	for {
		e := t.table.slots[i]
		if e == 0 {
			return none
		}
		if e>>32 == tag {
			n := int32(uint32(e)) - 1
			if z := &t.nodes[n]; z.hash == h && z.path == path {
				return n
			}
		}
		i = (i + 1) & t.table.mask
	}
}

// lookup is find for a path whose hash is not known yet.
func (t *treeState) lookup(path string) int32 {
	return t.find(path, hashPath(path))
}

// linkChild appends n to the children of its parent.
func (t *treeState) linkChild(n int32) {
	z := &t.nodes[n]
	p := &t.nodes[z.parent]
	z.prev, z.next = p.last, none
	t.putChild(n)
}

// putChild links n between the siblings that it names.
func (t *treeState) putChild(n int32) {
	z := &t.nodes[n]
	p := &t.nodes[z.parent]
	if z.prev == none {
		p.first = n
	} else {
		t.nodes[z.prev].next = n
	}
	if z.next == none {
		p.last = n
	} else {
		t.nodes[z.next].prev = n
	}
	p.children++
}

// unlinkChild takes n out of the children of its parent; n keeps its links.
func (t *treeState) unlinkChild(n int32) {
	z := &t.nodes[n]
	p := &t.nodes[z.parent]
	if z.prev == none {
		p.first = z.next
	} else {
		t.nodes[z.prev].next = z.next
	}
	if z.next == none {
		p.last = z.prev
	} else {
		t.nodes[z.next].prev = z.prev
	}
	p.children--
}

// stat fills in what a client sees of a znode (class DataNode, copyStat):
// the visible cversion counts creates and deletes of children.
func (z *znode) stat(st *Stat) {
	*st = Stat{
		Czxid: z.czxid, Mzxid: z.mzxid, Ctime: z.ctime, Mtime: z.mtime,
		Version: z.version, Cversion: 2*z.creates - z.children,
		EphemeralOwner: z.owner,
		DataLength:     int32(len(z.data)), NumChildren: z.children,
		Pzxid: z.pzxid,
	}
}

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
