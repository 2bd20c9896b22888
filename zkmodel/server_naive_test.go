package zkmodel

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// naiveServer is the same server written for the eye alone: maps, copies of
// everything before a multi, rules one by one as the facts have them. The
// property test in server_property_test.go compares the two.
type naiveServer struct {
	nodes    map[string]naiveNode
	watches  []naiveWatch
	sessions map[int64]naiveSession
	conns    map[ConnID]int64 // 0: hung up
	tick     Time
	wrap     bool
	zxid     int64
	born     int64 // znodes ever made
	last     int64
	// ahead are, within a multi, the counters as they would be without an edge.
	ahead map[string]int32

	// What it puts out: lines for each connection, and changes.
	sent map[ConnID][]string
	txns []string
}

type naiveNode struct {
	data           string
	null           bool
	version        int32
	creates, owner int64
	czxid, mzxid   int64
	pzxid          int64
	ctime, mtime   int64
	born           int64
}

type naiveWatch struct {
	conn  ConnID
	child bool
	path  string
}

type naiveSession struct {
	timeout, deadline Time
	conn              ConnID
	attached          bool
}

func newNaiveServer(wrap bool) *naiveServer {
	n := &naiveServer{
		nodes: map[string]naiveNode{}, sessions: map[int64]naiveSession{}, conns: map[ConnID]int64{},
		tick: 2 * time.Second, wrap: wrap, sent: map[ConnID][]string{},
	}
	for _, path := range []string{"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"} {
		n.nodes[path] = naiveNode{}
	}
	return n
}

// say notes a frame.
func (n *naiveServer) say(c ConnID, format string, args ...any) {
	n.sent[c] = append(n.sent[c], fmt.Sprintf(format, args...))
}

// at is the znode at path, where "" means the root.
func (n *naiveServer) at(path string) (naiveNode, bool) {
	if path == "" {
		path = "/"
	}
	z, ok := n.nodes[path]
	return z, ok
}

func naiveParent(path string) string {
	if i := strings.LastIndex(path, "/"); i > 0 {
		return path[:i]
	}
	return "/"
}

func (n *naiveServer) children(path string) []string {
	if path == "" {
		path = "/"
	}
	var names []string
	for other := range n.nodes {
		if other != "/" && naiveParent(other) == path {
			names = append(names, other[strings.LastIndex(other, "/")+1:])
		}
	}
	slices.Sort(names)
	return names
}

func (n *naiveServer) stat(path string) Stat {
	z, _ := n.at(path)
	kids := int32(len(n.children(path)))
	aversion := int32(0)
	if path == "/zookeeper/config" {
		aversion = -1
	}
	return Stat{
		Czxid: z.czxid, Mzxid: z.mzxid, Pzxid: z.pzxid, Ctime: z.ctime, Mtime: z.mtime,
		Version: z.version, Aversion: aversion, Cversion: int32(2*z.creates) - kids, EphemeralOwner: z.owner,
		DataLength: int32(len(z.data)), NumChildren: kids,
	}
}

func naiveValidPath(path string) bool {
	if path == "/" {
		return true
	}
	if !strings.HasPrefix(path, "/") {
		return false
	}
	for _, part := range strings.Split(path[1:], "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
		for _, r := range part {
			if r <= 0x1f || 0x7f <= r && r <= 0x9f || 0xd800 <= r && r <= 0xf8ff || 0xfff0 <= r {
				return false
			}
		}
	}
	return true
}

// naiveChange is an operation that went well.
type naiveChange struct {
	op   OpCode
	path string
	node naiveNode
}

// do carries out one operation; path and Stat are what the reply tells.
func (n *naiveServer) do(now Time, session int64, op MultiOp) (naiveChange, Code) {
	switch op.Op {
	case OpCreate, OpCreate2:
		return n.create(now, session, op)
	case OpDelete:
		special := slices.Contains([]string{"/", "/zookeeper", "/zookeeper/quota", "/zookeeper/config"}, op.Path)
		if !strings.Contains(op.Path, "/") || strings.Contains(op.Path, "\x00") || special {
			return naiveChange{}, BadArguments
		}
		z, ok := n.nodes[op.Path]
		switch {
		case !ok:
			return naiveChange{}, NoNode
		case op.Version != -1 && op.Version != z.version:
			return naiveChange{}, BadVersion
		case len(n.children(op.Path)) > 0:
			return naiveChange{}, NotEmpty
		}
		n.delete(op.Path)
		return naiveChange{OpDelete, op.Path, z}, OK
	}
	z, ok := n.nodes[op.Path]
	switch {
	case !naiveValidPath(op.Path):
		return naiveChange{}, BadArguments
	case !ok:
		return naiveChange{}, NoNode
	case op.Path == "/zookeeper/config" && op.Op == OpSetData:
		return naiveChange{}, NoAuth
	case op.Version != -1 && op.Version != z.version:
		return naiveChange{}, BadVersion
	case op.Op == OpCheck:
		return naiveChange{}, OK
	}
	z.data, z.null = string(op.Data), op.Data == nil
	z.version++
	z.mzxid, z.mtime = n.zxid, now.Milliseconds()
	n.nodes[op.Path] = z
	return naiveChange{OpSetData, op.Path, z}, OK
}

func (n *naiveServer) create(now Time, session int64, op MultiOp) (naiveChange, Code) {
	if op.Flags < 0 || op.Flags > 3 {
		return naiveChange{}, BadArguments
	}
	path := op.Path
	if !strings.Contains(path, "/") || strings.Contains(path, "\x00") {
		return naiveChange{}, BadArguments
	}
	above := path[:strings.LastIndex(path, "/")]
	parent, ok := n.at(above)
	if !ok {
		return naiveChange{}, NoNode
	}
	if above == "/zookeeper/config" {
		return naiveChange{}, NoAuth
	}
	number := int32(parent.creates)
	if ahead, ok := n.ahead[above]; ok {
		number = ahead
	}
	if op.Flags >= 2 {
		path += fmt.Sprintf("%010d", number)
	}
	if !naiveValidPath(path) {
		return naiveChange{}, BadArguments
	}
	if _, ok := n.nodes[path]; ok {
		return naiveChange{}, NodeExists
	}
	if parent.owner != 0 {
		return naiveChange{}, NoChildrenForEphemerals
	}
	n.born++
	z := naiveNode{
		data: string(op.Data), null: op.Data == nil, czxid: n.zxid, mzxid: n.zxid, pzxid: n.zxid,
		ctime: now.Milliseconds(), mtime: now.Milliseconds(), born: n.born,
	}
	if op.Flags == 1 || op.Flags == 3 {
		z.owner = session
	}
	n.nodes[path] = z
	if parent.creates != math.MaxInt32 {
		parent.creates++
		parent.pzxid = n.zxid
	} else if n.wrap {
		parent.creates = math.MinInt32
		parent.pzxid = n.zxid
	}
	n.nodes[naiveParent(path)] = parent
	if n.ahead != nil {
		n.ahead[above] = number + 1
	}
	return naiveChange{OpCreate, path, z}, OK
}

func (n *naiveServer) delete(path string) {
	delete(n.nodes, path)
	delete(n.ahead, path)
	parent := n.nodes[naiveParent(path)]
	parent.pzxid = n.zxid
	n.nodes[naiveParent(path)] = parent
}

// fire sends the events of a change.
func (n *naiveServer) fire(ch naiveChange, session int64, cause Cause) {
	sent := map[ConnID]int{}
	total := 0
	hit := func(child bool, path string, e EventType, quiet bool) {
		var left []naiveWatch
		for _, w := range n.watches {
			if w.child != child || w.path != path {
				left = append(left, w)
				continue
			}
			if quiet && sent[w.conn] > 0 {
				continue
			}
			sent[w.conn]++
			total++
			n.say(w.conn, "%v %s", e, path)
		}
		n.watches = left
	}
	switch ch.op {
	case OpCreate:
		hit(false, ch.path, EventNodeCreated, false)
	case OpSetData:
		hit(false, ch.path, EventNodeDataChanged, false)
	case OpDelete:
		hit(false, ch.path, EventNodeDeleted, false)
		hit(true, ch.path, EventNodeDeleted, true)
	}
	if ch.op != OpSetData {
		hit(true, naiveParent(ch.path), EventNodeChildrenChanged, false)
	}
	n.txns = append(n.txns, showTxn(Txn{
		Zxid: n.zxid, Op: ch.op, Path: ch.path, Session: session, Owner: ch.node.owner,
		Czxid: ch.node.czxid, Cause: cause, Notified: int32(total),
	}))
}

// watch registers a watch once.
func (n *naiveServer) watch(w naiveWatch) {
	if !slices.Contains(n.watches, w) {
		n.watches = append(n.watches, w)
	}
}

// reply notes a reply with its body, if any.
func (n *naiveServer) reply(c ConnID, r *Request, code Code, body string) {
	xid := r.Xid
	if r.Op == OpPing {
		xid = -2
	}
	n.say(c, "%v xid %d zxid %d %v%s", r.Op, xid, n.zxid, code, body)
}

func (n *naiveServer) handle(now Time, c ConnID, r *Request) {
	id, known := n.conns[c]
	switch {
	case !known && r.Op == OpConnect:
		n.connect(now, c, r)
		return
	case !known:
		n.hangUp(c)
		return
	case id == 0:
		return
	}
	n.touch(now, id)
	op := MultiOp{Op: r.Op, Path: r.Path, Data: r.Data, Flags: r.Flags, Version: r.Version}
	switch r.Op {
	case OpCreate, OpCreate2, OpDelete, OpSetData, OpCheck:
		n.zxid++
		ch, code := n.do(now, id, op)
		if code != OK {
			n.reply(c, r, code, "")
			return
		}
		if r.Op == OpCheck {
			return
		}
		n.fire(ch, id, CauseRequest)
		n.reply(c, r, OK, n.body(r.Op, ch))
	case OpMulti:
		n.multi(now, c, id, r)
	case OpExists, OpGetData, OpGetChildren, OpGetChildren2:
		n.read(c, r)
	case OpSync:
		n.reply(c, r, OK, " "+r.Path)
	case OpPing:
		n.reply(c, r, OK, "")
	case OpSetWatches:
		n.setWatches(c, r.Watches)
		n.reply(c, r, OK, "")
	case OpCloseSession:
		n.end(id, CauseClose)
		n.reply(c, r, OK, "")
		n.hangUp(c)
	default:
		n.say(c, "%v xid %d zxid -1 %v", r.Op, r.Xid, Unimplemented)
		n.hangUp(c)
	}
}

func (n *naiveServer) body(op OpCode, ch naiveChange) string {
	switch op {
	case OpCreate:
		return " " + ch.path
	case OpCreate2:
		return fmt.Sprintf(" %s %v", ch.path, n.stat(ch.path))
	case OpSetData:
		return fmt.Sprintf(" %v", n.stat(ch.path))
	}
	return ""
}
