package simzk

import (
	"fmt"
	"strings"

	"zoosim/zkmodel"
)

// describeRequest is a request in a trace, as "create(/lock/n-, ephemeral
// sequential)".
func describeRequest(r *zkmodel.Request) string {
	var b strings.Builder
	b.WriteString(r.Op.String())
	switch r.Op {
	case zkmodel.OpConnect:
		if r.SessionID == 0 {
			return "connect(new session)"
		}
		return fmt.Sprintf("connect(session %d)", sessionNumber(r.SessionID))
	case zkmodel.OpCloseSession:
		return "closeSession"
	case zkmodel.OpSetWatches:
		n := 0
		if s := r.Watches; s != nil {
			n = len(s.Data) + len(s.Exist) + len(s.Child)
		}
		return fmt.Sprintf("setWatches(%d)", n)
	case zkmodel.OpMulti:
		return fmt.Sprintf("multi(%d operations)", len(r.Multi))
	}
	b.WriteByte('(')
	b.WriteString(r.Path)
	if r.Flags&zkmodel.FlagEphemeral != 0 {
		b.WriteString(", ephemeral")
	}
	if r.Flags&zkmodel.FlagSequential != 0 {
		b.WriteString(", sequential")
	}
	if r.Watch {
		b.WriteString(", watch")
	}
	b.WriteByte(')')
	return b.String()
}

// describeResponse is a frame from the server in a trace.
func describeResponse(r *zkmodel.Response) string {
	switch r.Kind {
	case zkmodel.KindConnect:
		if r.SessionID == 0 {
			return "the answer that its session is over"
		}
		return fmt.Sprintf("session %d", sessionNumber(r.SessionID))
	case zkmodel.KindEvent:
		return fmt.Sprintf("event %s(%s)", r.Event, r.Path)
	}
	if r.Err != zkmodel.OK {
		return fmt.Sprintf("%s for %s", r.Err, r.Op)
	}
	switch r.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2:
		return fmt.Sprintf("%s -> %s", r.Op, r.Path)
	case zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		if len(r.Children) > 8 {
			return fmt.Sprintf("%s -> %d names", r.Op, len(r.Children))
		}
		return fmt.Sprintf("%s -> [%s]", r.Op, strings.Join(r.Children, " "))
	}
	return fmt.Sprintf("%s -> OK", r.Op)
}

// sessionNumber is a session's number in order of connecting.
func sessionNumber(id int64) int64 { return id & 0xffffffff }

// traceTxn writes a change of the server's state into the trace.
func (w *World) traceTxn(t *zkmodel.Txn) {
	notified := ""
	if t.Notified > 0 {
		notified = fmt.Sprintf(", %d notified", t.Notified)
	}
	switch t.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2:
		w.K.Tracef("server: created %s%s", t.Path, notified)
	case zkmodel.OpDelete:
		why := ""
		switch t.Cause {
		case zkmodel.CauseExpiry:
			why = " with its session"
		case zkmodel.CauseClose:
			why = " as its session closed"
		}
		w.K.Tracef("server: deleted %s%s%s", t.Path, why, notified)
	case zkmodel.OpSetData:
		w.K.Tracef("server: changed %s%s", t.Path, notified)
	case zkmodel.OpCloseSession:
		if t.Cause == zkmodel.CauseExpiry {
			w.K.Tracef("server: session %d expired", sessionNumber(t.Session))
		}
	}
}
