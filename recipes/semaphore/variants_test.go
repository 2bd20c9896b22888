package semaphore

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
		s, err := v.New(t.Context(), nil, idleEnv{}, "/semaphore", 2)
		require.NoError(t, err, v.Name)
		_, timed := s.(Timed)
		require.Equal(t, timed, v.Timed, v.Name)
		require.ErrorIs(t, s.Release(t.Context()), ErrNotOwner)
	}
	require.Len(t, seen, 2)
}

func TestDemand(t *testing.T) {
	names := []string{"a-2-lease-0000000004", "b-1-lease-0000000002", "c-10-lease-0000000003", "foreign", "d-x-lease-0000000001"}
	for _, c := range []struct {
		own   string
		seq   int32
		sum   int
		found bool
	}{
		{"b-1-lease-0000000002", 2, 1, true},
		{"c-10-lease-0000000003", 3, 11, true},
		{"a-2-lease-0000000004", 4, 13, true},
		{"e-1-lease-0000000003", 3, 11, false},
		{"e-1-lease-0000000000", 0, 0, false},
	} {
		sum, found := demand(names, c.own, c.seq)
		require.Equal(t, c.sum, sum, c.own)
		require.Equal(t, c.found, found, c.own)
	}
}

// idleEnv suffices to make an object.
type idleEnv struct{ zk.Env }

func (idleEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
func (idleEnv) NewMutex() zk.Mutex                   { return nil }
