package sim

// MemoReader reads the history of a process from its start and knows what the
// App's part of it looks like from there: who the process is, and where the
// numbers of what it has made begin.
type MemoReader interface {
	// Answered reads the answer to a question of the App's, Put an output of
	// the App's, Mark a mark.
	Answered(kind int32, v int64)
	Put(out int32)
	Mark(k MarkKind)
	// Copy returns a reader that goes on from here.
	Copy() MemoReader
	// HashPut, HashAsk and HashSegment write an output, a question and the
	// contents of a segment, whoever the process is and with numbers counted
	// from its last checkpoint. They return false if it names something that
	// was made before the checkpoint and not kept.
	HashPut(h *Hash, out int32) bool
	HashAsk(h *Hash, kind, arg int32) bool
	HashSegment(h *Hash, segment any) bool
	// Told and Answer turn what this process is told into what the process of
	// another reader would be told in its place.
	Told(o any, to MemoReader) any
	Answer(kind int32, v int64, to MemoReader) int64
}

// history is what has been read of a history.
type history struct {
	s      memoState // kept, base and clock
	scopes int32
	now    Time // the last answer to what time it is
	asked  want
	app    MemoReader
}

// read goes on by a step.
func (y *history) read(nd *memoNode) {
	if nd.obs.answer && y.asked.kind == waitQuery {
		switch kind := int32(y.asked.scope); {
		case kind == queryNow:
			y.now = Time(nd.obs.value)
		case kind >= 0:
			y.app.Answered(kind, nd.obs.value)
		}
	}
	for i := range nd.outs {
		switch o := &nd.outs[i]; o.kind {
		case outArm:
			y.scopes++
		case outApp:
			y.app.Put(o.a)
		case outMark:
			if o.mark() == MarkKeep {
				y.s.kept = o.made(y.scopes)
				y.app.Mark(MarkKeep)
			}
		}
	}
	y.asked = nd.end.want
}

// key is a hash of what a history is told in a step, whoever it is.
func (y *history) key(nd *memoNode) uint64 {
	if !nd.obs.answer || y.asked.kind != waitQuery || int32(y.asked.scope) != queryNow {
		return nd.masked
	}
	// A node that was looked up ahead counts from the checkpoint before.
	o := nd.obs
	o.value -= int64(y.s.clock)
	return o.key(&y.s)
}

// begin starts to count from the checkpoint with which a node ends.
func (y *history) begin(nd *memoNode) {
	o := &nd.outs[len(nd.outs)-1]
	y.s.base, y.s.clock = o.made(y.scopes), y.now
	y.app.Mark(MarkCheckpoint)
}

func (y *history) copy() history {
	c := *y
	c.app = y.app.Copy()
	return c
}

// digest is what a history does in a step, whoever it is.
func (y *history) digest(nd *memoNode) (uint64, bool) {
	var h Hash
	ok := true
	number := func(n uint64) {
		ok = ok && n != dead
		h.Uint64(n)
	}
	for i := range nd.outs {
		o := &nd.outs[i]
		h.Uint64(uint64(o.kind))
		switch o.kind {
		case outOpen:
			number(y.s.latch(o.a))
		case outArm:
			number(y.s.scope(ScopeID(o.a)))
			number(y.s.scope(ScopeID(o.b)))
		case outCancel:
			number(y.s.scope(ScopeID(o.a)))
		case outSpawn:
			number(y.s.spawned(o.a))
		case outApp:
			ok = y.app.HashPut(&h, o.a) && ok
			continue
		case outMark:
			h.Uint64(uint64(o.mark()))
		default:
			h.Uint64(uint64(uint32(o.a)))
		}
		h.Uint64(uint64(o.d))
	}
	ok = y.app.HashSegment(&h, nd.segment) && ok
	x := &nd.end.want
	h.Uint64(uint64(x.kind)<<2 | bit(nd.end.over)<<1 | bit(x.canInterrupt))
	if nd.end.over {
		return h.Sum(), ok
	}
	h.Uint64(uint64(x.d))
	switch {
	case x.kind == waitLatch:
		number(y.s.latch(x.target))
		number(y.s.scope(x.scope))
	case x.kind != waitQuery:
		h.Uint64(uint64(uint32(x.target)))
		number(y.s.scope(x.scope))
	case int32(x.scope) == queryOpen:
		number(y.s.latch(x.target))
	case int32(x.scope) == queryScope:
		number(y.s.scope(ScopeID(x.target)))
	case x.scope >= 0:
		ok = y.app.HashAsk(&h, int32(x.scope), x.target) && ok
	default:
		h.Uint64(uint64(x.scope))
	}
	return h.Sum(), ok
}
