package wire

import (
	"fmt"

	"zoosim/zkmodel"
)

// stateSyncConnected is the state that every watch event carries.
const stateSyncConnected = 3

// eventXid is the xid of every watch event.
const eventXid = -1

// AppendResponse appends the payload of the frame of a reply or an event; of a
// connect response, see [AppendConnectResponse].
func AppendResponse(dst []byte, r *zkmodel.Response) []byte {
	dst = appendInt(dst, r.Xid)
	dst = appendLong(dst, r.Zxid)
	dst = appendInt(dst, int32(r.Err))
	switch {
	case r.Kind == zkmodel.KindEvent:
		dst = appendInt(dst, int32(r.Event))
		dst = appendInt(dst, stateSyncConnected)
		return appendJavaString(dst, r.Path)
	case r.Err == zkmodel.OK:
		return appendResponseBody(dst, r)
	case r.Op == zkmodel.OpMultiRead && r.Multi != nil:
		return appendMultiEnd(dst) // the one error with a body
	}
	return dst
}

func appendResponseBody(dst []byte, r *zkmodel.Response) []byte {
	switch r.Op {
	case zkmodel.OpCreate, zkmodel.OpSync:
		dst = appendJavaString(dst, r.Path)
	case zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		dst = appendStat(appendString(dst, r.Path), &r.Stat)
	case zkmodel.OpExists, zkmodel.OpSetData, zkmodel.OpSetACL:
		dst = appendStat(dst, &r.Stat)
	case zkmodel.OpGetData, zkmodel.OpReconfig:
		dst = appendStat(appendBuffer(dst, r.Data), &r.Stat)
	case zkmodel.OpGetACL:
		dst = appendStat(appendACLs(dst, r.ACL), &r.Stat)
	case zkmodel.OpGetChildren, zkmodel.OpGetEphemerals:
		dst = appendStrings(dst, r.Children)
	case zkmodel.OpGetChildren2:
		dst = appendStat(appendStrings(dst, r.Children), &r.Stat)
	case zkmodel.OpGetAllChildrenNumber:
		dst = appendInt(dst, r.Count)
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		dst = appendMultiResults(dst, r.Multi)
	case zkmodel.OpAddWatch:
		dst = appendInt(dst, 0) // an ErrorResponse with code 0
	case zkmodel.OpSasl:
		dst = appendBuffer(dst, r.Data)
	case zkmodel.OpWhoAmI:
		dst = appendInt(dst, int32(len(r.ACL)))
		for i := range r.ACL {
			dst = appendID(dst, r.ACL[i].ID)
		}
	}
	return dst
}

// DecodeResponse reads the payload of a frame behind the connect response: an
// event if its xid says so, otherwise the reply to a request of type op.
// Anything missing or left over is an error.
func DecodeResponse(p []byte, op zkmodel.OpCode) (zkmodel.Response, error) {
	r := reader{b: p, java: true}
	q := zkmodel.Response{Xid: r.int(), Zxid: r.long(), Err: zkmodel.Code(r.int())}
	switch {
	case r.bad:
		return q, fmt.Errorf("reply of %d bytes has no header: %w", len(p), ErrMalformed)
	case q.Xid == eventXid:
		q.Kind = zkmodel.KindEvent
		t := r.int()
		q.Event = zkmodel.EventType(t)
		if state := r.int(); !r.bad && (state != stateSyncConnected || t != int32(q.Event)) {
			return q, fmt.Errorf("event of type %d in state %d: %w", t, state, ErrMalformed)
		}
		q.Path = r.path()
	default:
		q.Op = op
		if q.Err == zkmodel.OK {
			r.responseBody(&q)
		} else if op == zkmodel.OpMultiRead && len(r.b) > 0 {
			if results := r.multiResults(); len(results) > 0 {
				r.bad = true
			}
			q.Multi = []zkmodel.MultiResult{}
		}
	}
	if r.bad || len(r.b) > 0 {
		return q, fmt.Errorf("reply to %s of %d bytes, %d of them left over: %w", op, len(p), len(r.b), ErrMalformed)
	}
	return q, nil
}

func (r *reader) responseBody(q *zkmodel.Response) {
	switch q.Op {
	case zkmodel.OpCreate, zkmodel.OpSync:
		q.Path = r.path()
	case zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		q.Path = r.path()
		r.stat(&q.Stat)
	case zkmodel.OpExists, zkmodel.OpSetData, zkmodel.OpSetACL:
		r.stat(&q.Stat)
	case zkmodel.OpGetData, zkmodel.OpReconfig:
		q.Data = r.buffer()
		r.stat(&q.Stat)
	case zkmodel.OpGetACL:
		q.ACL = r.acls()
		r.stat(&q.Stat)
	case zkmodel.OpGetChildren, zkmodel.OpGetEphemerals:
		q.Children = r.paths()
	case zkmodel.OpGetChildren2:
		q.Children = r.paths()
		r.stat(&q.Stat)
	case zkmodel.OpGetAllChildrenNumber:
		q.Count = r.int()
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		q.Multi = r.multiResults()
	case zkmodel.OpAddWatch:
		if r.int() != 0 {
			r.bad = true
		}
	case zkmodel.OpSasl:
		q.Data = r.buffer()
	case zkmodel.OpWhoAmI:
		n := r.count(2 * minString)
		for range n {
			q.ACL = append(q.ACL, zkmodel.ACL{ID: r.id()})
		}
	}
}
