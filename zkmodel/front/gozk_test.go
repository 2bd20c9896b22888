package front_test

import (
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/front"
)

// start starts a front that ends with the test.
func start(t testing.TB, o front.Options) *front.Front {
	f, err := front.Start(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// connectGozk opens a session with go-zookeeper that ends with the test.
func connectGozk(t testing.TB, f *front.Front, timeout time.Duration) (*zk.Conn, <-chan zk.Event) {
	c, events, err := zk.Connect(f.Addrs(), timeout, zk.WithLogger(silent{}))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	awaitState(t, events, zk.StateHasSession)
	return c, events
}

func awaitState(t testing.TB, events <-chan zk.Event, want zk.State) {
	limit := time.After(10 * time.Second)
	for {
		select {
		case e := <-events:
			if e.Type == zk.EventSession && e.State == want {
				return
			}
		case <-limit:
			require.FailNow(t, "no event", "%v", want)
		}
	}
}

func awaitEvent(t testing.TB, events <-chan zk.Event) zk.Event {
	select {
	case e := <-events:
		return e
	case <-time.After(10 * time.Second):
		require.FailNow(t, "no watch event")
		return zk.Event{}
	}
}

var open = zk.WorldACL(zk.PermAll)

func TestGozkReadsAndWrites(t *testing.T) {
	f := start(t, front.Options{Server: zkmodel.ServerOptions{TTLNodes: true}})
	c, _ := connectGozk(t, f, 10*time.Second)
	begin := time.Now().Add(-time.Second).UnixMilli()
	path, err := c.Create("/a", []byte("one"), 0, open)
	require.NoError(t, err)
	require.Equal(t, "/a", path)
	_, err = c.Create("/a", nil, 0, open)
	require.ErrorIs(t, err, zk.ErrNodeExists)
	data, stat, err := c.Get("/a")
	require.NoError(t, err)
	require.Equal(t, "one", string(data))
	require.Greater(t, stat.Ctime, begin, "the time of the day")
	require.Less(t, stat.Ctime, begin+60_000)
	stat, err = c.Set("/a", []byte("two"), 0)
	require.NoError(t, err)
	require.Equal(t, int32(1), stat.Version)
	_, err = c.Set("/a", nil, 0)
	require.ErrorIs(t, err, zk.ErrBadVersion)
	for _, want := range []string{"/a/n-0000000000", "/a/n-0000000001"} {
		path, err = c.Create("/a/n-", nil, zk.FlagEphemeral|zk.FlagSequence, open)
		require.NoError(t, err)
		require.Equal(t, want, path)
	}
	_, err = c.CreateContainer("/c", nil, zk.FlagContainer, open)
	require.NoError(t, err)
	_, err = c.CreateTTL("/t", nil, zk.FlagTTL, open, time.Minute)
	require.NoError(t, err)
	children, _, err := c.Children("/a")
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"n-0000000000", "n-0000000001"}, children)
	require.ErrorIs(t, c.Delete("/a", -1), zk.ErrNotEmpty)
	acl, _, err := c.GetACL("/a")
	require.NoError(t, err)
	require.Equal(t, open, acl)
	require.NoError(t, c.AddAuth("digest", []byte("u:p")))
	_, err = c.SetACL("/c", zk.AuthACL(zk.PermRead), -1)
	require.NoError(t, err)
	_, err = c.Set("/c", nil, -1)
	require.ErrorIs(t, err, zk.ErrNoAuth)
	_, err = c.Sync("/a")
	require.NoError(t, err)
}

func TestGozkMulti(t *testing.T) {
	f := start(t, front.Options{})
	c, _ := connectGozk(t, f, 10*time.Second)
	res, err := c.Multi(&zk.CreateRequest{Path: "/m", Acl: open}, &zk.CreateRequest{Path: "/m/x", Acl: open, Flags: zk.FlagSequence},
		&zk.SetDataRequest{Path: "/m", Data: []byte("d"), Version: 0}, &zk.CheckVersionRequest{Path: "/m", Version: 1})
	require.NoError(t, err)
	require.Equal(t, "/m/x0000000000", res[1].String)
	require.Equal(t, int32(1), res[2].Stat.Version)
	_, err = c.Multi(&zk.DeleteRequest{Path: "/m/x0000000000", Version: -1}, &zk.CheckVersionRequest{Path: "/m", Version: 7})
	require.ErrorIs(t, err, zk.ErrBadVersion)
	ok, _, err := c.Exists("/m/x0000000000")
	require.NoError(t, err)
	require.True(t, ok, "all or nothing")
}

func TestGozkWatches(t *testing.T) {
	f := start(t, front.Options{})
	a, _ := connectGozk(t, f, 10*time.Second)
	b, _ := connectGozk(t, f, 10*time.Second)
	_, _, created, err := a.ExistsW("/w")
	require.NoError(t, err)
	_, err = b.Create("/w", nil, 0, open)
	require.NoError(t, err)
	require.Equal(t, zk.EventNodeCreated, awaitEvent(t, created).Type)
	_, _, changed, err := a.GetW("/w")
	require.NoError(t, err)
	_, _, children, err := a.ChildrenW("/w")
	require.NoError(t, err)
	_, err = b.Create("/w/c", nil, 0, open)
	require.NoError(t, err)
	require.Equal(t, zk.EventNodeChildrenChanged, awaitEvent(t, children).Type)
	require.NoError(t, b.Delete("/w/c", -1))
	require.NoError(t, b.Delete("/w", -1))
	require.Equal(t, zk.EventNodeDeleted, awaitEvent(t, changed).Type)
}

func TestGozkLock(t *testing.T) {
	f := start(t, front.Options{})
	var (
		wg       sync.WaitGroup
		inside   int
		acquired int
	)
	for range 4 {
		c, _ := connectGozk(t, f, 10*time.Second)
		wg.Go(func() {
			for range 3 {
				l := zk.NewLock(c, "/lock", open)
				if err := l.Lock(); err != nil {
					t.Error(err)
					return
				}
				inside++ // the race detector and the count below see who is not alone
				if inside != 1 {
					t.Error("two holders")
				}
				acquired++
				inside--
				if err := l.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 12, acquired)
}

// A session that ends takes its ephemeral znodes along; the client learns of it
// and opens another.
func TestGozkExpiry(t *testing.T) {
	f := start(t, front.Options{Rules: []front.Rule{{Do: front.Expiry, Session: 1, Op: "sync"}}})
	a, events := connectGozk(t, f, 10*time.Second)
	b, _ := connectGozk(t, f, 10*time.Second)
	first := a.SessionID()
	_, err := a.Create("/e", nil, zk.FlagEphemeral, open)
	require.NoError(t, err)
	_, _, gone, err := b.GetW("/e")
	require.NoError(t, err)
	_, err = b.Sync("/")
	require.NoError(t, err)
	require.Equal(t, zk.EventNodeDeleted, awaitEvent(t, gone).Type)
	awaitState(t, events, zk.StateExpired)
	awaitState(t, events, zk.StateHasSession)
	require.NotEqual(t, first, a.SessionID())
}

// A silent client's session expires by itself, at the end of its bucket.
func TestGozkSilence(t *testing.T) {
	f := start(t, front.Options{
		Server: zkmodel.ServerOptions{Tick: 100 * time.Millisecond},
		Rules:  []front.Rule{{Do: front.Partition, Session: 1, Op: "sync", By: 1, For: 1500 * time.Millisecond}},
	})
	a, events := connectGozk(t, f, 600*time.Millisecond)
	b, _ := connectGozk(t, f, 2*time.Second)
	_, err := a.Create("/e", nil, zk.FlagEphemeral, open)
	require.NoError(t, err)
	_, _, gone, err := b.GetW("/e")
	require.NoError(t, err)
	begin := time.Now()
	_, err = a.Sync("/")
	require.Error(t, err, "cut off")
	require.Equal(t, zk.EventNodeDeleted, awaitEvent(t, gone).Type)
	require.InDelta(t, 650, time.Since(begin).Milliseconds(), 200)
	awaitState(t, events, zk.StateExpired)
	require.Greater(t, time.Since(begin), 1400*time.Millisecond, "not before it is let through again")
}

// The create is applied, the reply lost; the session goes on.
func TestGozkLostReply(t *testing.T) {
	f := start(t, front.Options{Rules: []front.Rule{{Do: front.CutReply, Op: "create", Count: 3}}})
	c, events := connectGozk(t, f, 10*time.Second)
	id := c.SessionID()
	for _, p := range []string{"/1", "/2"} {
		_, err := c.Create(p, nil, 0, open)
		require.NoError(t, err)
	}
	_, _, created, err := c.ExistsW("/3")
	require.NoError(t, err)
	_, err = c.Create("/3", nil, 0, open)
	require.ErrorIs(t, err, zk.ErrConnectionClosed)
	awaitState(t, events, zk.StateHasSession)
	require.Equal(t, id, c.SessionID())
	ok, _, err := c.Exists("/3")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, zk.EventNodeCreated, awaitEvent(t, created).Type, "told when it came back, or before")
}

// A front knows no session of one that stood on its port before.
func TestGozkComesBackToAnotherFront(t *testing.T) {
	f, err := front.Start(front.Options{})
	require.NoError(t, err)
	c, events := connectGozk(t, f, 10*time.Second)
	id := c.SessionID()
	addr := f.Addrs()[0]
	require.NoError(t, f.Close())
	awaitState(t, events, zk.StateDisconnected)
	start(t, front.Options{Listen: addr})
	awaitState(t, events, zk.StateExpired)
	awaitState(t, events, zk.StateHasSession)
	require.NotEqual(t, id, c.SessionID())
}
