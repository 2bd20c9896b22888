package zkmodel

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// connectedRig is a client with a session and listener 90.
func connectedRig(t testing.TB, o ClientOptions) *clientRig {
	r := newClientRig(t, o)
	r.do("listen 90")
	r.do("start")
	r.do("connect 1")
	return r
}

// ask submits a read with a watch and has it answered.
func (r *clientRig) ask(op, path string, watcher int, code string) {
	r.t.Helper()
	r.do(fmt.Sprintf("submit 1 %s %s w%d", op, path, watcher))
	require.Len(r.t, r.out.Send, 1)
	require.True(r.t, r.out.Send[0].Watch)
	require.NotEmpty(r.t, r.do(fmt.Sprintf("reply %d %s", r.out.Send[0].Xid, code)))
}

// tables writes the watch tables as text.
func (r *clientRig) tables() string {
	var parts []string
	for t := range r.c.watches {
		for _, w := range r.c.watches[t] {
			parts = append(parts, fmt.Sprintf("%v %s %d", WatchTable(t), w.path, w.watcher))
		}
	}
	return strings.Join(parts, ", ")
}

func TestClientRegistration(t *testing.T) {
	for _, tc := range []struct{ op, code, want string }{
		{"getData", "OK", "data /a 5"},
		{"getData", "NoNode", ""},
		{"getChildren", "OK", "child /a 5"},
		{"getChildren", "NoNode", ""},
		{"getChildren2", "OK", "child /a 5"},
		{"getChildren2", "NoNode", ""},
		{"exists", "OK", "data /a 5"},
		{"exists", "NoNode", "exist /a 5"},
		{"exists", "NoAuth", ""},
		{"getData", "SessionExpired", ""},
	} {
		r := connectedRig(t, ClientOptions{})
		r.ask(tc.op, "/a", 5, tc.code)
		require.Equal(t, tc.want, r.tables(), "%v", tc)
	}
}

func TestClientNoWatchWithoutReply(t *testing.T) {
	r := connectedRig(t, ClientOptions{})
	r.do("submit 1 getData /a w5")
	require.Empty(t, r.tables())
	r.do("closed")
	require.Empty(t, r.tables())
}

func TestClientEventsMatchTables(t *testing.T) {
	// Watchers 1, 2, 3 stand in the data, exist and child table of /a.
	const all = "data /a 1, data /b 4, exist /a 2, child /a 3"
	for _, tc := range []struct{ event, want, left string }{
		{"NodeCreated", "call(1 NodeCreated /a) call(2 NodeCreated /a)", "data /b 4, child /a 3"},
		{"NodeDataChanged", "call(1 NodeDataChanged /a) call(2 NodeDataChanged /a)", "data /b 4, child /a 3"},
		{"NodeDeleted", "call(1 NodeDeleted /a) call(2 NodeDeleted /a) call(3 NodeDeleted /a)", "data /b 4"},
		{"NodeChildrenChanged", "call(3 NodeChildrenChanged /a)", "data /b 4, data /a 1, exist /a 2"},
	} {
		r := connectedRig(t, ClientOptions{})
		r.ask("getChildren", "/a", 3, "OK")
		r.ask("getData", "/b", 4, "OK")
		r.ask("exists", "/a", 2, "NoNode")
		r.ask("getData", "/a", 1, "OK")
		require.Equal(t, all, r.tables())
		require.Equal(t, tc.want, r.do("event "+tc.event+" /a"))
		require.Empty(t, r.do("event "+tc.event+" /a"), "one-shot")
		require.ElementsMatch(t, strings.Split(tc.left, ", "), strings.Split(r.tables(), ", "), tc.event)
	}
}

func TestClientEventForNobody(t *testing.T) {
	r := connectedRig(t, ClientOptions{})
	r.ask("getData", "/b", 4, "OK")
	r.play("event NodeDeleted /a", "", "event NodeDeleted /c", "", "event NodeChildrenChanged /b", "")
	require.Equal(t, "data /b 4", r.tables())
}

func TestClientOneObjectRegisteredOften(t *testing.T) {
	r := connectedRig(t, ClientOptions{})
	r.ask("getData", "/a", 5, "OK")
	r.ask("getData", "/a", 5, "OK")
	r.ask("exists", "/a", 5, "NoNode")
	r.ask("getChildren", "/a", 5, "OK")
	r.ask("getData", "/b", 5, "OK")
	r.ask("getData", "/a", 4, "OK")
	require.Equal(t, "data /a 4, data /a 5, data /b 5, exist /a 5, child /a 5", r.tables())
	r.play(
		"event NodeDeleted /a", "call(4 NodeDeleted /a) call(5 NodeDeleted /a)",
		"event NodeDeleted /b", "call(5 NodeDeleted /b)",
	)
	require.Empty(t, r.tables())
}

// An event that the server sent in front of a reply is about the time before
// the watch: it must not consume it.
func TestClientEventBeforeReply(t *testing.T) {
	r := connectedRig(t, ClientOptions{})
	r.play(
		"submit 1 getData /a w5", "send(#1 getData /a watch)",
		"event NodeDataChanged /a", "",
		"reply 1", "done(1 OK)",
		"event NodeDataChanged /a", "call(5 NodeDataChanged /a)",
	)
}

func TestClientSessionEventsReachWatchers(t *testing.T) {
	for _, tc := range []struct {
		name                         string
		o                            ClientOptions
		lost, left, back, over, done string
	}{
		{
			"java",
			ClientOptions{Watches: WatchesReset},
			"down call(90 Connecting) call(4 Connecting) call(5 Connecting) redial(0s-0s)",
			"data /a 5, child /b 4, child /b 5",
			"up send(#4 setWatches z0 [/a] [] [/b]) call(90 Connected) call(4 Connected) call(5 Connected)",
			"over hangup call(90 Expired) call(4 Expired) call(5 Expired)",
			"down call(90 Connecting) call(4 Connecting) call(5 Connecting)",
		},
		{
			"go",
			ClientOptions{Watches: WatchesResetClose},
			"down call(90 Connecting) redial(0s-0s)",
			"data /a 5, child /b 4, child /b 5",
			"up send(#4 setWatches z0 [/a] [] [/b]) call(90 Connected)",
			"over hangup call(90 Expired) call(4 Expired) call(5 Expired)",
			"down call(90 Connecting)",
		},
		{
			"kazoo",
			ClientOptions{Watches: WatchesDrop},
			"down call(90 Connecting) call(4 Connecting) call(5 Connecting) redial(0s-0s)",
			"",
			"up call(90 Connected)",
			"over hangup call(90 Expired)",
			"down call(90 Connecting)",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := connectedRig(t, tc.o)
			r.ask("getChildren", "/b", 5, "OK")
			r.ask("getData", "/a", 5, "OK")
			r.ask("getChildren", "/b", 4, "OK")
			r.play("closed", tc.lost)
			require.Equal(t, tc.left, r.tables())
			r.play(
				"redial", "dial send(connect s1 p100 z0 10s)",
				"closed", "redial(0s-0s)", // no second event
				"redial", "dial send(connect s1 p100 z0 10s)",
				"connect 1", tc.back,
			)
			require.Equal(t, tc.left, r.tables())
			if tc.left != "" {
				r.play("reply 4", "")
			}
			r.play(
				"closed", tc.done+" redial(0s-0s)",
				"redial", "dial send(connect s1 p100 z0 10s)",
				"connect 0", tc.over,
			)
			require.Empty(t, r.tables())
		})
	}
}

// A number that is a listener and a watcher is called once per session event.
func TestClientListenerThatIsAWatcher(t *testing.T) {
	r := connectedRig(t, ClientOptions{})
	r.do("listen 80")
	r.do("listen 90") // again
	r.ask("getData", "/a", 90, "OK")
	r.play(
		"closed", "down call(90 Connecting) call(80 Connecting) redial(0s-0s)",
		"unlisten 90", "",
		"unlisten 70", "",
		"redial", "dial send(connect s1 p100 z0 10s)",
		"connect 1", "up send(#2 setWatches z0 [/a] [] []) call(80 Connected) call(90 Connected)",
	)
}

func TestClientSetWatches(t *testing.T) {
	for _, first := range []bool{true, false} {
		r := connectedRig(t, ClientOptions{Watches: WatchesResetClose, ResetFirst: first})
		r.ask("exists", "/here", 1, "OK")
		r.ask("exists", "/absent", 2, "NoNode")
		r.ask("getData", "/d", 3, "OK z17")
		r.ask("getData", "/d", 4, "OK")
		r.ask("getChildren", "/c", 5, "OK")
		r.ask("getChildren2", "/b", 6, "OK")
		r.ask("getData", "/gone", 7, "OK")
		r.do("event NodeDeleted /gone") // fired: not set again
		r.do("closed")
		r.do("submit 9 getData /q")
		r.do("redial")
		want := "up send(#8 setWatches z17 [/d /here] [/absent] [/b /c]) send(#9 getData /q) call(90 Connected)"
		if !first {
			want = "up send(#8 getData /q) send(#9 setWatches z17 [/d /here] [/absent] [/b /c]) call(90 Connected)"
		}
		r.play("connect 1", want)
		require.Equal(t, 1, r.c.Pending())
		if first {
			r.play(
				"event NodeDataChanged /d", "call(3 NodeDataChanged /d) call(4 NodeDataChanged /d)", // catching up
				"reply 8 OK z20", "",
				"reply 9", "done(9 OK)",
			)
		} else {
			r.play("reply 8", "done(9 OK)", "reply 9 OK z20", "")
		}
		require.Zero(t, r.c.Pending())
	}
}

// A connection that breaks with setWatches in flight completes nothing for
// it, and the watches are set again.
func TestClientSetWatchesLost(t *testing.T) {
	r := connectedRig(t, ClientOptions{Watches: WatchesResetClose})
	r.ask("getData", "/a", 1, "OK")
	for i := 2; i < 5; i++ {
		r.do("closed")
		require.Empty(t, r.out.Done)
		r.do("redial")
		require.Equal(t, fmt.Sprintf("up send(#%d setWatches z0 [/a] [] []) call(90 Connected)", i), r.do("connect 1"))
	}
}

func TestClientSetWatchesInSeveralFrames(t *testing.T) {
	r := connectedRig(t, ClientOptions{})
	long := strings.Repeat("x", clientSetWatchesMax/4-len("/d0")) // four paths fill a frame
	var data, child []string
	for i := range 3 {
		data = append(data, "/d"+strconv.Itoa(i)+long)
		child = append(child, "/c"+strconv.Itoa(i)+long)
		r.ask("getData", data[i], 1, "OK")
		r.ask("getChildren", child[i], 1, "OK")
	}
	r.do("closed")
	r.do("redial")
	r.do("connect 1")
	require.Len(t, r.out.Send, 2)
	require.Equal(t, &WatchSet{Data: data, Child: child[:1]}, r.out.Send[0].Watches)
	require.Equal(t, &WatchSet{Child: child[1:]}, r.out.Send[1].Watches)
}

// The order of registration shows in nothing.
func TestClientWatchOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type reg struct {
			table   WatchTable
			path    string
			watcher int32
		}
		gen := rapid.Custom(func(rt *rapid.T) reg {
			return reg{
				WatchTable(rapid.IntRange(0, 2).Draw(rt, "table")),
				rapid.SampledFrom([]string{"/a", "/a/b", "/b", "/"}).Draw(rt, "path"),
				int32(rapid.IntRange(1, 4).Draw(rt, "watcher")),
			}
		})
		regs := rapid.SliceOfN(gen, 0, 12).Draw(rt, "regs")
		type call struct {
			watcher int32
			path    string
		}
		model := map[reg]bool{}
		a, b := connectedRig(t, ClientOptions{}), connectedRig(t, ClientOptions{})
		for i := range regs {
			x, y := regs[i], regs[len(regs)-1-i]
			a.c.watches.add(x.table, x.path, x.watcher)
			b.c.watches.add(y.table, y.path, y.watcher)
			model[x] = true
		}
		require.Equal(rt, a.tables(), b.tables())
		require.Equal(rt, clientHash(&a.c), clientHash(&b.c))
		want := map[call]bool{}
		for x := range model {
			if x.path == "/a" {
				want[call{x.watcher, x.path}] = true
			}
		}
		require.Equal(rt, a.do("event NodeDeleted /a"), b.do("event NodeDeleted /a"))
		require.Len(rt, a.out.Calls, len(want))
		for i, c := range a.out.Calls {
			require.True(rt, want[call{c.Watcher, c.Event.Path}])
			require.True(rt, i == 0 || a.out.Calls[i-1].Watcher < c.Watcher)
		}
		require.Equal(rt, a.do("closed"), b.do("closed"))
	})
}

// A checkWatches with a watcher forgets it, in every table; the server's word
// and the client's own both have to say that there is one.
func TestClientRemovesWatches(t *testing.T) {
	for _, tc := range []struct {
		path    string
		watcher int
		code    string
		want    string
		left    string
	}{
		{"/a", 5, "OK", "done(1 OK) call(5 DataWatchRemoved /a) call(5 ChildWatchRemoved /a)", "data /a 6"},
		{"/a", 6, "OK", "done(1 OK) call(6 DataWatchRemoved /a)", "data /a 5, child /a 5"},
		{"/a", 7, "OK", "done(1 NoWatcher)", "data /a 5, data /a 6, child /a 5"},
		{"/a", 5, "NoWatcher", "done(1 NoWatcher)", "data /a 5, data /a 6, child /a 5"},
	} {
		r := connectedRig(t, ClientOptions{})
		r.ask("getData", "/a", 5, "OK")
		r.ask("getData", "/a", 6, "OK")
		r.ask("getChildren", "/a", 5, "OK")
		r.do(fmt.Sprintf("submit 1 checkWatches %s w%d", tc.path, tc.watcher))
		require.False(t, r.out.Send[0].Watch)
		require.Equal(t, tc.want, r.do(fmt.Sprintf("reply %d %s", r.out.Send[0].Xid, tc.code)))
		require.Equal(t, tc.left, r.tables())
	}
}

func TestClientAnyWatcher(t *testing.T) {
	r := newClientRig(t, ClientOptions{})
	known := func(want ...int32) {
		t.Helper()
		var got []int32
		for n := int32(1); n <= 9; n++ {
			if r.c.AnyWatcher(func(w int32) bool { return w == n }) {
				got = append(got, n)
			}
		}
		require.Equal(t, want, got)
	}
	known()
	r.do("submit 1 getData /a w5")
	known(5) // queued
	r.do("start")
	r.do("connect 1")
	known(5) // in flight
	r.do("reply 1")
	known(5) // registered
	r.do("submit 2 getChildren /a w6")
	r.do("listen 7")
	known(5, 6, 7)
	r.do("event NodeDataChanged /a")
	known(6, 7)
	r.do("closed")
	known(7) // its request has failed
	r.do("unlisten 7")
	known()
}
