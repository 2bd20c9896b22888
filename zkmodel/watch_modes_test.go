package zkmodel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// With WatchModesCoexist the modes of a path live side by side, as from
// ZooKeeper 3.9 on (ZOOKEEPER-4466); the golden scripts in conform/testdata
// have what 3.8 does.
func TestWatchModesCoexist(t *testing.T) {
	add := func(path string, mode int32) Request { return Request{Op: OpAddWatch, Path: path, Flags: mode} }
	base := func() *serverRig {
		g := newServerRig(t, 2)
		g.opts.WatchModesCoexist = true
		g.make("/p")
		return g
	}
	play := func(g *serverRig, r Request) []string {
		t.Helper()
		return g.send(2, r)
	}

	g := base()
	g.must(1, add("/p", WatchPersistent))
	g.must(1, rqGet("/p"))
	require.Equal(t, []string{"1: NodeDataChanged /p", "2: setData OK"}, play(g, rqSet("/p")), "one event for both")
	require.Equal(t, []string{"1: NodeDataChanged /p", "2: setData OK"}, play(g, rqSet("/p")), "the persistent one goes on")

	g = base()
	g.must(1, add("/p", WatchRecursive))
	g.must(1, rqList("/p"))
	require.Equal(t, []string{"1: NodeCreated /p/a", "1: NodeChildrenChanged /p", "2: create OK"}, play(g, rqCreate("/p/a", 0)))
	require.Equal(t, []string{"1: NodeCreated /p/b", "2: create OK"}, play(g, rqCreate("/p/b", 0)))

	g = base()
	g.must(1, rqGet("/p"))
	g.must(1, add("/p", WatchRecursive))
	g.must(1, add("/p", WatchPersistent))
	require.Equal(t, []string{"1: NodeCreated /p/a", "1: NodeChildrenChanged /p", "2: create OK"}, play(g, rqCreate("/p/a", 0)))
	require.Equal(t, []string{"1: NodeDeleted /p/a", "1: NodeChildrenChanged /p", "2: delete OK"}, play(g, rqDelete("/p/a")))
	require.Len(t, g.childWatches.entries, 1)
	require.Zero(t, g.childWatches.recursive)

	check := Request{Op: OpCheckWatches, Path: "/p", Flags: WatchTypeAny}
	require.Equal(t, OK, g.ask(1, check).Err)
	require.Equal(t, NoWatcher, g.ask(2, check).Err, "another's watch does not count")
	require.Equal(t, OK, g.ask(1, Request{Op: OpRemoveWatches, Path: "/p", Flags: WatchTypeAny}).Err)
	require.Empty(t, g.dataWatches.entries)
	require.Zero(t, g.dataWatches.recursive)
	require.Equal(t, []string{"2: setData OK"}, play(g, rqSet("/p")))
}

// The count of recursive watches, which decides how far a change is looked at,
// follows them wherever they go.
func TestRecursiveWatchesAreCounted(t *testing.T) {
	g := newServerRig(t, 2)
	count := func() int32 { return g.dataWatches.recursive }
	add := func(c ConnID, path string, mode int32) { g.must(c, Request{Op: OpAddWatch, Path: path, Flags: mode}) }
	add(1, "/p", WatchRecursive)
	add(1, "/p", WatchRecursive)
	add(2, "/p", WatchRecursive)
	add(2, "/q", WatchRecursive)
	require.EqualValues(t, 3, count())
	add(1, "/p", WatchPersistent)
	require.EqualValues(t, 2, count())
	g.make("/p")
	g.must(2, rqGet("/p"))
	require.EqualValues(t, 1, count())
	g.Drop(0, 2)
	require.Zero(t, count())
	require.EqualValues(t, 0, g.childWatches.recursive)
	require.Len(t, g.dataWatches.entries, 1)
}
