package zk

import "context"

// AnyVersion as expected version matches every version of a znode.
const AnyVersion int32 = -1

// CreateMode says what kind of znode Create makes. The numbers are the flags
// of ZooKeeper's wire protocol (class CreateMode).
type CreateMode int32

// The create modes.
const (
	Persistent           CreateMode = 0
	Ephemeral            CreateMode = 1
	PersistentSequential CreateMode = 2
	EphemeralSequential  CreateMode = 3
)

// Sequential reports whether the server appends a ten-digit number to the
// path.
func (m CreateMode) Sequential() bool { return m&2 != 0 }

// Ephemeral reports whether the znode goes when its session ends.
func (m CreateMode) Ephemeral() bool { return m&1 != 0 }

// Client is one handle on a ZooKeeper ensemble, as the client libraries give
// it: it keeps a session alive, reconnects by itself, and reports what it
// cannot hide.
//
// Every request returns the server's answer, or [ErrConnectionLoss] (the
// request was applied or not: the caller cannot know), or
// [ErrSessionExpired]. Requests issued while disconnected wait for the next
// connection as the client library at hand does. A request whose context is
// already over is not sent and returns the context's error.
//
// A method whose name ends in W leaves a one-shot watch: w is called with the
// next event on the znode, and, depending on the library (see [Library]),
// with session events too. A nil w is not allowed there. Reads of a missing
// znode return [ErrNoNode] and leave no watch; Exists and ExistsW return a
// Stat that does not exist and no error, and ExistsW then leaves a creation
// watch.
//
// Paths are absolute and must be valid in the sense of ZooKeeper's PathUtils;
// others return [ErrBadArguments] without a request being sent.
type Client interface {
	// Create makes a znode (opcode create) and returns its path, with the
	// number appended for sequential modes.
	Create(ctx context.Context, path string, data []byte, mode CreateMode) (string, error)
	// Create2 is Create with the new znode's Stat in the reply (opcode create2).
	Create2(ctx context.Context, path string, data []byte, mode CreateMode) (string, Stat, error)
	// Delete removes a znode without children whose version matches.
	Delete(ctx context.Context, path string, version int32) error
	// Exists returns the Stat of a znode; Stat.Exists is false when there is none.
	Exists(ctx context.Context, path string) (Stat, error)
	// ExistsW is Exists with a watch for creation, change and deletion.
	ExistsW(ctx context.Context, path string, w Watcher) (Stat, error)
	// Get returns a znode's data and Stat.
	Get(ctx context.Context, path string) ([]byte, Stat, error)
	// GetW is Get with a watch for change and deletion.
	GetW(ctx context.Context, path string, w Watcher) ([]byte, Stat, error)
	// Set replaces a znode's data if its version matches.
	Set(ctx context.Context, path string, data []byte, version int32) (Stat, error)
	// Children lists the names (not paths) of a znode's children in no
	// particular order (opcode getChildren).
	Children(ctx context.Context, path string) ([]string, error)
	// ChildrenW is Children with a watch for created and deleted children and
	// for the znode's own deletion.
	ChildrenW(ctx context.Context, path string, w Watcher) ([]string, error)
	// Children2 is Children with the parent's Stat in the reply (opcode
	// getChildren2).
	Children2(ctx context.Context, path string) ([]string, Stat, error)
	// Children2W is Children2 with the watch of ChildrenW.
	Children2W(ctx context.Context, path string, w Watcher) ([]string, Stat, error)
	// RemoveWatches ends the watches of w on a znode (removeWatches of one
	// watcher, type Any, of the Java client): the server is asked whether it has
	// a watch there (opcode checkWatches), and w is told by an event that it was
	// removed. The server's own watch stays, and what it still sends for it
	// reaches nobody. [ErrNoWatcher] answers a watcher that is not registered.
	// A binding whose library has no such request returns [ErrUnimplemented].
	RemoveWatches(ctx context.Context, path string, w Watcher) error
	// Sync waits until the server has caught up with the leader.
	Sync(ctx context.Context, path string) error
	// Multi applies all operations or none. On failure the returned error is
	// that of the operation that failed; the results before it carry nil, its
	// own the same error, and those behind it [ErrRuntimeInconsistency].
	Multi(ctx context.Context, ops ...Op) ([]OpResult, error)

	// SessionID is the id of the current session, 0 before the first one.
	SessionID() int64
	// State is what the client knows of its connection now.
	State() State
	// SessionTimeout is the negotiated session timeout, 0 before the first
	// session.
	SessionTimeout() Duration
	// AddListener has w called with every later session event of this client
	// (Event.Type is [EventSession]), apart from any watch.
	AddListener(w Watcher)
	// RemoveListener ends AddListener.
	RemoveListener(w Watcher)
	// Close ends the session and deletes its ephemeral znodes. Every later
	// request returns [ErrSessionExpired].
	Close(ctx context.Context) error
}

// OpKind is the kind of one operation in a multi.
type OpKind uint8

// The operations a multi may hold.
const (
	OpCreate OpKind = iota + 1
	OpDelete
	OpSet
	OpCheck
)

// Op is one operation in a multi; make it with [CreateOp], [DeleteOp],
// [SetOp] or [CheckOp].
type Op struct {
	Kind    OpKind
	Path    string
	Data    []byte
	Mode    CreateMode
	Version int32
}

// CreateOp creates a znode.
func CreateOp(path string, data []byte, mode CreateMode) Op {
	return Op{Kind: OpCreate, Path: path, Data: data, Mode: mode}
}

// DeleteOp deletes a znode whose version matches.
func DeleteOp(path string, version int32) Op {
	return Op{Kind: OpDelete, Path: path, Version: version}
}

// SetOp sets a znode's data if its version matches.
func SetOp(path string, data []byte, version int32) Op {
	return Op{Kind: OpSet, Path: path, Data: data, Version: version}
}

// CheckOp fails the multi unless the znode exists and its version matches.
func CheckOp(path string, version int32) Op {
	return Op{Kind: OpCheck, Path: path, Version: version}
}

// OpResult is the outcome of one operation of a multi.
type OpResult struct {
	Path string // of a created znode
	Stat Stat   // after a set
	Err  error  // see Client.Multi
}

// State is what a client knows of its connection.
type State uint8

// The states of a client.
const (
	Connecting State = iota // no connection now; the session may live or not
	Connected               // connected with a live session
	Expired                 // the server said that the session is over
	Closed                  // Close was called
)

// String names the state.
func (s State) String() string {
	switch s {
	case Connecting:
		return "Connecting"
	case Connected:
		return "Connected"
	case Expired:
		return "Expired"
	case Closed:
		return "Closed"
	}
	return "State(?)"
}

// EventType says what an event is about. The numbers of the znode events are
// those of ZooKeeper's wire protocol.
type EventType int8

// The event types.
const (
	// EventSession: Event.State changed. Path is empty.
	EventSession             EventType = -1
	EventNodeCreated         EventType = 1
	EventNodeDeleted         EventType = 2
	EventNodeDataChanged     EventType = 3
	EventNodeChildrenChanged EventType = 4
	// The watcher was removed by [Client.RemoveWatches].
	EventDataWatchRemoved  EventType = 5
	EventChildWatchRemoved EventType = 6
)

// String names the event type as ZooKeeper does.
func (t EventType) String() string {
	switch t {
	case EventSession:
		return "Session"
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

// Event is what a watcher or a session listener is told. Session events reach
// them in the libraries' words: Connecting is Java's Disconnected and
// Curator's and Kazoo's SUSPENDED, Expired is LOST, Connected after a
// Connecting is RECONNECTED.
type Event struct {
	Type  EventType
	State State // of the client when the event arose
	Path  string
}

// Library names the client library whose ways a handle follows where the
// libraries differ: what becomes of watches and of waiting requests when the
// connection or the session ends. The facts are in the documentation of
// zkmodel.ClientOptions.
type Library uint8

// The client libraries.
const (
	// LibraryJava: watches are set again after a reconnect; session events
	// reach every registered watcher and consume none; an expired handle is
	// dead.
	LibraryJava Library = iota
	// LibraryCurator: as LibraryJava, but a new session follows an expired one.
	LibraryCurator
	// LibraryGo (go-zookeeper): watches are set again after a reconnect; at
	// expiry each watcher is called once with Expired and forgotten, and a
	// new session follows.
	LibraryGo
	// LibraryKazoo: at every loss of the connection each watcher is called
	// once with a session event and forgotten; a new session follows an
	// expired one.
	LibraryKazoo
)

// String names the library.
func (l Library) String() string {
	switch l {
	case LibraryJava:
		return "java"
	case LibraryCurator:
		return "curator"
	case LibraryGo:
		return "go-zookeeper"
	case LibraryKazoo:
		return "kazoo"
	}
	return "Library(?)"
}
