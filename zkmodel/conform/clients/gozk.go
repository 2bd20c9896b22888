package clients

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
)

// gozk is the program of go-zookeeper: two clients and what they print.
type gozk struct {
	address string
	a, b    *zk.Conn
	said    []string
	section string
}

// gozkTimeout is how long a session asks to last, and how long an event may
// take.
const gozkTimeout = 20 * time.Second

type silent struct{}

func (silent) Printf(string, ...any) {}

func runGozk(_ context.Context, _, address string) ([]string, error) {
	g := &gozk{address: address}
	var err error
	if g.a, _, err = g.connect(); err != nil {
		return nil, err
	}
	defer g.a.Close()
	if g.b, _, err = g.connect(); err != nil {
		return nil, err
	}
	defer g.b.Close()
	for _, s := range []struct {
		name string
		run  func() error
	}{
		{"nodes", g.nodes},
		{"multi", g.multi},
		{"watches", g.watches},
		{"lock", g.lock},
		{"acls", g.acls},
		{"expiry", g.expiry},
	} {
		g.section = s.name
		if err := s.run(); err != nil {
			g.say("failed: %v", err)
		}
	}
	return append(g.said, "end"), nil
}

func (g *gozk) say(format string, args ...any) {
	g.said = append(g.said, g.section+": "+fmt.Sprintf(format, args...))
}

var errNoEvent = errors.New("no event")

func (g *gozk) connect() (*zk.Conn, <-chan zk.Event, error) {
	c, events, err := zk.Connect([]string{g.address}, gozkTimeout, zk.WithLogger(silent{}))
	if err != nil {
		return nil, nil, err
	}
	if err := awaitState(events, zk.StateHasSession); err != nil {
		c.Close()
		return nil, nil, err
	}
	return c, events, nil
}

// awaitState waits for a state of the session.
func awaitState(events <-chan zk.Event, want zk.State) error {
	limit := time.After(gozkTimeout)
	for {
		select {
		case e := <-events:
			if e.Type == zk.EventSession && e.State == want {
				return nil
			}
		case <-limit:
			return fmt.Errorf("%w: %v", errNoEvent, want)
		}
	}
}

// event is the next event of a watch, as text.
func event(events <-chan zk.Event) string {
	select {
	case e := <-events:
		return fmt.Sprintf("%v %s %v", e.Type, e.Path, e.Err)
	case <-time.After(gozkTimeout):
		return errNoEvent.Error()
	}
}

var openACL = zk.WorldACL(zk.PermAll)

func (g *gozk) nodes() error {
	for _, c := range []struct {
		path  string
		flags int32
	}{
		{"/gozk", 0},
		{"/gozk", 0},
		{"/none/x", 0},
		{"/gozk/e", zk.FlagEphemeral},
		{"/gozk/e/x", 0},
		{"/gozk/s-", zk.FlagSequence},
		{"/gozk/s-", zk.FlagEphemeral | zk.FlagSequence},
	} {
		path, err := g.a.Create(c.path, []byte("x"), c.flags, openACL)
		g.say("create %s %v", path, err)
	}
	path, err := g.a.CreateContainer("/gozk/box", nil, zk.FlagContainer, openACL)
	g.say("container %s %v", path, err)
	path, err = g.a.CreateTTL("/gozk/ttl", nil, zk.FlagTTL, openACL, time.Hour)
	g.say("ttl %s %v", path, err)
	path, err = g.a.CreateProtectedEphemeralSequential("/gozk/p-", nil, openACL)
	g.say("protected %s %v", path[max(0, len(path)-len("p-0000000000")):], err)
	stat, err := g.a.Set("/gozk", []byte("12345"), 0)
	if err != nil {
		return err
	}
	g.say("set version %d length %d children %d cversion %d", stat.Version, stat.DataLength, stat.NumChildren, stat.Cversion)
	_, err = g.a.Set("/gozk", nil, 0)
	g.say("set %v", err)
	data, _, err := g.b.Get("/gozk")
	g.say("get %s %v", data, err)
	_, _, err = g.b.Get("/none")
	g.say("get %v", err)
	g.say("delete %v", g.a.Delete("/gozk", -1))
	g.say("delete %v", g.a.Delete("/gozk/ttl", 7))
	g.say("delete %v", g.a.Delete("/gozk/ttl", 0))
	synced, err := g.b.Sync("/gozk")
	g.say("sync %s %v", synced, err)
	names, stat, err := g.b.Children("/gozk")
	if err != nil {
		return err
	}
	for i, n := range names {
		names[i] = n[strings.LastIndex(n, "-p-")+1:]
	}
	slices.Sort(names)
	g.say("children %v %d", names, stat.NumChildren)
	return nil
}

func (g *gozk) multi() error {
	res, err := g.a.Multi(
		&zk.CreateRequest{Path: "/gozk/m", Acl: openACL},
		&zk.CreateRequest{Path: "/gozk/m/s-", Acl: openACL, Flags: zk.FlagSequence},
		&zk.SetDataRequest{Path: "/gozk/m", Data: []byte("1"), Version: 0},
		&zk.CheckVersionRequest{Path: "/gozk/m", Version: 1},
		&zk.DeleteRequest{Path: "/gozk/m/s-0000000000", Version: -1})
	for _, r := range res {
		version := int32(-1)
		if r.Stat != nil {
			version = r.Stat.Version
		}
		g.say("%q %d %v", r.String, version, r.Error)
	}
	g.say("%v", err)
	res, err = g.a.Multi(
		&zk.SetDataRequest{Path: "/gozk/m", Data: []byte("2"), Version: -1},
		&zk.CheckVersionRequest{Path: "/gozk/m", Version: 7},
		&zk.DeleteRequest{Path: "/gozk/none", Version: -1})
	for _, r := range res {
		g.say("%v", r.Error)
	}
	g.say("%v", err)
	data, _, err := g.b.Get("/gozk/m")
	g.say("data %s", data)
	return err
}

func (g *gozk) watches() error {
	_, _, created, err := g.b.ExistsW("/gozk/w")
	if err != nil {
		return err
	}
	if _, err := g.a.Create("/gozk/w", nil, 0, openACL); err != nil {
		return err
	}
	g.say("%s", event(created))
	_, _, changed, err := g.b.GetW("/gozk/w")
	if err != nil {
		return err
	}
	if _, err := g.a.Set("/gozk/w", []byte("1"), -1); err != nil {
		return err
	}
	g.say("%s", event(changed))
	_, _, deleted, err := g.b.GetW("/gozk/w")
	if err != nil {
		return err
	}
	_, _, children, err := g.b.ChildrenW("/gozk/w")
	if err != nil {
		return err
	}
	if _, err := g.a.Create("/gozk/w/x", nil, 0, openACL); err != nil {
		return err
	}
	g.say("%s", event(children))
	if err := errors.Join(g.a.Delete("/gozk/w/x", -1), g.a.Delete("/gozk/w", -1)); err != nil {
		return err
	}
	g.say("%s", event(deleted))
	return nil
}

func (g *gozk) lock() error {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		inside int
		alone  int
		errs   []error
	)
	round := func(l *zk.Lock) error {
		if err := l.Lock(); err != nil {
			return err
		}
		mu.Lock()
		if inside++; inside == 1 {
			alone++
		}
		mu.Unlock()
		time.Sleep(time.Millisecond)
		mu.Lock()
		inside--
		mu.Unlock()
		return l.Unlock()
	}
	for _, c := range []*zk.Conn{g.a, g.b, g.a} {
		wg.Go(func() {
			for range 5 {
				err := round(zk.NewLock(c, "/gozk/lock", openACL))
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	g.say("alone in %d of 15 rounds, %v", alone, errors.Join(errs...))
	l := zk.NewLock(g.a, "/gozk/lock", openACL)
	g.say("%v, again %v, unlock %v, again %v", l.Lock(), l.Lock(), l.Unlock(), l.Unlock())
	names, _, err := g.b.Children("/gozk/lock")
	g.say("left behind %v", names)
	return err
}

func (g *gozk) acls() error {
	if err := g.a.AddAuth("digest", []byte("user:secret")); err != nil {
		return err
	}
	path, err := g.a.Create("/gozk/acl", nil, 0, zk.AuthACL(zk.PermAll))
	g.say("create %s %v", path, err)
	_, _, err = g.a.Get("/gozk/acl")
	g.say("a gets %v", err)
	_, _, err = g.b.Get("/gozk/acl")
	g.say("b gets %v", err)
	acl, stat, err := g.a.GetACL("/gozk/acl")
	if err != nil {
		return err
	}
	g.say("acl %v %d", acl, stat.Aversion)
	stat, err = g.a.SetACL("/gozk/acl", openACL, 0)
	if err != nil {
		return err
	}
	g.say("aversion %d", stat.Aversion)
	_, err = g.a.Create("/gozk/x", nil, 0, nil)
	g.say("no acl %v", err)
	return nil
}

// expiry lets another connection end a session, whose client opens a new one.
func (g *gozk) expiry() error {
	c, events, err := g.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.Create("/gozk/gone", nil, zk.FlagEphemeral, openACL); err != nil {
		return err
	}
	_, _, lost, err := c.GetW("/gozk")
	if err != nil {
		return err
	}
	_, _, gone, err := g.b.GetW("/gozk/gone")
	if err != nil {
		return err
	}
	id := c.SessionID()
	if err := endSession(g.address, id); err != nil {
		return err
	}
	g.say("%s", event(gone))
	if err := errors.Join(awaitState(events, zk.StateExpired), awaitState(events, zk.StateHasSession)); err != nil {
		return err
	}
	g.say("%s", event(lost))
	g.say("new session %v", c.SessionID() != id)
	return nil
}
