package conform

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// Runner carries out steps on an arm and shows what comes back.
type Runner struct {
	noZxid bool // of the present step
	arm    Arm
	root   string
	base   int64           // zxids are shown relative to it
	conns  []*runConn      // in order of their opening
	ids    []int64         // of the sessions, in order of their beginning
	times  map[int64]int64 // of a zxid, ms
}

// runConn is a named connection.
type runConn struct {
	name    string
	n       int // its number in the arm
	old     bool
	early   [][]byte // received while it was opened
	greeted bool
	closed  bool // its end was shown
	dropped bool
	session int64
	over    int64 // the session that it had, if that is over
	timeout time.Duration
	xid     int32
	sent    []sentOp
}

// sentOp is a request that waits for its reply.
type sentOp struct {
	xid int32
	op  zkmodel.OpCode
}

// NewRunner prepares a run on arm. Paths of the script that begin with a slash
// lie below root, a znode that is made here; an empty root is the real one.
func NewRunner(arm Arm, root string) (*Runner, error) {
	r := &Runner{arm: arm, root: root, times: map[int64]int64{}}
	if root == "" {
		return r, nil
	}
	c := &runConn{name: "setup"}
	setup := Step{Verb: VerbConnect, Timeout: time.Minute}
	if err := r.connect(c, &setup, 0); err != nil {
		return nil, err
	}
	if len(c.early) == 0 {
		return nil, fmt.Errorf("make %s: the server refuses a session", root)
	}
	for _, q := range []zkmodel.Request{{Op: zkmodel.OpCreate, Path: root, Data: []byte{}}, {Op: zkmodel.OpCloseSession}} {
		q.Xid++
		arm.Send(c.n, frame(wire.AppendRequest(nil, &q)))
		if err := arm.Settle(c.n, Want{Replies: 1, End: q.Op == zkmodel.OpCloseSession}); err != nil {
			return nil, fmt.Errorf("make %s: %w", root, err)
		}
	}
	payloads, _ := arm.Take(c.n)
	if len(payloads) != 2 {
		return nil, fmt.Errorf("make %s: %d frames came back", root, len(payloads))
	}
	last, err := wire.DecodeResponse(payloads[1], zkmodel.OpCloseSession)
	if err != nil {
		return nil, err
	}
	r.base, r.ids = last.Zxid, nil
	return r, nil
}

// Run carries out a script below root and returns what each step shows.
func Run(arm Arm, root string, s Script) ([][]string, error) {
	r, err := NewRunner(arm, root)
	if err != nil {
		return nil, err
	}
	shown := make([][]string, len(s))
	for i := range s {
		if shown[i], err = r.Step(&s[i]); err != nil {
			r.End() // there is an error already
			return shown[:i], fmt.Errorf("step %d, %s: %w", i+1, strings.ReplaceAll(s[i].String(), "\n", "; "), err)
		}
	}
	return shown, r.End()
}

// Step carries out a step. Each line that it returns begins with the name of a
// connection; connections come in order of their opening.
func (r *Runner) Step(s *Step) ([]string, error) {
	c := r.conn(s.Conn)
	r.noZxid = s.NoZxid
	var err error
	switch {
	case s.Verb == VerbConnect:
		if c != nil && !c.closed {
			return []string{s.Conn + ": is connected"}, nil
		}
		id := int64(0)
		if s.Session != "" {
			x := r.conn(s.Session)
			if x == nil || x.session == 0 && x.over == 0 {
				return []string{s.Conn + ": no session " + s.Session}, nil
			}
			id = cmp.Or(x.session, x.over)
		}
		r.conns = slices.DeleteFunc(r.conns, func(x *runConn) bool { return x == c && x.session == 0 })
		c = &runConn{name: s.Conn, old: s.Old}
		err = r.connect(c, s, id)
		r.conns = append(r.conns, c)
	case s.Verb == VerbWait:
		err = r.arm.Wait(s.For)
	case c == nil || c.closed && s.Verb != VerbExpire:
		return []string{s.Conn + ": is not connected"}, nil
	case s.Verb == VerbDo:
		err = r.do(c, s)
	case s.Verb == VerbDrop:
		r.arm.Drop(c.n)
		c.closed, c.dropped = true, true
	case s.Verb == VerbExpire:
		if c.session == 0 || r.attachedElsewhere(c) {
			return []string{s.Conn + ": no session to expire"}, nil
		}
		err = r.arm.Expire(c.n, c.session, c.timeout)
		r.endSession(c.session)
	default:
		err = fmt.Errorf("unknown verb %q", s.Verb)
	}
	return r.show(s), err
}

// conn is the newest connection of a name.
func (r *Runner) conn(name string) *runConn {
	for i := len(r.conns) - 1; i >= 0; i-- {
		if r.conns[i].name == name {
			return r.conns[i]
		}
	}
	return nil
}

// attachedElsewhere says whether the session of c lives on another connection.
func (r *Runner) attachedElsewhere(c *runConn) bool {
	return slices.ContainsFunc(r.conns, func(x *runConn) bool {
		return x != c && x.session == c.session && !x.closed
	})
}

// endSession forgets a session that is over.
func (r *Runner) endSession(id int64) {
	for _, x := range r.conns {
		if x.session == id {
			x.session, x.over = 0, id
		}
	}
}

func frame(payload []byte) []byte {
	return wire.EndFrame(append(wire.BeginFrame(nil), payload...), 0)
}

// connect opens a connection and sends its connect request, for the session of
// this id or, if that is 0, for a new one.
func (r *Runner) connect(c *runConn, s *Step, id int64) error {
	q := zkmodel.Request{Op: zkmodel.OpConnect, Timeout: s.Timeout, SessionID: id}
	if s.Seen != nil {
		q.LastZxidSeen = r.base + *s.Seen
	}
	if id != 0 {
		q.Password = zkmodel.SessionPassword(id)
		if s.Wrong {
			q.Password++
		}
	}
	n, err := r.arm.Open()
	if err != nil {
		return err
	}
	c.n = n
	p := wire.AppendConnectRequest(nil, &q, !s.Old)
	if s.Null {
		at := len(p) - wire.PasswordBytes - 4
		if !s.Old {
			at--
		}
		p = append(append(p[:at:at], 0xff, 0xff, 0xff, 0xff), p[at+4+wire.PasswordBytes:]...)
	}
	r.arm.Send(n, frame(p))
	if err := r.arm.Settle(n, Want{Replies: 1}); err != nil {
		return err
	}
	var closed bool
	if c.early, closed = r.arm.Take(n); len(c.early) == 0 || closed {
		return nil
	}
	if resp, _, err := wire.DecodeConnectResponse(c.early[0]); err == nil && resp.SessionID == 0 {
		return r.arm.Settle(n, Want{End: true})
	}
	return nil
}

// do sends a batch at once and waits for what it causes.
func (r *Runner) do(c *runConn, s *Step) error {
	var b []byte
	want := Want{Replies: len(s.Ops), Quiet: true}
	silent, pings := false, 0
	for i := range s.Ops {
		o := &s.Ops[i]
		c.xid++
		p := r.payload(c, o)
		b = append(b, frame(p)...)
		want.End = want.End || len(p) > wire.DefaultMaxFrame
		op := o.Request.Op
		switch {
		case op == zkmodel.OpPing:
			pings++
		case op == zkmodel.OpCheck:
			silent = true // it has no reply if it succeeds
		}
		want.End = want.End || ends(o)
		want.Quiet = want.Quiet && quiet(op)
	}
	if silent && !want.End {
		b = append(b, pingFrame...)
		c.sent = append(c.sent, sentOp{0, zkmodel.OpPing})
		want.Pings = pings + 1
	}
	r.arm.Send(c.n, b)
	return r.arm.Settle(c.n, want)
}

// ends says whether a request makes the server close the connection.
func ends(o *Op) bool {
	switch op := o.Request.Op; {
	case o.Bare, o.Big > wire.DefaultMaxFrame, op == zkmodel.OpCloseSession:
		return true
	case op == zkmodel.OpAuth:
		a := o.Request.Auth
		return o.Raw != nil || a == nil || a.Auth == nil && a.Scheme != "ip" || a.Scheme != "ip" && a.Scheme != "digest"
	case op == zkmodel.OpSasl:
		return o.Raw != nil || o.Request.Data == nil
	default:
		return !slices.Contains(opNames, op)
	}
}

// quiet says whether a request cannot cause anything on other connections.
func quiet(op zkmodel.OpCode) bool {
	switch op {
	case zkmodel.OpExists, zkmodel.OpGetData, zkmodel.OpGetChildren, zkmodel.OpGetChildren2, zkmodel.OpSync, zkmodel.OpPing,
		zkmodel.OpGetACL, zkmodel.OpAddWatch, zkmodel.OpCheckWatches, zkmodel.OpRemoveWatches, zkmodel.OpMultiRead:
		return true
	}
	return false
}

// payload is the bytes of a request, and notes what is to be answered.
func (r *Runner) payload(c *runConn, o *Op) []byte {
	q := o.Request
	q.Xid = c.xid
	if o.Bare {
		return o.Raw
	}
	if q.Op == zkmodel.OpPing {
		q.Xid = -2
	}
	if o.Xid != 0 {
		q.Xid = o.Xid
	}
	c.sent = append(c.sent, sentOp{q.Xid, q.Op})
	if o.Raw != nil {
		bare := zkmodel.Request{Xid: q.Xid, Op: q.Op}
		return append(wire.AppendRequest(nil, &bare)[:8], o.Raw...)
	}
	q.Path = r.full(q.Path)
	if len(q.Multi) > 0 {
		q.Multi = slices.Clone(q.Multi)
		for i := range q.Multi {
			q.Multi[i].Path = r.full(q.Multi[i].Path)
		}
	}
	if w := q.Watches; w != nil {
		full := &zkmodel.WatchSet{RelativeZxid: w.RelativeZxid + r.base}
		for i, l := range watchLists(w) {
			for _, path := range *l.paths {
				to := watchLists(full)[i].paths
				*to = append(*to, r.full(path))
			}
		}
		q.Watches = full
	}
	p := wire.AppendRequest(nil, &q)
	for len(p) < o.Big {
		p = append(p, 0)
	}
	return p
}

// full is a path of the script as the server knows it.
func (r *Runner) full(path string) string {
	if r.root == "" || !strings.HasPrefix(path, "/") {
		return path
	}
	if path == "/" {
		return r.root
	}
	return r.root + path
}

// short is the opposite of full.
func (r *Runner) short(path string) string {
	switch {
	case r.root == "" || !strings.HasPrefix(path, r.root):
		return path
	case path == r.root:
		return "/"
	}
	return path[len(r.root):]
}

// End closes what sessions are left, so that nothing of them comes later.
func (r *Runner) End() error {
	var left []*runConn
	for _, c := range r.conns {
		if c.session == 0 || slices.ContainsFunc(left, func(x *runConn) bool { return x.session == c.session }) {
			continue
		}
		if x := r.attached(c.session); x != nil {
			c = x
		} else {
			again := Step{Verb: VerbConnect, Timeout: c.timeout}
			n := &runConn{name: c.name}
			if err := r.connect(n, &again, c.session); err != nil {
				return err
			}
			n.session = c.session
			c = n
		}
		left = append(left, c)
		q := zkmodel.Request{Xid: c.xid + 1, Op: zkmodel.OpCloseSession}
		r.arm.Send(c.n, frame(wire.AppendRequest(nil, &q)))
	}
	for _, c := range left {
		if err := r.arm.Settle(c.n, Want{End: true, Quiet: true}); err != nil {
			return fmt.Errorf("end the session of %s: %w", c.name, err)
		}
	}
	return nil
}

// attached is the open connection of a session.
func (r *Runner) attached(id int64) *runConn {
	for _, x := range r.conns {
		if x.session == id && !x.closed {
			return x
		}
	}
	return nil
}
