package checker

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// The slots do what a map does, whatever comes and goes.
func TestServicePathsAgainstMap(t *testing.T) {
	var p servicePaths
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		p.reset()
		slots := map[string]int32{}
		for range 3000 {
			path := "/" + strconv.Itoa(r.IntN(300))
			slot, known := slots[path]
			if !known {
				slot = noSlot
			}
			require.Equal(t, slot, p.lookup(path))
			switch {
			case !known && len(slots) < 200:
				slots[path] = p.intern(path, servicePathHash(path))
				p.all[slots[path]].exists = true
			case known:
				require.Equal(t, slot, p.intern(path, servicePathHash(path)))
				p.release(slot) // still in use
				require.Equal(t, slot, p.lookup(path))
				p.all[slot].exists = false
				p.release(slot)
				delete(slots, path)
			}
			require.LessOrEqual(t, len(p.all), 200)
			require.LessOrEqual(t, 2*len(slots), len(p.table))
		}
		require.Len(t, slots, p.count)
	}
}

func TestServicePathHash(t *testing.T) {
	seen := map[uint64]string{}
	path := ""
	for i := range 70 {
		for _, s := range []string{path, path + "x", path + "\x00", "x" + path} {
			h := servicePathHash(s)
			if other, ok := seen[h]; ok {
				require.Equal(t, other, s)
			}
			seen[h] = s
		}
		path += string(rune('a' + i%26))
	}
}

func TestServiceDataHash(t *testing.T) {
	require.NotEqual(t, serviceDataHash([]byte{}), serviceDataHash([]byte{0}))
	require.NotEqual(t, serviceDataHash([]byte("12345678")), serviceDataHash([]byte("123456789")))
	require.NotEqual(t, serviceDataHash([]byte("123456789")), serviceDataHash([]byte("12345678:")))
	require.Equal(t, serviceDataHash([]byte("123456789")), serviceDataHash([]byte("123456789")))
}

// Watches that come and go, and requests of which one is always unanswered,
// take no more and more room.
func TestServiceGroundStaysSmall(t *testing.T) {
	var g serviceGround
	g.reset()
	c := g.attach(&ServiceEvent{Conn: 0, Session: 1})
	c.put(&ServiceEvent{Xid: 0})
	for i := range int32(10_000) {
		path := "/" + strconv.Itoa(int(i))
		g.watches.set(&g, 0, dataTable, path, oneShotWatch)
		g.watches.set(&g, 0, childTable, path, oneShotWatch)
		g.watches.drop(&g, c)
		c.put(&ServiceEvent{Xid: i + 1})
		req, skipped := c.answered(i, 0)
		require.NotNil(t, req)
		require.Nil(t, skipped)
		c.drop(req)
	}
	require.Less(t, len(g.tree.all), 10)
	require.Less(t, len(g.watches.all), 10)
	require.Less(t, cap(c.requests), 100)
}
