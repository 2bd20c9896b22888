package simzk

import (
	"fmt"
	"math"
	"strings"

	"zoosim/sim"
	"zoosim/zkmodel"
)

// numbers count what a process has made: watchers and Stats.
type numbers struct{ watchers, stats int32 }

// Keep declares that the watchers, latches and Stats that the process has made
// so far may be used after checkpoints.
func (p *Process) Keep() { p.sp.Keep() }

// The kinds of checkpoints.
const (
	// CheckpointRound: nothing is left of what came before.
	CheckpointRound = sim.MarkCheckpoint + iota
	// CheckpointGrant: what is left is the znode that the process made last.
	CheckpointGrant
)

// Checkpoint declares that what the process does from here on depends on the
// given locals, on what it is told from here on and on what was made before
// Keep, on what the kind says, and on nothing else of its past.
func (p *Process) Checkpoint(k sim.MarkKind, locals uint64) {
	var h sim.Hash
	h.Uint64(locals)
	h.Uint64(uint64(p.guids)<<32 | uint64(p.nhandles))
	p.sp.Checkpoint(k, h.Sum())
}

// learnMade notes the znode that the process made last, as far as it is told
// of it: by the reply, or, if that was lost, by a list with its GUID.
func (p *Process) learnMade(r *zkmodel.Response) {
	switch r.Op {
	case zkmodel.OpCreate, zkmodel.OpCreate2:
		p.made = r.Path[strings.LastIndexByte(r.Path, '/')+1:] // "" if it failed
	case zkmodel.OpGetChildren, zkmodel.OpGetChildren2:
		for i := 0; p.made == "" && i < len(r.Children); i++ {
			if p.guidIn(r.Children[i]) {
				p.made = r.Children[i]
			}
		}
	}
}

// guidIn reports whether a GUID of the process is in a name.
func (p *Process) guidIn(name string) bool {
	i := strings.Index(name, guidTail)
	var serial [8]byte
	putHex(serial[:], uint64(p.serial))
	return i >= 8 && name[i-8:i] == string(serial[:])
}

// Round declares the locals that checkpoints within a round depend on beside
// their own; see [zk.Env.Spin].
func (p *Process) Round(locals uint64) { p.round = locals }

// Spin implements [zk.Env]: a checkpoint within a round.
func (e *Env) Spin(state uint64) {
	var h sim.Hash
	h.Uint64(e.p.round)
	h.Uint64(state)
	e.p.Checkpoint(CheckpointRound, h.Sum())
}

// Mark implements [sim.MemoApp].
func (w *World) Mark(sp *sim.Proc, k sim.MarkKind) (full, masked uint64) {
	p := w.procs[sp.ID()]
	n := numbers{int32(len(p.latches)), int32(len(p.stats))}
	if k == sim.MarkKeep {
		p.kept = n
		return 0, 0
	}
	p.base = n
	var h sim.Hash
	for _, x := range []uint64{uint64(p.kept.watchers), uint64(p.kept.stats), uint64(len(p.sessions))} {
		h.Uint64(x)
	}
	if k == CheckpointGrant {
		x := hasher{mask: p}
		x.name(p.made)
		h.Uint64(x.Sum())
	}
	p.made = "" // later checkpoints are about what follows this one
	masked = h.Sum()
	h.Uint64(uint64(p.serial))
	for _, id := range p.sessions {
		h.Uint64(uint64(id))
	}
	return h.Sum(), masked
}

// deadWord stands for a watcher that nothing but a left-over watch names.
const deadWord = math.MaxUint32

// watcherWord is a watcher's number, counted from the last checkpoint if it was
// made since. A dead one that runs code still has its number.
func (p *Process) watcherWord(n int32) uint64 {
	switch {
	case n <= p.kept.watchers:
		return uint64(uint32(n))
	case n > p.base.watchers:
		return uint64(n-p.base.watchers) | 1<<31
	case p.latches[n-1] < 0:
		return uint64(n) | 1<<30
	}
	return deadWord
}

// statAlive reports whether code may still ask for a Stat.
func (p *Process) statAlive(i int32) bool { return i < p.kept.stats || i >= p.base.stats }

// reader implements [sim.MemoReader]: a process as its history tells of it.
type reader struct {
	p Process // serial, sessions, kept, base
	n numbers
}

// NewReader implements [sim.MemoApp].
func (w *World) NewReader() sim.MemoReader { return &reader{} }

// Answered implements [sim.MemoReader].
func (r *reader) Answered(kind int32, v int64) {
	switch kind {
	case querySerial:
		r.p.serial = v
	case querySession:
		if v != 0 && r.p.sessionWord(v) < 0 {
			r.p.sessions = append(r.p.sessions[:len(r.p.sessions):len(r.p.sessions)], v)
		}
	}
}

// Put implements [sim.MemoReader].
func (r *reader) Put(out int32) {
	switch out & outMask {
	case outWatcher:
		l := sim.LatchID(out &^ outMask)
		if l == sim.LatchID(watcherCode) {
			l = -1
		}
		r.p.latches = append(r.p.latches[:len(r.p.latches):len(r.p.latches)], l)
		r.n.watchers++
	case outStat:
		r.n.stats++
	}
}

// Mark implements [sim.MemoReader].
func (r *reader) Mark(k sim.MarkKind) {
	if k == sim.MarkKeep {
		r.p.kept = r.n
	} else {
		r.p.base = r.n
	}
}

// Copy implements [sim.MemoReader].
func (r *reader) Copy() sim.MemoReader {
	c := *r
	return &c
}

// dead reports whether a number is of something that was made before the
// checkpoint and not kept; first is the number of the first.
func dead(n, first, kept, base int32) bool { return n-first >= kept && n-first < base }

// watcher writes the number of a watcher.
func (r *reader) watcher(h *sim.Hash, n int32) bool {
	h.Uint64(r.p.watcherWord(n))
	return n == 0 || !dead(n, 1, r.p.kept.watchers, r.p.base.watchers)
}

// HashPut implements [sim.MemoReader]. The number of a latch that becomes a
// watcher follows from the latches made before, which are compared by their
// uses.
func (r *reader) HashPut(h *sim.Hash, out int32) bool {
	if out&outMask == outWatcher {
		h.Uint64(uint64(outWatcher) | bit(out&^outMask == watcherCode))
		return true
	}
	h.Uint64(uint64(out))
	return true
}

// HashAsk implements [sim.MemoReader].
func (r *reader) HashAsk(h *sim.Hash, kind, arg int32) bool {
	ok := true
	if kind == queryStat {
		i := arg >> 4
		ok = r.p.statAlive(i)
		if i >= r.p.kept.stats {
			arg -= r.p.base.stats << 4
		}
	}
	h.Uint64(uint64(kind)<<32 | uint64(uint32(arg)))
	return ok
}

// HashSegment implements [sim.MemoReader].
func (r *reader) HashSegment(h *sim.Hash, o any) bool {
	s := o.(*segment)
	if s == nil {
		return true
	}
	ok := true
	x := hasher{mask: &r.p}
	for i := range s.requests {
		q := &s.requests[i]
		x.Uint64(uint64(uint32(q.handle)))
		ok = r.watcher(&x.Hash, q.watcher) && ok
		x.request(&q.req, 0, nil)
	}
	for i := range s.records {
		c := &s.records[i]
		x.Uint64(uint64(uint32(c.Kind))<<32 | uint64(uint32(c.Op)))
		x.number(c.Arg)
		x.number(c.Arg2)
		x.name(c.Text)
	}
	for _, a := range s.writes {
		x.number(a.token)
		x.Uint64(uint64(a.kind)<<40 | uint64(a.shop)<<32 | uint64(a.value))
	}
	hashCalls(&x, s.calls)
	for i := range s.opens {
		x.String(fmt.Sprintf("%+v", s.opens[i]))
	}
	h.Uint64(x.Sum())
	return ok
}

// number writes a number that may be the id of a session.
func (x *hasher) number(v int64) {
	if v >= sessionBase {
		x.session(v)
	} else {
		x.Uint64(uint64(v))
	}
}

// Answer implements [sim.MemoReader]: the two processes change places.
func (r *reader) Answer(kind int32, v int64, to sim.MemoReader) int64 {
	t := to.(*reader)
	switch {
	case kind == querySerial && v == r.p.serial:
		return t.p.serial
	case kind == querySession, kind == queryStat && v >= sessionBase:
		return r.swapSession(v, t)
	}
	return v
}

func (r *reader) swapSession(id int64, t *reader) int64 {
	for i, own := range r.p.sessions {
		if own == id && i < len(t.p.sessions) {
			return t.p.sessions[i]
		}
	}
	for i, own := range t.p.sessions {
		if own == id && i < len(r.p.sessions) {
			return r.p.sessions[i]
		}
	}
	return id
}

// Told implements [sim.MemoReader].
func (r *reader) Told(o any, to sim.MemoReader) any {
	t := to.(*reader)
	s := o.(slot)
	if n := s.call.Watcher; n > r.p.kept.watchers {
		s.call.Watcher += t.p.base.watchers - r.p.base.watchers
	}
	s.call.Event.Path = r.swapName(s.call.Event.Path, t)
	s.resp.Path = r.swapName(s.resp.Path, t)
	if len(s.resp.Data) > 0 {
		s.resp.Data = []byte(r.swapName(string(s.resp.Data), t))
	}
	if len(s.resp.Children) > 0 {
		names := make([]string, len(s.resp.Children))
		for i, name := range s.resp.Children {
			names[i] = r.swapName(name, t)
		}
		s.resp.Children = names
	}
	s.resp.Multi = clone(s.resp.Multi)
	for i := range s.resp.Multi {
		s.resp.Multi[i].Path = r.swapName(s.resp.Multi[i].Path, t)
	}
	return s
}

// swapName lets the two processes change places in a name.
func (r *reader) swapName(s string, t *reader) string {
	i := strings.Index(s, guidTail)
	if i < 8 || r.p.serial == t.p.serial {
		return s
	}
	var a, b [8]byte
	putHex(a[:], uint64(r.p.serial))
	putHex(b[:], uint64(t.p.serial))
	switch s[i-8 : i] {
	case string(a[:]):
		return s[:i-8] + string(b[:]) + s[i:]
	case string(b[:]):
		return s[:i-8] + string(a[:]) + s[i:]
	}
	return s
}
