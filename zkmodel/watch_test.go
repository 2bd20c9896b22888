package zkmodel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// step is one request of a watch test with the frames it must cause.
type step struct {
	conn ConnID
	r    Request
	want string // frames, separated by "; "
}

func (g *serverRig) run(steps ...step) {
	g.t.Helper()
	for i, st := range steps {
		require.Equal(g.t, st.want, strings.Join(g.send(st.conn, st.r), "; "), "step %d", i)
	}
}

// Section 5: "Registration: getData(watch) & exists(watch) -> data table;
// getChildren[2](watch) -> child table. getData/getChildren on absent node:
// NoNode and NO watch left. exists on absent: NoNode and watch IS left (also
// for bad paths such as "foo")."
func TestWatchRegistration(t *testing.T) {
	g := newServerRig(t, 2)
	g.run(
		step{1, rqGet("/a"), "1: getData NoNode"},
		step{1, rqList("/a"), "1: getChildren NoNode"},
		step{1, Request{Op: OpGetChildren2, Path: "/a", Watch: true}, "1: getChildren2 NoNode"},
		step{2, rqCreate("/a", 0), "2: create OK"},
		step{2, rqCreate("/a/x", 0), "2: create OK"},
		step{2, rqDelete("/a/x"), "2: delete OK"},
		step{2, rqDelete("/a"), "2: delete OK"},

		step{1, rqExists("/a"), "1: exists NoNode"},
		step{2, rqCreate("/a", 0), "1: NodeCreated /a; 2: create OK"},
		step{2, rqSet("/a"), "2: setData OK"},

		step{1, Request{Op: OpExists, Path: "/a"}, "1: exists OK"},
		step{1, Request{Op: OpGetData, Path: "/a"}, "1: getData OK"},
		step{1, Request{Op: OpGetChildren, Path: "/a"}, "1: getChildren OK"},
		step{2, rqSet("/a"), "2: setData OK"},
		step{2, rqCreate("/a/y", 0), "2: create OK"},

		step{1, rqExists("foo"), "1: exists NoNode"},
		step{1, rqExists("/a\x00"), "1: exists BadArguments"},
	)
	require.Equal(t, []watchEntry{{"foo", 1, watchOnce}}, g.dataWatches.entries)
	require.Empty(t, g.childWatches.entries)
}

// Section 5: "Triggers: create N: data(N) NodeCreated, then child(parent)
// NodeChildrenChanged(parent). setData N: data(N) NodeDataChanged. delete N:
// data(N) NodeDeleted, then child(N) NodeDeleted, then child(parent)
// NodeChildrenChanged. setData of a child / grandchild changes: nothing for P.
// sync/failed ops: nothing."
func TestWatchTriggers(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/p")
	g.run(
		step{1, rqList("/p"), "1: getChildren OK"},
		step{1, rqExists("/p/n"), "1: exists NoNode"},
		step{2, rqCreate("/p/n", 0), "1: NodeCreated /p/n; 1: NodeChildrenChanged /p; 2: create OK"},

		step{1, rqGet("/p"), "1: getData OK"},
		step{1, rqList("/p"), "1: getChildren OK"},
		step{2, rqSet("/p/n"), "2: setData OK"},
		step{2, rqCreate("/p/n/m", 0), "2: create OK"},
		step{2, rqDelete("/p/n/m"), "2: delete OK"},
		step{2, Request{Op: OpSync, Path: "/p"}, "2: sync OK"},
		step{2, rqCreate("/p/n", 0), "2: create NodeExists"},
		step{2, rqDelete("/p"), "2: delete NotEmpty"},
		step{2, Request{Op: OpSetData, Path: "/p", Version: 5}, "2: setData BadVersion"},
		step{2, rqSet("/p"), "1: NodeDataChanged /p; 2: setData OK"},

		step{1, rqGet("/p/n"), "1: getData OK"},
		step{2, rqDelete("/p/n"), "1: NodeDeleted /p/n; 1: NodeChildrenChanged /p; 2: delete OK"},
		step{1, rqList("/p"), "1: getChildren OK"},
		step{2, rqDelete("/p"), "1: NodeDeleted /p; 2: delete OK"},

		step{1, rqList("/"), "1: getChildren OK"},
		step{2, rqCreate("/top", 0), "1: NodeChildrenChanged /; 2: create OK"},
	)
	event := Response{Kind: KindEvent, Xid: -1, Zxid: -1, Event: EventNodeChildrenChanged, Path: "/"}
	g.run(step{1, rqList("/"), "1: getChildren OK"})
	g.send(2, rqDelete("/top"))
	require.Equal(t, event, g.out.Frames[0].Response)
}

// Section 5: "one connection with data+exists+child watches on N gets exactly
// ONE NodeDeleted on delete, followed by ChildrenChanged(parent) if it watches
// the parent." Suppression is by connection, and the suppressed watch is gone.
func TestWatchDeletedOnce(t *testing.T) {
	g := newServerRig(t, 3)
	g.make("/p", "/p/n")
	g.run(
		step{1, rqGet("/p/n"), "1: getData OK"},
		step{1, rqExists("/p/n"), "1: exists OK"},
		step{1, rqList("/p/n"), "1: getChildren OK"},
		step{1, rqList("/p"), "1: getChildren OK"},
		step{2, rqList("/p/n"), "2: getChildren OK"},
		step{3, rqDelete("/p/n"), "1: NodeDeleted /p/n; 2: NodeDeleted /p/n; 1: NodeChildrenChanged /p; 3: delete OK"},
	)
	require.EqualValues(t, 3, g.out.Txns[0].Notified)
	require.Empty(t, g.dataWatches.entries)
	require.Empty(t, g.childWatches.entries)
}

// Section 5: "An exists watch on an existing node fires on DataChanged or
// Deleted, whichever first. Delete+create quickly: one-shot sees only Deleted."
func TestWatchOneShot(t *testing.T) {
	g := newServerRig(t, 3)
	g.make("/n")
	g.run(
		step{1, rqExists("/n"), "1: exists OK"},
		step{2, rqSet("/n"), "1: NodeDataChanged /n; 2: setData OK"},
		step{2, rqSet("/n"), "2: setData OK"},
		step{1, rqExists("/n"), "1: exists OK"},
		step{2, rqDelete("/n"), "1: NodeDeleted /n; 2: delete OK"},
		step{2, rqCreate("/n", 0), "2: create OK"},

		// "One-shot per (connection, table, path): repeated registrations
		// give one event."
		step{1, rqGet("/n"), "1: getData OK"},
		step{1, rqGet("/n"), "1: getData OK"},
		step{1, rqExists("/n"), "1: exists OK"},
		step{3, rqGet("/n"), "3: getData OK"},
		step{2, rqSet("/n"), "1: NodeDataChanged /n; 3: NodeDataChanged /n; 2: setData OK"},
		step{2, rqSet("/n"), "2: setData OK"},
		step{1, rqList("/n"), "1: getChildren OK"},
		step{1, Request{Op: OpGetChildren2, Path: "/n", Watch: true}, "1: getChildren2 OK"},
		step{2, rqCreate("/n/x", 0), "1: NodeChildrenChanged /n; 2: create OK"},
		step{2, rqCreate("/n/y", 0), "2: create OK"},
	)
}

// Section 5: "Order: an event is sent before the reply of one's own write
// causing it." Others keep their order of registration.
func TestWatchOrder(t *testing.T) {
	g := newServerRig(t, 3)
	g.make("/n", "/m")
	g.run(
		step{2, rqGet("/n"), "2: getData OK"},
		step{3, rqGet("/m"), "3: getData OK"},
		step{1, rqGet("/n"), "1: getData OK"},
		step{2, rqGet("/m"), "2: getData OK"},
		step{3, rqGet("/n"), "3: getData OK"},
		step{2, rqSet("/n"), "2: NodeDataChanged /n; 1: NodeDataChanged /n; 3: NodeDataChanged /n; 2: setData OK"},
		step{1, rqSet("/m"), "3: NodeDataChanged /m; 2: NodeDataChanged /m; 1: setData OK"},
	)
}

// Section 5: "Watches belong to the TCP connection: they vanish when it drops.
// Re-attaching the session without SetWatches -> no events."
func TestWatchesVanishWithConnection(t *testing.T) {
	g := newServerRig(t, 3)
	password := SessionPassword(sessionBase + 1)
	g.make("/n")
	g.run(
		step{1, rqGet("/n"), "1: getData OK"},
		step{3, rqGet("/n"), "3: getData OK"},
		step{1, rqList("/n"), "1: getChildren OK"},
	)
	g.Drop(g.now, 1)
	g.run(
		step{4, Request{Op: OpConnect, SessionID: sessionBase + 1, Password: password}, "4: session 1"},
		step{2, rqSet("/n"), "3: NodeDataChanged /n; 2: setData OK"},
		step{2, rqCreate("/n/x", 0), "2: create OK"},
		step{4, rqGet("/n"), "4: getData OK"},
		step{5, Request{Op: OpConnect, SessionID: sessionBase + 1, Password: password}, "4: hangup; 5: session 1"},
		step{2, rqSet("/n"), "2: setData OK"},
	)
}

// Section 5: "setWatches: For each in that order, immediately (before the
// reply): data: absent -> NodeDeleted; mzxid>rel -> NodeDataChanged; else
// registered. exist: present -> NodeCreated (regardless of rel); absent ->
// registered. child: absent -> NodeDeleted; pzxid>rel -> NodeChildrenChanged;
// else registered."
func TestSetWatches(t *testing.T) {
	g := newServerRig(t, 2)
	g.make("/same", "/set", "/kids", "/again")
	rel := g.zxid
	g.make("/kids/x", "/new")
	g.must(1, rqSet("/set"))
	g.must(1, rqDelete("/again"))
	g.make("/again")
	set := func(w WatchSet) Request {
		w.RelativeZxid = rel
		return Request{Op: OpSetWatches, Watches: &w}
	}
	before := g.zxid
	g.run(
		step{
			2, set(WatchSet{Data: []string{"/same", "/gone", "/set", "/kids", "/again"}}),
			"2: NodeDeleted /gone; 2: NodeDataChanged /set; 2: NodeDataChanged /again; 2: setWatches OK",
		},
		step{1, rqSet("/set"), "1: setData OK"},
		step{1, rqSet("/again"), "1: setData OK"},
		step{1, rqSet("/same"), "2: NodeDataChanged /same; 1: setData OK"},
		step{1, rqSet("/kids"), "2: NodeDataChanged /kids; 1: setData OK"},

		step{
			2, set(WatchSet{Exist: []string{"/same", "/gone", "/new"}}),
			"2: NodeCreated /same; 2: NodeCreated /new; 2: setWatches OK",
		},
		step{1, rqSet("/same"), "1: setData OK"},
		step{1, rqCreate("/gone", 0), "2: NodeCreated /gone; 1: create OK"},
		step{1, rqDelete("/gone"), "1: delete OK"},

		step{
			2, set(WatchSet{Child: []string{"/same", "/gone", "/kids", "/again", "/set"}}),
			"2: NodeDeleted /gone; 2: NodeChildrenChanged /kids; 2: NodeChildrenChanged /again; 2: setWatches OK",
		},
		step{1, rqCreate("/kids/y", 0), "1: create OK"},
		step{1, rqCreate("/again/y", 0), "1: create OK"},
		step{1, rqCreate("/same/y", 0), "2: NodeChildrenChanged /same; 1: create OK"},
		step{1, rqCreate("/set/y", 0), "2: NodeChildrenChanged /set; 1: create OK"},

		step{
			2, set(WatchSet{Child: []string{"/x"}, Exist: []string{"/new"}, Data: []string{"/y"}}),
			"2: NodeDeleted /y; 2: NodeCreated /new; 2: NodeDeleted /x; 2: setWatches OK",
		},
		step{2, Request{Op: OpSetWatches}, "2: setWatches OK"},
	)
	require.Equal(t, before+11, g.zxid, "the eleven writes; setWatches uses none")
	require.Equal(t, g.zxid, g.resp.Zxid)
	require.Equal(t, g.xid, g.resp.Xid, "the xid is echoed")
}

// The zxid of a change equal to the relative one has been seen.
func TestSetWatchesAtTheZxid(t *testing.T) {
	g := newServerRig(t, 1)
	g.make("/n")
	g.run(
		step{
			1,
			Request{Op: OpSetWatches, Watches: &WatchSet{RelativeZxid: g.zxid, Data: []string{"/n"}, Child: []string{"/n"}}},
			"1: setWatches OK",
		},
		step{
			1,
			Request{Op: OpSetWatches, Watches: &WatchSet{RelativeZxid: g.zxid - 1, Data: []string{"/n"}, Child: []string{"/n"}}},
			"1: NodeDataChanged /n; 1: NodeChildrenChanged /n; 1: setWatches OK",
		},
	)
}

// A crowd on one path, and the suppression for those who watch both tables.
func TestWatchCrowd(t *testing.T) {
	const crowd = 300
	g := newServerRig(t, crowd)
	g.make("/n")
	for c := ConnID(1); c <= crowd; c++ {
		g.must(c, rqList("/n"))
		if c%2 == 0 {
			g.must(c, rqGet("/n"))
		}
	}
	g.must(1, rqDelete("/n"))
	require.EqualValues(t, crowd, g.out.Txns[0].Notified)
	require.Len(t, g.out.Frames, crowd+1)
}
