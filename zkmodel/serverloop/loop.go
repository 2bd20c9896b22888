package serverloop

import (
	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// Machine is one server; see [zkmodel.Server] for what the methods mean.
type Machine interface {
	Handle(now zkmodel.Time, c zkmodel.ConnID, r *zkmodel.Request, out *zkmodel.Output)
	Drop(now zkmodel.Time, c zkmodel.ConnID)
}

// Host is the driver's side of the connections. Its methods are called from
// within those of the [Loop] and must not call back into it.
type Host interface {
	// Write sends bytes, whole frames or the answer to a four-letter word. They
	// are the host's during the call only.
	Write(c zkmodel.ConnID, b []byte)
	// Close closes a connection once what was written is sent. Nothing more is
	// written to it, and what still comes is ignored; the driver calls
	// [Loop.Gone] as for any connection.
	Close(c zkmodel.ConnID)
}

// Options are the settings of a [Loop]. The zero value is ready to use.
type Options struct {
	// FrameLimit is how long the payload of a frame may be, in bytes; a longer
	// one closes the connection. Default [wire.DefaultMaxFrame].
	FrameLimit int

	// Word answers the four-letter words with which a connection may begin
	// instead of a connect request; it reports false for what is none. By
	// default there are none, and such a connection is closed as one whose
	// first frame is too long.
	Word func(c zkmodel.ConnID, word string) (answer string, ok bool)

	// Request, if set, sees each request before the machine does, the connect
	// request included, and may set it aside: one that is not to pass closes
	// the connection. It may call [Loop.Do] and [Loop.Close].
	Request func(c zkmodel.ConnID, r *zkmodel.Request) (pass bool)

	// Response, if set, sees each response before it is written; one that is
	// not to pass closes the connection.
	Response func(c zkmodel.ConnID, r *zkmodel.Response) (pass bool)

	_ struct{}
}

// Loop drives one machine. It is not safe for concurrent use.
type Loop struct {
	m     Machine
	host  Host
	o     Options
	conns map[zkmodel.ConnID]*conn
	out   zkmodel.Output
	buf   []byte
}

// conn is a connection from Open to Gone.
type conn struct {
	addr     string
	greeted  bool // the connect request came
	readOnly bool // with the byte that says whether a read-only server will do
	closed   bool
}

// New returns a loop without connections.
func New(m Machine, host Host, o Options) *Loop {
	if o.FrameLimit <= 0 {
		o.FrameLimit = wire.DefaultMaxFrame
	}
	return &Loop{m: m, host: host, o: o, conns: map[zkmodel.ConnID]*conn{}}
}

// Open takes note of a new connection; addr is the client's IP address, as
// ACLs of scheme ip see it. No number may be given twice.
func (l *Loop) Open(c zkmodel.ConnID, addr string) { l.conns[c] = &conn{addr: addr} }

// Next takes the first frame off b, the bytes that connection c has delivered
// and that no call has used yet, and carries it out. It returns the number of
// bytes used, 0 if there is no whole frame. A connection that is closed or not
// open uses up everything.
func (l *Loop) Next(now zkmodel.Time, c zkmodel.ConnID, b []byte) int {
	x := l.conns[c]
	if x == nil || x.closed {
		return len(b)
	}
	if !x.greeted && l.o.Word != nil && len(b) >= 4 {
		if answer, ok := l.o.Word(c, string(b[:4])); ok {
			l.host.Write(c, []byte(answer))
			l.close(now, c, x)
			return len(b)
		}
	}
	payload, rest, ok, err := wire.CutFrame(b, l.o.FrameLimit)
	if err != nil {
		l.close(now, c, x)
		return len(b)
	}
	if !ok {
		return 0
	}
	r, err := x.decode(payload)
	if err != nil || l.o.Request != nil && !l.o.Request(c, &r) {
		l.close(now, c, x)
		return len(b)
	}
	if x.closed { // by what the hook did
		return len(b)
	}
	l.Do(now, func(out *zkmodel.Output) { l.m.Handle(now, c, &r, out) })
	return len(b) - len(rest)
}

func (x *conn) decode(payload []byte) (r zkmodel.Request, err error) {
	if x.greeted {
		return wire.DecodeRequest(payload)
	}
	r, x.readOnly, err = wire.DecodeConnectRequest(payload)
	r.Path = x.addr
	x.greeted = true
	return r, err
}

// close closes a connection for a reason that the machine does not know.
func (l *Loop) close(now zkmodel.Time, c zkmodel.ConnID, x *conn) {
	x.closed = true
	l.m.Drop(now, c)
	l.host.Close(c)
}

// Do calls an input of the machine, such as the passing of time, and writes
// what that puts out.
func (l *Loop) Do(now zkmodel.Time, input func(out *zkmodel.Output)) {
	l.out.Reset()
	input(&l.out)
	for i := range l.out.Frames {
		l.emit(now, &l.out.Frames[i])
	}
}

func (l *Loop) emit(now zkmodel.Time, f *zkmodel.Frame) {
	x := l.conns[f.Conn]
	if x == nil || x.closed {
		return
	}
	if f.Hangup {
		x.closed = true
		l.host.Close(f.Conn)
		return
	}
	if l.o.Response != nil && !l.o.Response(f.Conn, &f.Response) {
		l.close(now, f.Conn, x)
		return
	}
	l.buf = wire.BeginFrame(l.buf[:0])
	if f.Response.Kind == zkmodel.KindConnect {
		l.buf = wire.AppendConnectResponse(l.buf, &f.Response, x.readOnly)
	} else {
		l.buf = wire.AppendResponse(l.buf, &f.Response)
	}
	l.host.Write(f.Conn, wire.EndFrame(l.buf, 0))
}

// Close closes a connection from the server's side, as a fault does.
func (l *Loop) Close(now zkmodel.Time, c zkmodel.ConnID) {
	if x := l.conns[c]; x != nil && !x.closed {
		l.close(now, c, x)
	}
}

// Gone says that a connection is gone; every connection ends with it.
func (l *Loop) Gone(now zkmodel.Time, c zkmodel.ConnID) {
	if l.conns[c] == nil {
		return
	}
	delete(l.conns, c)
	l.m.Drop(now, c)
}
