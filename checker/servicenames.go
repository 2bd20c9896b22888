package checker

import "strconv"

// What the sentences about the service call things.

// wireOpName is ZooKeeper's name of a request type.
func wireOpName(op int32) string {
	switch op {
	case wireCreate:
		return "create"
	case wireDelete:
		return "delete"
	case wireExists:
		return "exists"
	case wireGetData:
		return "getData"
	case wireSetData:
		return "setData"
	case wireGetACL:
		return "getACL"
	case wireSetACL:
		return "setACL"
	case wireGetChildren:
		return "getChildren"
	case wireSync:
		return "sync"
	case wirePing:
		return "ping"
	case wireGetChildren2:
		return "getChildren2"
	case wireCheck:
		return "check"
	case wireMulti:
		return "multi"
	case wireCreate2:
		return "create2"
	case wireRemoveWatches:
		return "removeWatches"
	case wireCreateContainer:
		return "createContainer"
	case wireCreateTTL:
		return "createTTL"
	case wireAuth:
		return "auth"
	case wireSetWatches:
		return "setWatches"
	case wireSetWatches2:
		return "setWatches2"
	case wireAddWatch:
		return "addWatch"
	case wireCloseSession:
		return "closeSession"
	}
	return "request of type " + strconv.Itoa(int(op))
}

// wireTypeName is ZooKeeper's name of a type of watch event.
func wireTypeName(t int32) string {
	switch t {
	case wireNodeCreated:
		return "NodeCreated"
	case wireNodeDeleted:
		return "NodeDeleted"
	case wireNodeDataChanged:
		return "NodeDataChanged"
	case wireNodeChildrenChanged:
		return "NodeChildrenChanged"
	}
	return "event of type " + strconv.Itoa(int(t))
}

// wireErrName is ZooKeeper's name of a code.
func wireErrName(code int32) string {
	switch code {
	case 0:
		return "OK"
	case wireNoNode:
		return "NoNode"
	case wireBadVersion:
		return "BadVersion"
	case wireNoChildrenForEphemerals:
		return "NoChildrenForEphemerals"
	case wireNodeExists:
		return "NodeExists"
	case wireNotEmpty:
		return "NotEmpty"
	}
	return "code " + strconv.Itoa(int(code))
}

// call is a request in a sentence, as "getData(/a)".
func (r *serviceRequest) call() string {
	if r.path == "" {
		return wireOpName(r.op)
	}
	return wireOpName(r.op) + "(" + r.path + ")"
}

// eventName is a watch event in a sentence, as "NodeDeleted(/a)".
func eventName(t int32, path string) string { return wireTypeName(t) + "(" + path + ")" }

// zxidName is a zxid in a sentence.
func zxidName(zxid int64) string { return "zxid " + strconv.FormatInt(zxid, 10) }

// by says in a sentence whose a change is.
func (x *serviceStep) by() string {
	if x.client < 0 {
		return ""
	}
	return " of " + name(x.client)
}

// sessionName is a session in a sentence: its client where that is known, and
// its id as ZooKeeper writes it.
func sessionName(id int64, client int32) string {
	text := "session 0x" + strconv.FormatInt(id, 16)
	if client < 0 {
		return text
	}
	return text + " of " + name(client)
}
