package simzk

import (
	"zoosim/sim"
	"zoosim/zkmodel"
	"zoosim/zkmodel/wire"
)

// Within the simulation messages are values and have no length; it is computed
// where one may be long. The limit is jute.maxbuffer as it is by default, of
// requests at the server and of replies at the Java client (facts of ZooKeeper
// 3.8.0, measured).

// Below these sizes no message is over the limit: names of a listing have fewer
// than 256 bytes.
const (
	longData  = wire.DefaultMaxFrame / 2
	longNames = wire.DefaultMaxFrame / 256
)

// tooLong reports whether a request's frame is over the limit of the server.
func tooLong(r *zkmodel.Request) bool {
	n := len(r.Data)
	for i := range r.Multi {
		n += len(r.Multi[i].Data)
	}
	return n >= longData && len(wire.AppendRequest(nil, r)) > wire.DefaultMaxFrame
}

// replyTooLong reports whether a reply's frame is over the limit of a client.
func replyTooLong(r *zkmodel.Response, limit int) bool {
	return limit > 0 && (len(r.Data) >= longData || len(r.Children) >= longNames) && len(wire.AppendResponse(nil, r)) > limit
}

// refuse: the server closes the connection on which a frame is too long,
// without a reply. The session lives.
func (w *World) refuse(l sim.LinkID, r *zkmodel.Request) {
	if w.K.Tracing() {
		w.K.Tracef("server: %s of %s is over the limit of a frame, and its connection is closed", describeRequest(r), w.conns[l].client.p.Name())
	}
	w.emitFrames([]zkmodel.Frame{{Conn: zkmodel.ConnID(l), Hangup: true}})
	w.watchSessions()
}

// giveUp: the client closes the connection on which a reply is too long for it.
func (w *World) giveUp(c *Client, r *zkmodel.Response) {
	if w.K.Tracing() {
		w.K.Tracef("%s: the reply %s is over the limit of a frame, and the connection is closed", c.p.Name(), describeResponse(r))
	}
	w.hangup(c)
	w.cout.Reset()
	c.m.TransportClosed(w.K.Now(), &w.cout)
	w.act(c)
	w.watchSessions()
}
