package zkmodel

import "math"

// Completion is the end of a submitted request: Response is the server's
// reply, or, where there is none, holds Err ConnectionLoss or SessionExpired
// (or OK for a close that finds nothing to close) and no contents.
type Completion struct {
	Tag      int32
	Response Response
}

// clientSent is a request in flight.
type clientSent struct {
	tag, xid, watcher int32
	op                OpCode
	path              string
}

// clientQueued is a request that waits for a connection.
type clientQueued struct {
	tag, watcher int32
	request      Request
}

// clientPingXid is the xid of pings and of their replies.
const clientPingXid = -2

// Submit takes a request of the user: tag comes back in its Completion;
// watcher (numbers start at 1; 0 is none) is registered if the reply to a
// read leaves a watch, and no longer is once an OpCheckWatches has found one. Submit sets the frame's Xid and Watch itself and
// leaves r alone. Connected, it sends at once; else see [DownPolicy].
//
// A request of type OpCloseSession closes the client: the state is
// ClientClosed and every later request ends with SessionExpired from then on.
// The close itself ends with OK when the server's reply comes, with
// ConnectionLoss when the connection breaks first (the session may then live
// until it expires; there is no reconnect), with SessionExpired when the
// session turns out to be over, and with OK where there is nothing to close,
// as for a second close.
func (c *Client) Submit(now Time, tag, watcher int32, r *Request, out *ClientOutput) {
	if c.phase == phaseUp && !c.closing {
		if r.Op == OpCloseSession {
			c.closing, c.state = true, ClientClosed
		}
		c.send(now, tag, watcher, r, out)
		return
	}
	switch {
	case r.Op == OpCloseSession:
		c.closeUnconnected(tag, r, out)
	case c.closing, c.phase == phaseOver, c.phase == phaseLost && c.o.Down == DownQueueKeep:
		out.fail(tag, 0, r.Op, SessionExpired)
	default:
		c.queued = append(c.queued, clientQueued{tag, watcher, *r})
	}
}

// closeUnconnected takes a close that cannot be sent at once.
func (c *Client) closeUnconnected(tag int32, r *Request, out *ClientOutput) {
	over := c.closing || c.phase == phaseOver
	c.state = ClientClosed
	switch {
	case over:
		out.fail(tag, 0, r.Op, OK)
	case c.phase == phaseIdle, c.o.CloseQuits && c.phase != phaseDialing:
		c.failAll(ConnectionLoss, out)
		code := ConnectionLoss
		if c.sessionID == 0 {
			code = OK
		}
		out.fail(tag, 0, r.Op, code)
		c.finishClose(out)
	default:
		c.closing = true
		c.queued = append(c.queued, clientQueued{tag, 0, *r})
	}
}

// Awaited reports whether a request submitted now goes out as it would if it
// were submitted later, provided that the session and the transport that the
// client has, or opens next, stay: it is sent at once, or waits and keeps its
// place behind what the client sends of its own accord.
func (c *Client) Awaited() bool {
	switch {
	case c.closing:
		return false
	case c.phase == phaseUp:
		return true
	case c.phase != phaseDialing && (c.phase != phasePaused || c.sessionID == 0):
		return false
	}
	return c.o.ResetFirst || len(c.watches[TableData])+len(c.watches[TableExist])+len(c.watches[TableChild]) == 0
}

// send puts a request on the wire.
func (c *Client) send(now Time, tag, watcher int32, r *Request, out *ClientOutput) {
	if c.xid == math.MaxInt32 {
		c.xid = 0
	}
	c.xid++
	if len(c.sent) == cap(c.sent) && c.head > len(c.sent)/2 {
		c.sent = c.sent[:copy(c.sent, c.sent[c.head:])]
		c.head = 0
	}
	c.sent = append(c.sent, clientSent{tag, c.xid, watcher, r.Op, r.Path})
	out.Send = append(out.Send, *r)
	f := &out.Send[len(out.Send)-1]
	f.Xid, f.Watch = c.xid, watcher != 0 && r.Op != OpCheckWatches
	c.noteSent(now)
}

// sendQueued sends what waited for the connection.
func (c *Client) sendQueued(now Time, out *ClientOutput) {
	for i := range c.queued {
		q := &c.queued[i]
		c.send(now, q.tag, q.watcher, &q.request, out)
	}
	c.queued = c.queued[:0]
}

// reply ends the oldest request in flight, if it is the one that r answers.
// Replies come in the order of the requests; others (a ping's too) are not
// ours.
func (c *Client) reply(r *Response, out *ClientOutput) {
	if c.head == len(c.sent) || c.sent[c.head].xid != r.Xid {
		return
	}
	p := &c.sent[c.head]
	c.head++
	if r.Zxid > c.lastZxid {
		c.lastZxid = r.Zxid
	}
	if p.op != OpSetWatches {
		out.Done = append(out.Done, Completion{p.tag, *r})
	}
	switch {
	case p.watcher == 0:
	case p.op != OpCheckWatches:
		c.register(p, r.Err)
	case r.Err == OK && !c.removeWatches(p, out):
		out.Done[len(out.Done)-1].Response.Err = NoWatcher
	}
	closed := p.op == OpCloseSession
	if c.head == len(c.sent) {
		c.sent, c.head = c.sent[:0], 0
	}
	if closed {
		out.Hangup, out.Down = true, true
		c.finishClose(out)
	}
}

// failAll ends every request with code, in order of submission: those in
// flight, then those that wait.
func (c *Client) failAll(code Code, out *ClientOutput) {
	for i := c.head; i < len(c.sent); i++ {
		if p := &c.sent[i]; p.op != OpSetWatches {
			out.fail(p.tag, p.xid, p.op, code)
		}
	}
	c.sent, c.head = c.sent[:0], 0
	for i := range c.queued {
		q := &c.queued[i]
		out.fail(q.tag, 0, q.request.Op, code)
	}
	c.queued = c.queued[:0]
}

// fail adds a completion without a reply.
func (o *ClientOutput) fail(tag, xid int32, op OpCode, code Code) {
	o.Done = append(o.Done, Completion{tag, Response{Kind: KindReply, Op: op, Xid: xid, Err: code}})
}

// Pending is the number of submitted requests that have not ended.
func (c *Client) Pending() int {
	n := len(c.queued)
	for i := c.head; i < len(c.sent); i++ {
		if c.sent[i].op != OpSetWatches {
			n++
		}
	}
	return n
}
