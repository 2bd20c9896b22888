package zkmodel

import "slices"

// ClientState is what a client knows of its connection. The numbers are those
// of recipes/zk.State.
type ClientState uint8

// The states of a client.
const (
	ClientConnecting ClientState = iota // no connection now; the session may live or not
	ClientConnected                     // connected with a live session
	ClientExpired                       // the session is over; until a renewed one is connected
	ClientClosed                        // a close was submitted
)

// String names the state.
func (s ClientState) String() string {
	switch s {
	case ClientConnecting:
		return "Connecting"
	case ClientConnected:
		return "Connected"
	case ClientExpired:
		return "Expired"
	case ClientClosed:
		return "Closed"
	}
	return "ClientState(?)"
}

// ClientOutput is what a [Client] puts out on one input. The caller resets it
// before each input. Hangup comes first, then Dial, then Send; Done and Calls
// are for different readers (the tasks that wait for replies, the event task)
// and have no order between them.
type ClientOutput struct {
	// Dial opens a transport, over which Send goes as soon as it is open;
	// Send[0] is the connect request. Frames of an earlier transport must not
	// be delivered any more.
	Dial bool
	// Redial has Client.Redial called after a pause that the driver draws
	// from [RedialMin, RedialMax]. A later Dial or Redial replaces it.
	Redial               bool
	RedialMin, RedialMax Time
	// Hangup closes the transport, of which nothing is to be reported any
	// more.
	Hangup bool
	// Send holds the frames for the server, in order.
	Send []Request
	// Done holds the requests that ended, in order of submission.
	Done []Completion
	// Calls holds the calls of watchers and listeners, in order.
	Calls []WatchCall

	// Marks for the driver: connected with a live session; a connection that
	// was Up is gone; the session is known to be over, or was given up by
	// NewSession (an orderly close does not set SessionOver).
	Up, Down, SessionOver bool
}

// Reset empties the output and keeps its memory.
func (o *ClientOutput) Reset() {
	*o = ClientOutput{Send: o.Send[:0], Done: o.Done[:0], Calls: o.Calls[:0]}
}

// clientPhase is where a client stands between two connections.
type clientPhase uint8

const (
	phaseIdle    clientPhase = iota // Start has not been called
	phaseDialing                    // the connect request is not answered yet
	phaseUp                         // connected with a session
	phasePaused                     // after a lost connection or a failed attempt
	phaseLost                       // after the end of a session, in front of the first attempt at a new one
	phaseOver                       // expired for good, or closed
)

// Client is the machine inside a client library: one handle, its session,
// its requests in flight, its watchers. Call Init, then Start; feed it what
// the user submits and what the transport delivers; call Timer when NextTimer
// says so.
//
// Times passed to it must not decrease. Its watchers, listeners and tags are
// numbers that the driver gives out.
type Client struct {
	o       ClientOptions
	phase   clientPhase
	state   ClientState
	closing bool // a close has been submitted and has not ended

	sessionID  int64
	password   uint64
	negotiated Time
	lastZxid   int64
	xid        int32
	tried      int // servers since the last connection, modulo their number

	sent   []clientSent // in flight from index head on
	head   int
	queued []clientQueued

	watches   clientWatches
	listeners []int32

	clientTimes
}

// Init makes c a client that has not started yet. It keeps the memory of
// whatever c was before.
func (c *Client) Init(o ClientOptions) {
	if o.SessionTimeout == 0 {
		o.SessionTimeout = DefaultSessionTimeout
	}
	if o.ConnectTimeout == 0 {
		o.ConnectTimeout = o.SessionTimeout
	}
	if o.Hosts == 0 {
		o.Hosts = 1
	}
	c.watches.forget()
	*c = Client{
		o:         o,
		sent:      c.sent[:0],
		queued:    c.queued[:0],
		watches:   c.watches,
		listeners: c.listeners[:0],
	}
}

// State is what the client knows of its connection now. It stays
// ClientExpired while a new session is being opened, and is ClientClosed from
// the moment a close is submitted.
func (c *Client) State() ClientState { return c.state }

// SessionID is the id of the session, 0 before the first one and while a new
// one is being opened.
func (c *Client) SessionID() int64 { return c.sessionID }

// MaxReply is how long the frame of a reply may be, in bytes; 0 sets no limit.
func (c *Client) MaxReply() int { return c.o.MaxReply }

// NegotiatedTimeout is the session timeout that the server granted, 0 before
// the first session.
func (c *Client) NegotiatedTimeout() Time { return c.negotiated }

// LastZxid is the largest zxid of a reply in the current session (pings and
// events do not count): what the next connect request and setWatches tell the
// server.
func (c *Client) LastZxid() int64 { return c.lastZxid }

// CopyInto makes dst equal to c. The two share nothing that changes; dst's
// memory is used again, so that a target that has grown costs no allocation.
func (c *Client) CopyInto(dst *Client) {
	sent, queued := dst.sent, dst.queued
	watches, listeners := dst.watches, dst.listeners
	*dst = *c
	dst.sent, dst.head = append(sent[:0], c.sent[c.head:]...), 0
	dst.queued = refill(queued, c.queued)
	for t := range watches {
		dst.watches[t] = refill(watches[t], c.watches[t])
	}
	dst.listeners = refill(listeners, c.listeners)
}

// AnyWatcher reports whether one of the watchers and listeners that are registered,
// or that requests in flight or queued would register, is such a one.
func (c *Client) AnyWatcher(is func(watcher int32) bool) bool {
	for i := c.head; i < len(c.sent); i++ {
		if is(c.sent[i].watcher) {
			return true
		}
	}
	for i := range c.queued {
		if is(c.queued[i].watcher) {
			return true
		}
	}
	for t := range c.watches {
		for i := range c.watches[t] {
			if is(c.watches[t][i].watcher) {
				return true
			}
		}
	}
	return slices.ContainsFunc(c.listeners, is)
}

// Hash writes the state: what two clients of equal options need to behave
// alike from now on. Not written are the times of pings and timeouts; the xid
// counter, which only tells requests in flight apart, whose xids are written as
// counted back from it;
// and the last zxid, which matters only by its rank among the zxids that the
// servers store: the world that knows those has to add LastZxid.
func (c *Client) Hash(h Hasher) {
	h.Uint64(uint64(c.sessionID))
	h.Uint64(c.password)
	c.HashNamed(h, hashPath, func(w int32) uint64 { return uint64(w) })
}

// Age counts back from the newest request to the one with the given xid. The
// xids of pings, events and the like, which are not positive, stay as they are.
func (c *Client) Age(xid int32) int32 {
	if xid <= 0 {
		return xid
	}
	return c.xid - xid + 1
}

// HashNamed is Hash without the session's id and password, with the hashes of
// paths that name gives and with other numbers for watchers.
func (c *Client) HashNamed(h Hasher, name func(string) uint64, watcher func(int32) uint64) {
	bits := uint64(c.phase) | uint64(c.state)<<8
	if c.closing {
		bits |= 1 << 16
	}
	h.Uint64(bits | uint64(c.tried)<<17)
	h.Uint64(uint64(c.negotiated))
	h.Uint64(uint64(len(c.sent) - c.head))
	for i := c.head; i < len(c.sent); i++ {
		p := &c.sent[i]
		h.Uint64(clientPair(p.tag, c.Age(p.xid)))
		h.Uint64(uint64(p.op)<<32 ^ watcher(p.watcher))
		h.Uint64(name(p.path))
	}
	h.Uint64(uint64(len(c.queued)))
	for i := range c.queued {
		q := &c.queued[i]
		h.Uint64(uint64(q.tag)<<32 ^ watcher(q.watcher))
		hashClientRequest(h, &q.request, name)
	}
	for t := range c.watches {
		// A set: the order is that of paths, which name may make others of.
		h.Uint64(uint64(len(c.watches[t])))
		var b bag
		for i := range c.watches[t] {
			b.add(fold(name(c.watches[t][i].path), watcher(c.watches[t][i].watcher)))
		}
		if len(c.watches[t]) > 0 {
			h.Uint64(b.lo)
			h.Uint64(b.hi)
		}
	}
	h.Uint64(uint64(len(c.listeners)))
	for _, l := range c.listeners {
		h.Uint64(watcher(l))
	}
}

// hashClientRequest writes what a user's request can hold.
func hashClientRequest(h Hasher, r *Request, name func(string) uint64) {
	h.Uint64(clientPair(int32(r.Op), r.Flags))
	h.Uint64(clientPair(r.Version, int32(len(r.Multi))))
	h.Uint64(name(r.Path))
	hashClientData(h, r.Data)
	for i := range r.Multi {
		m := &r.Multi[i]
		h.Uint64(clientPair(int32(m.Op), m.Flags))
		h.Uint64(uint64(m.Version))
		h.Uint64(name(m.Path))
		hashClientData(h, m.Data)
	}
}

// hashClientData writes bytes without making a string of them. No data and empty
// data are different for a server.
func hashClientData(h Hasher, b []byte) {
	if b == nil {
		h.Uint64(1 << 63)
		return
	}
	h.Uint64(uint64(len(b)))
	var word uint64
	for i, x := range b {
		word = word<<8 | uint64(x)
		if i%8 == 7 || i == len(b)-1 {
			h.Uint64(word)
			word = 0
		}
	}
}

func clientPair(a, b int32) uint64 { return uint64(uint32(a))<<32 | uint64(uint32(b)) }
