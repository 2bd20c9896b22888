package zkmodel

import "time"

// Time is virtual time since the start of a run.
type Time = time.Duration

// OpCode is the type of a request. The numbers are those of ZooKeeper's wire
// protocol (class ZooDefs.OpCode); OpConnect is ours, for the connect request
// that has no header on the wire.
type OpCode int32

// The request types.
const (
	OpConnect              OpCode = -100
	OpCloseSession         OpCode = -11
	OpCreateSession        OpCode = -10
	OpError                OpCode = -1 // what the results of a failed multi carry
	OpCreate               OpCode = 1
	OpDelete               OpCode = 2
	OpExists               OpCode = 3
	OpGetData              OpCode = 4
	OpSetData              OpCode = 5
	OpGetACL               OpCode = 6
	OpSetACL               OpCode = 7
	OpGetChildren          OpCode = 8
	OpSync                 OpCode = 9
	OpPing                 OpCode = 11
	OpGetChildren2         OpCode = 12
	OpCheck                OpCode = 13
	OpMulti                OpCode = 14
	OpCreate2              OpCode = 15
	OpReconfig             OpCode = 16
	OpCheckWatches         OpCode = 17
	OpRemoveWatches        OpCode = 18
	OpCreateContainer      OpCode = 19
	OpDeleteContainer      OpCode = 20
	OpCreateTTL            OpCode = 21
	OpMultiRead            OpCode = 22
	OpAuth                 OpCode = 100
	OpSetWatches           OpCode = 101
	OpSasl                 OpCode = 102
	OpGetEphemerals        OpCode = 103
	OpGetAllChildrenNumber OpCode = 104
	OpSetWatches2          OpCode = 105
	OpAddWatch             OpCode = 106
	OpWhoAmI               OpCode = 107
)

// String is the name ZooKeeper gives the request type, as "getChildren2".
func (o OpCode) String() string {
	switch o {
	case OpConnect:
		return "connect"
	case OpCloseSession:
		return "closeSession"
	case OpCreateSession:
		return "createSession"
	case OpError:
		return "error"
	case OpCreate:
		return "create"
	case OpDelete:
		return "delete"
	case OpExists:
		return "exists"
	case OpGetData:
		return "getData"
	case OpSetData:
		return "setData"
	case OpGetACL:
		return "getACL"
	case OpSetACL:
		return "setACL"
	case OpGetChildren:
		return "getChildren"
	case OpSync:
		return "sync"
	case OpPing:
		return "ping"
	case OpGetChildren2:
		return "getChildren2"
	case OpCheck:
		return "check"
	case OpMulti:
		return "multi"
	case OpCreate2:
		return "create2"
	case OpReconfig:
		return "reconfig"
	case OpCheckWatches:
		return "checkWatches"
	case OpRemoveWatches:
		return "removeWatches"
	case OpCreateContainer:
		return "createContainer"
	case OpDeleteContainer:
		return "deleteContainer"
	case OpCreateTTL:
		return "createTTL"
	case OpMultiRead:
		return "multiRead"
	case OpAuth:
		return "auth"
	case OpSetWatches:
		return "setWatches"
	case OpSasl:
		return "sasl"
	case OpGetEphemerals:
		return "getEphemerals"
	case OpGetAllChildrenNumber:
		return "getAllChildrenNumber"
	case OpSetWatches2:
		return "setWatches2"
	case OpAddWatch:
		return "addWatch"
	case OpWhoAmI:
		return "whoAmI"
	}
	return "op(?)"
}

// Code is an error code of ZooKeeper's wire protocol (class
// KeeperException.Code).
type Code int32

// The codes.
const (
	OK                           Code = 0
	SystemError                  Code = -1
	RuntimeInconsistency         Code = -2
	DataInconsistency            Code = -3
	ConnectionLoss               Code = -4
	MarshallingError             Code = -5
	Unimplemented                Code = -6
	OperationTimeout             Code = -7
	BadArguments                 Code = -8
	UnknownSession               Code = -12
	NewConfigNoQuorum            Code = -13
	ReconfigInProgress           Code = -14
	NoNode                       Code = -101
	NoAuth                       Code = -102
	BadVersion                   Code = -103
	NoChildrenForEphemerals      Code = -108
	NodeExists                   Code = -110
	NotEmpty                     Code = -111
	SessionExpired               Code = -112
	InvalidCallback              Code = -113
	InvalidACL                   Code = -114
	AuthFailed                   Code = -115
	SessionMoved                 Code = -118
	NotReadOnly                  Code = -119
	EphemeralOnLocalSession      Code = -120
	NoWatcher                    Code = -121
	RequestTimeout               Code = -122
	ReconfigDisabled             Code = -123
	SessionClosedRequireSaslAuth Code = -124
	QuotaExceeded                Code = -125
	ThrottledOp                  Code = -127
)

// String is the name of the code, as "NoNode".
func (c Code) String() string {
	switch c {
	case OK:
		return "OK"
	case SystemError:
		return "SystemError"
	case RuntimeInconsistency:
		return "RuntimeInconsistency"
	case DataInconsistency:
		return "DataInconsistency"
	case ConnectionLoss:
		return "ConnectionLoss"
	case MarshallingError:
		return "MarshallingError"
	case Unimplemented:
		return "Unimplemented"
	case OperationTimeout:
		return "OperationTimeout"
	case BadArguments:
		return "BadArguments"
	case UnknownSession:
		return "UnknownSession"
	case NewConfigNoQuorum:
		return "NewConfigNoQuorum"
	case ReconfigInProgress:
		return "ReconfigInProgress"
	case NoNode:
		return "NoNode"
	case NoAuth:
		return "NoAuth"
	case BadVersion:
		return "BadVersion"
	case NoChildrenForEphemerals:
		return "NoChildrenForEphemerals"
	case NodeExists:
		return "NodeExists"
	case NotEmpty:
		return "NotEmpty"
	case SessionExpired:
		return "SessionExpired"
	case InvalidCallback:
		return "InvalidCallback"
	case InvalidACL:
		return "InvalidACL"
	case AuthFailed:
		return "AuthFailed"
	case SessionMoved:
		return "SessionMoved"
	case NotReadOnly:
		return "NotReadOnly"
	case EphemeralOnLocalSession:
		return "EphemeralOnLocalSession"
	case NoWatcher:
		return "NoWatcher"
	case RequestTimeout:
		return "RequestTimeout"
	case ReconfigDisabled:
		return "ReconfigDisabled"
	case SessionClosedRequireSaslAuth:
		return "SessionClosedRequireSaslAuth"
	case QuotaExceeded:
		return "QuotaExceeded"
	case ThrottledOp:
		return "ThrottledOp"
	}
	return "Code(?)"
}

// Create flags (class CreateMode).
const (
	FlagEphemeral  int32 = 1
	FlagSequential int32 = 2

	// The rest are numbers, no sums.
	FlagContainer     int32 = 4
	FlagTTL           int32 = 5
	FlagTTLSequential int32 = 6
)

// The types of watches that checkWatches and removeWatches take (class
// Watcher.WatcherType).
const (
	WatchTypeChildren int32 = 1
	WatchTypeData     int32 = 2
	WatchTypeAny      int32 = 3
)

// The modes of addWatch (class ZooDefs.AddWatchModes).
const (
	WatchPersistent int32 = 0
	WatchRecursive  int32 = 1
)

// EventType is the type of a watch event on the wire.
type EventType int8

// The event types. EventNone marks a session event, and the removals of
// watches tell a client's own watchers: neither crosses the wire.
const (
	EventNone                EventType = -1
	EventNodeCreated         EventType = 1
	EventNodeDeleted         EventType = 2
	EventNodeDataChanged     EventType = 3
	EventNodeChildrenChanged EventType = 4
	EventDataWatchRemoved    EventType = 5
	EventChildWatchRemoved   EventType = 6
)

// String names the event type as ZooKeeper does.
func (t EventType) String() string {
	switch t {
	case EventNone:
		return "None"
	case EventNodeCreated:
		return "NodeCreated"
	case EventNodeDeleted:
		return "NodeDeleted"
	case EventNodeDataChanged:
		return "NodeDataChanged"
	case EventNodeChildrenChanged:
		return "NodeChildrenChanged"
	case EventDataWatchRemoved:
		return "DataWatchRemoved"
	case EventChildWatchRemoved:
		return "ChildWatchRemoved"
	}
	return "EventType(?)"
}

// Stat is a znode's metadata. Ctime and Mtime are in milliseconds.
type Stat struct {
	Czxid, Mzxid, Ctime, Mtime  int64
	Version, Cversion, Aversion int32
	EphemeralOwner              int64
	DataLength, NumChildren     int32
	Pzxid                       int64
}

// ID names who may do something: a scheme ("world", "ip", "digest", "auth")
// and an id in it.
type ID struct {
	Scheme, ID string
}

// ACL grants permissions to an ID. Perms is a sum of read 1, write 2, create
// 4, delete 8, admin 16.
type ACL struct {
	Perms int32
	ID    ID
}

// MultiOp is one operation of a multi: Op is OpCreate, OpCreate2,
// OpCreateContainer, OpCreateTTL, OpDelete, OpSetData or OpCheck; of a
// multiRead: OpGetData or OpGetChildren.
type MultiOp struct {
	Op      OpCode
	Path    string
	Data    []byte
	ACL     []ACL // as in Request
	Flags   int32
	Version int32
	TTL     int64 // createTTL: milliseconds
}

// MultiResult is the result of one operation of a multi. In a failed multi
// every result has Err set as on the wire: OK before the operation that
// failed, its code there, RuntimeInconsistency behind it.
type MultiResult struct {
	Op       OpCode
	Err      Code
	Path     string   // create, create2
	Data     []byte   // getData
	Stat     Stat     // setData, create2, getData
	Children []string // getChildren
}

// WatchSet is the body of a setWatches request; Persistent and Recursive are
// in setWatches2 alone. It is not changed once sent.
type WatchSet struct {
	RelativeZxid          int64
	Data, Exist, Child    []string
	Persistent, Recursive []string
}

// Auth is the body of an auth request. It is not changed once sent.
type Auth struct {
	Type   int32 // 0, and not looked at
	Scheme string
	Auth   []byte // digest: "user:password"
}

// Request is a frame from client to server. Slices and pointers in it are
// shared by copies and never changed once the frame is sent.
type Request struct {
	Xid     int32
	Op      OpCode
	Path    string
	Data    []byte
	Flags   int32 // create; mode of addWatch; type of checkWatches and removeWatches
	Version int32 // delete, setData, setACL, check
	Watch   bool  // exists, getData, getChildren
	// Malformed says that the header could be read and the body could not
	// (too short, a null path, an operation that has no place in a multi).
	Malformed bool
	Multi     []MultiOp
	Watches   *WatchSet // setWatches
	Auth      *Auth     // auth

	// ACL is that of a create or a setACL: nil stands for everything to
	// everybody (world:anyone); one that is empty but not nil is invalid.
	ACL []ACL
	TTL int64 // createTTL: milliseconds

	// The connect request. Path is the client's address, 127.0.0.1 if empty.
	LastZxidSeen int64
	Timeout      Time  // requested; also of createSession
	SessionID    int64 // 0 asks for a new session
	Password     uint64
}

// ResponseKind tells the frames from server to client apart.
type ResponseKind uint8

// The kinds of frames.
const (
	KindReply   ResponseKind = iota // answers a request
	KindConnect                     // answers a connect request
	KindEvent                       // a watch event
)

// Response is a frame from server to client. Slices in it are shared by
// copies and never changed once the frame is sent.
type Response struct {
	Kind ResponseKind
	Op   OpCode // of the request it answers
	Xid  int32
	Zxid int64
	Err  Code

	Path     string // create: full path; sync, event: path
	Data     []byte
	Stat     Stat
	Children []string // of getEphemerals: paths
	Multi    []MultiResult
	Event    EventType
	ACL      []ACL // getACL; whoAmI: the identities, Perms 0
	Count    int32 // getAllChildrenNumber

	// The connect response. SessionID 0 says that the session is over.
	Timeout   Time // negotiated
	SessionID int64
	Password  uint64
}

// Hasher receives a state. Machines write numbers and strings in an order of
// their own that is a function of the state alone.
type Hasher interface {
	Uint64(uint64)
	String(string)
}
