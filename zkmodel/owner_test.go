package zkmodel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// reaperRig is a server with TTL znodes whose reaper comes every ten seconds,
// and a session that stays.
func reaperRig(t *testing.T) *serverRig {
	g := newServerRig(t, 0)
	g.Init(ServerOptions{TTLNodes: true, ContainerCheck: 10 * time.Second, Tick: time.Minute})
	g.send(1, Request{Op: OpConnect, Timeout: 20 * time.Minute})
	return g
}

// next is the next time at which the reaper has something to do; 0 if none is
// in sight before the session expires.
func (g *serverRig) next() Time {
	at, ok := g.NextExpiry()
	require.True(g.t, ok)
	if at >= 20*time.Minute {
		return 0
	}
	return at
}

// tick lets the time pass and returns the paths that were reaped.
func (g *serverRig) tick(now Time) []string {
	g.now = now
	g.out.Reset()
	g.Tick(now, &g.out)
	var paths []string
	for _, x := range g.out.Txns {
		require.Equal(g.t, CauseReaper, x.Cause)
		paths = append(paths, x.Path)
	}
	return paths
}

func (g *serverRig) container(path string) {
	g.must(1, Request{Op: OpCreateContainer, Path: path})
}

// A check finds what was there when it came, at whole multiples of the
// interval.
func TestReaperChecksAtMultiples(t *testing.T) {
	g := reaperRig(t)
	g.now = 3 * time.Second
	g.container("/c")
	require.Zero(t, g.next(), "a container that was never used stays")
	g.now = 25 * time.Second
	g.make("/c/x")
	require.Zero(t, g.next())
	g.now = 31 * time.Second
	g.must(1, rqDelete("/c/x"))
	require.Equal(t, 40*time.Second, g.next())
	require.Empty(t, g.tick(39*time.Second))
	zxid := g.zxid
	require.Equal(t, []string{"/c"}, g.tick(40*time.Second))
	require.Equal(t, zxid+1, g.zxid)
	require.Zero(t, g.next())
}

// A driver that comes late does not give the reaper what came behind the check.
func TestReaperComesLate(t *testing.T) {
	g := reaperRig(t)
	g.container("/c")
	g.make("/c/x")
	g.now = 5 * time.Second
	g.must(1, rqDelete("/c/x"))
	g.now = 12 * time.Second
	g.container("/d")
	g.make("/d/x")
	g.must(1, rqDelete("/d/x"))
	require.Equal(t, 10*time.Second, g.next())
	require.Equal(t, []string{"/c", "/d"}, g.tick(25*time.Second), "one check at 10 s, one at 20 s")
	require.Equal(t, int64(1), g.out.Txns[1].Zxid-g.out.Txns[0].Zxid)
}

// A container that a check empties waits for the next one.
func TestReaperGoesOneLevelACheck(t *testing.T) {
	g := reaperRig(t)
	g.container("/c")
	g.container("/c/d")
	g.make("/c/d/x")
	g.must(1, rqDelete("/c/d/x"))
	require.Equal(t, []string{"/c/d"}, g.tick(10*time.Second))
	require.Equal(t, 20*time.Second, g.next())
	require.Equal(t, []string{"/c"}, g.tick(20*time.Second))
}

// A TTL znode goes at the first check behind its time, counted from the last
// change of its data, and not while it has children.
func TestReaperTimesToLive(t *testing.T) {
	g := reaperRig(t)
	g.now = time.Second
	g.must(1, Request{Op: OpCreateTTL, Path: "/t", Flags: FlagTTL, TTL: 9000})
	require.Equal(t, 20*time.Second, g.next(), "at 10 s it is not older than 9 s")
	g.now = 5 * time.Second
	g.must(1, rqSet("/t"))
	require.Equal(t, 20*time.Second, g.next())
	g.now = 12 * time.Second
	g.must(1, rqSet("/t"))
	require.Equal(t, 30*time.Second, g.next())
	g.make("/t/x")
	require.Zero(t, g.next())
	g.now = 95 * time.Second
	g.must(1, rqDelete("/t/x"))
	require.Equal(t, 100*time.Second, g.next())
	require.Equal(t, []string{"/t"}, g.tick(100*time.Second))
}

// The sessions and the reaper take their turns by time: the end of a session
// empties a container, which goes at the check behind it.
func TestReaperAndExpiry(t *testing.T) {
	g := newServerRig(t, 0)
	g.Init(ServerOptions{ContainerCheck: 10 * time.Second, Tick: 2 * time.Second})
	g.send(1, Request{Op: OpConnect, Timeout: 40 * time.Second})
	g.send(2, Request{Op: OpConnect, Timeout: 4 * time.Second})
	g.container("/c")
	g.must(2, rqCreate("/c/e", FlagEphemeral))
	at, ok := g.NextExpiry()
	require.True(t, ok)
	require.Equal(t, 6*time.Second, at)
	g.out.Reset()
	g.Tick(30*time.Second, &g.out)
	var causes []Cause
	for _, x := range g.out.Txns {
		causes = append(causes, x.Cause)
	}
	require.Equal(t, []Cause{CauseExpiry, CauseExpiry, CauseReaper}, causes)
}

// Without containers and TTL znodes there is no check.
func TestReaperSleeps(t *testing.T) {
	g := reaperRig(t)
	g.make("/p", "/p/x")
	g.must(1, rqDelete("/p/x"))
	require.Zero(t, g.next())
	g.container("/c")
	g.must(1, rqDelete("/c"))
	require.Zero(t, g.owned)
	g.must(1, rqMulti(MultiOp{Op: OpCreate, Path: "/d", Flags: FlagContainer}))
	require.EqualValues(t, 1, g.owned)
	g.ask(1, rqMulti(MultiOp{Op: OpDelete, Path: "/d", Version: -1}, MultiOp{Op: OpDelete, Path: "/nope"}))
	require.EqualValues(t, 1, g.owned, "a failed multi leaves the count")
	g.ask(1, rqMulti(MultiOp{Op: OpCreate, Path: "/e", Flags: FlagContainer}, MultiOp{Op: OpDelete, Path: "/nope"}))
	require.EqualValues(t, 1, g.owned)
}
