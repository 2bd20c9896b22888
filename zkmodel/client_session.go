package zkmodel

// Start makes the first connect attempt.
func (c *Client) Start(now Time, out *ClientOutput) {
	if c.phase == phaseIdle {
		c.dial(now, out)
	}
}

// Redial makes the next connect attempt; the pause that Redial asked for is
// over. A client that is in no pause ignores it.
func (c *Client) Redial(now Time, out *ClientOutput) {
	if c.phase == phasePaused || c.phase == phaseLost {
		c.dial(now, out)
	}
}

func (c *Client) dial(now Time, out *ClientOutput) {
	c.phase = phaseDialing
	c.dialBy = now + c.o.ConnectTimeout
	out.Dial = true
	out.Send = append(out.Send, Request{
		Op:           OpConnect,
		LastZxidSeen: c.lastZxid,
		Timeout:      c.o.SessionTimeout,
		SessionID:    c.sessionID,
		Password:     c.password,
	})
}

// Deliver takes a frame from the server. Frames that the client does not wait
// for are ignored: while dialing all but the connect response, without a
// transport all.
func (c *Client) Deliver(now Time, r *Response, out *ClientOutput) {
	switch c.phase {
	case phaseDialing:
		if r.Kind == KindConnect {
			c.connected(now, r, out)
		}
	case phaseUp:
		c.noteHeard(now)
		switch r.Kind {
		case KindReply:
			c.reply(r, out)
		case KindEvent:
			c.fire(r, out)
		}
	}
}

// connected takes the connect response.
func (c *Client) connected(now Time, r *Response, out *ClientOutput) {
	if r.SessionID == 0 {
		c.sessionOver(now, out)
		return
	}
	c.phase, c.tried = phaseUp, 0
	c.sessionID, c.password, c.negotiated = r.SessionID, r.Password, r.Timeout
	c.startTimes(now)
	out.Up = true
	if c.closing { // all that is left to do is to send the close
		c.sendQueued(now, out)
		return
	}
	c.state = ClientConnected
	c.sessionEvent(ClientConnected, out)
	if c.o.ResetFirst {
		c.setWatches(now, out)
		c.sendQueued(now, out)
	} else {
		c.sendQueued(now, out)
		c.setWatches(now, out)
	}
}

// TransportClosed takes the end of the transport: end of file, a reset, or a
// dial that failed.
func (c *Client) TransportClosed(_ Time, out *ClientOutput) {
	switch c.phase {
	case phaseUp:
		out.Down = true
		c.failAll(ConnectionLoss, out)
		if c.closing {
			c.finishClose(out)
			return
		}
		c.state = ClientConnecting
		c.sessionEvent(ClientConnecting, out)
	case phaseDialing:
		if c.o.Down == DownQueueAttempt || c.closing {
			c.failAll(ConnectionLoss, out)
		}
		if c.closing {
			c.finishClose(out)
			return
		}
	default:
		return
	}
	c.pause(phasePaused, out)
}

func (c *Client) pause(p clientPhase, out *ClientOutput) {
	c.phase = p
	out.Redial = true
	out.RedialMin, out.RedialMax = c.o.RedialMin, c.o.RedialMax
	if c.tried = (c.tried + 1) % c.o.Hosts; c.tried == 0 {
		out.RedialMin += c.o.RoundPause
		out.RedialMax += c.o.RoundPause
	}
}

// hangUp drops the connection from the client's side.
func (c *Client) hangUp(now Time, out *ClientOutput) {
	out.Hangup = true
	c.TransportClosed(now, out)
}

// finishClose ends the handle after its close has ended.
func (c *Client) finishClose(out *ClientOutput) {
	c.phase, c.state, c.closing = phaseOver, ClientClosed, false
	c.sessionEvent(ClientClosed, out)
}

// NewSession has the client give up its session although the server still
// holds it, as Curator does with a new handle once it has been suspended for
// the length of the session: a connection is hung up (Connecting event), then
// all goes as if the session had expired. A client without a session, and one
// that is closed or being closed, ignores it.
func (c *Client) NewSession(now Time, out *ClientOutput) {
	if c.sessionID == 0 || c.closing || c.phase == phaseOver {
		return
	}
	c.sessionOver(now, out)
}

// sessionOver ends the session, and the handle with it unless it opens a new
// one.
func (c *Client) sessionOver(now Time, out *ClientOutput) {
	out.SessionOver = true
	c.failAll(SessionExpired, out)
	if c.phase == phaseUp {
		out.Down = true
		c.sessionEvent(ClientConnecting, out)
	}
	if c.phase == phaseUp || c.phase == phaseDialing {
		out.Hangup = true
	}
	c.sessionEvent(ClientExpired, out)
	if c.closing {
		c.phase, c.closing = phaseOver, false
		return
	}
	c.state = ClientExpired
	if !c.o.Renew {
		c.phase = phaseOver
		return
	}
	c.sessionID, c.password, c.lastZxid = 0, 0, 0
	if c.o.RenewPause {
		c.pause(phaseLost, out)
		return
	}
	c.dial(now, out)
}
