package wire_test

import (
	"time"

	"pgregory.net/rapid"

	"zoosim/zkmodel"
)

// requestOps are the types of requests with a layout of their own.
var requestOps = []zkmodel.OpCode{
	zkmodel.OpCloseSession, zkmodel.OpCreate, zkmodel.OpDelete, zkmodel.OpExists, zkmodel.OpGetData,
	zkmodel.OpSetData, zkmodel.OpGetACL, zkmodel.OpSetACL, zkmodel.OpGetChildren, zkmodel.OpSync,
	zkmodel.OpPing, zkmodel.OpGetChildren2, zkmodel.OpCheck, zkmodel.OpMulti, zkmodel.OpCreate2,
	zkmodel.OpReconfig, zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpCreateContainer,
	zkmodel.OpDeleteContainer, zkmodel.OpCreateTTL, zkmodel.OpMultiRead, zkmodel.OpAuth,
	zkmodel.OpSetWatches, zkmodel.OpSasl, zkmodel.OpGetEphemerals, zkmodel.OpGetAllChildrenNumber,
	zkmodel.OpSetWatches2, zkmodel.OpAddWatch, zkmodel.OpWhoAmI,
}

var (
	drawPath  = rapid.OneOf(rapid.SampledFrom([]string{"", "/", "/a", "/a/b", "ä/\x00", "/𝄞"}), rapid.String())
	drawPaths = rapid.Custom(func(t *rapid.T) []string {
		return orNil(rapid.SliceOfN(drawPath, 0, 4).Draw(t, "paths"))
	})
	drawData = rapid.OneOf(rapid.Just[[]byte](nil), rapid.SliceOfN(rapid.Byte(), 0, 40))
	drawACL  = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) zkmodel.ACL {
		return zkmodel.ACL{Perms: rapid.Int32().Draw(t, "perms"), ID: drawID.Draw(t, "id")}
	}), 0, 3)
	drawID = rapid.Custom(func(t *rapid.T) zkmodel.ID {
		return zkmodel.ID{Scheme: rapid.String().Draw(t, "scheme"), ID: rapid.String().Draw(t, "id")}
	})
	drawStat = rapid.Custom(func(t *rapid.T) zkmodel.Stat {
		l := rapid.Int64()
		i := rapid.Int32()
		return zkmodel.Stat{
			Czxid: l.Draw(t, "czxid"), Mzxid: l.Draw(t, "mzxid"), Ctime: l.Draw(t, "ctime"), Mtime: l.Draw(t, "mtime"),
			Version: i.Draw(t, "version"), Cversion: i.Draw(t, "cversion"), Aversion: i.Draw(t, "aversion"),
			EphemeralOwner: l.Draw(t, "owner"), DataLength: i.Draw(t, "length"), NumChildren: i.Draw(t, "children"),
			Pzxid: l.Draw(t, "pzxid"),
		}
	})
)

// orNil is v, nil if it is empty: vectors do not tell the two apart.
func orNil[T any](v []T) []T {
	if len(v) == 0 {
		return nil
	}
	return v
}

func drawOp(t *rapid.T) zkmodel.MultiOp {
	o := zkmodel.MultiOp{Path: drawPath.Draw(t, "path"), Op: rapid.SampledFrom([]zkmodel.OpCode{
		zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL,
		zkmodel.OpDelete, zkmodel.OpSetData, zkmodel.OpCheck, zkmodel.OpGetData, zkmodel.OpGetChildren,
	}).Draw(t, "op")}
	switch o.Op {
	case zkmodel.OpDelete, zkmodel.OpCheck:
		o.Version = rapid.Int32().Draw(t, "version")
	case zkmodel.OpSetData:
		o.Data, o.Version = drawData.Draw(t, "data"), rapid.Int32().Draw(t, "version")
	case zkmodel.OpGetData, zkmodel.OpGetChildren:
	default:
		o.Data, o.ACL, o.Flags = drawData.Draw(t, "data"), drawACL.Draw(t, "acl"), rapid.Int32().Draw(t, "flags")
		if o.Op == zkmodel.OpCreateTTL {
			o.TTL = rapid.Int64().Draw(t, "ttl")
		}
	}
	return o
}

// drawRequest draws a request with every field that its type has on the wire.
func drawRequest(t *rapid.T) zkmodel.Request {
	q := zkmodel.Request{Xid: rapid.Int32().Draw(t, "xid"), Op: rapid.SampledFrom(requestOps).Draw(t, "op")}
	path := func() { q.Path = drawPath.Draw(t, "path") }
	version := func() { q.Version = rapid.Int32().Draw(t, "version") }
	switch q.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		path()
		q.Data, q.ACL, q.Flags = drawData.Draw(t, "data"), drawACL.Draw(t, "acl"), rapid.Int32().Draw(t, "flags")
		if q.Op == zkmodel.OpCreateTTL {
			q.TTL = rapid.Int64().Draw(t, "ttl")
		}
	case zkmodel.OpDelete, zkmodel.OpCheck:
		path()
		version()
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		path()
		q.Watch = rapid.Bool().Draw(t, "watch")
	case zkmodel.OpSetData:
		path()
		version()
		q.Data = drawData.Draw(t, "data")
	case zkmodel.OpSetACL:
		path()
		version()
		q.ACL = drawACL.Draw(t, "acl")
	case zkmodel.OpGetACL, zkmodel.OpSync, zkmodel.OpGetEphemerals, zkmodel.OpGetAllChildrenNumber, zkmodel.OpDeleteContainer:
		path()
	case zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpAddWatch:
		path()
		q.Flags = rapid.Int32().Draw(t, "mode")
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		q.Multi = orNil(rapid.SliceOfN(rapid.Custom(drawOp), 0, 4).Draw(t, "ops"))
	case zkmodel.OpSetWatches, zkmodel.OpSetWatches2:
		q.Watches = &zkmodel.WatchSet{
			RelativeZxid: rapid.Int64().Draw(t, "zxid"),
			Data:         drawPaths.Draw(t, "data"), Exist: drawPaths.Draw(t, "exist"), Child: drawPaths.Draw(t, "child"),
		}
		if q.Op == zkmodel.OpSetWatches2 {
			q.Watches.Persistent, q.Watches.Recursive = drawPaths.Draw(t, "persistent"), drawPaths.Draw(t, "recursive")
		}
	case zkmodel.OpAuth:
		q.Auth = &zkmodel.Auth{
			Type: rapid.Int32().Draw(t, "type"), Scheme: rapid.String().Draw(t, "scheme"), Auth: drawData.Draw(t, "auth"),
		}
	case zkmodel.OpSasl:
		q.Data = drawData.Draw(t, "token")
	}
	return q
}

func drawResult(t *rapid.T) zkmodel.MultiResult {
	m := zkmodel.MultiResult{Op: rapid.SampledFrom([]zkmodel.OpCode{
		zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpDelete, zkmodel.OpSetData, zkmodel.OpCheck,
		zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpError,
	}).Draw(t, "op")}
	switch m.Op {
	case zkmodel.OpCreate:
		m.Path = drawPath.Draw(t, "path")
	case zkmodel.OpCreate2:
		m.Path, m.Stat = drawPath.Draw(t, "path"), drawStat.Draw(t, "stat")
	case zkmodel.OpSetData:
		m.Stat = drawStat.Draw(t, "stat")
	case zkmodel.OpGetData:
		m.Data, m.Stat = drawData.Draw(t, "data"), drawStat.Draw(t, "stat")
	case zkmodel.OpGetChildren:
		m.Children = drawPaths.Draw(t, "children")
	case zkmodel.OpError:
		m.Err = zkmodel.Code(rapid.Int32().Draw(t, "err"))
	}
	return m
}

// drawResponse draws an event or a reply with every field that its type has on
// the wire.
func drawResponse(t *rapid.T) zkmodel.Response {
	if rapid.Bool().Draw(t, "event") {
		return zkmodel.Response{
			Kind: zkmodel.KindEvent, Xid: -1, Zxid: rapid.Int64().Draw(t, "zxid"),
			Event: rapid.SampledFrom([]zkmodel.EventType{1, 2, 3, 4}).Draw(t, "type"), Path: drawPath.Draw(t, "path"),
		}
	}
	q := zkmodel.Response{
		Op:   rapid.SampledFrom(requestOps).Draw(t, "op"),
		Xid:  rapid.Int32().Filter(func(x int32) bool { return x != -1 }).Draw(t, "xid"),
		Zxid: rapid.Int64().Draw(t, "zxid"),
		Err:  zkmodel.Code(rapid.SampledFrom([]int32{0, 0, 0, -5, -101}).Draw(t, "err")),
	}
	if q.Err != zkmodel.OK {
		return q
	}
	switch q.Op {
	case zkmodel.OpCreate, zkmodel.OpSync:
		q.Path = drawPath.Draw(t, "path")
	case zkmodel.OpCreate2, zkmodel.OpCreateContainer, zkmodel.OpCreateTTL:
		q.Path, q.Stat = drawPath.Draw(t, "path"), drawStat.Draw(t, "stat")
	case zkmodel.OpExists, zkmodel.OpSetData, zkmodel.OpSetACL:
		q.Stat = drawStat.Draw(t, "stat")
	case zkmodel.OpGetData, zkmodel.OpReconfig:
		q.Data, q.Stat = drawData.Draw(t, "data"), drawStat.Draw(t, "stat")
	case zkmodel.OpGetACL:
		q.ACL, q.Stat = drawACL.Draw(t, "acl"), drawStat.Draw(t, "stat")
	case zkmodel.OpGetChildren, zkmodel.OpGetEphemerals:
		q.Children = drawPaths.Draw(t, "children")
	case zkmodel.OpGetChildren2:
		q.Children, q.Stat = drawPaths.Draw(t, "children"), drawStat.Draw(t, "stat")
	case zkmodel.OpGetAllChildrenNumber:
		q.Count = rapid.Int32().Draw(t, "count")
	case zkmodel.OpMulti, zkmodel.OpMultiRead:
		q.Multi = orNil(rapid.SliceOfN(rapid.Custom(drawResult), 0, 4).Draw(t, "results"))
	case zkmodel.OpSasl:
		q.Data = drawData.Draw(t, "token")
	case zkmodel.OpWhoAmI:
		for _, id := range rapid.SliceOfN(drawID, 0, 3).Draw(t, "ids") {
			q.ACL = append(q.ACL, zkmodel.ACL{ID: id})
		}
	}
	return q
}

// drawSession draws the end of a connect record: a session and its password,
// or none.
func drawSession(t *rapid.T) (id int64, password uint64) {
	if id = rapid.Int64().Draw(t, "session"); id != 0 && rapid.Bool().Draw(t, "right") {
		password = zkmodel.SessionPassword(id)
	}
	return id, password
}

func drawTimeout(t *rapid.T) time.Duration {
	return time.Duration(rapid.Int32().Draw(t, "timeout")) * time.Millisecond
}
