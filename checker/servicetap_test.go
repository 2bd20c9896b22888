package checker_test

import (
	"zoosim/checker"
	"zoosim/zkmodel"
)

// serviceTap stands before a server and tells what it does as the events that
// checker.Service reads. It is how any driver of the machine can feed it.
type serviceTap struct {
	zkmodel.Server
	out    zkmodel.Output
	now    zkmodel.Time
	events []checker.ServiceEvent
	client func(c zkmodel.ConnID) int32 // whose connection it is
}

func (t *serviceTap) add(e checker.ServiceEvent) {
	e.At = t.now
	t.events = append(t.events, e)
}

// request tells of a request that was sent.
func (t *serviceTap) request(c zkmodel.ConnID, r *zkmodel.Request) {
	if r.Op == zkmodel.OpConnect {
		return
	}
	e := checker.ServiceEvent{
		Kind: checker.ServiceRequest, Conn: int32(c), Xid: r.Xid, Op: int32(r.Op),
		Path: r.Path, Flags: r.Flags, Version: r.Version, Watch: r.Watch,
	}
	for i := range r.Multi {
		if r.Multi[i].Op != zkmodel.OpCheck {
			e.Changes++
		}
	}
	if w := r.Watches; w != nil {
		e.Watches = &checker.ServiceWatchSet{RelativeZxid: w.RelativeZxid, Data: w.Data, Exist: w.Exist, Child: w.Child}
	}
	t.add(e)
}

// handle has the server handle a request and tells of all that follows.
func (t *serviceTap) handle(c zkmodel.ConnID, r *zkmodel.Request) {
	t.out.Reset()
	t.Handle(t.now, c, r, &t.out)
	t.emit(r)
}

// drop tells the server that a connection is gone.
func (t *serviceTap) drop(c zkmodel.ConnID) {
	t.Drop(t.now, c)
	t.add(checker.ServiceEvent{Kind: checker.ServiceDetach, Conn: int32(c)})
}

func (t *serviceTap) tick() {
	t.out.Reset()
	t.Tick(t.now, &t.out)
	t.emit(nil)
}

func (t *serviceTap) expire(session int64) {
	t.out.Reset()
	t.Expire(t.now, session, &t.out)
	t.emit(nil)
}

// plant makes a znode before the run; number is what its next sequential
// child gets.
func (t *serviceTap) plant(path string, number int32) {
	t.Plant(path)
	t.SetCreateCount(path, number)
	st, _ := t.Lookup(path)
	t.add(checker.ServiceEvent{Kind: checker.ServicePlant, Path: path, Stat: (*checker.ServiceStat)(&st), Data: []byte{}})
	root, _ := t.Lookup("/")
	t.add(checker.ServiceEvent{Kind: checker.ServicePlant, Path: "/", Stat: (*checker.ServiceStat)(&root)})
}

// emit tells of the changes and then of the frames in t.out, which a request
// caused (nil for time).
func (t *serviceTap) emit(r *zkmodel.Request) {
	k := 0
	for i := range t.out.Txns {
		x := &t.out.Txns[i]
		e := checker.ServiceEvent{
			Kind: checker.ServiceApply, Zxid: x.Zxid, Op: int32(x.Op), Path: x.Path,
			Session: x.Session, Owner: x.Owner, Cause: causes[x.Cause],
		}
		switch {
		case x.Op == zkmodel.OpConnect:
			e.Kind = checker.ServiceOpen
		case x.Op == zkmodel.OpCloseSession:
			e.Kind = checker.ServiceEnd
		case x.Cause != zkmodel.CauseRequest:
		case r.Op == zkmodel.OpMulti:
			for r.Multi[k].Op == zkmodel.OpCheck {
				k++
			}
			e.Data, e.Sequential = r.Multi[k].Data, r.Multi[k].Flags&zkmodel.FlagSequential != 0 && x.Op == zkmodel.OpCreate
			k++
		default:
			e.Data, e.Sequential = r.Data, r.Flags&zkmodel.FlagSequential != 0 && x.Op == zkmodel.OpCreate
		}
		t.add(e)
	}
	for i := range t.out.Frames {
		t.frame(&t.out.Frames[i], r)
	}
}

var causes = map[zkmodel.Cause]checker.ServiceCause{
	zkmodel.CauseRequest: checker.ServiceByRequest,
	zkmodel.CauseClose:   checker.ServiceByClose,
	zkmodel.CauseExpiry:  checker.ServiceByExpiry,
}

// frame tells of a frame that the server sends.
func (t *serviceTap) frame(f *zkmodel.Frame, r *zkmodel.Request) {
	resp := f.Response
	e := checker.ServiceEvent{Kind: checker.ServiceReply, Conn: int32(f.Conn), Zxid: resp.Zxid}
	switch {
	case f.Hangup:
		e.Kind = checker.ServiceDetach
	case resp.Kind == zkmodel.KindEvent:
		e.Kind, e.Type, e.Path = checker.ServiceNotify, int32(resp.Event), resp.Path
	case resp.Kind == zkmodel.KindConnect:
		if resp.SessionID == 0 {
			return
		}
		e.Kind, e.Client = checker.ServiceAttach, t.client(f.Conn)
		e.Session, e.Zxid = resp.SessionID, r.LastZxidSeen
	default:
		e.Xid, e.Err, e.Path = resp.Xid, int32(resp.Err), resp.Path
		e.Children, e.Data = resp.Children, resp.Data
		if resp.Stat != (zkmodel.Stat{}) {
			e.Stat = (*checker.ServiceStat)(&resp.Stat)
		}
		for i := range resp.Multi {
			if m := resp.Multi[i].Err; e.Err == 0 && m != zkmodel.OK && m != zkmodel.RuntimeInconsistency {
				e.Err = int32(m)
			}
		}
	}
	t.add(e)
}
