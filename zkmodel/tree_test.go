package zkmodel

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// badRequest breaks the rules that its name lists and must be answered with
// the first of them.
type badRequest struct {
	name string
	r    Request
	want Code
}

// refuse sends bad requests to a server that has "/e" with a child, at version
// 1, "/v" at version 1 and the ephemeral "/eph".
func refuse(t *testing.T, tests []badRequest) {
	g := newServerRig(t, 1)
	g.make("/e", "/e/x", "/v")
	g.must(1, rqCreate("/eph", FlagEphemeral))
	g.must(1, rqSet("/v"))
	g.must(1, rqSet("/e"))
	for _, tt := range tests {
		before := g.NumNodes()
		resp := g.ask(1, tt.r)
		require.Equal(t, tt.want, resp.Err, tt.name)
		require.Equal(t, Response{Op: tt.r.Op, Xid: g.xid, Zxid: g.zxid, Err: tt.want}, resp, "%s: error replies have an empty body", tt.name)
		require.Equal(t, before, g.NumNodes(), tt.name)
	}
}

// Section 3, "Server-side order of checks", create.
func TestTreeCreatePrecedence(t *testing.T) {
	create := func(path string, flags int32) Request {
		return Request{Op: OpCreate, Path: path, Flags: flags}
	}
	refuse(t, []badRequest{
		// create: flags > path > parent > final path > exists > ephemeral parent
		{"bad flags, no slash", create("foo", 7), BadArguments},
		{"bad flags, parent missing", create("/nope/x", 7), BadArguments},
		{"negative flags", create("/new", -1), BadArguments},
		{"TTL flags, no slash", create("foo", 5), Unimplemented},
		{"TTL flags, parent missing", create("/nope/x", 6), Unimplemented},
		{"no slash", create("foo", 0), BadArguments},
		{"empty", create("", 0), BadArguments},
		{"empty, sequential", create("", FlagSequential), BadArguments},
		{"no leading slash", create("foo/bar", 0), NoNode},
		{"NUL, parent missing", create("/nope/\x00", 0), BadArguments},
		{"NUL in the parent", create("/e\x00/x", 0), BadArguments},
		{"parent missing, bad path", create("/nope/", 0), NoNode},
		{"parent missing, empty component", create("/e//x", 0), NoNode},
		{"parent missing, dot", create("/e/./x", 0), NoNode},
		{"parent missing, dots", create("/e/../x", 0), NoNode},
		{"parent missing, bad character", create("/nope/x\x01", 0), NoNode},
		{"empty first component", create("//x", 0), BadArguments},
		{"two slashes", create("//", 0), BadArguments},
		{"trailing slash", create("/e/", 0), BadArguments},
		{"dot", create("/e/.", 0), BadArguments},
		{"dots", create("/e/..", 0), BadArguments},
		{"bad character", create("/e/x\x01", 0), BadArguments},
		{"bad character, ephemeral parent", create("/eph/x\x01", 0), BadArguments},
		{"emoji", create("/e/\U0001f600", 0), BadArguments},
		{"root", create("/", 0), NodeExists},
		{"zookeeper", create("/zookeeper", 0), NodeExists},
		{"exists", create("/e/x", 0), NodeExists},
		{"ephemeral parent", create("/eph/x", 0), NoChildrenForEphemerals},
		{"ephemeral parent, sequential", create("/eph/x", 3), NoChildrenForEphemerals},
	})
}

// Section 3, "Server-side order of checks", the other requests.
func TestTreeOtherPrecedence(t *testing.T) {
	version := func(op OpCode, path string, v int32) Request {
		return Request{Op: op, Path: path, Version: v}
	}
	refuse(t, []badRequest{
		// delete: path > parent > node > version > children
		{"delete: no slash", version(OpDelete, "foo", 9), BadArguments},
		{"delete: empty", version(OpDelete, "", -1), BadArguments},
		{"delete: NUL, parent missing", version(OpDelete, "/nope/\x00", 9), BadArguments},
		{"delete: root", version(OpDelete, "/", 9), BadArguments},
		{"delete: /zookeeper", version(OpDelete, "/zookeeper", 9), BadArguments},
		{"delete: quota", version(OpDelete, "/zookeeper/quota", 9), BadArguments},
		{"delete: config", version(OpDelete, "/zookeeper/config", -1), BadArguments},
		{"delete: parent missing", version(OpDelete, "/nope/x", 9), NoNode},
		{"delete: missing, any version", version(OpDelete, "/nope", 9), NoNode},
		{"delete: trailing slash", version(OpDelete, "/e/", -1), NoNode},
		{"delete: bad path", version(OpDelete, "/e/..", -1), NoNode},
		{"delete: version, children", version(OpDelete, "/e", 0), BadVersion},
		{"delete: version -2", version(OpDelete, "/e", -2), BadVersion},
		{"delete: children", version(OpDelete, "/e", 1), NotEmpty},
		{"delete: children, any version", version(OpDelete, "/e", -1), NotEmpty},

		// setData, check: path > node > version
		{"setData: empty", version(OpSetData, "", 9), BadArguments},
		{"setData: no slash", version(OpSetData, "foo", 9), BadArguments},
		{"setData: bad path, missing", version(OpSetData, "/nope/", 9), BadArguments},
		{"setData: bad character", version(OpSetData, "/e\x01", 9), BadArguments},
		{"setData: missing, any version", version(OpSetData, "/nope", 9), NoNode},
		{"setData: version", version(OpSetData, "/v", 0), BadVersion},
		{"setData: version -2", version(OpSetData, "/v", -2), BadVersion},
		{"check: empty", version(OpCheck, "", 9), BadArguments},
		{"check: bad path", version(OpCheck, "/v/", 9), BadArguments},
		{"check: missing", version(OpCheck, "/nope", 9), NoNode},
		{"check: version", version(OpCheck, "/v", 0), BadVersion},

		// reads: no validation
		{"exists: no slash", Request{Op: OpExists, Path: "foo"}, NoNode},
		{"exists: trailing slash", Request{Op: OpExists, Path: "/e/"}, NoNode},
		{"exists: two slashes", Request{Op: OpExists, Path: "/e//x"}, NoNode},
		{"exists: NUL", Request{Op: OpExists, Path: "/e\x00"}, BadArguments},
		{"getData: NUL", Request{Op: OpGetData, Path: "/e\x00"}, NoNode},
		{"getChildren: NUL", Request{Op: OpGetChildren, Path: "/e\x00"}, NoNode},
		{"getChildren2: no slash", Request{Op: OpGetChildren2, Path: "foo"}, NoNode},
	})
}

// Section 3: 'Reads: "" is an alias of root and succeeds'; 'setData on "/" and
// "/zookeeper" is allowed'; 'Seq prefixes "/e/.", "/e/.." are fine'; 'Children
// of "/zookeeper" can be created by anyone'. Section 1: a container flag makes
// a plain persistent znode.
func TestTreeAllowed(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/e", "/zookeeper/x", "/\u00a0", "/\ufeff")
	for _, r := range []Request{{Op: OpExists}, {Op: OpGetData}, {Op: OpGetChildren}, {Op: OpGetChildren2}} {
		g.must(1, r)
		require.Equal(t, r.Op != OpGetChildren, g.resp.Stat.NumChildren == 4)
		require.Equal(t, r.Op == OpGetChildren || r.Op == OpGetChildren2, len(g.resp.Children) == 4)
	}
	g.must(1, rqSet("/"))
	g.must(1, rqSet("/zookeeper"))
	require.Equal(t, "/e/.0000000000", g.must(1, rqCreate("/e/.", FlagSequential)).Path)
	require.Equal(t, "/e/..0000000001", g.must(1, rqCreate("/e/..", FlagSequential)).Path)
	require.Equal(t, "/e/0000000002", g.must(1, rqCreate("/e/", FlagSequential)).Path)
	require.Equal(t, "/0000000003", g.must(1, rqCreate("/", FlagSequential)).Path, "after e and the odd ones")

	require.Equal(t, "/c", g.must(1, rqCreate("/c", 4)).Path)
	require.Zero(t, g.must(1, rqExists("/c")).Stat.EphemeralOwner)
	g.must(1, rqCreate("/c/x", 0))
}

// Section 1: ephemeral iff flags 1|3; any session may delete or set it.
func TestTreeModes(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/d")
	tests := []struct {
		flags int32
		path  string
		owner int64
	}{
		{0, "/d/x", 0},
		{FlagEphemeral, "/d/y", sessionBase + 2},
		{FlagSequential, "/d/z0000000002", 0},
		{FlagEphemeral | FlagSequential, "/d/w0000000003", sessionBase + 2},
	}
	for i, tt := range tests {
		path := "/d/" + string("xyzw"[i])
		resp := g.must(2, Request{Op: OpCreate2, Path: path, Flags: tt.flags, Data: []byte("abc")})
		require.Equal(t, tt.path, resp.Path)
		require.Equal(t, tt.owner, resp.Stat.EphemeralOwner)
		require.EqualValues(t, 3, resp.Stat.DataLength)
		st, ok := g.Lookup(tt.path)
		require.True(t, ok)
		require.Equal(t, st, resp.Stat, "create2 answers with the Stat")
		g.must(1, rqSet(tt.path))
	}
	require.Equal(t, Stat{}, g.must(2, rqCreate("/d/plain", 0)).Stat, "create answers with the path alone")
	for _, tt := range tests {
		g.must(1, rqDelete(tt.path))
	}
}

// Section 1: "A null data (len -1) is kept as null: getData returns buffer len
// -1, dataLength 0; empty stays len 0."
func TestTreeNullData(t *testing.T) {
	g := newServerRig(t, 1)
	g.must(1, Request{Op: OpCreate, Path: "/null"})
	g.must(1, Request{Op: OpCreate, Path: "/empty", Data: []byte{}})
	require.Nil(t, g.must(1, rqGet("/null")).Data)
	require.Zero(t, g.resp.Stat.DataLength)
	require.Equal(t, []byte{}, g.must(1, rqGet("/empty")).Data)
	g.must(1, rqSet("/null"))
	require.Equal(t, []byte("e"), g.must(1, rqGet("/null")).Data)
	g.must(1, Request{Op: OpSetData, Path: "/null", Version: 1})
	require.Nil(t, g.must(1, rqGet("/null")).Data)
}

// Section 2, the rules of Stat one by one.
func TestTreeStat(t *testing.T) {
	g := newServerRig(t, 1)
	stat := func(path string) Stat {
		st, ok := g.Lookup(path)
		require.True(t, ok)
		return st
	}
	g.now = 1500*time.Millisecond + 700*time.Microsecond
	g.make("/p")
	z := g.zxid
	p := Stat{Czxid: z, Mzxid: z, Pzxid: z, Ctime: 1500, Mtime: 1500, DataLength: 1}
	require.Equal(t, p, stat("/p"), "czxid=mzxid=pzxid=z, ctime=mtime, versions 0")

	g.now = 3 * time.Second
	g.make("/p/c")
	p.Cversion, p.Pzxid, p.NumChildren = 1, z+1, 1
	require.Equal(t, p, stat("/p"), "create child: cversion+1, pzxid=z, numChildren+1, the rest unchanged")

	g.must(1, rqSet("/p/c"))
	require.Equal(t, p, stat("/p"), "child's setData leaves the parent unchanged")
	c := Stat{Czxid: z + 1, Mzxid: z + 2, Pzxid: z + 1, Ctime: 3000, Mtime: 3000, Version: 1, DataLength: 1}
	require.Equal(t, c, stat("/p/c"))

	g.now = 4 * time.Second
	resp := g.must(1, rqSet("/p/c"))
	c.Version, c.Mzxid, c.Mtime = 2, z+3, 4000
	require.Equal(t, c, stat("/p/c"), "setData: version+1, mzxid=z, mtime, even if data equal")
	require.Equal(t, c, resp.Stat)
	require.Empty(t, resp.Data)

	g.must(1, rqDelete("/p/c"))
	p.Cversion, p.Pzxid, p.NumChildren = 2, z+4, 0
	require.Equal(t, p, stat("/p"), "delete child: cversion+1, pzxid=z, numChildren-1")

	require.Equal(t, p, g.must(1, rqExists("/p")).Stat)
	require.Equal(t, p, g.must(1, rqGet("/p")).Stat)
	require.Equal(t, p, g.must(1, Request{Op: OpGetChildren2, Path: "/p"}).Stat)
	require.Equal(t, Stat{}, g.must(1, rqList("/p")).Stat)
}

// Section 2: "N deletes in one closeSession: cversion += N, pzxid = that z"
// and "All ops in one multi share the same zxid and same time".
func TestTreeStatOfOneTxn(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/p")
	for _, name := range []string{"/p/a", "/p/b", "/p/c"} {
		g.must(2, rqCreate(name, FlagEphemeral))
	}
	g.send(2, Request{Op: OpCloseSession})
	st, _ := g.Lookup("/p")
	require.EqualValues(t, 6, st.Cversion)
	require.Zero(t, st.NumChildren)
	require.Equal(t, g.zxid, st.Pzxid)

	g.now = 7 * time.Second
	g.must(1, Request{Op: OpMulti, Multi: []MultiOp{
		{Op: OpCreate, Path: "/p/x"}, {Op: OpCreate, Path: "/p/y"}, {Op: OpSetData, Path: "/p/x", Version: 0},
	}})
	x, _ := g.Lookup("/p/x")
	y, _ := g.Lookup("/p/y")
	p, _ := g.Lookup("/p")
	require.Equal(t, Stat{Czxid: g.zxid, Mzxid: g.zxid, Pzxid: g.zxid, Ctime: 7000, Mtime: 7000, Version: 1}, x)
	require.Equal(t, Stat{Czxid: g.zxid, Mzxid: g.zxid, Pzxid: g.zxid, Ctime: 7000, Mtime: 7000}, y)
	require.Equal(t, g.zxid, p.Pzxid)
}

// Section 2: "version ints wrap; -1 as expected version = any."
func TestTreeVersionWraps(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/v")
	g.nodes[g.lookup("/v")].version = math.MaxInt32
	require.EqualValues(t, math.MinInt32, g.must(1, rqSet("/v")).Stat.Version)
	require.Equal(t, BadVersion, g.ask(1, Request{Op: OpSetData, Path: "/v", Version: -2}).Err)
	g.must(1, Request{Op: OpSetData, Path: "/v", Version: math.MinInt32})
	g.nodes[g.lookup("/v")].version = -1
	require.Zero(t, g.must(1, Request{Op: OpSetData, Path: "/v", Version: 7 - 8}).Stat.Version)
}

// Section 1: "rawCversion = number of child creates ever applied under that
// parent (starts 0; every successful create, sequential or not, any type, adds
// 1). Deleting children does NOT move it; failed creates do NOT move it; delete
// + recreate parent resets to 0. Root: starts at 0."
func TestTreeSequence(t *testing.T) {
	g := newServerRig(t, 1)
	next := func(path string) string {
		return g.must(1, rqCreate(path, FlagSequential)).Path
	}
	require.Equal(t, "/r0000000000", next("/r"))
	g.make("/s")
	require.Equal(t, "/r0000000002", next("/r"))
	require.Equal(t, "/s/q-0000000000", next("/s/q-"))
	g.make("/s/plain")
	require.Equal(t, "/s/q-0000000002", next("/s/q-"))
	g.must(1, rqDelete("/s/q-0000000000"))
	require.Equal(t, NodeExists, g.ask(1, rqCreate("/s/plain", 0)).Err)
	require.Equal(t, BadArguments, g.ask(1, rqCreate("/s/\x01", FlagSequential)).Err)
	require.Equal(t, "/s/other-0000000003", next("/s/other-"))
	st, _ := g.Lookup("/s")
	require.EqualValues(t, 5, st.Cversion, "Stat.cversion counts deletes as well")
	g.must(1, rqCreate("/s/e", FlagEphemeral))
	require.Equal(t, "/s/0000000005", next("/s/"))
	g.make("/s/q-0000000007")
	require.Equal(t, NodeExists, g.ask(1, rqCreate("/s/q-", FlagSequential)).Err, "the name was taken by hand")
	for _, name := range g.AppendChildren(nil, "/s") {
		g.must(1, rqDelete("/s/"+name))
	}
	g.must(1, rqDelete("/s"))
	g.make("/s")
	require.Equal(t, "/s/q-0000000000", next("/s/q-"))
}

// Section 1: "...2147483645,6,7 created OK; then the counter STICKS; every next
// seq create with that prefix -> NodeExists (plain creates still succeed;
// parent's pzxid/cversion stop moving)."
func TestTreeSequenceSticks(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/q")
	g.SetCreateCount("/q", math.MaxInt32-2)
	next := rqCreate("/q/n-", FlagSequential)
	require.Equal(t, "/q/n-2147483645", g.must(1, next).Path)
	require.Equal(t, "/q/n-2147483646", g.must(1, next).Path)
	before, _ := g.Lookup("/q")
	require.Equal(t, g.zxid, before.Pzxid)
	require.Equal(t, "/q/n-2147483647", g.must(1, next).Path)
	for range 3 {
		require.Equal(t, NodeExists, g.ask(1, next).Err)
	}
	g.make("/q/plain")
	after, _ := g.Lookup("/q")
	require.Equal(t, before.Pzxid, after.Pzxid)
	require.EqualValues(t, math.MaxInt32, g.nodes[g.lookup("/q")].creates)
	require.EqualValues(t, 4, after.NumChildren)
	require.Equal(t, "/q/m-2147483647", g.must(1, rqCreate("/q/m-", FlagSequential)).Path, "another prefix, once")
	g.must(1, rqDelete("/q/n-2147483647"))
	after, _ = g.Lookup("/q")
	require.Equal(t, g.zxid, after.Pzxid, "deletes still move it")
	require.Equal(t, "/q/n-2147483647", g.must(1, next).Path)
}

// Section 1: 'A raw negative counter prints e.g. "q--2147483647" and counts
// up.' DocumentedWrap lets it get there.
func TestTreeSequenceWraps(t *testing.T) {
	g := newServerRig(t, 0)
	g.Init(ServerOptions{DocumentedWrap: true})
	g.send(1, Request{Op: OpConnect})
	g.make("/q")
	g.SetCreateCount("/q", math.MaxInt32)
	for _, want := range []string{"/q/q-2147483647", "/q/q--2147483648", "/q/q--2147483647"} {
		require.Equal(t, want, g.must(1, rqCreate("/q/q-", FlagSequential)).Path)
		st, _ := g.Lookup("/q")
		require.Equal(t, g.zxid, st.Pzxid)
	}
	g.Init(ServerOptions{})
	g.send(1, Request{Op: OpConnect})
	g.make("/q")
	g.SetCreateCount("/q", -2147483647)
	require.Equal(t, "/q/q--2147483647", g.must(1, rqCreate("/q/q-", FlagSequential)).Path)
	require.Equal(t, "/q/q--2147483646", g.must(1, rqCreate("/q/q-", FlagSequential)).Path)
}

func TestAppendSequence(t *testing.T) {
	for n, want := range map[int32]string{
		0: "x0000000000", 7: "x0000000007", 1234567890: "x1234567890", math.MaxInt32: "x2147483647",
		-1: "x-000000001", -123456789: "x-123456789", -1234567890: "x-1234567890", math.MinInt32: "x-2147483648",
	} {
		require.Equal(t, want, appendSequence("x", n))
	}
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() {
		sink = appendSequence("/locks/a/_c_0f0e0d0c-0b0a-0908-0706-050403020100-lock-", 12)
	}))
}

var sink string
