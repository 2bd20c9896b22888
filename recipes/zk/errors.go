package zk

import "errors"

// The errors of ZooKeeper (class KeeperException.Code) that a recipe can see.
// Bindings return these values themselves; compare with errors.Is.
var (
	// ErrConnectionLoss: the connection went; the request was applied or not.
	ErrConnectionLoss = errors.New("zk: connection loss")
	// ErrSessionExpired: the session is over, or the handle was closed.
	ErrSessionExpired          = errors.New("zk: session expired")
	ErrNoNode                  = errors.New("zk: no node")
	ErrNodeExists              = errors.New("zk: node exists")
	ErrBadVersion              = errors.New("zk: bad version")
	ErrNotEmpty                = errors.New("zk: not empty")
	ErrNoChildrenForEphemerals = errors.New("zk: ephemeral nodes may not have children")
	ErrBadArguments            = errors.New("zk: bad arguments")
	ErrInvalidACL              = errors.New("zk: invalid ACL")
	ErrNoAuth                  = errors.New("zk: no permission")
	ErrMarshalling             = errors.New("zk: marshalling error")
	ErrUnimplemented           = errors.New("zk: unimplemented")
	ErrNoWatcher               = errors.New("zk: no such watcher")
	// ErrRuntimeInconsistency marks the operations of a failed multi behind
	// the one that failed.
	ErrRuntimeInconsistency = errors.New("zk: not evaluated")
	// ErrInterrupted: the task was interrupted while it waited (Java's
	// InterruptedException).
	ErrInterrupted = errors.New("zk: interrupted")
)
