package zkmodel

import "time"

// clientTimes are the deadlines of a client. They follow from the times of
// its inputs and are neither hashed nor seen by anyone but Timer.
type clientTimes struct {
	dialBy  Time // end of the connect attempt
	heardAt Time // last frame from the server
	sentAt  Time // last frame to the server
	pingAt  Time // next ping
}

// Limits of the Java client's send thread (ClientCnxn.SendThread.run).
const (
	javaPingSlack   Time = time.Second      // taken off once nothing was sent for longer than this
	javaPingMaxIdle Time = 10 * time.Second // MAX_SEND_PING_INTERVAL
)

// readTimeout is how long the client bears to hear nothing: two thirds of the
// negotiated timeout (all libraries).
func (c *Client) readTimeout() Time { return c.negotiated * 2 / 3 }

// pingEvery is the longest time between two pings of a client that neither
// sends nor hears: half of the read timeout (all libraries).
func (c *Client) pingEvery() Time { return c.readTimeout() / 2 }

// startTimes starts the clocks of a new connection.
func (c *Client) startTimes(now Time) {
	c.heardAt, c.sentAt = now, now
	c.pingAt = now + c.pingEvery()
}

// noteSent puts the next ping off after a frame to the server.
func (c *Client) noteSent(now Time) {
	c.sentAt = now
	if c.o.Ping != PingGo {
		c.pingAt = now + c.pingEvery()
	}
}

// noteHeard takes a frame from the server: the read timeout begins anew, and
// the sender looks at its clock.
func (c *Client) noteHeard(now Time) {
	c.heardAt = now
	switch c.o.Ping {
	case PingJava:
		if idle := now - c.sentAt; idle > javaPingSlack {
			due := max(now, c.sentAt+c.pingEvery()-javaPingSlack)
			if idle > javaPingMaxIdle {
				due = now
			}
			c.pingAt = min(c.pingAt, due)
		}
	case PingKazoo:
		c.pingAt = now + c.pingEvery()
	}
}

// NextTimer is the time at which Timer has something to do, if there is one.
func (c *Client) NextTimer() (Time, bool) {
	switch c.phase {
	case phaseDialing:
		return c.dialBy, true
	case phaseUp:
		return min(c.pingAt, c.heardAt+c.readTimeout()), true
	}
	return 0, false
}

// Timer does what is due: it gives up a connect attempt, drops a connection
// on which nothing was heard for two thirds of the negotiated timeout, or
// sends a ping. When nothing is due, it does nothing.
func (c *Client) Timer(now Time, out *ClientOutput) {
	switch c.phase {
	case phaseDialing:
		if now >= c.dialBy {
			c.hangUp(now, out)
		}
	case phaseUp:
		switch {
		case now >= c.heardAt+c.readTimeout():
			c.hangUp(now, out)
		case now >= c.pingAt:
			c.ping(now, out)
		}
	}
}

// ping sends a ping. A ticker that is late (go-zookeeper) skips the ticks it
// missed.
func (c *Client) ping(now Time, out *ClientOutput) {
	out.Send = append(out.Send, Request{Op: OpPing, Xid: clientPingXid})
	every := c.pingEvery()
	if c.o.Ping == PingGo && every > 0 {
		c.pingAt += ((now-c.pingAt)/every + 1) * every
		return
	}
	c.sentAt = now
	c.pingAt = now + every
}
