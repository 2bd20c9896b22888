package front_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
	"zoosim/zkmodel/front"
	"zoosim/zkmodel/wire"
)

// rawConn is a client that writes what it likes.
type rawConn struct {
	t testing.TB
	net.Conn
	buf []byte
}

func dial(t testing.TB, f *front.Front) *rawConn { return dialTo(t, f, 0) }

func dialTo(t testing.TB, f *front.Front, server int) *rawConn {
	c, err := net.Dial("tcp", f.Addrs()[server])
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(time.Minute)))
	return &rawConn{t: t, Conn: c}
}

// readsLittle makes the operating system keep little for the client to read.
func (c *rawConn) readsLittle() {
	require.NoError(c.t, c.Conn.(*net.TCPConn).SetReadBuffer(1<<16))
}

func (c *rawConn) write(b []byte) {
	_, err := c.Write(b)
	require.NoError(c.t, err)
}

// payload reads the next frame.
func (c *rawConn) payload() []byte {
	for {
		p, rest, ok, err := wire.CutFrame(c.buf, 1<<30)
		require.NoError(c.t, err)
		if ok {
			c.buf = rest
			return p
		}
		b := make([]byte, 1<<16)
		n, err := c.Read(b)
		require.NoError(c.t, err)
		c.buf = append(c.buf, b[:n]...)
	}
}

// requireClosed reads until the other end has closed, and finds nothing else.
func (c *rawConn) requireClosed(name string) {
	rest, err := io.ReadAll(c)
	requireNoTimeout(c.t, err, name)
	require.Empty(c.t, rest, name)
}

// requireNoTimeout takes any other way for a connection to end.
func requireNoTimeout(t testing.TB, err error, name string) {
	var ne net.Error
	require.False(t, errors.As(err, &ne) && ne.Timeout(), name)
}

func frameOf(p []byte) []byte {
	return wire.EndFrame(append(wire.BeginFrame(nil), p...), 0)
}

func connectFrame() []byte {
	return frameOf(wire.AppendConnectRequest(nil, &zkmodel.Request{Timeout: 30 * time.Second}, true))
}

func requestFrame(q zkmodel.Request) []byte { return frameOf(wire.AppendRequest(nil, &q)) }

// connected opens a session.
func connected(t testing.TB, f *front.Front) *rawConn {
	c := dial(t, f)
	c.write(connectFrame())
	r, _, err := wire.DecodeConnectResponse(c.payload())
	require.NoError(t, err)
	require.NotZero(t, r.SessionID)
	return c
}

func (c *rawConn) do(q zkmodel.Request) zkmodel.Response {
	c.write(requestFrame(q))
	r, err := wire.DecodeResponse(c.payload(), q.Op)
	require.NoError(c.t, err)
	return r
}

func TestWhatClientsSendDoesNoHarm(t *testing.T) {
	f := start(t, front.Options{ConnectTimeout: 300 * time.Millisecond})
	good := connected(t, f)
	tooLong := binary.BigEndian.AppendUint32(nil, wire.DefaultMaxFrame+1)
	for name, b := range map[string][]byte{
		"a frame that is too long":            tooLong,
		"a negative length":                   {0xff, 0, 0, 0},
		"an empty frame":                      {0, 0, 0, 0},
		"a connect request that is too short": frameOf(make([]byte, 20)),
		"a word that is none":                 []byte("nope"),
		"silence":                             nil,
		"half a frame":                        connectFrame()[:20],
		"an HTTP request":                     []byte("GET / HTTP/1.0\r\n\r\n"),
	} {
		c := dial(t, f)
		c.write(b)
		c.requireClosed(name)
	}
	for name, b := range map[string][]byte{
		"a frame that is too long":   tooLong,
		"a type that is not known":   nil,
		"a header that is cut short": frameOf([]byte{1, 2, 3}),
	} {
		c := connected(t, f)
		c.write(b)
		if b == nil {
			require.Equal(t, zkmodel.Unimplemented, c.do(zkmodel.Request{Xid: 1, Op: 99}).Err)
		}
		c.requireClosed(name)
	}
	require.Equal(t, zkmodel.OK, good.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpExists, Path: "/"}).Err)
}

func TestFramesInPieces(t *testing.T) {
	f := start(t, front.Options{})
	c := dial(t, f)
	b := append(connectFrame(), requestFrame(zkmodel.Request{Xid: 7, Op: zkmodel.OpExists, Path: "/"})...)
	for i := range b {
		c.write(b[i : i+1])
		if i%8 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	c.payload()
	r, err := wire.DecodeResponse(c.payload(), zkmodel.OpExists)
	require.NoError(t, err)
	require.Equal(t, int32(7), r.Xid)
}

func TestTheLongestFrame(t *testing.T) {
	f := start(t, front.Options{})
	c := connected(t, f)
	q := zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a", Data: []byte{}}
	q.Data = make([]byte, wire.DefaultMaxFrame-len(wire.AppendRequest(nil, &q)))
	require.Equal(t, zkmodel.OK, c.do(q).Err)
	r := c.do(zkmodel.Request{Xid: 2, Op: zkmodel.OpGetData, Path: "/a"})
	require.Equal(t, q.Data, r.Data)
}

// A client that asks for much and reads nothing waits; one that is told much
// and reads nothing is closed. Neither takes more memory than it may.
func TestSlowReaders(t *testing.T) {
	const maxQueue = 1 << 20
	f := start(t, front.Options{MaxQueue: maxQueue})
	writer := connected(t, f)
	data := make([]byte, 100_000)
	require.Equal(t, zkmodel.OK, writer.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/a", Data: data}).Err)

	before := heap()
	asks := connected(t, f)
	asks.readsLittle()
	get := requestFrame(zkmodel.Request{Xid: 1, Op: zkmodel.OpGetData, Path: "/a"})
	const gets = 200 // 20 MB of replies
	go func() {
		for range gets {
			if _, err := asks.Write(get); err != nil {
				return
			}
		}
	}()
	listens := connected(t, f)
	listens.readsLittle()
	require.Equal(t, zkmodel.OK, listens.do(zkmodel.Request{Xid: 1, Op: zkmodel.OpAddWatch, Path: "/", Flags: zkmodel.WatchRecursive}).Err)
	long := "/" + strings.Repeat("x", 50_000)
	require.Equal(t, zkmodel.OK, writer.do(zkmodel.Request{Xid: 2, Op: zkmodel.OpCreate, Path: long}).Err)
	for range 250 { // 12 MB of events
		require.Equal(t, zkmodel.OK, writer.do(zkmodel.Request{Xid: 3, Op: zkmodel.OpSetData, Path: long, Version: -1}).Err)
	}
	require.Less(t, heap()-before, int64(8*maxQueue))

	_, err := io.Copy(io.Discard, listens)
	requireNoTimeout(t, err, "it is closed")
	for range gets {
		r, err := wire.DecodeResponse(asks.payload(), zkmodel.OpGetData)
		require.NoError(t, err)
		require.Len(t, r.Data, len(data))
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestAThousandConnections(t *testing.T) {
	f := start(t, front.Options{})
	before := heap()
	const n = 1000
	conns := make([]*rawConn, n)
	for i := range conns {
		conns[i] = connected(t, f)
	}
	var wg sync.WaitGroup
	for i, c := range conns {
		wg.Go(func() {
			q := zkmodel.Request{Xid: 1, Op: zkmodel.OpCreate, Path: "/n-", Flags: zkmodel.FlagSequential | zkmodel.FlagEphemeral}
			c.write(requestFrame(q))
			if r, err := wire.DecodeResponse(c.payload(), q.Op); err != nil || r.Err != zkmodel.OK {
				t.Error(i, err, r.Err)
			}
		})
	}
	wg.Wait()
	list := conns[0].do(zkmodel.Request{Xid: 2, Op: zkmodel.OpGetChildren, Path: "/"})
	require.Len(t, list.Children, n+1)
	perConn := (heap() - before) / n
	require.Less(t, perConn, int64(40<<10), "bytes a connection, both ends and their buffers included")
	for _, c := range conns[1:] {
		require.NoError(t, c.Close())
	}
	require.Eventually(t, func() bool {
		return strings.Contains(word(t, f, 0, "srvr"), "Connections: 2\n") // with the asking one
	}, 5*time.Second, 10*time.Millisecond)
}

func TestConnectionsAreBounded(t *testing.T) {
	f := start(t, front.Options{MaxConns: 2})
	a := connected(t, f)
	connected(t, f)
	dial(t, f).requireClosed("the third")
	require.NoError(t, a.Close())
	require.Eventually(t, func() bool {
		c := dial(t, f)
		c.write([]byte("ruok"))
		b, _ := io.ReadAll(c)
		return string(b) == "imok"
	}, 5*time.Second, 10*time.Millisecond)
}

func TestCloseEndsEverything(t *testing.T) {
	before := runtime.NumGoroutine()
	f, err := front.Start(front.Options{Rules: []front.Rule{{Do: front.Partition, Op: "sync", For: time.Hour}}})
	require.NoError(t, err)
	c := connected(t, f)
	c.write(requestFrame(zkmodel.Request{Xid: 1, Op: zkmodel.OpSync, Path: "/"}))
	stuck := dial(t, f)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close())
	_, _ = io.Copy(io.Discard, c)
	stuck.requireClosed("a connection that said nothing")
	_, err = net.Dial("tcp", f.Addrs()[0])
	require.Error(t, err)
	for begin := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		require.Less(t, time.Since(begin), 5*time.Second, "goroutines are left")
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	f := start(t, front.Options{})
	for want, o := range map[string]front.Options{
		"address already in use":                   {Listen: f.Addrs()[0]},
		`cannot listen on "nowhere"`:               {Listen: "nowhere"},
		"MaxConns: -1":                             {MaxConns: -1},
		`rule 0: do: "harm"; allowed: cut-request`: {Rules: []front.Rule{{Do: "harm"}}},
	} {
		_, err := front.Start(o)
		require.ErrorContains(t, err, want)
	}
}
