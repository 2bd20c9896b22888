package checker

import (
	"math"
	"strconv"
	"strings"
)

// serviceZnode is a znode as the transactions have made it.
type serviceZnode struct {
	exists bool
	// pastEdge is true once a child was created while creates stood at its
	// greatest value. What pzxid and cversion show from then on differs between
	// releases and documentation, so they are not judged.
	pastEdge   bool
	dataKnown  bool
	parent     int32
	version    int32
	aversion   int32
	creates    int32 // children ever created
	children   int32
	dataLength int32
	czxid      int64
	mzxid      int64
	pzxid      int64
	owner      int64 // session of an ephemeral znode, 0 for others
	name       uint64
	names      uint64 // sum of the children's name
	data       uint64
}

// serviceTree is the znodes.
type serviceTree struct{ servicePaths }

// reset makes the tree of a server that never ran, with the numbers that were
// measured: cversion -1 on "/" and -2 on "/zookeeper".
func (t *serviceTree) reset() {
	t.servicePaths.reset()
	root := t.intern("/", servicePathHash("/"))
	t.all[root].exists = true
	for _, path := range [...]string{"/zookeeper", "/zookeeper/config", "/zookeeper/quota"} {
		t.plant(path, nil, nil)
	}
}

// rootSlot is where "/" always stands.
const rootSlot int32 = 0

// at is the slot of the znode at a path, noSlot if there is none. The empty
// path is an alias of the root (class DataTree).
func (t *serviceTree) at(path string) int32 { return t.atHash(path, servicePathHash(path)) }

// atHash is at for a path with the hash h.
func (t *serviceTree) atHash(path string, h uint64) int32 {
	if path == "" {
		return rootSlot
	}
	slot := t.find(path, h)
	if slot != noSlot && !t.all[slot].exists {
		return noSlot
	}
	return slot
}

// parentOf is the slot of the znode above a path, noSlot if there is none, and
// the name below it.
func (t *serviceTree) parentOf(path string) (parent int32, name string) {
	switch i := strings.LastIndexByte(path, '/'); i {
	case -1:
		return noSlot, path
	case 0:
		return rootSlot, path[1:]
	default:
		return t.at(path[:i]), path[i+1:]
	}
}

// link puts a znode under its parent and fills in nothing but the links.
func (t *serviceTree) link(slot, parent int32, name string) {
	x := &t.all[slot]
	x.serviceZnode = serviceZnode{exists: true, parent: parent, name: servicePathHash(name)}
	up := &t.all[parent]
	up.children++
	up.names += x.name
}

// create applies the creation of a znode, whose path has the hash h, and
// returns its slot.
func (t *serviceTree) create(e *ServiceEvent, h uint64, parent int32, name string) int32 {
	slot := t.intern(e.Path, h)
	t.link(slot, parent, name)
	x := &t.all[slot]
	x.czxid, x.mzxid, x.pzxid, x.owner = e.Zxid, e.Zxid, e.Zxid, e.Owner
	x.write(e.Data)
	up := &t.all[x.parent]
	if up.creates < math.MaxInt32 {
		up.creates++
		up.pzxid = e.Zxid
	} else {
		up.pastEdge = true
	}
	return slot
}

// remove applies the deletion of a znode. Its slot is still to be released.
func (t *serviceTree) remove(slot int32, zxid int64) {
	x := &t.all[slot]
	up := &t.all[x.parent]
	up.children--
	up.names -= x.name
	up.pzxid = zxid
	x.exists = false
}

// set applies a setData.
func (x *serviceZnode) set(e *ServiceEvent) {
	x.version++
	x.mzxid = e.Zxid
	x.write(e.Data)
}

func (x *serviceZnode) write(data []byte) {
	x.dataKnown = data != nil
	if x.dataKnown {
		x.data, x.dataLength = serviceDataHash(data), int32(len(data))
	}
}

// plant sets the numbers of a znode, which is made if it is not there.
func (t *serviceTree) plant(path string, st *ServiceStat, data []byte) {
	if strings.IndexByte(path, '/') != 0 {
		return
	}
	parent, name := t.parentOf(path)
	if parent == noSlot {
		t.plant(path[:len(path)-len(name)-1], nil, nil)
		parent, name = t.parentOf(path)
	}
	slot := t.intern(path, servicePathHash(path))
	if !t.all[slot].exists {
		t.link(slot, parent, name)
	}
	x := &t.all[slot].serviceZnode
	x.write(data)
	if st == nil {
		return
	}
	x.czxid, x.mzxid, x.pzxid = st.Czxid, st.Mzxid, st.Pzxid
	x.version, x.aversion, x.owner = st.Version, st.Aversion, st.session()
	// The visible cversion counts creates and deletes; the sum is even, and
	// its top bit is lost where it overflows, which creates cannot have.
	x.creates = int32((uint32(st.Cversion) + uint32(st.NumChildren)) / 2)
	x.pastEdge = false
}

// session is the session that a Stat names as owner, 0 for none. A container
// and a time to live stand in the same field, as negative numbers (class
// EphemeralType).
func (st *ServiceStat) session() int64 { return max(0, st.EphemeralOwner) }

// differs says in what a Stat is not that of the znode; empty if in nothing.
func (x *serviceZnode) differs(st *ServiceStat) string {
	if st.Czxid == x.czxid && st.Mzxid == x.mzxid && st.Version == x.version &&
		st.Aversion == x.aversion && st.session() == x.owner && st.NumChildren == x.children &&
		(x.pastEdge || st.Pzxid == x.pzxid && st.Cversion == x.cversion()) &&
		(!x.dataKnown || st.DataLength == x.dataLength) {
		return ""
	}
	shown := *st
	if x.pastEdge {
		shown.Pzxid, shown.Cversion = x.pzxid, x.cversion()
	}
	for _, f := range [...]struct {
		field       string
		shown, want int64
	}{
		{"czxid", shown.Czxid, x.czxid},
		{"version", int64(shown.Version), int64(x.version)},
		{"mzxid", shown.Mzxid, x.mzxid},
		{"ephemeralOwner", shown.session(), x.owner},
		{"numChildren", int64(shown.NumChildren), int64(x.children)},
		{"cversion", int64(shown.Cversion), int64(x.cversion())},
		{"pzxid", shown.Pzxid, x.pzxid},
		{"aversion", int64(shown.Aversion), int64(x.aversion)},
		{"dataLength", int64(shown.DataLength), int64(x.dataLength)},
	} {
		if f.shown != f.want {
			return f.field + " " + strconv.FormatInt(f.shown, 10) + " where it was " + strconv.FormatInt(f.want, 10)
		}
	}
	return ""
}

// cversion is the number as a Stat shows it.
func (x *serviceZnode) cversion() int32 { return 2*x.creates - x.children }
