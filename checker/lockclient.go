package checker

import "time"

// running is the operation that has not ended.
type running uint8

const (
	idle running = iota
	acquiring
	releasing
)

// The flags of a client.
const (
	isCrashed  uint16 = 1 << iota
	isDone            // its program is over
	isPaused          // its process is stopped
	isDown            // its connection is broken
	isOver            // its session ended and no other has come up
	isTouched         // a fault touched the running operation
	wasTold           // it was told that the session in use is over
	owedNotice        // it was never told of the end of the session before
	hasEnded          // the server has ended the session in use
	hasLeft           // the server still holds a session that it has left
)

// lockClient is what the monitors know of a client.
type lockClient struct {
	since   time.Duration // when the running operation was invoked
	limit   time.Duration
	session int64 // in use, 0 before the first
	left    int64 // the last session that it has left, if hasLeft
	tickets owned
	op      int32 // the running operation
	lastOp  int32 // highest invoked, -1 before the first
	// endedOp is the highest operation that began before the end of a session
	// that it used: its error, and that of its release, is explained.
	endedOp int32
	upOp    int32 // highest operation that began before the session in use
	running running
	mode    Mode
	flags   uint16
}

// begin notes that an operation is invoked.
func (c *lockClient) begin(what running, e *Event) {
	c.running = what
	c.op = e.Op
	c.since = e.At
	if what == acquiring {
		c.mode, c.limit = e.Mode, e.Limit
	}
	c.lastOp = max(c.lastOp, e.Op)
	c.flags &^= isTouched
	if c.flags&(isDown|isOver|isPaused) != 0 {
		c.flags |= isTouched
	}
}

// up notes that the client has a connection and the live session id. It
// reports whether the client has left a session that the server still holds.
func (c *lockClient) up(id int64) (left bool) {
	left = c.session != 0 && id != c.session && c.flags&hasEnded == 0
	c.flags &^= isDown
	if id == c.session {
		return false // where the server has ended it, this was said before
	}
	if c.session != 0 {
		c.upOp = c.lastOp
		if c.flags&wasTold == 0 {
			c.flags |= owedNotice
		}
		if c.flags&hasEnded != 0 {
			c.endedOp = c.upOp
		}
	}
	if left {
		c.left = c.session
		c.flags |= hasLeft
	}
	c.flags &^= isOver | wasTold | hasEnded
	c.session = id
	return left
}

// lost notes that the client was told of the end of its session. A notice
// may come late, when the next session is already up.
func (c *lockClient) lost() {
	c.endedOp = c.lastOp
	if c.flags&owedNotice != 0 && c.flags&isDown == 0 {
		c.flags &^= owedNotice
		return
	}
	c.flags &^= owedNotice
	c.flags |= isOver | wasTold
}

// sessionEnd notes the end of a session of the client, which need not be the
// one in use. It reports whether it is one that the client has left.
func (c *lockClient) sessionEnd(id int64) (left bool) {
	if id == 0 || c.session == 0 || id == c.session {
		c.endedOp = c.lastOp
		c.flags |= isOver | hasEnded
		return false
	}
	c.endedOp = max(c.endedOp, c.upOp)
	left = c.flags&hasLeft != 0 && id == c.left
	if left {
		c.flags &^= hasLeft
	}
	return left
}

// restart notes that a new process runs the client's program.
func (c *lockClient) restart() {
	*c = lockClient{lastOp: c.lastOp, endedOp: -1, upOp: -1}
}
