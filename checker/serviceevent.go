package checker

import "time"

// ServiceKind is the kind of a [ServiceEvent].
type ServiceKind uint8

// The kinds of events that [Service] reads. Which fields carry meaning stands
// behind each; At and Kind always do. All but ServiceRequest are recorded at
// the server, when and in the order in which it does what they say; TCP hands
// a client a beginning of what was sent on its connection.
const (
	_ ServiceKind = iota

	// ServicePlant says that a znode stands without a transaction: the set-up
	// of a run, or numbers that were changed from outside. Path, Stat (as the
	// server would show it), Data. Parents come before their children.
	ServicePlant
	// ServiceOpen is the transaction that opened a session: Session, Zxid.
	ServiceOpen
	// ServiceEnd is the end of a session, behind the deletes of its znodes:
	// Session, Zxid (of its close transaction, which the deletes share), Cause.
	ServiceEnd
	// ServiceAttach is the connect response that binds a connection to a
	// living session, a new one or one that had connections before: Conn,
	// Client, Session, Zxid (the last one that the client says it has seen).
	// A connect request that is turned away leaves no event.
	ServiceAttach
	// ServiceDetach is the end of a connection as the server has it: it hung
	// up, or noticed that the client is gone. Watches go with it. Conn.
	ServiceDetach
	// ServiceRequest is a request other than connect, recorded when the client
	// sends it or when the server takes it up: behind the ServiceAttach of its
	// connection and before anything that the server does because of it: Conn, Xid, Op, Path, Flags, Version, Watch,
	// Changes, Watches.
	ServiceRequest
	// ServiceReply is a reply as the server sends it, behind the changes that
	// its request made and the watch events that these caused on the same
	// connection: Conn, Xid, Zxid, Err, Path, Stat, Children, Data.
	ServiceReply
	// ServiceNotify is a watch event as the server sends it: Conn, Type, Path.
	ServiceNotify
	// ServiceApply is one change of a znode as the server applies it; the
	// changes of a multi and the deletes of a session's end share a zxid and
	// follow each other: Zxid, Op (1 create, 2 delete, 5 setData or 7 setACL,
	// whatever the request was), Path, Session, Owner, Cause, Sequential, Data.
	// Failed transactions are none.
	ServiceApply
	// ServicePass is a transaction of a server of an ensemble that changed
	// nothing, since it failed: Zxid, Session.
	ServicePass
)

// ServiceCause says why a znode went or a session ended.
type ServiceCause uint8

// The causes.
const (
	ServiceByRequest ServiceCause = iota // a request of a client
	ServiceByClose                       // the client closed its session
	ServiceByExpiry                      // the session expired
	ServiceByServer                      // an unused container, or a time to live that is over
)

// ServiceEvent is one entry of the stream that [Service] reads. What it points
// to is read while it is observed and not kept, but for Watches and strings.
type ServiceEvent struct {
	At         time.Duration // virtual time
	Kind       ServiceKind
	Cause      ServiceCause
	Watch      bool  // the request asks for a watch
	Sequential bool  // the created znode's name ends in a number that the server gave
	Conn       int32 // the connection: small, from 0; given again at the earliest after its ServiceDetach
	Client     int32 // whose connection it is, 0-based; -1 for none that can be named
	Op         int32 // the request type's number on the wire (class ZooDefs.OpCode)
	Xid        int32 // of the request
	// Err is the code in a reply's header (class KeeperException.Code, 0 for
	// OK); of a multi that failed, the code of the operation that did, which
	// the wire has in the body.
	Err     int32
	Type    int32 // of the watch event, its number on the wire: 1 created to 4 children changed
	Flags   int32 // of a create; the mode of an addWatch; the type of a removeWatches
	Version int32 // that a delete, setData, setACL or check asks for; -1 for any
	Changes int32 // creates, deletes and setDatas in a multi
	Session int64 // of a change: whose request it was or whose end; 0 for the server's own
	// Zxid of a reply is the one in its header, of a change or a session's
	// begin or end that of the transaction.
	Zxid  int64
	Owner int64 // the session to which a created znode belongs, 0 if to none
	// Path is that of the znode. A request has it as sent, the reply to a
	// create with the number, if there is one; other replies have none.
	Path string
	// Stat is what a reply shows; nil for none, which is not judged.
	Stat *ServiceStat
	// Children are the names in a reply to one of the getChildren pair.
	Children []string
	// Data is what a change writes or a reply to getData shows; nil for not
	// known, which is not judged.
	Data []byte
	// Watches is the body of a setWatches; it must not change until its reply.
	Watches *ServiceWatchSet
}

// ServiceStat is a znode's metadata as the wire has it. Ctime and Mtime, which
// are times of the server's clock, are not judged.
type ServiceStat struct {
	Czxid, Mzxid, Ctime, Mtime  int64
	Version, Cversion, Aversion int32
	EphemeralOwner              int64
	DataLength, NumChildren     int32
	Pzxid                       int64
}

// ServiceWatchSet is the body of a setWatches or setWatches2. Persistent and
// Recursive, which only the latter has, are set without catching up.
type ServiceWatchSet struct {
	RelativeZxid          int64
	Data, Exist, Child    []string
	Persistent, Recursive []string
	_                     struct{}
}

// The numbers on the wire that the validators need.
const (
	wireCreate          int32 = 1
	wireDelete          int32 = 2
	wireExists          int32 = 3
	wireGetData         int32 = 4
	wireSetData         int32 = 5
	wireGetACL          int32 = 6
	wireSetACL          int32 = 7
	wireGetChildren     int32 = 8
	wireSync            int32 = 9
	wirePing            int32 = 11
	wireGetChildren2    int32 = 12
	wireCheck           int32 = 13
	wireMulti           int32 = 14
	wireCreate2         int32 = 15
	wireRemoveWatches   int32 = 18
	wireCreateContainer int32 = 19
	wireCreateTTL       int32 = 21
	wireAuth            int32 = 100
	wireSetWatches      int32 = 101
	wireSetWatches2     int32 = 105
	wireAddWatch        int32 = 106
	wireCloseSession    int32 = -11

	wirePingXid int32 = -2 // of every reply to a ping

	wireUnimplemented           int32 = -6
	wireNoNode                  int32 = -101
	wireBadVersion              int32 = -103
	wireNoChildrenForEphemerals int32 = -108
	wireNodeExists              int32 = -110
	wireNotEmpty                int32 = -111

	wireNodeCreated         int32 = 1
	wireNodeDeleted         int32 = 2
	wireNodeDataChanged     int32 = 3
	wireNodeChildrenChanged int32 = 4
)
