package checker_test

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"zoosim/checker"
	"zoosim/zkmodel"
)

// serviceWorld is some clients, of different libraries, whose requests, faults
// and passing of time are chosen by choose(n), a number below n.
type serviceWorld struct {
	choose  func(n int) int
	tap     serviceTap
	early   bool // requests are told of when they are sent, else when the server takes them up
	clients []*worldClient
	conns   []*worldConn
	out     zkmodel.ClientOutput
	tag     int32
}

type worldClient struct {
	m      zkmodel.Client
	number int32
	conn   zkmodel.ConnID // -1 for none
	redial bool
	dead   bool // stopped for ever, its connection with it
}

type worldConn struct {
	client   *worldClient
	toServer []zkmodel.Request
	toClient []zkmodel.Frame
	over     bool // the server has closed it
}

var libraries = []func() zkmodel.ClientOptions{
	zkmodel.JavaOptions, zkmodel.CuratorOptions, zkmodel.GoOptions, zkmodel.KazooOptions,
}

func newServiceWorld(choose func(n int) int) *serviceWorld {
	w := &serviceWorld{choose: choose, early: choose(2) == 0}
	w.tap.client = func(c zkmodel.ConnID) int32 { return w.conns[c].client.number }
	wrap := choose(4) == 0
	w.tap.Init(zkmodel.ServerOptions{DocumentedWrap: wrap})
	w.tap.plant("/p", []int32{0, 0, 7, math.MaxInt32 - 2, math.MaxInt32, -3}[choose(6)])
	for i := range 2 + choose(3) {
		c := &worldClient{number: int32(i), conn: -1}
		w.clients = append(w.clients, c)
		w.start(c)
	}
	return w
}

// act carries out what a client put out.
func (w *serviceWorld) act(c *worldClient) {
	if w.out.Hangup && c.conn >= 0 {
		// The server notices later, or when the connection is cut.
		c.conn = -1
	}
	if w.out.Dial {
		c.conn = zkmodel.ConnID(len(w.conns))
		w.conns = append(w.conns, &worldConn{client: c})
	}
	for i := range w.out.Send {
		if c.conn < 0 {
			break
		}
		r := w.out.Send[i]
		if w.early {
			w.tap.request(c.conn, &r)
		}
		k := w.conns[c.conn]
		k.toServer = append(k.toServer, r)
	}
	c.redial = c.redial && !w.out.Dial || w.out.Redial
}

// serve lets the server take the next request of a connection.
func (w *serviceWorld) serve(id zkmodel.ConnID) {
	k := w.conns[id]
	if len(k.toServer) == 0 || k.over {
		return
	}
	r := k.toServer[0]
	k.toServer = k.toServer[1:]
	if !w.early {
		w.tap.request(id, &r)
	}
	w.tap.handle(id, &r)
	w.sent()
}

// sent takes what the server has put out to the connections.
func (w *serviceWorld) sent() {
	for _, f := range w.tap.out.Frames {
		k := w.conns[f.Conn]
		if f.Hangup {
			k.over = true
		}
		k.toClient = append(k.toClient, f)
	}
	w.tap.out.Reset()
}

// deliver lets a client take the next frame of a connection.
func (w *serviceWorld) deliver(id zkmodel.ConnID) {
	k := w.conns[id]
	if len(k.toClient) == 0 || k.client.conn != id || k.client.dead {
		return
	}
	f := k.toClient[0]
	k.toClient = k.toClient[1:]
	w.out.Reset()
	if f.Hangup {
		k.client.conn = -1
		k.client.m.TransportClosed(w.tap.now, &w.out)
	} else {
		k.client.m.Deliver(w.tap.now, &f.Response, &w.out)
	}
	w.act(k.client)
}

// cut ends a connection on both sides; requests under way may still arrive.
func (w *serviceWorld) cut(id zkmodel.ConnID) {
	k := w.conns[id]
	for w.choose(2) == 0 && len(k.toServer) > 0 {
		w.serve(id)
	}
	if !k.over {
		k.over = true
		w.tap.drop(id)
	}
	if k.client.conn == id && !k.client.dead {
		k.client.conn = -1
		w.out.Reset()
		k.client.m.TransportClosed(w.tap.now, &w.out)
		w.act(k.client)
	}
}

// pass lets time pass, and what is due happen.
func (w *serviceWorld) pass() {
	w.tap.now += time.Duration(w.choose(5000)) * time.Millisecond
	for _, c := range w.clients {
		if c.dead {
			continue
		}
		w.out.Reset()
		c.m.Timer(w.tap.now, &w.out)
		w.act(c)
	}
	w.tap.tick()
	w.sent()
}

func pick[T any](w *serviceWorld, from ...T) T { return from[w.choose(len(from))] }

func (w *serviceWorld) path() string {
	return pick(w, "/p", "/p", "/p/a", "/p/a", "/p/a", "/p/a", "/p/b", "/p/a/x", "/b", "/p/n-0000000001", "/", "", "/p/", "foo")
}

func (w *serviceWorld) change() zkmodel.MultiOp {
	op := zkmodel.MultiOp{
		Op:      pick(w, zkmodel.OpCreate, zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpDelete, zkmodel.OpDelete, zkmodel.OpSetData),
		Path:    w.path(),
		Data:    pick(w, nil, []byte{}, []byte("x"), []byte("some more")),
		Version: pick[int32](w, -1, -1, -1, 0, 1, -2),
	}
	if op.Op == zkmodel.OpCreate || op.Op == zkmodel.OpCreate2 {
		op.Flags = pick[int32](w, 0, 0, 1, 1, 2, 3, 3, 4, 7)
		if op.Flags&zkmodel.FlagSequential != 0 {
			op.Path = pick(w, "/p/n-", "/p/n-", "/p/", "/b/n-", "/p/a/n-")
		}
	}
	return op
}

func (w *serviceWorld) submit(c *worldClient) {
	o := w.change()
	r := zkmodel.Request{Op: o.Op, Path: o.Path, Data: o.Data, Flags: o.Flags, Version: o.Version}
	watcher := int32(0)
	switch w.choose(10) {
	case 0, 1, 2, 3: // a change
	case 4, 5, 6, 7:
		r.Op = pick(w, zkmodel.OpExists, zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2)
		r.Path, watcher = w.path(), int32(w.choose(4))
	case 8:
		r.Op = pick(w, zkmodel.OpSync, zkmodel.OpCheck, zkmodel.OpPing)
	default:
		r = zkmodel.Request{Op: zkmodel.OpMulti}
		for range w.choose(4) {
			op := w.change()
			if w.choose(4) == 0 {
				op.Op = zkmodel.OpCheck
			}
			r.Multi = append(r.Multi, op)
		}
	}
	if w.choose(300) == 0 {
		r = zkmodel.Request{Op: zkmodel.OpCloseSession}
	}
	if c.m.State() == zkmodel.ClientClosed || c.m.State() == zkmodel.ClientExpired && !c.redial {
		w.start(c)
	}
	if c.conn >= 0 && w.choose(40) == 0 {
		w.raw(c.conn)
		return
	}
	w.tag++
	w.out.Reset()
	c.m.Submit(w.tap.now, w.tag, watcher, &r, &w.out)
	w.act(c)
}

// raw sends what no client library would.
func (w *serviceWorld) raw(id zkmodel.ConnID) {
	k := w.conns[id]
	if k.client.m.State() != zkmodel.ClientConnected {
		return
	}
	r := zkmodel.Request{Op: pick(w, zkmodel.OpSetWatches, zkmodel.OpSetWatches, zkmodel.OpSetWatches, 99), Xid: 1}
	if r.Op == zkmodel.OpSetWatches {
		paths := func() (list []string) {
			for range w.choose(3) {
				if path := w.path(); !slices.Contains(list, path) {
					list = append(list, path)
				}
			}
			return list
		}
		r.Watches = &zkmodel.WatchSet{RelativeZxid: int64(w.choose(60)), Data: paths(), Exist: paths(), Child: paths()}
	}
	if w.early {
		w.tap.request(id, &r)
	}
	k.toServer = append(k.toServer, r)
}

// step does one thing.
func (w *serviceWorld) step() {
	c := w.clients[w.choose(len(w.clients))]
	id := zkmodel.ConnID(w.choose(len(w.conns)))
	if w.choose(8) > 0 && c.conn >= 0 {
		id = c.conn
	}
	switch n := w.choose(100); {
	case c.dead && n < 90:
	case n < 40:
		w.submit(c)
	case n < 65:
		w.serve(id)
	case n < 91:
		w.deliver(id)
	case n < 95:
		if c.redial {
			w.out.Reset()
			c.redial = false
			c.m.Redial(w.tap.now, &w.out)
			w.act(c)
		}
	case n < 99:
		for range 5 {
			w.serve(id)
			w.deliver(id)
		}
	default:
		w.fault(c, id)
	}
}

// fault does something to a client.
func (w *serviceWorld) fault(c *worldClient, id zkmodel.ConnID) {
	switch w.choose(7) {
	case 0, 1:
		w.cut(id)
	case 2, 3:
		w.pass()
	case 4:
		if c.m.SessionID() != 0 {
			w.tap.expire(c.m.SessionID())
			w.sent()
		}
	case 5:
		w.out.Reset()
		c.m.NewSession(w.tap.now, &w.out)
		w.act(c)
	default:
		if c.dead = w.choose(4) == 0; !c.dead {
			w.start(c) // a new process, while the old one's connection is still open
		}
	}
}

// start has a client begin anew.
func (w *serviceWorld) start(c *worldClient) {
	c.conn, c.redial = -1, false
	c.m.Init(libraries[w.choose(len(libraries))]())
	w.out.Reset()
	c.m.Start(w.tap.now, &w.out)
	w.act(c)
}

// quiesce lets what is under way arrive.
func (w *serviceWorld) quiesce() {
	for id := range w.conns {
		for len(w.conns[id].toServer) > 0 && !w.conns[id].over {
			w.serve(zkmodel.ConnID(id))
		}
	}
}

// randomStream is what a server does in a random run.
func randomStream(choose func(n int) int, steps int) []checker.ServiceEvent {
	w := newServiceWorld(choose)
	for range steps {
		w.step()
	}
	w.quiesce()
	return w.tap.events
}

func judgeStream(s *checker.Service, stream []checker.ServiceEvent) checker.Result {
	s.Reset()
	for i := range stream {
		s.Observe(&stream[i])
	}
	return s.Finish()
}

func TestServiceAcceptsTheModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stream := randomStream(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }, 150)
		var s checker.Service
		r := judgeStream(&s, stream)
		require.Equal(t, checker.Pass, r.Verdict, r.Why)
	})
}

// seededStream is randomStream from a seed.
func seededStream(seed uint64, steps int) []checker.ServiceEvent {
	return randomStream(rand.New(rand.NewPCG(seed, 0)).IntN, steps)
}

// ZOOSIM_SERVICE_RUNS sets the number of runs; each has 600 steps.
func TestServiceAcceptsTheModelInManyRuns(t *testing.T) {
	var s checker.Service
	seen := map[checker.ServiceKind]int{}
	runs := uint64(600)
	if text := os.Getenv("ZOOSIM_SERVICE_RUNS"); text != "" {
		var err error
		runs, err = strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
	}
	for seed := range runs {
		stream := seededStream(seed, 600)
		r := judgeStream(&s, stream)
		require.Equal(t, checker.Pass, r.Verdict, "seed %d: %s", seed, r.Why)
		for i := range stream {
			seen[stream[i].Kind]++
		}
	}
	t.Log(seen)
	for k := checker.ServicePlant; k <= checker.ServiceApply; k++ {
		require.Greater(t, seen[k], 500, k)
	}
}
