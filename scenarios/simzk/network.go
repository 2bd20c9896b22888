package simzk

import (
	"time"

	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// Timer implements [sim.App].
func (w *World) Timer(_ sim.ProcID, a, b int32) {
	now := w.K.Now()
	switch a {
	case timerServer:
		if b != w.expiry.gen {
			return
		}
		w.expiry.armed = false
		w.out.Reset()
		w.touchServer()
		w.server.Tick(now, &w.out)
		w.emitEnds()
		w.watchSessions()
	case timerClient:
		w.clientTimer(w.clients[b])
	case timerRedial:
		c := w.clients[b]
		if now < c.redialAt {
			return // another pause has replaced this one
		}
		w.cout.Reset()
		c.m.Redial(now, &w.cout)
		w.act(c)
	case timerReset:
		c := w.clients[b]
		if c.resetting {
			w.breakLink(c)
		}
	case timerEvents:
		c := w.clients[b]
		c.stalled = false
		w.dispatch(c)
	case timerWrite, timerWriteAck:
		w.resourceTimer(a, b)
	case timerCall, timerAnswer, timerPatience, timerReplica:
		w.storeTimer(a, b)
	case timerUser:
		w.user(b)
	case timerPeer:
		w.ens.timer(b)
	case timerMessage:
		w.ens.arrive(b)
	}
}

// clientTimer runs a handle's machine if one of its deadlines is over, and
// arms the next.
func (w *World) clientTimer(c *Client) {
	c.armed = false
	if at, ok := c.m.NextTimer(); ok && at <= w.K.Now() {
		w.cout.Reset()
		c.m.Timer(w.K.Now(), &w.cout)
		w.act(c)
		return
	}
	w.arm(c)
}

// arm queues a timer for a handle's next deadline. Deadlines only move away
// while a timer is queued, but for those that [Client] moves nearer itself.
func (w *World) arm(c *Client) {
	if w.K.Untimed() {
		return // nothing is lost without a trace, and nobody needs pings
	}
	at, ok := c.m.NextTimer()
	if !ok || c.armed && c.armedAt <= at {
		return
	}
	c.armed, c.armedAt = true, at
	w.K.After(at-w.K.Now(), c.p.sp.ID(), timerClient, c.id, c.m.State() == zkmodel.ClientConnected)
}

// act carries out what a handle's machine put out (in w.cout).
func (w *World) act(c *Client) {
	o := &w.cout
	if o.SessionOver {
		w.observer.Lost(c)
	}
	if o.Down {
		w.observer.Down(c)
	}
	if o.Hangup {
		w.hangup(c)
	}
	for i := range o.Done {
		c.complete(&o.Done[i])
	}
	if len(o.Calls) > 0 {
		for i := range o.Calls {
			c.calls.push(o.Calls[i])
		}
	}
	if o.Up {
		w.observer.Up(c)
		c.wasUp()
	}
	if o.Dial {
		w.dial(c)
	}
	for i := range o.Send {
		w.send(c, &o.Send[i])
	}
	if o.Redial {
		c.redial(o.RedialMin, o.RedialMax)
	}
	w.arm(c)
	w.dispatch(c)
}

// redialSteps is the number of different pauses before a reconnect.
const redialSteps = 8

func (c *Client) redial(least, most time.Duration) {
	k := c.w.K
	d := least + (most-least)*time.Duration(k.Choose(LabelRedial, redialSteps))/redialSteps
	if k.Untimed() {
		d = 0 // whenever it is chosen
	}
	c.redialAt = k.Now() + d
	k.After(d, c.p.sp.ID(), timerRedial, c.id, false)
}

// dial opens a connection; through a partition it stays pending until the
// partition heals.
func (w *World) dial(c *Client) {
	c.resetting = false
	if c.p.partitioned {
		c.dialing = append(c.dialing[:0], w.cout.Send...) // waits for the connection
		w.cout.Send = w.cout.Send[:0]
		return
	}
	w.openLink(c)
}

func (w *World) openLink(c *Client) {
	l := w.K.Dial(c.p.sp.ID())
	for int(l) >= len(w.conns) {
		w.conns = append(w.conns, conn{})
	}
	w.conns[l].reset(c)
	c.link = l
	if w.ens != nil {
		w.ens.connect(c)
	}
}

// send sends one request, or loses it where a fault says so.
func (w *World) send(c *Client, r *zkmodel.Request) {
	fault := faults.LoseNothing
	if isRecipeOp(r.Op) {
		fault = c.p.onRequest()
	}
	if c.link < 0 {
		return // the connection is broken, and the client does not know yet
	}
	if fault == faults.LoseRequest {
		c.p.bit(faults.CutRequest)
		if w.K.Tracing() {
			w.K.Tracef("fault: %s of %s is lost and its connection cut", describeRequest(r), c.p.Name())
		}
		w.sever(c)
		return
	}
	cn := &w.conns[c.link]
	if cn.serverGone && w.K.Untimed() {
		return // nobody takes it
	}
	if fault == faults.LoseReply {
		cn.cutReply = r.Xid
	}
	cn.toServer.push(message{req: *r})
	w.K.Send(c.link, sim.ToServer, r.Op == zkmodel.OpPing)
}

// hangup: the client closes its side; what it sent before still arrives.
func (w *World) hangup(c *Client) {
	l := c.link
	c.link, c.resetting, c.dialing = -1, false, c.dialing[:0]
	if l < 0 {
		return
	}
	cn := &w.conns[l]
	cn.clientGone = true
	if w.K.Untimed() {
		if cn.serverGone {
			w.forget(l)
			return
		}
		w.recall(l, sim.ToClient) // nobody takes it
	}
	cn.toServer.push(message{fin: true})
	w.K.Send(l, sim.ToServer, false)
}

// forget drops, in untimed mode, what is under way to a server that has closed a
// connection, and the connection if the client has too. Nobody takes what is under
// way then: that it arrives would be a transition that does nothing.
func (w *World) forget(l sim.LinkID) {
	if w.conns[l].clientGone {
		w.closeBoth(l)
	} else {
		w.recall(l, sim.ToServer)
	}
}

// recall takes back, in untimed mode, what is under way in one direction.
func (w *World) recall(l sim.LinkID, d sim.Dir) {
	c := &w.conns[l]
	if d == sim.ToServer {
		for ; c.toServer.len() > 0; c.toServer.pop() {
			w.K.Drop(l, d)
		}
		return
	}
	for ; c.toClient.len() > 0; c.toClient.pop() {
		w.K.Drop(l, d)
	}
}

// sever cuts a connection: nothing under way arrives, the server notices at
// once and the client a little later.
func (w *World) sever(c *Client) {
	if w.K.Untimed() {
		w.severBehind(c)
		return
	}
	w.closeBoth(c.link)
	c.link, c.resetting = -1, true
	w.K.After(w.K.Draw(sim.LabelLatency, resetDelay), c.p.sp.ID(), timerReset, c.id, false)
	w.watchSessions()
}

// severBehind cuts a connection behind what is under way to the client: that
// it is lost as well is the same as a cut before it was sent. Nothing under
// way to the server arrives.
func (w *World) severBehind(c *Client) {
	l := c.link
	cn := &w.conns[l]
	w.recall(l, sim.ToServer)
	if cn.serverGone {
		return // it has ended the stream already
	}
	cn.serverGone = true
	w.drop(zkmodel.ConnID(l))
	cn.toClient.push(zkmodel.Frame{Conn: zkmodel.ConnID(l), Hangup: true})
	w.K.Send(l, sim.ToClient, false)
}

// closeBoth ends a connection on both sides.
func (w *World) closeBoth(l sim.LinkID) {
	cn := &w.conns[l]
	if !cn.serverGone {
		w.drop(zkmodel.ConnID(l))
	}
	cn.serverGone, cn.clientGone = true, true
	cn.toServer.reset()
	cn.toClient.reset()
	w.K.Cut(l)
}

// resetDelay is the time until a client notices a cut.
var resetDelay = sim.Dist{time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond}

// breakLink: the client sees its connection broken.
func (w *World) breakLink(c *Client) {
	l := c.link
	c.link, c.resetting = -1, false
	if l >= 0 {
		w.closeBoth(l)
	}
	if w.K.Tracing() {
		w.K.Tracef("%s: its connection is broken", c.p.Name())
	}
	w.cout.Reset()
	c.m.TransportClosed(w.K.Now(), &w.cout)
	w.act(c)
	w.watchSessions()
}
