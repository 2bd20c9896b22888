package wire

import (
	"fmt"
	"time"

	"zoosim/zkmodel"
)

// headerBytes is the length of a request's header: xid and type.
const headerBytes = 8

// AppendRequest appends the payload of the frame of r; of a connect request,
// see [AppendConnectRequest].
func AppendRequest(dst []byte, r *zkmodel.Request) []byte {
	dst = appendInt(dst, r.Xid)
	dst = appendInt(dst, int32(r.Op))
	return appendRequestBody(dst, r)
}

func appendRequestBody(dst []byte, r *zkmodel.Request) []byte {
	switch r.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		dst = appendCreate(dst, r.Op, &zkmodel.MultiOp{
			Path: r.Path, Data: r.Data, ACL: r.ACL, Flags: r.Flags, TTL: r.TTL,
		})
	case zkmodel.OpDelete, zkmodel.OpCheck:
		dst = appendInt(appendString(dst, r.Path), r.Version)
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		dst = appendBool(appendString(dst, r.Path), r.Watch)
	case zkmodel.OpSetData:
		dst = appendInt(appendBuffer(appendString(dst, r.Path), r.Data), r.Version)
	case zkmodel.OpGetACL, zkmodel.OpSync, zkmodel.OpGetEphemerals, zkmodel.OpGetAllChildrenNumber:
		dst = appendString(dst, r.Path)
	case zkmodel.OpSetACL:
		dst = appendInt(appendACL(appendString(dst, r.Path), r.ACL), r.Version)
	case zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpAddWatch:
		dst = appendInt(appendString(dst, r.Path), r.Flags)
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		dst = appendMulti(dst, r.Multi)
	case zkmodel.OpSetWatches, zkmodel.OpSetWatches2:
		dst = appendWatchSet(dst, r.Op, r.Watches)
	case zkmodel.OpAuth:
		dst = appendAuth(dst, r.Auth)
	case zkmodel.OpSasl:
		dst = appendBuffer(dst, r.Data)
	case zkmodel.OpCreateSession:
		dst = appendInt(dst, int32(r.Timeout/time.Millisecond))
	case zkmodel.OpReconfig:
		// Joining, leaving and new members, and the version of the
		// configuration they replace.
		dst = appendLong(appendInt(appendInt(appendInt(dst, null), null), null), -1)
	case zkmodel.OpDeleteContainer:
		dst = append(dst, r.Path...) // as it stands, without a length
	}
	return dst
}

func appendCreate(dst []byte, op zkmodel.OpCode, c *zkmodel.MultiOp) []byte {
	dst = appendString(dst, c.Path)
	dst = appendBuffer(dst, c.Data)
	dst = appendACL(dst, c.ACL)
	dst = appendInt(dst, c.Flags)
	if op == zkmodel.OpCreateTTL {
		dst = appendLong(dst, c.TTL)
	}
	return dst
}

func appendWatchSet(dst []byte, op zkmodel.OpCode, w *zkmodel.WatchSet) []byte {
	if w == nil {
		w = &zkmodel.WatchSet{}
	}
	dst = appendLong(dst, w.RelativeZxid)
	dst = appendStrings(dst, w.Data)
	dst = appendStrings(dst, w.Exist)
	dst = appendStrings(dst, w.Child)
	if op == zkmodel.OpSetWatches2 {
		dst = appendStrings(dst, w.Persistent)
		dst = appendStrings(dst, w.Recursive)
	}
	return dst
}

func appendAuth(dst []byte, a *zkmodel.Auth) []byte {
	if a == nil {
		a = &zkmodel.Auth{}
	}
	return appendBuffer(appendString(appendInt(dst, a.Type), a.Scheme), a.Auth)
}

// DecodeRequest reads the payload of a frame behind the connect request. Where
// the header is all that can be read, the request is Malformed: a server
// answers it with a marshalling error. No header is an error: a server closes
// the connection. What stands behind the body is not looked at, and neither is
// the body of a type that is not known. A null path cannot be read, except
// where it is a bad path like the empty one (setData, setACL, check) or stands
// for it (getEphemerals).
func DecodeRequest(p []byte) (zkmodel.Request, error) {
	if len(p) < headerBytes {
		return zkmodel.Request{}, fmt.Errorf("request of %d bytes; allowed: %d and more: %w", len(p), headerBytes, ErrMalformed)
	}
	r := reader{b: p}
	xid, op := r.int(), zkmodel.OpCode(r.int())
	q := zkmodel.Request{Xid: xid, Op: op}
	r.requestBody(&q)
	if r.bad {
		q = zkmodel.Request{Xid: xid, Op: op, Malformed: true}
	}
	return q, nil
}

func (r *reader) requestBody(q *zkmodel.Request) {
	switch q.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		c := r.create(q.Op)
		q.Path, q.Data, q.ACL, q.Flags, q.TTL = c.Path, c.Data, c.ACL, c.Flags, c.TTL
	case zkmodel.OpDelete:
		q.Path, q.Version = r.path(), r.int()
	case zkmodel.OpCheck:
		q.Path, q.Version = r.string(), r.int()
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		q.Path, q.Watch = r.path(), r.bool()
	case zkmodel.OpSetData:
		q.Path, q.Data, q.Version = r.string(), r.buffer(), r.int()
	case zkmodel.OpGetACL, zkmodel.OpSync, zkmodel.OpGetAllChildrenNumber:
		q.Path = r.path()
	case zkmodel.OpGetEphemerals:
		q.Path = r.string()
	case zkmodel.OpSetACL:
		q.Path, q.ACL, q.Version = r.string(), r.acls(), r.int()
	case zkmodel.OpCreateSession:
		q.Timeout = time.Duration(r.int()) * time.Millisecond
	case zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpAddWatch:
		q.Path, q.Flags = r.path(), r.int()
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		q.Multi = r.multi()
	case zkmodel.OpSetWatches, zkmodel.OpSetWatches2:
		q.Watches = r.watchSet(q.Op)
	case zkmodel.OpAuth:
		q.Auth = &zkmodel.Auth{Type: r.int(), Scheme: r.string(), Auth: r.buffer()}
	case zkmodel.OpSasl:
		q.Data = r.buffer()
	case zkmodel.OpReconfig:
		_, _, _, _ = r.string(), r.string(), r.string(), r.long()
	case zkmodel.OpDeleteContainer:
		q.Path = decodeUTF8(r.b)
	}
}

func (r *reader) create(op zkmodel.OpCode) zkmodel.MultiOp {
	c := zkmodel.MultiOp{Op: op, Path: r.path(), Data: r.buffer(), ACL: r.acls(), Flags: r.int()}
	if op == zkmodel.OpCreateTTL {
		c.TTL = r.long()
	}
	return c
}

func (r *reader) watchSet(op zkmodel.OpCode) *zkmodel.WatchSet {
	w := &zkmodel.WatchSet{RelativeZxid: r.long(), Data: r.paths(), Exist: r.paths(), Child: r.paths()}
	if op == zkmodel.OpSetWatches2 {
		w.Persistent, w.Recursive = r.paths(), r.paths()
	}
	return w
}
