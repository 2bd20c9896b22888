package election

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
		e, err := v.New(t.Context(), stubClient{}, stubEnv{}, Options{Dir: "/election", OnLoss: func() {}})
		require.NoError(t, err, v.Name)
		require.Zero(t, e.Term(), v.Name)
		require.NoError(t, e.Resign(t.Context()), "who is no candidate may resign")
	}
	require.Len(t, seen, 4)
}

// stubClient and stubEnv suffice to make a candidate.
type stubClient struct{ zk.Client }

func (stubClient) AddListener(zk.Watcher)    {}
func (stubClient) RemoveListener(zk.Watcher) {}

type stubEnv struct{ zk.Env }

func (stubEnv) GUID() string                         { return "g" }
func (stubEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
func (stubEnv) NewLatch() zk.Latch                   { return nil }
func (stubEnv) NewMutex() zk.Mutex                   { return stubMutex{} }

type stubMutex struct{ zk.Mutex }

func (stubMutex) Lock()      {}
func (stubMutex) Unlock()    {}
func (stubMutex) NotifyAll() {}
