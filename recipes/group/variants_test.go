package group

import (
	"context"
	"errors"
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
		g, err := v.New(t.Context(), &stubClient{}, stubEnv{}, Options{Dir: "/group", Name: "a"})
		require.NoError(t, err, v.Name)
		_, follows := g.(Follower)
		_, lists := g.(Lister)
		require.Equal(t, follows, v.Follows, v.Name)
		require.Equal(t, !follows, lists, v.Name)
		require.True(t, follows || !v.JoinFollows, v.Name)
	}
	require.Len(t, seen, 3)
}

// A member that goes between the listing and its read is left out; foreign
// znodes are none.
func TestPartyList(t *testing.T) {
	c := &stubClient{data: map[string]string{
		"/group/1__party__": "a", "/group/2__party__": "b", "/group/other": "c",
	}, names: []string{"1__party__", "other", "3__party__", "2__party__"}}
	g, err := newKazooParty(t.Context(), c, stubEnv{}, Options{Dir: "/group", Name: "a"})
	require.NoError(t, err)
	members, err := g.(Lister).Members(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, members)
	c.err = errors.New("no")
	_, err = g.(Lister).Members(t.Context())
	require.ErrorIs(t, err, c.err)
}

// stubClient answers reads out of what it holds.
type stubClient struct {
	zk.Client
	data  map[string]string
	names []string
	err   error
}

func (*stubClient) AddListener(zk.Watcher) {}

func (*stubClient) Exists(context.Context, string) (zk.Stat, error) {
	return zk.NewStat(stubStat{}, 0), nil
}

func (c *stubClient) Children(context.Context, string) ([]string, error) { return c.names, c.err }

func (c *stubClient) Get(_ context.Context, path string) ([]byte, zk.Stat, error) {
	data, ok := c.data[path]
	if !ok {
		return nil, zk.Stat{}, zk.ErrNoNode
	}
	return []byte(data), zk.NewStat(stubStat{}, 0), nil
}

type stubStat struct{}

func (stubStat) StatField(int32, zk.StatField) int64 { return 0 }

type stubEnv struct{ zk.Env }

func (stubEnv) GUID() string                         { return "g" }
func (stubEnv) Now() zk.Duration                     { return 0 }
func (stubEnv) NewWatcher(func(zk.Event)) zk.Watcher { return nil }
func (stubEnv) NewLatch() zk.Latch                   { return nil }
