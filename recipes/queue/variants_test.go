package queue

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
		q, err := v.New(t.Context(), idleClient{}, idleEnv{}, "/queue")
		require.NoError(t, err, v.Name)
		_, timed := q.(Timed)
		_, try := q.(Try)
		_, acker := q.(Acker)
		_, prioritized := q.(Prioritized)
		require.Equal(t, timed, v.Timed, v.Name)
		require.Equal(t, try, v.Try, v.Name)
		require.Equal(t, acker, v.Locks, v.Name)
		require.Equal(t, prioritized, v.Priorities, v.Name)
	}
	require.Len(t, seen, 9)
}

func TestOrders(t *testing.T) {
	names := []string{"queue-0000000010", "foreign", "queue--2147483648", "queue-2147483647", "queue-x"}
	require.Equal(t, []string{"queue-2147483647", "queue--2147483648"}, inOrder(names[2:4]), "behind the wrap is later")
	require.Equal(t, []string{"queue-0000000002", "queue-0000000010"}, inOrder([]string{"queue-0000000010", "x", "queue-0000000002"}))
	require.Equal(t, []string{"qn--000000005", "qn-0000000002"}, zkJavaOrder([]string{"qn-0000000002", "qn-", "other", "qn--000000005"}))
}

// idleClient and idleEnv suffice to make a queue object.
type idleClient struct{ zk.Client }

func (idleClient) AddListener(zk.Watcher) {}
func (idleClient) Exists(context.Context, string) (zk.Stat, error) {
	return zk.NewStat(idleStat{}, 0), nil
}

type idleStat struct{}

func (idleStat) StatField(int32, zk.StatField) int64 { return 0 }

type idleEnv struct{ zk.Env }

func (idleEnv) GUID() string                         { return "g" }
func (idleEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
func (idleEnv) NewLatch() zk.Latch                   { return nil }
func (idleEnv) NewMutex() zk.Mutex                   { return nil }
