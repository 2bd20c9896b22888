package livezk

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// Meter counts what clients send to a server and what it sends to them.
type Meter struct {
	mu    sync.Mutex
	now   Counts
	last  time.Time // something happened
	moves uint64    // how often something happened
	busy  int       // tasks that do not wait for anybody, events that wait for their callbacks
}

// Counts are numbers of frames. What no recipe can ask for is not in it:
// connects, closes, pings, what a library sends to set its watches again after a
// reconnect, and the getACL of [Process.Flush].
type Counts struct {
	Requests      map[string]int64 // by the name of the opcode
	Notifications int64
}

// Total is the number of requests.
func (c *Counts) Total() (n int64) {
	for _, k := range c.Requests {
		n += k
	}
	return n
}

// Reset counts from 0 on.
func (m *Meter) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now = Counts{Requests: map[string]int64{}}
}

// Counts are those since the last Reset.
func (m *Meter) Counts() Counts {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := Counts{Requests: map[string]int64{}, Notifications: m.now.Notifications}
	for name, n := range m.now.Requests {
		c.Requests[name] = n
	}
	return c
}

// Quiet reports whether every task waits for somebody else, no event waits for
// its callback, and nothing has happened for d. moves tells two quiet moments
// apart if anything happened between them.
func (m *Meter) Quiet(d time.Duration) (moves uint64, quiet bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.moves, m.busy == 0 && time.Since(m.last) >= d
}

// add counts n more that are busy, or fewer.
func (m *Meter) add(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.busy += n
	m.move()
}

// move notes that something happened. mu is held.
func (m *Meter) move() {
	m.moves++
	m.last = time.Now()
}

// opcodes names the requests that are counted.
var opcodes = map[int32]string{
	1: "create", 2: "delete", 3: "exists", 4: "getData", 5: "setData", 8: "getChildren", 9: "sync", 12: "getChildren2", 14: "multi",
}

// dial opens a connection whose frames are counted.
func (m *Meter) dial(network, address string, timeout time.Duration, greeted func(timeout time.Duration)) (net.Conn, error) {
	c, err := net.DialTimeout(network, address, timeout)
	if err != nil {
		return nil, err
	}
	return &meteredConn{Conn: c, m: m, greeted: greeted}, nil
}

// meteredConn is a connection whose frames are counted. The first frame either
// way is the connect.
type meteredConn struct {
	net.Conn
	m       *Meter
	greeted func(timeout time.Duration)

	out, in         []byte // of the frame under way
	greetOut, greet bool
}

// Write implements net.Conn.
func (c *meteredConn) Write(b []byte) (int, error) {
	c.out = frames(append(c.out, b...), func(p []byte) {
		if !c.greetOut {
			c.greetOut = true
			return
		}
		if len(p) < 8 {
			return
		}
		name, ok := opcodes[int32(binary.BigEndian.Uint32(p[4:]))]
		if !ok {
			return
		}
		c.m.mu.Lock()
		defer c.m.mu.Unlock()
		if c.m.now.Requests == nil {
			c.m.now.Requests = map[string]int64{}
		}
		c.m.now.Requests[name]++
		c.m.move()
	})
	return c.Conn.Write(b)
}

// Read implements net.Conn.
func (c *meteredConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.in = frames(append(c.in, b[:n]...), func(p []byte) {
		if !c.greet {
			c.greet = true
			if len(p) >= 8 {
				c.greeted(time.Duration(int32(binary.BigEndian.Uint32(p[4:]))) * time.Millisecond)
			}
			return
		}
		const event = 0xffffffff // xid
		if len(p) < 4 || binary.BigEndian.Uint32(p) != event {
			return
		}
		c.m.mu.Lock()
		defer c.m.mu.Unlock()
		c.m.now.Notifications++
		c.m.move()
	})
	return n, err
}

// frames gives each whole frame in b to f and returns the rest.
func frames(b []byte, f func(payload []byte)) []byte {
	for len(b) >= 4 {
		n := int(binary.BigEndian.Uint32(b))
		if len(b)-4 < n {
			break
		}
		f(b[4 : 4+n])
		b = b[4+n:]
	}
	return append([]byte(nil), b...)
}
