package zkmodel

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
	owner    int64 // session of an ephemeral znode; below 0: see owner.go; 0 otherwise

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

	live bool  // in the tree
	acl  int32 // see aclTable; 0: everything to everybody
}

// treeState is the znode tree: an arena with a free list, and a table from
// paths to slots.
type treeState struct {
	nodes []znode
	free  int32 // first free slot
	count int32 // znodes in the tree
	table pathTable
	acls  aclTable
	owned int32 // containers and TTL znodes
}

// initTree makes the tree of a server that never ran. The numbers of "/" and
// "/zookeeper" are such that a Stat shows cversion -1 and -2, as measured.
func (t *treeState) initTree() {
	t.nodes, t.free, t.count, t.owned = t.nodes[:0], none, 0, 0
	t.table.reset()
	t.acls.reset()
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
	t.nodes[configNode].acl = configACL
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
	if z.acl != 0 {
		t.acls.release(z.acl)
		z.acl = 0
	}
}

// attach enters a slot into the path table.
func (t *treeState) attach(n int32) {
	t.nodes[n].live = true
	t.count++
	if t.nodes[n].owner < 0 {
		t.owned++
	}
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
	if t.nodes[n].owner < 0 {
		t.owned--
	}
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
// the visible cversion counts creates and deletes of children, and containers
// and TTL znodes have no owner.
func (t *treeState) stat(n int32, st *Stat) {
	z := &t.nodes[n]
	*st = Stat{
		Czxid: z.czxid, Mzxid: z.mzxid, Ctime: z.ctime, Mtime: z.mtime,
		Version: z.version, Cversion: 2*z.creates - z.children,
		EphemeralOwner: max(z.owner, 0),
		DataLength:     int32(len(z.data)), NumChildren: z.children,
		Pzxid: z.pzxid,
	}
	if z.acl != 0 {
		st.Aversion = t.acls.aversion(z.acl)
	}
}
