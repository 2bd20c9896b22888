package simzk

import (
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// Deliver implements [sim.App].
func (w *World) Deliver(l sim.LinkID, d sim.Dir) {
	c := &w.conns[l]
	if d == sim.ToServer {
		m := c.toServer.front()
		if m.fin {
			c.toServer.pop()
			w.finish(l)
			return
		}
		if !c.serverGone {
			w.serve(l, &m.req)
		}
		if c.toServer.len() > 0 {
			c.toServer.pop()
		}
		return
	}
	f := c.toClient.front()
	cl := c.client
	if c.clientGone {
		c.toClient.pop()
		return
	}
	if f.Hangup {
		c.toClient.pop()
		w.breakLink(cl)
		return
	}
	if f.Response.Kind == zkmodel.KindReply && w.ens != nil && w.ens.tap != nil {
		w.ens.tap.Seen(w.K.Now(), int32(cl.p.client), cl.m.SessionID(), f.Response.Zxid)
	}
	w.K.Note(uint64(uint32(f.Response.Err))<<32 ^ uint64(f.Response.Zxid)<<8 ^ uint64(f.Response.Kind))
	if w.K.Tracing() && f.Response.Op != zkmodel.OpPing {
		w.K.Tracef("%s: receives %s", cl.p.Name(), describeResponse(&f.Response))
	}
	if f.Response.Kind == zkmodel.KindEvent || f.Response.Kind == zkmodel.KindReply && isRecipeOp(f.Response.Op) {
		w.moves++
	}
	if replyTooLong(&f.Response, cl.m.MaxReply()) {
		r := f.Response
		c.toClient.pop()
		w.giveUp(cl, &r)
		return
	}
	if f.Response.Kind == zkmodel.KindReply {
		w.observer.Answered(cl, &f.Response)
	}
	w.cout.Reset()
	cl.m.Deliver(w.K.Now(), &f.Response, &w.cout)
	c.toClient.pop()
	w.act(cl)
}

// finish: the client's end of stream has reached the server.
func (w *World) finish(l sim.LinkID) {
	c := &w.conns[l]
	if !c.serverGone {
		w.drop(zkmodel.ConnID(l))
		c.serverGone = true
	}
	w.K.Cut(l)
	w.watchSessions()
}

// drop tells the server that a connection is gone.
func (w *World) drop(c zkmodel.ConnID) {
	if w.ens != nil {
		w.ens.drop(c)
		return
	}
	w.touchServer()
	w.server.Drop(w.K.Now(), c)
	if w.tap != nil {
		w.tap.Drop(w.K.Now(), c)
	}
}

// serve lets the server handle a request that has arrived.
func (w *World) serve(l sim.LinkID, r *zkmodel.Request) {
	c := &w.conns[l]
	w.K.Note(uint64(uint32(r.Op))<<32 ^ uint64(uint32(r.Xid)))
	w.K.NoteString(r.Path)
	if r.Op == zkmodel.OpGetChildren || r.Op == zkmodel.OpGetChildren2 {
		if key := w.listingKey(); w.ens != nil {
			w.ens.peer(zkmodel.ConnID(l)).Server().SetListingKey(key)
		} else {
			w.server.SetListingKey(key)
		}
	}
	if w.K.Tracing() && r.Op != zkmodel.OpPing {
		w.K.Tracef("server: %s of %s", describeRequest(r), c.client.p.Name())
	}
	if isRecipeOp(r.Op) {
		w.moves++
		w.steps++
		if tooLong(r) {
			w.refuse(l, r)
			return
		}
	}
	if w.ens != nil {
		w.ens.served = c.server
	}
	w.observer.Served(c.client, r)
	w.carried = r.Data
	if w.ens != nil {
		w.ens.handle(l, r)
		return
	}
	if w.tap != nil {
		w.tap.Request(w.K.Now(), zkmodel.ConnID(l), r)
	}
	w.out.Reset()
	w.touchServer()
	w.server.Handle(w.K.Now(), zkmodel.ConnID(l), r, &w.out)
	if w.tap != nil {
		w.tap.Output(w.K.Now(), int32(c.client.p.client), r, &w.out)
	}
	for i := range w.out.Txns {
		if t := &w.out.Txns[i]; t.Op == zkmodel.OpConnect {
			c.client.p.sessions = append(c.client.p.sessions, t.Session)
		}
	}
	w.emit()
	if r.Op == zkmodel.OpConnect || r.Op == zkmodel.OpCloseSession {
		w.watchSessions()
	}
}

// listingKey keys the order of a list: drawn in timed mode, a function of the
// set of names in untimed mode.
func (w *World) listingKey() uint64 {
	if w.K.Untimed() {
		return 0
	}
	return 1 + uint64(w.K.Choose(LabelListing, 64))
}

// emitEnds carries out what the server put out as sessions ended.
func (w *World) emitEnds() {
	if w.tap != nil && len(w.out.Txns) > 0 {
		w.tap.Output(w.K.Now(), -1, nil, &w.out)
	}
	w.emit()
}

// emit carries out what the server put out.
func (w *World) emit() {
	for i := range w.out.Txns {
		w.applied(&w.out.Txns[i])
	}
	w.emitFrames(w.out.Frames)
}

// applied tells of a change.
func (w *World) applied(t *zkmodel.Txn) {
	if t.Op == zkmodel.OpCloseSession && t.Cause == zkmodel.CauseExpiry {
		w.moves++
	}
	if w.K.Tracing() {
		w.traceTxn(t)
	}
	w.observer.Applied(t)
}

// emitFrames sends what a server put out to clients.
func (w *World) emitFrames(frames []zkmodel.Frame) {
	for i := range frames {
		f := &frames[i]
		l := sim.LinkID(f.Conn)
		c := &w.conns[l]
		if c.serverGone {
			continue
		}
		w.K.Touch(c.client.p.sp)
		idle := false
		if f.Hangup {
			c.serverGone = true
			w.drop(f.Conn)
		} else {
			r := &f.Response
			if c.cutReply != 0 && r.Kind == zkmodel.KindReply && r.Xid == c.cutReply {
				f = w.loseReply(f.Conn)
			} else {
				idle = r.Kind == zkmodel.KindReply && r.Op == zkmodel.OpPing
				w.observer.Sent(c.client, r)
			}
		}
		if c.serverGone && w.K.Untimed() {
			w.forget(l)
		}
		if c.clientGone {
			continue
		}
		c.toClient.push(*f)
		w.K.Send(l, sim.ToClient, idle)
	}
}

// loseReply cuts a connection in place of a reply; what was sent before it
// still arrives.
func (w *World) loseReply(id zkmodel.ConnID) *zkmodel.Frame {
	c := &w.conns[id]
	c.serverGone = true
	w.drop(id)
	c.client.p.bit(faults.CutReply)
	if w.K.Tracing() {
		w.K.Tracef("fault: the reply to %s is lost and its connection cut", c.client.p.Name())
	}
	w.watchSessions()
	return &zkmodel.Frame{Conn: id, Hangup: true}
}
