package zkmodel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func rqMulti(ops ...MultiOp) Request { return Request{Op: OpMulti, Multi: ops} }

// Section 4: "Each op is validated against the state after the previous ops
// (create parent then child OK; version chains see increments;
// create+delete+create same path OK). One zxid." "Success reply: 1 -> path; 2 &
// 13 -> nothing; 5 -> Stat as of that op"; "15 inside multi is treated as 1".
func TestMultiSuccess(t *testing.T) {
	g := newServerRig(t, 1)
	before := g.zxid
	resp := g.must(1, rqMulti(
		MultiOp{Op: OpCreate, Path: "/p", Data: []byte("xy")},
		MultiOp{Op: OpCreate2, Path: "/p/c", Flags: FlagEphemeral},
		MultiOp{Op: OpSetData, Path: "/p", Version: 0},
		MultiOp{Op: OpSetData, Path: "/p", Version: 1, Data: []byte("z")},
		MultiOp{Op: OpCheck, Path: "/p", Version: 2},
		MultiOp{Op: OpDelete, Path: "/p/c", Version: -1},
		MultiOp{Op: OpCreate, Path: "/p/c"},
		MultiOp{Op: OpCreate, Path: "/p/s-", Flags: FlagSequential},
		MultiOp{Op: OpCreate, Path: "/p/s-", Flags: FlagSequential},
	))
	require.Equal(t, before+1, g.zxid)
	z := g.zxid
	first := Stat{Czxid: z, Mzxid: z, Pzxid: z, Version: 1, Cversion: 1, NumChildren: 1}
	second := first
	second.Version, second.DataLength = 2, 1
	require.Equal(t, []MultiResult{
		{Op: OpCreate, Path: "/p"},
		{Op: OpCreate, Path: "/p/c"},
		{Op: OpSetData, Stat: first},
		{Op: OpSetData, Stat: second},
		{Op: OpCheck},
		{Op: OpDelete},
		{Op: OpCreate, Path: "/p/c"},
		{Op: OpCreate, Path: "/p/s-0000000002"},
		{Op: OpCreate, Path: "/p/s-0000000003"},
	}, resp.Multi, "two sequential creates get consecutive numbers")
	require.Equal(t, z, resp.Zxid)
	require.Len(t, g.out.Txns, 8)
	for _, x := range g.out.Txns {
		require.Equal(t, z, x.Zxid)
	}
	c, _ := g.Lookup("/p/c")
	require.Zero(t, c.EphemeralOwner)
	require.Equal(t, 4, g.NumNodes())
}

// Section 4: "Failure reply: reply HEADER err is still 0; ops before the
// failing one e=0, the failing one its code, later ones -2. Only the first
// failure is evaluated; later ops are not looked at (all -2)."
func TestMultiFailure(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/a", "/b", "/b/c")
	for _, tt := range []struct {
		bad  MultiOp
		want Code
	}{
		{MultiOp{Op: OpCreate, Path: "/a"}, NodeExists},
		{MultiOp{Op: OpCreate, Path: "/x/y"}, NoNode},
		{MultiOp{Op: OpCreate, Path: "/x", Flags: 9}, BadArguments},
		{MultiOp{Op: OpDelete, Path: "/b", Version: -1}, NotEmpty},
		{MultiOp{Op: OpDelete, Path: "/first", Version: 1}, BadVersion},
		{MultiOp{Op: OpSetData, Path: "/nope", Version: -1}, NoNode},
		{MultiOp{Op: OpCheck, Path: "/a", Version: 1}, BadVersion},
		{MultiOp{Op: OpCheck, Path: "", Version: -1}, BadArguments},
	} {
		before, root := g.zxid, g.nodes[rootNode]
		resp := g.ask(1, rqMulti(
			MultiOp{Op: OpCreate, Path: "/first"}, MultiOp{Op: OpCheck, Path: "/a", Version: 0},
			tt.bad,
			MultiOp{Op: OpDelete, Path: "/nope"}, MultiOp{Op: OpCreate, Path: "/last"},
		))
		require.Equal(t, OK, resp.Err)
		require.Equal(t, []MultiResult{
			{Op: OpError},
			{Op: OpError},
			{Op: OpError, Err: tt.want},
			{Op: OpError, Err: RuntimeInconsistency},
			{Op: OpError, Err: RuntimeInconsistency},
		}, resp.Multi)
		require.Equal(t, before+1, g.zxid)
		require.Empty(t, g.out.Txns)
		require.Equal(t, root, g.nodes[rootNode])
		require.Equal(t, 3, g.NumNodes())
	}
}

// Section 4: "Empty multi: OK, empty results, consumes a zxid. getData or
// unknown type inside multi 14: whole reply header err=-5 with empty body."
func TestMultiShapes(t *testing.T) {
	g := newServerRig(t, 1)
	before := g.zxid
	require.Equal(t, Response{Op: OpMulti, Xid: g.xid + 1, Zxid: before + 1}, g.ask(1, rqMulti()))
	for _, op := range []MultiOp{
		{Op: OpGetData, Path: "/"},
		{Op: OpExists, Path: "/"},
		{Op: 7},
		{Op: OpSync},
		{Op: OpMulti},
		{Op: 0},
	} {
		resp := g.ask(1, rqMulti(MultiOp{Op: OpDelete, Path: "/nope"}, MultiOp{Op: OpCreate, Path: "/a"}, op))
		require.Equal(t, Response{Op: OpMulti, Xid: g.xid, Zxid: g.zxid, Err: MarshallingError}, resp)
		require.Zero(t, g.NumNodes())
	}
	for _, op := range []MultiOp{{Op: OpCreate, Path: "/t", Flags: 5}, {Op: OpCreate2, Path: "/t", Flags: 6}} {
		resp := g.ask(1, rqMulti(MultiOp{Op: OpDelete, Path: "/nope"}, op))
		require.Equal(t, NoNode, resp.Multi[0].Err, "what comes behind a failure is not looked at")
		resp = g.ask(1, rqMulti(MultiOp{Op: OpCreate, Path: "/a"}, op))
		require.Equal(t, Response{Op: OpMulti, Xid: g.xid, Zxid: g.zxid, Err: MarshallingError}, resp)
		require.Zero(t, g.NumNodes())
	}
	resp := g.must(1, rqMulti(MultiOp{Op: OpCreate, Path: "/c", Flags: 4}))
	st, _ := g.Lookup("/c")
	require.Equal(t, []MultiResult{{Op: OpCreate2, Path: "/c", Stat: st}}, resp.Multi, "a container answers as type 15")
}

// Section 4: "no watch fires; sequence counters roll back"; section 1: "next
// seq number reused". Everything that a later request could see is back.
func TestMultiRollback(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/p", "/p/x", "/p/y", "/p/z")
	for _, path := range []string{"/p/e1", "/p/e2", "/p/e3"} {
		g.must(2, rqCreate(path, FlagEphemeral))
	}
	for _, path := range []string{"/p", "/p/x", "/p/e2", "/p/e3", "/"} {
		g.must(1, rqGet(path))
		g.must(1, rqList(path))
	}
	paths := []string{"/", "/p", "/p/x", "/p/y", "/p/z", "/p/e1", "/p/e2", "/p/e3"}
	stats := map[string]Stat{}
	for _, path := range paths {
		stats[path], _ = g.Lookup(path)
	}
	var before Server
	g.CopyInto(&before)
	order := g.AppendChildren(nil, "/p")

	resp := g.ask(1, rqMulti(
		MultiOp{Op: OpCreate, Path: "/p/s-", Flags: FlagEphemeral | FlagSequential},
		MultiOp{Op: OpDelete, Path: "/p/e2", Version: -1},
		MultiOp{Op: OpDelete, Path: "/p/e1", Version: -1},
		MultiOp{Op: OpDelete, Path: "/p/x", Version: -1},
		MultiOp{Op: OpCreate, Path: "/p/x", Flags: FlagEphemeral},
		MultiOp{Op: OpDelete, Path: "/p/x", Version: -1},
		MultiOp{Op: OpDelete, Path: "/p/z", Version: -1},
		MultiOp{Op: OpSetData, Path: "/p", Version: -1},
		MultiOp{Op: OpSetData, Path: "/p", Version: -1, Data: []byte("new")},
		MultiOp{Op: OpDelete, Path: "/p/y", Version: -1},
		MultiOp{Op: OpDelete, Path: "/p/e3", Version: -1},
		MultiOp{Op: OpCreate, Path: "/p/y"},
		MultiOp{Op: OpCreate, Path: "/p/y"},
	))
	require.Equal(t, NodeExists, resp.Multi[12].Err)
	require.Len(t, g.out.Frames, 1)
	require.Empty(t, g.out.Txns)
	for _, path := range paths {
		st, ok := g.Lookup(path)
		require.True(t, ok, path)
		require.Equal(t, stats[path], st, path)
	}
	require.Equal(t, len(paths)-1, g.NumNodes())
	require.Equal(t, order, g.AppendChildren(nil, "/p"))
	require.Equal(t, fingerprint(&before), fingerprint(g.Server))
	require.Equal(t, []byte("d"), g.must(2, Request{Op: OpGetData, Path: "/p"}).Data)
	require.Equal(t, "/p/s-0000000006", g.must(2, rqCreate("/p/s-", FlagSequential)).Path)
	g.must(2, Request{Op: OpCloseSession})
	deleted := []string{}
	for _, x := range g.out.Txns {
		deleted = append(deleted, x.Path)
	}
	require.Equal(t, []string{"/p/e1", "/p/e2", "/p/e3", ""}, deleted, "the session has its znodes back, in order")
}

// Each kind of operation alone is taken back whole.
func TestMultiRollbackOfOne(t *testing.T) {
	for _, op := range []MultiOp{
		{Op: OpCreate, Path: "/p/y"},
		{Op: OpCreate, Path: "/p/y", Flags: FlagEphemeral | FlagSequential},
		{Op: OpDelete, Path: "/p/x", Version: -1},
		{Op: OpDelete, Path: "/p/e", Version: -1},
		{Op: OpSetData, Path: "/p", Version: -1},
	} {
		g := newServerRig(t, 1)
		g.make("/p", "/p/x")
		g.must(1, rqCreate("/p/e", FlagEphemeral))
		g.now = 1e9
		stats := func() (all []Stat) {
			for _, path := range []string{"/", "/p", "/p/x", "/p/e"} {
				st, _ := g.Lookup(path)
				all = append(all, st)
			}
			return all
		}
		before, print := stats(), fingerprint(g.Server)
		g.ask(1, rqMulti(op, MultiOp{Op: OpCheck, Path: "/nope"}))
		require.Equal(t, NoNode, g.resp.Multi[1].Err)
		require.Equal(t, before, stats())
		require.Equal(t, print, fingerprint(g.Server))
	}
}

// A counter at the edge comes back as well.
func TestMultiRollbackAtTheEdge(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/q")
	g.SetCreateCount("/q", math.MaxInt32)
	g.ask(1, rqMulti(
		MultiOp{Op: OpCreate, Path: "/q/s", Flags: FlagSequential},
		MultiOp{Op: OpCreate, Path: "/q/t", Flags: FlagSequential},
		MultiOp{Op: OpCreate, Path: "/q/s2147483647"},
	))
	require.Equal(t, NodeExists, g.resp.Multi[2].Err)
	require.EqualValues(t, math.MaxInt32, g.nodes[g.lookup("/q")].creates)
	require.Equal(t, "/q/s2147483647", g.must(1, rqCreate("/q/s", FlagSequential)).Path)
}

// At the edge of the counter the operations of a multi are numbered beyond it,
// which the counter itself does not follow.
func TestMultiBeyondTheEdge(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/q")
	g.make("/r")
	g.SetCreateCount("/q", math.MaxInt32-1)
	sequential := func(path string) MultiOp { return MultiOp{Op: OpCreate, Path: path, Flags: FlagSequential} }
	g.must(1, rqMulti(
		sequential("/q/s-"), MultiOp{Op: OpCreate, Path: "/q/plain"}, sequential("/r/s-"),
		MultiOp{Op: OpDelete, Path: "/q/plain", Version: -1}, sequential("/q/s-"), sequential("/q/s-"),
	))
	var got []string
	for _, x := range g.resp.Multi {
		got = append(got, x.Path)
	}
	require.Equal(t, []string{
		"/q/s-2147483646", "/q/plain", "/r/s-0000000000", "", "/q/s--2147483648", "/q/s--2147483647",
	}, got)
	require.Equal(t, "/q/s-2147483647", g.must(1, rqCreate("/q/s-", FlagSequential)).Path)
	require.Equal(t, NodeExists, g.ask(1, rqCreate("/q/s-", FlagSequential)).Err)
}

// Section 4: "sub-ops are applied one by one, each triggers as if alone, in op
// order, before the multi's reply. one-shot child watch on /w for {set /w,
// create /w/x, del /w/x, del /w} -> only ChildrenChanged(/w)."
func TestMultiWatches(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/w")
	ops := rqMulti(
		MultiOp{Op: OpSetData, Path: "/w", Version: -1},
		MultiOp{Op: OpCreate, Path: "/w/x"},
		MultiOp{Op: OpDelete, Path: "/w/x", Version: -1},
		MultiOp{Op: OpDelete, Path: "/w", Version: -1},
	)
	g.run(
		step{2, rqList("/w"), "2: getChildren OK"},
		step{1, ops, "2: NodeChildrenChanged /w; 1: multi OK"},
		step{1, rqCreate("/w", 0), "1: create OK"},
		step{2, rqGet("/w"), "2: getData OK"},
		step{2, rqExists("/w/x"), "2: exists NoNode"},
		step{1, rqList("/"), "1: getChildren OK"},
		step{1, ops, "2: NodeDataChanged /w; 2: NodeCreated /w/x; 1: NodeChildrenChanged /; 1: multi OK"},
	)
	notified := []int32{}
	for _, x := range g.out.Txns {
		notified = append(notified, x.Notified)
	}
	require.Equal(t, []int32{1, 1, 0, 1}, notified)
	require.Empty(t, g.dataWatches.entries)
}
