package front_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/front"
)

// three starts an ensemble of three with a short tick and waits until all
// serve. It returns the index of the leader.
func three(t *testing.T, o front.Options) (*front.Front, int) {
	o.Servers, o.Server.Tick = 3, 200*time.Millisecond
	f := start(t, o)
	return f, awaitModes(t, f, "leader", "follower", "follower")
}

// awaitModes waits until the servers have these modes, in some order, and
// returns the index of the one with the first.
func awaitModes(t *testing.T, f *front.Front, want ...string) (first int) {
	require.Eventually(t, func() bool {
		left := strings.Join(want, " ") + " "
		for i, s := range f.State().Servers {
			if s.Mode == want[0] {
				first = i
			}
			if !strings.Contains(left, s.Mode+" ") {
				return false
			}
			left = strings.Replace(left, s.Mode+" ", "", 1)
		}
		return left == ""
	}, 20*time.Second, 10*time.Millisecond)
	return first
}

// at opens a session on one server.
func at(t *testing.T, f *front.Front, server int, timeout time.Duration) (*zk.Conn, <-chan zk.Event) {
	c, events, err := zk.Connect(f.Addrs()[server:server+1], timeout, zk.WithLogger(silent{}))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	awaitState(t, events, zk.StateHasSession)
	return c, events
}

func TestEnsemble(t *testing.T) {
	f, leader := three(t, front.Options{Lag: 2 * time.Millisecond})
	require.Len(t, f.Addrs(), 3)
	follower := (leader + 1) % 3
	a, _ := at(t, f, leader, 4*time.Second)
	b, _ := at(t, f, follower, 4*time.Second)
	_, _, created, err := b.ExistsW("/a")
	require.NoError(t, err)
	_, err = a.Create("/a", []byte("x"), 0, open)
	require.NoError(t, err)
	require.Equal(t, zk.EventNodeCreated, awaitEvent(t, created).Type)
	_, err = b.Set("/a", []byte("y"), 0)
	require.NoError(t, err)
	_, err = a.Sync("/a")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		data, _, err := a.Get("/a")
		return err == nil && string(data) == "y"
	}, 5*time.Second, time.Millisecond)

	mntr := word(t, f, leader, "mntr")
	require.Contains(t, mntr, "zk_server_state\tleader\n")
	require.Contains(t, mntr, "zk_synced_followers\t2\nzk_synced_non_voting_followers\t0\nzk_synced_observers\t0\nzk_quorum_size\t3\n")
	require.Contains(t, word(t, f, leader, "srvr"), "Mode: leader\nProposal sizes last/min/max: -1/-1/-1\nNode count: ")
	require.Contains(t, word(t, f, follower, "srvr"), "Mode: follower\nNode count: ")
	require.Contains(t, word(t, f, follower, "conf"), "serverId="+string(rune('1'+follower))+"\n")
}

// The leader stops in the middle: a follower's client keeps its session and its
// ephemeral znode, and the leader comes back as a follower.
func TestLeaderCrash(t *testing.T) {
	f, leader := three(t, front.Options{Rules: []front.Rule{{Do: front.LeaderCrash, Op: "setData", For: 2 * time.Second}}})
	c, events := at(t, f, (leader+1)%3, 4*time.Second)
	id := c.SessionID()
	_, err := c.Create("/e", nil, zk.FlagEphemeral, open)
	require.NoError(t, err)
	_, err = c.Set("/e", []byte("x"), -1)
	require.ErrorIs(t, err, zk.ErrConnectionClosed)
	awaitState(t, events, zk.StateHasSession)
	require.Equal(t, id, c.SessionID())
	ok, _, err := c.Exists("/e")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, []front.FaultState{{
		Rule: front.Rule{Do: front.LeaderCrash, Op: "setData", For: 2 * time.Second, Count: 1},
		Seen: 1, Struck: true, Effect: "server " + string(rune('1'+leader)) + " stopped",
	}}, f.State().Faults)
	require.NotEqual(t, leader, awaitModes(t, f, "leader", "follower", "follower"))
}

// Without a quorum nobody is served; with one again, all are.
func TestLostQuorum(t *testing.T) {
	f, leader := three(t, front.Options{Rules: []front.Rule{
		{Do: front.LeaderCrash, Op: "sync", Count: 1, For: 3 * time.Second},
		{Do: front.LeaderCrash, Op: "sync", Count: 2, For: 3 * time.Second},
	}})
	for range 2 {
		c := dialTo(t, f, leader)
		c.write(connectFrame())
		c.payload()
		c.write(requestFrame(zkmodel.Request{Xid: 1, Op: zkmodel.OpSync, Path: "/"}))
		c.requireClosed("a connection to the leader")
		dialTo(t, f, leader).requireClosed("a server that is down")
		require.Eventually(t, func() bool {
			for i, s := range f.State().Servers {
				if s.Mode == "leader" {
					leader = i
					return true
				}
			}
			return f.State().Faults[1].Struck
		}, 10*time.Second, 5*time.Millisecond)
	}
	last := awaitModes(t, f, "looking", "down", "down")
	require.Equal(t, "This ZooKeeper instance is not currently serving requests\n", word(t, f, last, "srvr"))
	require.Equal(t, "null", word(t, f, last, "isro"))
	require.Equal(t, "imok", word(t, f, last, "ruok"))
	c := dialTo(t, f, last)
	c.write(connectFrame())
	c.requireClosed("a server without quorum")
	awaitModes(t, f, "leader", "follower", "follower")
	at(t, f, last, 4*time.Second)
}

func TestEnsembleExpiry(t *testing.T) {
	f, leader := three(t, front.Options{Rules: []front.Rule{{Do: front.Expiry, Session: 1, Op: "sync"}}})
	a, events := at(t, f, (leader+1)%3, 4*time.Second)
	b, _ := at(t, f, leader, 4*time.Second)
	_, err := a.Create("/e", nil, zk.FlagEphemeral, open)
	require.NoError(t, err)
	_, _, gone, err := b.GetW("/e")
	require.NoError(t, err)
	_, err = b.Sync("/")
	require.NoError(t, err)
	require.Equal(t, zk.EventNodeDeleted, awaitEvent(t, gone).Type)
	awaitState(t, events, zk.StateExpired)
}

func TestRulesForEnsembles(t *testing.T) {
	_, err := front.Start(front.Options{Rules: []front.Rule{{Do: front.LeaderCrash}}})
	require.ErrorContains(t, err, "rule 0: do: leader-crash takes an ensemble, and there is one server; allowed: more")
	_, err = front.Start(front.Options{Servers: 3, Rules: []front.Rule{{Do: front.Crash, Server: 4}}})
	require.ErrorContains(t, err, "rule 0: server: 4; allowed: the number of a server, 1 to 3")
	_, err = front.Start(front.Options{Servers: 8})
	require.ErrorContains(t, err, "8 servers; allowed: 1 to 7")
}
