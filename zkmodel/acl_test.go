package zkmodel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The golden scripts in conform/testdata/acl hold the rules against the real
// server, all from one address; these are about others.
func TestACLAddresses(t *testing.T) {
	for _, c := range []struct {
		host, id  string
		valid, in bool
	}{
		{"127.0.0.1", "127.0.0.1", true, true},
		{"127.0.0.1", "127.0.0.2", true, false},
		{"10.1.2.3", "10.0.0.0/8", true, true},
		{"11.1.2.3", "10.0.0.0/8", true, false},
		{"11.1.2.3", "10.0.0.0/7", true, true},
		{"255.255.255.255", "0.0.0.0/0", true, true},
		{"10.0.0.1", "10.0.0.0/32", true, false},
		{"10.0.0.1", "10.0.0.1/32", true, true},
		{"::1", "127.0.0.1", true, false},
		{"10.0.0.1", "10.0.0.1/", false, false},
		{"10.0.0.1", "10.0.0.1/-1", false, false},
		{"10.0.0.1", "10.0.0.1/33", false, false},
		{"10.0.0.1", "10.0.0", false, false},
		{"10.0.0.1", "10.0.0.1.", false, false},
		{"10.0.0.1", "10.0.0.256", false, false},
		{"10.0.0.1", "", false, false},
	} {
		require.Equal(t, c.valid, validNet(c.id), c.id)
		require.Equal(t, c.in, inNet(c.host, c.id), "%s in %s", c.host, c.id)
	}
}

// A client's address is what its connect request tells.
func TestACLOfAnotherAddress(t *testing.T) {
	g := newServerRig(t, 1)
	g.send(2, Request{Op: OpConnect, Timeout: 30e9, Path: "10.0.0.7"})
	g.must(1, Request{Op: OpCreate, Path: "/x", ACL: []ACL{{permAll, ID{"ip", "10.0.0.0/24"}}}})
	require.Equal(t, NoAuth, g.ask(1, Request{Op: OpGetData, Path: "/x"}).Err)
	g.must(2, Request{Op: OpGetData, Path: "/x"})
	require.Equal(t, []ACL{{ID: ID{"ip", "10.0.0.7"}}}, g.must(2, Request{Op: OpWhoAmI}).ACL)
	g.Drop(0, 2)
	require.Empty(t, g.identities, "it goes with the connection")
}

// Measured: auth and SASL go past what keeps a session alive; a session of two
// ticks that sends nothing else expires.
func TestAuthDoesNotKeepASessionAlive(t *testing.T) {
	g := newServerRig(t, 1)
	before, _ := g.NextExpiry()
	g.now = 10 * time.Second
	g.must(1, Request{Op: OpAuth, Auth: &Auth{Scheme: "digest", Auth: []byte("u:p")}})
	g.must(1, Request{Op: OpSasl, Data: []byte{}})
	after, _ := g.NextExpiry()
	require.Equal(t, before, after)
	g.must(1, Request{Op: OpPing})
	after, _ = g.NextExpiry()
	require.Greater(t, after, before)
}

// Slots of ACLs come back, however a znode went.
func TestACLsDoNotLeak(t *testing.T) {
	g := newServerRig(t, 1)
	mine := []ACL{{permAll, ID{"ip", localHost}}}
	for range 20 {
		g.must(1, Request{Op: OpCreate, Path: "/x", ACL: mine})
		g.must(1, Request{Op: OpSetACL, Path: "/x", Version: -1, ACL: mine})
		g.must(1, rqDelete("/x"))
		g.ask(1, rqMulti(MultiOp{Op: OpCreate, Path: "/x", ACL: mine}, MultiOp{Op: OpDelete, Path: "/nope"}))
		g.must(1, rqMulti(MultiOp{Op: OpCreate, Path: "/x", ACL: mine}, MultiOp{Op: OpDelete, Path: "/x", Version: -1}))
	}
	require.Len(t, g.acls.entries, 1)
	g.must(1, Request{Op: OpCreate, Path: "/open", ACL: []ACL{{permAll, anyone}}})
	require.Zero(t, g.nodes[g.lookup("/open")].acl, "everything to everybody takes no slot")
}
