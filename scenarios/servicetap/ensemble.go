package servicetap

import (
	"zoosim/checker"
	"zoosim/zkmodel"
)

// EnsembleTap is the [Tap] of an ensemble. Servers are counted from 1, as
// [zkmodel.PeerOptions] has it; connections are numbered across them.
type EnsembleTap struct {
	To *checker.EnsembleService
	// Client is whose connection it is, from 0.
	Client func(zkmodel.ConnID) int32

	tap    Tap
	server int
	part   zkmodel.Output // of one step; shares memory with the whole
}

// Observe implements [Observer].
func (t *EnsembleTap) Observe(e *checker.ServiceEvent) { t.To.Observe(t.server, e) }

// at makes what follows happen at a server.
func (t *EnsembleTap) at(server int) *Tap {
	t.server = server - 1
	t.tap.To = t
	return &t.tap
}

// Plant is [Tap.Plant] at one server; each has to be told.
func (t *EnsembleTap) Plant(now zkmodel.Time, p *zkmodel.Peer, path string) {
	t.at(p.ID()).Plant(now, p.Server(), path)
}

// Request is [Tap.Request] at a server.
func (t *EnsembleTap) Request(now zkmodel.Time, server int, c zkmodel.ConnID, r *zkmodel.Request) {
	t.at(server).Request(now, c, r)
}

// Drop is [Tap.Drop] at a server.
func (t *EnsembleTap) Drop(now zkmodel.Time, server int, c zkmodel.ConnID) {
	t.at(server).Drop(now, c)
}

// Output tells of what an input of a server put out.
func (t *EnsembleTap) Output(now zkmodel.Time, server int, out *zkmodel.PeerOutput) {
	tap := t.at(server)
	if out.Installed != 0 {
		t.To.Installed(t.server, out.Installed, now)
	}
	txns, frames := 0, 0
	for i := range out.Steps {
		s := &out.Steps[i]
		t.part.Txns, t.part.Frames = out.Txns[txns:s.Txns], out.Frames[frames:s.Frames]
		txns, frames = s.Txns, s.Frames
		tap.Output(now, t.connecting(), &s.Request, &t.part)
	}
	t.part.Txns, t.part.Frames = out.Txns[txns:], out.Frames[frames:]
	tap.Output(now, -1, nil, &t.part)
}

// connecting is the client that a step connects, -1 for none.
func (t *EnsembleTap) connecting() int32 {
	for i := range t.part.Frames {
		if f := &t.part.Frames[i]; !f.Hangup && f.Response.Kind == zkmodel.KindConnect {
			return t.Client(f.Conn)
		}
	}
	return -1
}
