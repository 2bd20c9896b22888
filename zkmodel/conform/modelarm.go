package conform

import (
	"time"

	"zoosim/zkmodel"
	"zoosim/zkmodel/serverloop"
)

// ModelArm is the model in process, driven by bytes.
type ModelArm struct {
	server zkmodel.Server
	loop   *serverloop.Loop
	now    time.Duration
	conns  []modelConn
}

type modelConn struct {
	left     []byte // not used yet
	payloads [][]byte
	closed   bool
}

// ModelOptions are the settings of a [ModelArm].
type ModelOptions struct {
	Server zkmodel.ServerOptions
	Znodes []Znode // that are there from the beginning
	// Response, if set, may change each response before it is written: a
	// planted difference, for tests alone.
	Response func(r *zkmodel.Response)

	_ struct{}
}

// NewModelArm returns an arm with a server that has never run.
func NewModelArm(o ModelOptions) *ModelArm {
	m := &ModelArm{}
	m.server.Init(o.Server)
	plantZnodes(&m.server, o.Znodes)
	m.loop = serverloop.New(&m.server, m, serverloop.Options{
		Response: func(_ zkmodel.ConnID, r *zkmodel.Response) bool {
			if o.Response != nil {
				o.Response(r)
			}
			return true
		},
	})
	return m
}

// Write implements serverloop.Host.
func (m *ModelArm) Write(c zkmodel.ConnID, b []byte) {
	x := &m.conns[c]
	x.payloads = append(x.payloads, append([]byte(nil), b[4:]...))
}

// Close implements serverloop.Host.
func (m *ModelArm) Close(c zkmodel.ConnID) { m.conns[c].closed = true }

// Open implements Arm.
func (m *ModelArm) Open() (int, error) {
	c := len(m.conns)
	m.conns = append(m.conns, modelConn{})
	m.loop.Open(zkmodel.ConnID(c), "127.0.0.1")
	return c, nil
}

// Send implements Arm.
func (m *ModelArm) Send(c int, b []byte) {
	m.now += time.Millisecond
	left := append(m.conns[c].left, b...)
	for len(left) > 0 {
		n := m.loop.Next(m.now, zkmodel.ConnID(c), left)
		if n == 0 {
			break
		}
		left = left[n:]
	}
	m.conns[c].left = left
}

// Settle implements Arm.
func (m *ModelArm) Settle(int, Want) error { return nil }

// Take implements Arm.
func (m *ModelArm) Take(c int) ([][]byte, bool) {
	x := &m.conns[c]
	p := x.payloads
	x.payloads = nil
	return p, x.closed
}

// Drop implements Arm.
func (m *ModelArm) Drop(c int) {
	m.loop.Gone(m.now, zkmodel.ConnID(c))
	m.conns[c].closed = true
}

// Expire implements Arm.
func (m *ModelArm) Expire(_ int, session int64, _ time.Duration) error {
	m.loop.Do(m.now, func(out *zkmodel.Output) { m.server.Expire(m.now, session, out) })
	return nil
}

// Wait implements Arm. Sessions that are attached are kept alive, as
// [LiveArm.Wait] does.
func (m *ModelArm) Wait(d time.Duration) error {
	const step = 10 * time.Millisecond
	for end := m.now + d; m.now < end; {
		m.now = min(m.now+step, end)
		m.loop.Do(m.now, func(out *zkmodel.Output) {
			for c := range m.conns {
				if _, ok := m.server.ConnSession(zkmodel.ConnID(c)); ok {
					ping := zkmodel.Request{Op: zkmodel.OpPing}
					m.server.Handle(m.now, zkmodel.ConnID(c), &ping, &zkmodel.Output{})
				}
			}
			m.server.Tick(m.now, out)
		})
	}
	return nil
}
