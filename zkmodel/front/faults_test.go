package front_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/front"
	"zoosim/zkmodel/wire"
)

// What each fault does to the client that sends the second create, session 1,
// and to another one, session 2.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		rule     front.Rule
		applied  bool
		closed   bool // the connection of session 1
		alive    bool // session 1
		othersIn bool // session 2 is connected
		effect   string
	}{
		{front.Rule{Do: front.CutRequest}, false, true, true, true, "^request lost$"},
		{front.Rule{Do: front.CutReply}, true, true, true, true, "^reply lost$"},
		{front.Rule{Do: front.Cut}, false, true, true, true, `^session 1 \(0x\w+\): 1 connection\(s\) closed$`},
		{front.Rule{Do: front.Cut, Session: 2}, true, false, true, false, `^session 2 \(0x\w+\): 1 connection\(s\) closed$`},
		{front.Rule{Do: front.Expiry}, false, true, false, true, `^session 1 \(0x\w+\) expired$`},
		{front.Rule{Do: front.Expiry, Session: 2}, true, false, true, false, `^session 2 \(0x\w+\) expired$`},
		{front.Rule{Do: front.Expiry, Session: 9}, true, false, true, true, "^no such session$"},
	} {
		c.rule.Op, c.rule.By, c.rule.Path, c.rule.Count = "create", 1, "/a", 2
		f := start(t, front.Options{Rules: []front.Rule{c.rule}})
		a, b := connected(t, f), connected(t, f)
		require.Equal(t, zkmodel.OK, b.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a"}).Err)
		require.Equal(t, zkmodel.OK, a.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a/1"}).Err)
		a.write(requestFrame(zkmodel.Request{Xid: 2, Op: zkmodel.OpCreate, Path: "/a/2"}))
		if c.closed {
			a.requireClosed(string(c.rule.Do))
		} else {
			r, err := wire.DecodeResponse(a.payload(), zkmodel.OpCreate)
			require.NoError(t, err)
			require.Equal(t, zkmodel.OK, r.Err)
		}
		third := connected(t, f)
		r := third.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpExists, Path: "/a/2"})
		require.Equal(t, c.applied, r.Err == zkmodel.OK, c.rule.Do)
		if c.othersIn {
			require.Equal(t, zkmodel.OK, b.do(zkmodel.Request{Xid: 2, Op: zkmodel.OpExists, Path: "/a"}).Err)
		} else {
			b.requireClosed(string(c.rule.Do))
		}
		st := f.State()
		require.Regexp(t, c.effect, st.Faults[0].Effect)
		require.Equal(t, 2, st.Faults[0].Seen)
		require.Equal(t, c.alive, st.Sessions[0].Number == 1)
	}
}

// A partition holds back requests, replies and new connections of one client
// alone, and lets them through when it ends.
func TestPartition(t *testing.T) {
	const length = 400 * time.Millisecond
	f := start(t, front.Options{Rules: []front.Rule{{Do: front.Partition, For: length, Op: "create"}}})
	a, b := connected(t, f), connected(t, f)
	begin := time.Now()
	a.write(requestFrame(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a"}))
	a.write(requestFrame(zkmodel.Request{Xid: 2, Op: zkmodel.OpCreate, Path: "/b"}))
	require.Eventually(t, func() bool {
		return b.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpExists, Path: "/a"}).Err == zkmodel.OK
	}, time.Second, time.Millisecond, "the request got through before")
	require.Equal(t, zkmodel.NoNode, b.do(zkmodel.Request{Xid: 2, Op: zkmodel.OpExists, Path: "/b"}).Err)
	for range 2 {
		r, err := wire.DecodeResponse(a.payload(), zkmodel.OpCreate)
		require.NoError(t, err)
		require.Equal(t, zkmodel.OK, r.Err)
		require.GreaterOrEqual(t, time.Since(begin), length)
	}
}
