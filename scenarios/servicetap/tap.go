package servicetap

import (
	"strings"

	"zoosim/checker"
	"zoosim/zkmodel"
)

// Observer is told of each event. The event, and what it points to, is only
// valid during the call.
type Observer interface {
	Observe(e *checker.ServiceEvent)
}

// Tap turns a server's inputs and outputs into events. It allocates nothing
// but the body of a setWatches.
type Tap struct {
	To    Observer
	event checker.ServiceEvent // scratch
	stat  checker.ServiceStat  // scratch
}

// noData is the data of a znode that has none.
var noData = []byte{}

// begin starts an event in the scratch space.
func (t *Tap) begin(now zkmodel.Time, k checker.ServiceKind) *checker.ServiceEvent {
	t.event = checker.ServiceEvent{At: now, Kind: k}
	return &t.event
}

// Plant tells that the znode at path, and those above it, stand without a
// transaction, or were given other numbers from outside.
func (t *Tap) Plant(now zkmodel.Time, s *zkmodel.Server, path string) {
	if path != "/" {
		parent := path[:strings.LastIndexByte(path, '/')]
		if parent == "" {
			parent = "/"
		}
		t.Plant(now, s, parent)
	}
	st, ok := s.Lookup(path)
	if !ok {
		return
	}
	t.stat = checker.ServiceStat(st)
	e := t.begin(now, checker.ServicePlant)
	e.Path, e.Stat = path, &t.stat
	if st.DataLength == 0 {
		e.Data = noData
	}
	t.To.Observe(e)
}

// Request tells of a request on a connection that has a session, before the
// server handles it.
func (t *Tap) Request(now zkmodel.Time, c zkmodel.ConnID, r *zkmodel.Request) {
	if r.Op == zkmodel.OpConnect {
		return
	}
	e := t.begin(now, checker.ServiceRequest)
	e.Conn, e.Xid, e.Op = int32(c), r.Xid, int32(r.Op)
	e.Path, e.Flags, e.Version, e.Watch = r.Path, r.Flags, r.Version, r.Watch
	for i := range r.Multi {
		if r.Multi[i].Op != zkmodel.OpCheck {
			e.Changes++
		}
	}
	if w := r.Watches; w != nil {
		e.Watches = &checker.ServiceWatchSet{
			RelativeZxid: w.RelativeZxid, Data: w.Data, Exist: w.Exist, Child: w.Child,
			Persistent: w.Persistent, Recursive: w.Recursive,
		}
	}
	t.To.Observe(e)
}

// Drop tells that the server has been told that a connection is gone.
func (t *Tap) Drop(now zkmodel.Time, c zkmodel.ConnID) {
	t.begin(now, checker.ServiceDetach).Conn = int32(c)
	t.To.Observe(&t.event)
}

// Output tells of what an input put out: the changes, then the frames. The
// input was a request of a client, or the time (r is nil).
func (t *Tap) Output(now zkmodel.Time, client int32, r *zkmodel.Request, out *zkmodel.Output) {
	next := 0 // operation of a multi
	for i := range out.Txns {
		x := &out.Txns[i]
		e := t.begin(now, checker.ServiceApply)
		e.Zxid, e.Op, e.Path = x.Zxid, int32(x.Op), x.Path
		e.Session, e.Owner, e.Cause = x.Session, x.Owner, cause(x.Cause)
		switch {
		case x.Op == zkmodel.OpConnect:
			e.Kind = checker.ServiceOpen
		case x.Op == zkmodel.OpCloseSession:
			e.Kind = checker.ServiceEnd
		case x.Op == zkmodel.OpError:
			e.Kind = checker.ServicePass
		case x.Cause != zkmodel.CauseRequest:
		case r.Op == zkmodel.OpMulti:
			for r.Multi[next].Op == zkmodel.OpCheck {
				next++
			}
			o := &r.Multi[next]
			e.Data, e.Sequential = o.Data, sequential(x.Op, o.Flags)
			next++
		default:
			e.Data, e.Sequential = r.Data, sequential(x.Op, r.Flags)
		}
		t.To.Observe(e)
	}
	for i := range out.Frames {
		t.frame(now, client, r, &out.Frames[i])
	}
}

// sequential says whether a change is the create of a numbered znode.
func sequential(op zkmodel.OpCode, flags int32) bool {
	switch flags {
	case zkmodel.FlagSequential, zkmodel.FlagEphemeral | zkmodel.FlagSequential, zkmodel.FlagTTLSequential:
		return op == zkmodel.OpCreate
	}
	return false
}

func cause(c zkmodel.Cause) checker.ServiceCause {
	switch c {
	case zkmodel.CauseClose:
		return checker.ServiceByClose
	case zkmodel.CauseExpiry:
		return checker.ServiceByExpiry
	case zkmodel.CauseReaper:
		return checker.ServiceByServer
	}
	return checker.ServiceByRequest
}

// frame tells of a frame that the server sends.
func (t *Tap) frame(now zkmodel.Time, client int32, r *zkmodel.Request, f *zkmodel.Frame) {
	resp := &f.Response
	e := t.begin(now, checker.ServiceReply)
	e.Conn, e.Zxid = int32(f.Conn), resp.Zxid
	switch {
	case f.Hangup:
		e.Kind = checker.ServiceDetach
	case resp.Kind == zkmodel.KindEvent:
		e.Kind, e.Type, e.Path = checker.ServiceNotify, int32(resp.Event), resp.Path
	case resp.Kind == zkmodel.KindConnect:
		if resp.SessionID == 0 {
			return // turned away
		}
		e.Kind, e.Client = checker.ServiceAttach, client
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
	t.To.Observe(e)
}
