package cache

import (
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/recipes/zk"
)

func TestVariants(t *testing.T) {
	seen := map[string]bool{}
	for _, v := range Variants() {
		require.False(t, seen[v.Name], v.Name)
		seen[v.Name] = true
		require.NotEmpty(t, v.Source, v.Name)
		require.NotEmpty(t, v.Algorithm, v.Name)
		c, err := v.New(t.Context(), nil, stubEnv{}, Options{Path: "/cache", Show: func([]Entry) {}})
		require.NoError(t, err, v.Name)
		require.NotNil(t, c, v.Name)
	}
	require.Len(t, seen, 3)
}

// A listing takes out what has gone; what is known is not read again.
func TestChildrenListed(t *testing.T) {
	var shown []Entry
	c, err := newCuratorChildren(t.Context(), nil, stubEnv{}, Options{Path: "/cache", Show: func(e []Entry) { shown = e }})
	require.NoError(t, err)
	n := c.(*curatorChildren)
	n.current = []Entry{{"/cache/a", []byte("1")}, {"/cache/b", []byte("2")}}
	n.listed([]string{"b"}, false)
	require.Equal(t, []Entry{{"/cache/b", []byte("2")}}, shown)
	n.dataChanged(zk.Event{Type: zk.EventNodeDeleted, Path: "/cache/b"})
	require.Empty(t, shown)
}

// stubEnv suffices to make a cache.
type stubEnv struct{ zk.Env }

func (stubEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
