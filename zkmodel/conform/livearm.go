package conform

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// LiveArm is a real server, over TCP.
type LiveArm struct {
	addr  string
	tick  time.Duration
	conns []*liveConn
}

// settleLimit is how long an answer may take before the arm gives up.
const settleLimit = 10 * time.Second

// NewLiveArm returns an arm for the server at addr, "127.0.0.1:2181", whose
// tickTime is given.
func NewLiveArm(addr string, tick time.Duration) *LiveArm {
	return &LiveArm{addr: addr, tick: tick}
}

// liveConn is a connection with the task that reads from it.
type liveConn struct {
	net   net.Conn
	own   int // pings of the arm's own that are not answered yet
	mu    sync.Mutex
	more  *sync.Cond
	shown [][]byte // received and not taken
	// What was received since the last Settle began.
	replies, pings int
	closed         bool
}

// Open implements Arm.
func (l *LiveArm) Open() (int, error) {
	n, err := net.Dial("tcp", l.addr)
	if err != nil {
		return 0, fmt.Errorf("connect to the server: %w", err)
	}
	c := &liveConn{net: n}
	c.more = sync.NewCond(&c.mu)
	l.conns = append(l.conns, c)
	go c.read()
	return len(l.conns) - 1, nil
}

func (c *liveConn) read() {
	var b []byte
	chunk := make([]byte, 64<<10)
	for {
		n, err := c.net.Read(chunk)
		b = append(b, chunk[:n]...)
		c.mu.Lock()
		for {
			payload, rest, ok, bad := wire.CutFrame(b, 1<<30)
			if bad != nil {
				err = bad
			}
			if !ok {
				break
			}
			b = rest
			c.received(append([]byte(nil), payload...))
		}
		if err != nil {
			c.closed = true
		}
		c.more.Broadcast()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

const (
	xidEvent = 0xffffffff // -1
	xidPing  = 0xfffffffe // -2
)

// xidOf is the first word of a payload.
func xidOf(payload []byte) uint32 {
	if len(payload) < 4 {
		return 0
	}
	return uint32(payload[0])<<24 | uint32(payload[1])<<16 | uint32(payload[2])<<8 | uint32(payload[3])
}

func (c *liveConn) received(payload []byte) {
	switch xidOf(payload) {
	case xidEvent:
	case xidPing:
		c.replies++
		c.pings++
	default:
		c.replies++
	}
	c.shown = append(c.shown, payload)
}

// await waits for a condition or the end of the connection.
func (c *liveConn) await(limit time.Duration, done func() bool) error {
	late := false
	t := time.AfterFunc(limit, func() {
		c.mu.Lock()
		late = true
		c.more.Broadcast()
		c.mu.Unlock()
	})
	defer t.Stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for !done() && !c.closed && !late {
		c.more.Wait()
	}
	if late && !done() && !c.closed {
		return errors.New("no answer in " + limit.String())
	}
	return nil
}

// Send implements Arm.
func (l *LiveArm) Send(c int, b []byte) {
	l.conns[c].net.Write(b) // shows as the end of the connection
}

// Settle implements Arm.
func (l *LiveArm) Settle(c int, want Want) error {
	x := l.conns[c]
	replies, pings := 0, 0
	err := x.await(settleLimit, func() bool {
		switch {
		case want.End:
			return false
		case want.Pings > 0:
			return x.pings >= want.Pings
		}
		return x.replies >= want.Replies
	})
	x.mu.Lock()
	replies, pings = x.replies, x.pings
	x.replies, x.pings = 0, 0
	x.mu.Unlock()
	if err != nil {
		return fmt.Errorf("connection %d: %d replies, %d of them to pings: %w", c, replies, pings, err)
	}
	if want.Quiet {
		return nil
	}
	return l.flush(c)
}

// flush pings every connection but one and waits for the answers: what was on
// its way there has arrived then.
func (l *LiveArm) flush(except int) error {
	for i, x := range l.conns {
		if i != except && !x.isClosed() {
			x.ping()
		}
	}
	for i, x := range l.conns {
		if i == except {
			continue
		}
		if err := x.pong(); err != nil {
			return fmt.Errorf("connection %d: %w", i, err)
		}
	}
	return nil
}

var pingFrame = func() []byte {
	q := zkmodel.Request{Xid: -2, Op: zkmodel.OpPing}
	return wire.EndFrame(wire.AppendRequest(wire.BeginFrame(nil), &q), 0)
}()

func (c *liveConn) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// ping sends a ping of the arm's own.
func (c *liveConn) ping() {
	c.mu.Lock()
	c.own++
	c.mu.Unlock()
	c.net.Write(pingFrame) // shows as the end of the connection
}

// pong waits for the answers to the arm's own pings and takes them out.
func (c *liveConn) pong() error {
	err := c.await(settleLimit, func() bool { return c.pings >= c.own })
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := len(c.shown) - 1; i >= 0 && c.own > 0; i-- {
		if xidOf(c.shown[i]) == xidPing {
			c.shown = append(c.shown[:i], c.shown[i+1:]...)
			c.own--
		}
	}
	c.own, c.replies, c.pings = 0, 0, 0
	return err
}

// Take implements Arm.
func (l *LiveArm) Take(c int) ([][]byte, bool) {
	x := l.conns[c]
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.shown
	x.shown = nil
	return p, x.closed
}

// Drop implements Arm.
func (l *LiveArm) Drop(c int) {
	l.conns[c].net.Close()
	l.conns[c].await(settleLimit, func() bool { return false }) // it ends
}

// Expire implements Arm.
func (l *LiveArm) Expire(c int, _ int64, timeout time.Duration) error {
	x := l.conns[c]
	if x.isClosed() {
		// Expiry comes up to a tick behind the timeout, and its transaction
		// behind that.
		return l.idle(timeout+3*l.tick, -1)
	}
	start := time.Now()
	for !x.isClosed() {
		if time.Since(start) > settleLimit {
			return fmt.Errorf("connection %d: the session does not expire", c)
		}
		if err := l.idle(l.tick/2, c); err != nil {
			return err
		}
	}
	if d := time.Since(start); d < timeout-l.tick {
		return fmt.Errorf("connection %d: a session with a timeout of %v expired after %v", c, timeout, d)
	}
	return l.flush(c)
}

// Wait implements Arm.
func (l *LiveArm) Wait(d time.Duration) error { return l.idle(d, -1) }

// idle lets time pass and keeps all connections but one alive.
func (l *LiveArm) idle(d time.Duration, except int) error {
	for end := time.Now().Add(d); ; {
		if err := l.flush(except); err != nil {
			return err
		}
		left := time.Until(end)
		if left <= 0 {
			return nil
		}
		time.Sleep(min(left, l.tick/2))
	}
}

// Close drops every connection.
func (l *LiveArm) Close() {
	for _, x := range l.conns {
		x.net.Close()
	}
	l.conns = nil
}
