package conform

import "time"

// Arm is a server that scripts run on. Connections are numbered from 0 on in
// order of [Arm.Open].
type Arm interface {
	// Open opens a connection.
	Open() (int, error)
	// Send writes bytes to a connection; errors show as its end.
	Send(c int, b []byte)
	// Settle waits until want is content with what connection c has received
	// or c has ended, and then until all that this caused on other connections
	// has arrived there.
	Settle(c int, want Want) error
	// Take returns the payloads that a connection has received since the last
	// call, and whether it has ended.
	Take(c int) (payloads [][]byte, closed bool)
	// Drop closes a connection from the client's side.
	Drop(c int)
	// Expire waits until a session has expired: that of connection c, whose
	// negotiated timeout this is.
	Expire(c int, session int64, timeout time.Duration) error
	// Wait lets time pass.
	Wait(d time.Duration) error
}

// Want says what [Arm.Settle] waits for on a connection.
type Want struct {
	Replies int  // frames that are no events
	Pings   int  // of them replies to pings; if greater than 0, Replies does not count
	Quiet   bool // nothing was sent that could cause anything elsewhere
	End     bool // the connection ends
}
