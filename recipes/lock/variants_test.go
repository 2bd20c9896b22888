package lock

import (
	"context"
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
		found, ok := ByName(v.Name)
		require.True(t, ok)
		require.Equal(t, v.Name, found.Name)
	}
	require.Len(t, seen, 14)
	_, ok := ByName("lock/none")
	require.False(t, ok)
}

func TestVariantsSayWhatTheyImplement(t *testing.T) {
	for _, v := range Variants() {
		l, err := v.New(t.Context(), idleClient{}, idleEnv{}, "/lock")
		require.NoError(t, err, v.Name)
		_, timed := l.(Timed)
		_, try := l.(Try)
		_, tokened := l.(Tokened)
		require.Equal(t, timed, v.Timed, v.Name)
		require.Equal(t, try, v.Try, v.Name)
		require.Equal(t, tokened, v.Tokens, v.Name)
	}
}

// idleClient and idleEnv suffice to make a lock object.
type idleClient struct{ zk.Client }

func (idleClient) AddListener(zk.Watcher) {}
func (idleClient) Exists(context.Context, string) (zk.Stat, error) {
	return zk.NewStat(idleStat{}, 0), nil
}

type idleStat struct{}

func (idleStat) StatField(int32, zk.StatField) int64 { return 0 }

type idleEnv struct{ zk.Env }

func (idleEnv) GUID() string                         { return "g" }
func (idleEnv) Store() zk.Store                      { return nil }
func (idleEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
func (idleEnv) NewLatch() zk.Latch                   { return nil }
func (idleEnv) NewMutex() zk.Mutex                   { return nil }
