package front

import (
	"errors"
	"net"
	"sync"
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// readBytes is how much is read from a connection at a time, unless a frame is
// longer.
const readBytes = 4096

// farewell is how long a connection that is closed may take to send what still
// waits.
const farewell = 5 * time.Second

// conn is one TCP connection. The goroutine that reads hands its frames to the
// loop, and waits there while much is to be written; the other writes.
type conn struct {
	id   zkmodel.ConnID
	port *port
	nc   net.Conn
	max  int // bytes in queue

	// Guarded by the front's lock.
	greeted bool
	closed  bool // by the server; what waits is still written
	session int64
	until   zkmodel.Time // cut off until then
	lost    *lostReply   // by a fault
	stats   connStats

	mu      sync.Mutex
	changed sync.Cond // queue or state
	queue   []byte
	closing bool // once the queue is written
	dead    bool
	cutTill time.Time // nothing is written until then
}

func newConn(p *port, nc net.Conn, id zkmodel.ConnID) *conn {
	c := &conn{id: id, port: p, nc: nc, max: p.f.o.MaxQueue}
	c.changed.L = &c.mu
	return c
}

// accept takes connections until the listener closes.
func (p *port) accept() {
	defer p.f.wg.Done()
	for {
		nc, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // too many open files, or a client that left
			select {
			case <-p.f.quit:
				return
			case <-time.After(10 * time.Millisecond):
			}
			continue
		}
		p.open(nc)
	}
}

// open takes a connection in, or closes it if there are too many or the server
// is down.
func (p *port) open(nc net.Conn) {
	f := p.f
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed || len(f.conns) >= f.o.MaxConns || f.back.view(p.index).mode == modeDown {
		_ = nc.Close()
		return
	}
	f.lastConn++
	c := newConn(p, nc, f.lastConn)
	c.stats.begin = f.now()
	c.stats.reset()
	f.conns[c.id] = c
	host, _, _ := net.SplitHostPort(nc.RemoteAddr().String())
	p.loop.Open(c.id, host)
	f.wg.Add(2)
	go c.read()
	go c.write()
}

// read hands over what the client sends until the connection ends.
func (c *conn) read() {
	f := c.port.f
	defer f.wg.Done()
	_ = c.nc.SetReadDeadline(time.Now().Add(f.o.ConnectTimeout))
	buf := make([]byte, 0, readBytes)
	for {
		n, err := c.nc.Read(buf[len(buf):cap(buf)])
		buf = c.take(buf[:len(buf)+n])
		if err != nil {
			break
		}
		if len(buf) == cap(buf) { // a frame that is longer; the loop bounds it
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		} else if len(buf) == 0 && cap(buf) > 16*readBytes {
			buf = make([]byte, 0, readBytes)
		}
	}
	c.abort()
	f.mu.Lock()
	f.input(c.port, func(now zkmodel.Time) { c.port.loop.Gone(now, c.id) })
	delete(f.conns, c.id)
	f.mu.Unlock()
}

// take hands over the whole frames in buf and moves the rest to its start.
func (c *conn) take(buf []byte) []byte {
	f := c.port.f
	b := buf
	for len(b) > 0 && c.mayRead() {
		f.mu.Lock()
		if wait := c.cutOff(b); wait > 0 {
			f.mu.Unlock()
			c.sleep(wait)
			continue
		}
		used := 0
		greeted := c.greeted
		f.input(c.port, func(now zkmodel.Time) { used = c.port.loop.Next(now, c.id, b) })
		if c.greeted && !greeted {
			_ = c.nc.SetReadDeadline(time.Time{})
		}
		f.mu.Unlock()
		if used == 0 {
			break
		}
		b = b[used:]
	}
	return buf[:copy(buf, b)]
}

// cutOff is how long the connection, or the client whose connect request this
// is, is still to be cut off. The front's lock is held.
func (c *conn) cutOff(b []byte) time.Duration {
	f := c.port.f
	if !c.greeted {
		payload, _, ok, err := wire.CutFrame(b, f.o.FrameLimit)
		if err != nil || !ok {
			return 0
		}
		if r, _, err := wire.DecodeConnectRequest(payload); err == nil {
			c.cut(f.sessions.cutTill(r.SessionID))
		}
	}
	return max(c.until-f.now(), 0)
}

// cut cuts the connection off until then. The front's lock is held.
func (c *conn) cut(until zkmodel.Time) {
	if until <= c.until {
		return
	}
	c.until = until
	c.mu.Lock()
	c.cutTill = time.Now().Add(until - c.port.f.now())
	c.mu.Unlock()
}

// sleep waits, but not for a front that closes.
func (c *conn) sleep(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-c.port.f.quit:
	}
}

// mayRead waits until little enough is to be written for the client's next
// request to be carried out; false if the connection is dead.
func (c *conn) mayRead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.dead && !c.closing && len(c.queue) > c.max/4 {
		c.changed.Wait()
	}
	return !c.dead
}

// send queues bytes for the client. A client that lets too much pile up loses
// its connection.
func (c *conn) send(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dead {
		return
	}
	if len(c.queue) > c.max {
		c.die()
		return
	}
	c.queue = append(c.queue, b...)
	c.changed.Broadcast()
}

// finish closes the connection once the queue is written.
func (c *conn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	_ = c.nc.SetWriteDeadline(time.Now().Add(farewell))
	c.changed.Broadcast()
}

// abort closes the connection at once.
func (c *conn) abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.die()
}

func (c *conn) die() {
	c.dead = true
	c.queue = nil
	_ = c.nc.Close()
	c.changed.Broadcast()
}

// write sends what is queued until the connection is dead.
func (c *conn) write() {
	defer c.port.f.wg.Done()
	var spare []byte
	for {
		b, ok := c.next(spare)
		if !ok {
			return
		}
		if _, err := c.nc.Write(b); err != nil {
			c.abort()
			return
		}
		if spare = b[:0]; cap(b) > 16*readBytes {
			spare = nil
		}
	}
}

// next waits for bytes to write and takes them, leaving spare in their place;
// false if there will be none.
func (c *conn) next(spare []byte) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch wait := time.Until(c.cutTill); {
		case c.dead:
			return nil, false
		case wait > 0:
			c.mu.Unlock()
			c.sleep(wait)
			c.mu.Lock()
		case len(c.queue) > 0:
			b := c.queue
			c.queue = spare
			c.changed.Broadcast()
			return b, true
		case c.closing:
			c.die()
			return nil, false
		default:
			c.changed.Wait()
		}
	}
}
