package zkmodel

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clientRig drives a Client by text.
type clientRig struct {
	t   testing.TB
	c   Client
	out ClientOutput
	now Time
}

func newClientRig(t testing.TB, o ClientOptions) *clientRig {
	r := &clientRig{t: t}
	r.c.Init(o)
	return r
}

// play runs inputs and compares what each puts out; steps are pairs of the
// two.
func (r *clientRig) play(steps ...string) {
	r.t.Helper()
	require.Zero(r.t, len(steps)%2)
	for i := 0; i < len(steps); i += 2 {
		require.Equal(r.t, steps[i+1], r.do(steps[i]), "step %d: %s", i/2, steps[i])
	}
}

// do runs one input and returns its output as text. The inputs:
//
//	start, redial, closed (the transport), timer, newsession
//	at 2.5s                     sets the time
//	submit 1 getData /a w7      tag, operation, path, watcher
//	connect 5 4s                session, negotiated timeout (10 s)
//	reply 3 NoNode z9           xid, code (OK), zxid
//	event NodeDeleted /a
//	listen 9, unlisten 9
func (r *clientRig) do(input string) string {
	r.t.Helper()
	r.out.Reset()
	f := strings.Fields(input)
	num := func(s string) int32 {
		n, err := strconv.Atoi(s)
		require.NoError(r.t, err, input)
		return int32(n)
	}
	switch f[0] {
	case "start":
		r.c.Start(r.now, &r.out)
	case "redial":
		r.c.Redial(r.now, &r.out)
	case "closed":
		r.c.TransportClosed(r.now, &r.out)
	case "timer":
		r.c.Timer(r.now, &r.out)
	case "newsession":
		r.c.NewSession(r.now, &r.out)
	case "at":
		r.now = parseTime(r.t, f[1])
	case "listen":
		r.c.AddListener(num(f[1]))
	case "unlisten":
		r.c.RemoveListener(num(f[1]))
	case "submit":
		req := Request{Op: parseOp(r.t, f[2])}
		var watcher int32
		for _, a := range f[3:] {
			if a[0] == '/' {
				req.Path = a
			} else {
				watcher = num(a[1:])
			}
		}
		before := req
		r.c.Submit(r.now, num(f[1]), watcher, &req, &r.out)
		require.Equal(r.t, before, req)
	case "connect":
		timeout := 10 * time.Second
		if len(f) > 2 {
			timeout = parseTime(r.t, f[2])
		}
		sid := int64(num(f[1]))
		r.c.Deliver(r.now, &Response{
			Kind: KindConnect, Op: OpConnect, SessionID: sid, Password: uint64(sid) * 100, Timeout: timeout,
		}, &r.out)
	case "reply":
		resp := Response{Kind: KindReply, Xid: num(f[1])}
		for _, a := range f[2:] {
			if a[0] == 'z' {
				resp.Zxid = int64(num(a[1:]))
			} else {
				resp.Err = parseCode(r.t, a)
			}
		}
		r.c.Deliver(r.now, &resp, &r.out)
	case "event":
		r.c.Deliver(r.now, &Response{
			Kind: KindEvent, Xid: -1, Zxid: -1, Event: parseEvent(r.t, f[1]), Path: f[2],
		}, &r.out)
	default:
		require.Fail(r.t, "unknown input", input)
	}
	return renderOutput(&r.out)
}

// renderOutput writes an output on one line, in the order in which a driver
// acts on it.
func renderOutput(o *ClientOutput) string {
	var parts []string
	add := func(on bool, s string) {
		if on {
			parts = append(parts, s)
		}
	}
	add(o.Up, "up")
	add(o.Down, "down")
	add(o.SessionOver, "over")
	add(o.Hangup, "hangup")
	add(o.Dial, "dial")
	for i := range o.Send {
		parts = append(parts, renderSend(&o.Send[i]))
	}
	for i := range o.Done {
		parts = append(parts, fmt.Sprintf("done(%d %v)", o.Done[i].Tag, o.Done[i].Response.Err))
	}
	for _, c := range o.Calls {
		if c.Event.Type == EventNone {
			parts = append(parts, fmt.Sprintf("call(%d %v)", c.Watcher, c.Event.State))
		} else {
			parts = append(parts, fmt.Sprintf("call(%d %v %s)", c.Watcher, c.Event.Type, c.Event.Path))
		}
	}
	add(o.Redial, fmt.Sprintf("redial(%v-%v)", o.RedialMin, o.RedialMax))
	return strings.Join(parts, " ")
}

func renderSend(q *Request) string {
	switch q.Op {
	case OpConnect:
		return fmt.Sprintf("send(connect s%d p%d z%d %v)", q.SessionID, q.Password, q.LastZxidSeen, q.Timeout)
	case OpSetWatches:
		w := q.Watches
		return fmt.Sprintf("send(#%d setWatches z%d %v %v %v)", q.Xid, w.RelativeZxid, w.Data, w.Exist, w.Child)
	}
	s := fmt.Sprintf("send(#%d %v", q.Xid, q.Op)
	if q.Path != "" {
		s += " " + q.Path
	}
	if q.Watch {
		s += " watch"
	}
	return s + ")"
}

func parseTime(t testing.TB, s string) Time {
	d, err := time.ParseDuration(s)
	require.NoError(t, err)
	return d
}

func parseOp(t testing.TB, s string) OpCode {
	for o := OpCode(-11); o <= 101; o++ {
		if o.String() == s {
			return o
		}
	}
	require.Fail(t, "unknown operation", s)
	return 0
}

func parseCode(t testing.TB, s string) Code {
	for c := Code(-127); c <= 0; c++ {
		if c.String() == s {
			return c
		}
	}
	require.Fail(t, "unknown code", s)
	return 0
}

func parseEvent(t testing.TB, s string) EventType {
	for e := EventNodeCreated; e <= EventNodeChildrenChanged; e++ {
		if e.String() == s {
			return e
		}
	}
	require.Fail(t, "unknown event", s)
	return 0
}
