package simzk

import (
	"strings"

	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// hasher writes states into a hash. With a mask it does so as the given process
// sees them, whoever that is: its own GUIDs and session ids are told from those
// of others, but not which ones they are. The number that the server appended
// to a name still tells whose it is.
type hasher struct {
	sim.Hash
	mask *Process
	// fields are those of Stats that belong to a state, and rank gives the order
	// of a zxid; 0 and nil leave Stats out.
	fields uint32
	rank   func(int64) uint64
}

// scratchHasher is a hasher that a world uses again and again, with its
// methods as functions: making those costs memory.
type scratchHasher struct {
	hasher
	nameHash func(string) uint64
	dataHash func([]byte) uint64
	timer    func(a, b int32) (uint64, bool)
	world    *World // whose state is written
}

func (w *World) scratchHasher() *scratchHasher {
	w.room.hasher.world = w
	return &w.room.hasher
}

// guidTail follows the eight digits of a process in its GUIDs.
const guidTail = "-0000-4000-8000-"

// name writes a path, a name or contents.
func (x *hasher) name(s string) {
	if x.mask != nil && len(s) > len(guidTail)+8 {
		if i := strings.Index(s, guidTail); i >= 8 {
			x.String(s[:i-8])
			var serial [8]byte
			putHex(serial[:], uint64(x.mask.serial))
			x.Uint64(2 + bit(s[i-8:i] == string(serial[:])))
			s = s[i:]
		}
	}
	x.String(s)
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// session writes the id of a session.
func (x *hasher) session(id int64) {
	if x.mask != nil {
		id = x.mask.sessionWord(id)
	}
	x.Uint64(uint64(id))
}

// slot writes what a slot shows to code: no zxids and no Stats, which are
// asked for.
func (x *hasher) slot(s *slot, p *Process) {
	x.Uint64(uint64(s.value))
	x.Uint64(p.watcherWord(s.call.Watcher)<<32 | uint64(uint8(s.call.Event.Type))<<8 | uint64(s.call.Event.State))
	x.name(s.call.Event.Path)
	x.response(&s.resp)
}

// response writes what a response shows to code; of its Stats, what belongs to
// a state.
func (x *hasher) response(r *zkmodel.Response) {
	if x.fields != 0 {
		x.stat(&r.Stat)
	}
	x.Uint64(uint64(uint32(r.Err))<<32 | uint64(len(r.Children))<<16 | uint64(len(r.Multi)))
	x.name(r.Path)
	x.data(r.Data)
	if x.mask != nil && len(r.Children) > 1 {
		x.set(r.Children)
	} else {
		for _, name := range r.Children {
			x.name(name)
		}
	}
	for i := range r.Multi {
		m := &r.Multi[i]
		x.Uint64(uint64(uint32(m.Err))<<32 | uint64(uint32(m.Op)))
		x.name(m.Path)
		if x.fields != 0 {
			x.stat(&m.Stat)
		}
	}
}

// set writes names whose order tells who is who: it is that of hashes of the
// names. Code that minds the order of a list is not symmetric.
func (x *hasher) set(names []string) {
	var sum uint64
	for _, name := range names {
		y := hasher{mask: x.mask}
		y.name(name)
		sum += y.Sum()
	}
	x.Uint64(sum)
}

// data writes contents.
func (x *hasher) data(b []byte) {
	x.Uint64(uint64(len(b)))
	if len(b) > 0 {
		x.name(string(b))
	}
}

// nameHash and dataHash are the hashes of a path and of contents.
func (x *hasher) nameHash(s string) uint64 {
	y := hasher{mask: x.mask}
	y.name(s)
	return y.Sum()
}

func (x *hasher) dataHash(b []byte) uint64 {
	y := hasher{mask: x.mask}
	y.data(b)
	return y.Sum()
}

// stats writes the Stats that code may still ask about.
func (x *hasher) stats(p *Process) {
	for i := range p.stats {
		if p.statAlive(int32(i)) {
			x.stat(&p.stats[i])
		}
	}
}

// stat writes the fields of a Stat that code has been seen to ask for.
func (x *hasher) stat(s *zkmodel.Stat) {
	for f := zk.StatField(0); x.fields>>f != 0; f++ {
		if x.fields>>f&1 == 0 {
			continue
		}
		v := statField(s, f)
		switch f {
		case zk.FieldCzxid, zk.FieldMzxid, zk.FieldPzxid:
			x.Uint64(x.rank(v))
		case zk.FieldEphemeralOwner:
			x.session(v)
		default:
			x.Uint64(uint64(v))
		}
	}
}

// over reports whether a connection is closed, and nothing is under way on it
// that anybody takes: the number may be used again.
func (c *conn) over() bool {
	return c.serverGone && c.clientGone && c.toServer.len() == 0 && (c.unread() || c.toClient.len() == 0)
}

// unread reports whether nobody takes what is under way to the client: that has
// crashed.
func (c *conn) unread() bool { return c.clientGone && c.client.p.sp.Status() == sim.Crashed }

// setsWatches reports whether a request to set watches again is under way: what
// is written of it depends on the server.
func (c *conn) setsWatches() bool {
	for i := c.toServer.head; i < len(c.toServer.items); i++ {
		if c.toServer.items[i].req.Watches != nil {
			return true
		}
	}
	return false
}

// conn writes what is under way on a connection.
func (x *hasher) conn(c *conn, link int, s *zkmodel.Server) {
	x.toServer(c, link, s)
	if c.unread() {
		return
	}
	x.Uint64(1 << 41)
	for i := c.toClient.head; i < len(c.toClient.items); i++ {
		f := &c.toClient.items[i]
		if f.Hangup {
			x.Uint64(1 << 42)
			continue
		}
		r := &f.Response
		x.Uint64(uint64(r.Kind)<<56 | uint64(uint8(r.Event))<<48 | uint64(uint32(c.client.m.Age(r.Xid))))
		x.session(r.SessionID)
		x.response(r)
	}
}

// toServer writes what is under way to the server on a connection. Which of its
// handle's it is, is told by who has closed it, if there is a mask.
func (x *hasher) toServer(c *conn, link int, s *zkmodel.Server) {
	number := uint64(link)
	if x.mask != nil {
		number = uint64(c.client.n)
	}
	x.Uint64(number<<8 | bit(c.serverGone) | bit(c.clientGone)<<1)
	for i := c.toServer.head; i < len(c.toServer.items); i++ {
		m := &c.toServer.items[i]
		if m.fin {
			x.Uint64(1 << 40)
			continue
		}
		x.request(&m.req, c.client.m.Age(m.req.Xid), s)
	}
}

// request writes a request that is under way.
func (x *hasher) request(r *zkmodel.Request, age int32, s *zkmodel.Server) {
	x.Uint64(uint64(uint32(r.Op))<<32 | uint64(uint32(r.Version)))
	x.Uint64(uint64(uint32(r.Flags))<<32 | uint64(uint32(age)))
	x.name(r.Path)
	x.Uint64(bit(r.Watch))
	x.data(r.Data)
	x.session(r.SessionID)
	for i := range r.Multi {
		x.Uint64(uint64(uint32(r.Multi[i].Op)))
		x.name(r.Multi[i].Path)
		x.data(r.Multi[i].Data)
	}
	if r.Watches != nil {
		x.watchSet(r.Watches, s)
	}
}

// watchSet writes a request to set watches again: of its zxid only what the
// server would make of it now. The order is that of the paths.
func (x *hasher) watchSet(set *zkmodel.WatchSet, s *zkmodel.Server) {
	for i, list := range [][]string{set.Data, set.Exist, set.Child} {
		x.Uint64(uint64(len(list)))
		var sum uint64
		for _, path := range list {
			y := hasher{mask: x.mask}
			y.name(path)
			if st, ok := s.Lookup(path); ok && (i == 0 && st.Mzxid > set.RelativeZxid || i == 2 && st.Pzxid > set.RelativeZxid) {
				y.Uint64(1)
			}
			sum += y.Sum()
		}
		x.Uint64(sum)
	}
}

// client writes the state of a handle.
func (x *hasher) client(c *Client, name func(string) uint64) {
	if c.p.word == nil {
		c.p.word = c.p.watcherWord
	}
	c.m.HashNamed(x, name, c.p.word)
	x.session(c.m.SessionID())
	x.Uint64(uint64(uint32(c.callback)+1)<<8 | bit(c.link >= 0) | bit(c.resetting)<<1)
	for i := c.calls.head; i < len(c.calls.items); i++ {
		call := &c.calls.items[i]
		x.Uint64(c.p.watcherWord(call.Watcher)<<32 | uint64(uint8(call.Event.Type)))
		x.name(call.Event.Path)
	}
	for i := range c.tags {
		if t := &c.tags[i]; t.on {
			x.Uint64(uint64(i)<<32 | uint64(uint32(t.task)))
		}
	}
}
