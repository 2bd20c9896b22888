package front

import "zoosim/zkmodel"

// A port is the host of its server's loop, and its hooks see what passes. All
// of it is called under the front's lock.

// Write implements serverloop.Host.
func (p *port) Write(c zkmodel.ConnID, b []byte) {
	x := p.f.conns[c]
	p.stats.sent++
	x.stats.sent++
	x.send(b)
}

// Close implements serverloop.Host.
func (p *port) Close(c zkmodel.ConnID) {
	x := p.f.conns[c]
	x.closed = true
	x.finish()
}

// onRequest counts a request and lets the script of faults see it.
func (p *port) onRequest(c zkmodel.ConnID, q *zkmodel.Request) (pass bool) {
	f := p.f
	now := f.now()
	x := f.conns[c]
	x.greeted = true
	p.stats.received++
	x.stats.request(now, q)
	return f.meet(now, x, q)
}

// onResponse counts a response, unless a fault loses it.
func (p *port) onResponse(c zkmodel.ConnID, r *zkmodel.Response) (pass bool) {
	f := p.f
	x := f.conns[c]
	if r.Kind == zkmodel.KindConnect && r.SessionID != 0 {
		x.session = r.SessionID
		x.stats.timeout = r.Timeout
		f.sessions.note(r.SessionID)
	}
	if f.loses(x, r) {
		return false
	}
	if r.Kind != zkmodel.KindEvent {
		now := f.now()
		p.stats.latency.add(x.stats.reply(now, r))
	}
	return true
}
