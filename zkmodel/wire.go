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
	OpConnect      OpCode = -100
	OpCreate       OpCode = 1
	OpDelete       OpCode = 2
	OpExists       OpCode = 3
	OpGetData      OpCode = 4
	OpSetData      OpCode = 5
	OpGetChildren  OpCode = 8
	OpSync         OpCode = 9
	OpPing         OpCode = 11
	OpGetChildren2 OpCode = 12
	OpCheck        OpCode = 13
	OpMulti        OpCode = 14
	OpCreate2      OpCode = 15
	OpSetWatches   OpCode = 101
	OpCloseSession OpCode = -11
)

// String is the name ZooKeeper gives the request type, as "getChildren2".
func (o OpCode) String() string {
	switch o {
	case OpConnect:
		return "connect"
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
	case OpSetWatches:
		return "setWatches"
	case OpCloseSession:
		return "closeSession"
	}
	return "op(?)"
}

// Code is an error code of ZooKeeper's wire protocol (class
// KeeperException.Code).
type Code int32

// The codes.
const (
	OK                      Code = 0
	RuntimeInconsistency    Code = -2
	ConnectionLoss          Code = -4
	MarshallingError        Code = -5
	Unimplemented           Code = -6
	BadArguments            Code = -8
	NoNode                  Code = -101
	NoAuth                  Code = -102
	BadVersion              Code = -103
	NoChildrenForEphemerals Code = -108
	NodeExists              Code = -110
	NotEmpty                Code = -111
	SessionExpired          Code = -112
	InvalidACL              Code = -114
)

// String is the name of the code, as "NoNode".
func (c Code) String() string {
	switch c {
	case OK:
		return "OK"
	case RuntimeInconsistency:
		return "RuntimeInconsistency"
	case ConnectionLoss:
		return "ConnectionLoss"
	case MarshallingError:
		return "MarshallingError"
	case Unimplemented:
		return "Unimplemented"
	case BadArguments:
		return "BadArguments"
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
	case InvalidACL:
		return "InvalidACL"
	}
	return "Code(?)"
}

// Create flags (class CreateMode).
const (
	FlagEphemeral  int32 = 1
	FlagSequential int32 = 2
)

// EventType is the type of a watch event on the wire.
type EventType int8

// The event types; EventNone marks a session event and never crosses the
// wire.
const (
	EventNone                EventType = -1
	EventNodeCreated         EventType = 1
	EventNodeDeleted         EventType = 2
	EventNodeDataChanged     EventType = 3
	EventNodeChildrenChanged EventType = 4
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

// MultiOp is one operation of a multi. Op is OpCreate, OpCreate2, OpDelete,
// OpSetData or OpCheck.
type MultiOp struct {
	Op      OpCode
	Path    string
	Data    []byte
	Flags   int32
	Version int32
}

// MultiResult is the result of one operation of a multi. In a failed multi
// every result has Err set as on the wire: OK before the operation that
// failed, its code there, RuntimeInconsistency behind it.
type MultiResult struct {
	Op   OpCode
	Err  Code
	Path string // create, create2
	Stat Stat   // setData, create2
}

// WatchSet is the body of a setWatches request. It is not changed once sent.
type WatchSet struct {
	RelativeZxid       int64
	Data, Exist, Child []string
}

// Request is a frame from client to server. Slices and pointers in it are
// shared by copies and never changed once the frame is sent.
type Request struct {
	Xid     int32
	Op      OpCode
	Path    string
	Data    []byte
	Flags   int32 // create
	Version int32 // delete, setData, check
	Watch   bool  // exists, getData, getChildren
	Multi   []MultiOp
	Watches *WatchSet // setWatches

	// The connect request.
	LastZxidSeen int64
	Timeout      Time  // requested
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

	Path     string // create: full path; event: path
	Data     []byte
	Stat     Stat
	Children []string
	Multi    []MultiResult
	Event    EventType

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
