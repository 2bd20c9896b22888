package rwlock

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

func TestVariants(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Variants() {
		require.False(t, seen[v.Name], v.Name)
		seen[v.Name] = true
		require.NotEmpty(t, v.Source, v.Name)
		require.NotEmpty(t, v.Algorithm, v.Name)
		l, err := v.New(t.Context(), nil, idleEnv{}, "/rwlock")
		require.NoError(t, err, v.Name)
		for _, side := range []Side{l.Read(), l.Write()} {
			_, timed := side.(Timed)
			require.Equal(t, timed, v.Timed, v.Name)
		}
		require.NotSame(t, l.Read(), l.Write())
		require.Same(t, l.Read(), l.Read())
	}
	require.Len(t, seen, 4)
}

func TestFront(t *testing.T) {
	names := []string{
		"a-write-0000000001", "b-read-0000000002", "c-write-0000000003", "d-read-0000000004",
		"e-read-0000000005", "f-write-0000000006", "foreign",
	}
	for _, c := range []struct {
		mark, own, want string
		seq             int32
	}{
		{readMark, "b-read-0000000002", "a-write-0000000001", 2},
		{readMark, "e-read-0000000005", "c-write-0000000003", 5},
		{writeMark, "f-write-0000000006", "e-read-0000000005", 6},
		{writeMark, "c-write-0000000003", "b-read-0000000002", 3},
		{writeMark, "a-write-0000000001", "", 1},
	} {
		l := &zkDocsSide{Queue: docs.Queue{Dir: "/rw", Marker: c.mark}}
		pred, found := l.front(names, &docs.Ticket{Path: "/rw/" + c.own, Seq: c.seq})
		require.True(t, found, c.own)
		require.Equal(t, c.want, pred, c.own)
	}
}

func TestCuratorReadPredicate(t *testing.T) {
	names := []string{"_c_z-__READ__0000000004", "_c_b-__WRIT__0000000003", "_c_a-__WRIT__0000000002", "_c_y-__READ__0000000001"}
	l := &curatorLock{}
	l.write.Mutex = &curator.Mutex{}
	watch, held, err := l.readPredicate(names, "_c_z-__READ__0000000004")
	require.NoError(t, err)
	require.False(t, held)
	require.Equal(t, "_c_a-__WRIT__0000000002", watch, "the oldest writer, not the closest")
	_, held, err = l.readPredicate(names, "_c_y-__READ__0000000001")
	require.NoError(t, err)
	require.True(t, held)
	_, _, err = l.readPredicate(names, "_c_gone-__READ__0000000009")
	require.ErrorIs(t, err, zk.ErrNoNode)
}

// idleEnv suffices to make a lock object.
type idleEnv struct{ zk.Env }

func (idleEnv) GUID() string                         { return "g" }
func (idleEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
func (idleEnv) NewLatch() zk.Latch                   { return nil }
func (idleEnv) NewMutex() zk.Mutex                   { return nil }
