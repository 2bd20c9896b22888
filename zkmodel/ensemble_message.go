package zkmodel

// Entry is one transaction in the log of an ensemble: a request at its place
// in the order of all writes. What it does is a function of the state that the
// entries before it left, so every server that applies it does the same.
type Entry struct {
	Zxid    int64 // the epoch in the high 32 bits, a counter in the low ones
	Time    Time  // of the leader as it proposed the entry
	Session int64 // whose request it is; of a connect request, the new session
	Timeout Time  // of a new session
	Cause   Cause // of a closeSession
	Err     Code  // SessionMoved: the entry changes nothing

	// Origin is the server that took the request, 0 for one that the leader
	// made itself; Conn is the connection there.
	Origin int8
	Conn   uint32
	// Host and IDs are what the client is known as, if that is anything but
	// somebody on this host.
	Host string
	IDs  []ID // never changed

	Request Request
}

// MessageKind is the kind of a [PeerMessage].
type MessageKind uint8

// The kinds of messages between servers, as in ZooKeeper (class Leader; votes
// are those of class FastLeaderElection) where nothing else is said.
const (
	MessageVote         MessageKind = iota // the sender looks for a leader, or tells one that looks who leads
	MessageFollowerInfo                    // opens a link to a leader, with the epoch last accepted
	MessageLeaderInfo                      // the new epoch
	MessageAckEpoch                        // promised, with what the follower has
	MessageSnapshot                        // the follower takes over a state
	MessageTruncate                        // the follower drops what it has behind Zxid
	MessageNewLeader                       // the follower has the leader's history now
	MessageAckLeader                       // and says so
	MessageUpToDate                        // the follower may serve clients
	MessagePropose                         // a new entry
	MessageAck                             // it is in the follower's log
	MessageCommit                          // all entries up to Zxid are to be applied; a leader sends it to itself as well, and so may a follower
	MessagePing                            // keep-alive; the answer brings the sessions that were heard of
	MessageRequest                         // a client's write, for the leader to propose
	MessageRevalidate                      // a client wants to take its session up at the follower
	MessageRevalidated                     // and may or may not
	MessageSync                            // a client's sync
	MessageSynced                          // all that was committed before it is with the follower
	MessageClose                           // the end of the link
)

var messageNames = [...]string{
	"vote", "followerInfo", "leaderInfo", "ackEpoch", "snapshot", "truncate", "newLeader", "ackLeader", "upToDate",
	"propose", "ack", "commit", "ping", "request", "revalidate", "revalidated", "sync", "synced", "close",
}

// String names the kind, as "propose".
func (k MessageKind) String() string { return messageNames[k] }

// PeerMessage is a message from one server of an ensemble to another, or of a
// leader to itself. What it points to is never changed once it is sent.
type PeerMessage struct {
	From, To int8
	Kind     MessageKind
	Flag     bool // of a vote: the sender leads; of an epoch's ack: it counts; of Revalidated: the session lives
	Looks    bool // of a vote: the sender looks for a leader, and wants to be answered

	// Link numbers the connection between a follower and its leader, Seq the
	// messages in one direction of it.
	Link, Seq uint32

	Epoch   int32
	Conn    uint32
	Zxid    int64
	Applied int64 // of an epoch's ack: the last zxid in the follower's state
	Session int64
	Timeout Time

	Entry    Entry
	Heard    []HeardSession
	Snapshot *Server // never changed
}

// KeepAlive reports whether the message does nothing but say that its sender
// lives.
func (m *PeerMessage) KeepAlive() bool { return m.Kind == MessagePing }

// HeardSession is a session from whose client a follower has heard.
type HeardSession struct {
	ID      int64
	Timeout Time
}

// PeerOutput collects what the inputs of a [Peer] put out; they append to it.
// Txns are the changes as this server applies them: each server of an ensemble
// puts out each of them, in the same order and at its own time, and for an
// entry that changed nothing one of type [OpError].
type PeerOutput struct {
	Output
	// Steps part Txns and Frames by the requests that caused them.
	Steps []PeerStep
	// Messages go to other servers, or back to this one, which takes as long
	// as the driver likes.
	Messages []PeerMessage
	// Installed is the zxid of a state that was taken over whole, without the
	// Txns that led to it; 0 for none.
	Installed int64
}

// PeerStep is a request that a server carried out: one from its log, whoever
// sent it, or one that a client of its own sent and that it did alone. The
// Txns and Frames up to these indices came with it, those up to the indices of
// the step before left out; hang-ups may have come in between.
type PeerStep struct {
	Request      Request
	Zxid         int64 // in the log, 0 for none
	Txns, Frames int
}

// Reset empties o and keeps its memory.
func (o *PeerOutput) Reset() {
	o.Output.Reset()
	o.Steps = o.Steps[:0]
	o.Messages, o.Installed = o.Messages[:0], 0
}

// step notes that all that was put out since the last step came with r.
func (o *PeerOutput) step(r *Request, zxid int64) {
	o.Steps = append(o.Steps, PeerStep{*r, zxid, len(o.Txns), len(o.Frames)})
}
