package checker

// Hasher takes in what makes two states differ.
type Hasher interface {
	Uint64(uint64)
	String(string)
}

// CopyInto makes dst an independent copy, in dst's own memory where that is
// large enough. What the last Finish returned is not copied.
func (l *Lock) CopyInto(dst *Lock) {
	if dst == l {
		return
	}
	dst.cfg = l.cfg
	dst.clients = append(dst.clients[:0], l.clients...)
	l.queue.copyInto(&dst.queue)
	dst.holds = append(dst.holds[:0], l.holds...)
	dst.fence = l.fence
	dst.leftWatches = l.leftWatches
	dst.timed = l.timed
	dst.disturbed = l.disturbed
	dst.end, dst.endAt = l.end, l.endAt
	dst.failed = l.failed
	dst.fails = append(dst.fails[:0], l.fails...)
	for i := range dst.fails {
		dst.fails[i].cfg = &dst.cfg
	}
}

// Hash writes all that later verdicts depend on. Which properties have failed is
// left out, since they stay so and tell nothing of the others, and so are times,
// since only sentences tell them; zxids appear by their order among those that the
// monitors keep. A world that keeps further zxids and does not write the order of
// all of them together uses HashRanked.
func (l *Lock) Hash(h Hasher) { l.HashRanked(h, nil) }

// HashRanked is Hash with zxids written by their rank: the world takes those
// of AppendZxids into its ranking and passes it here.
//
// Session ids are left out: which session a client uses is known to its
// connection.
func (l *Lock) HashRanked(h Hasher, rank func(zxid int64) uint64) {
	h.Uint64(uint64(l.end)<<8 | bit(l.timed))
	for i := range l.clients {
		l.clients[i].hash(h)
	}
	if l.cfg.MaxFanOut > 0 {
		h.Uint64(uint64(l.leftWatches))
	}
	h.Uint64(uint64(len(l.holds)))
	for _, k := range l.holds {
		// Counting back from the last operation lets equal rounds merge.
		h.Uint64(uint64(uint32(k.client))<<32 | uint64(uint32(l.clients[k.client].lastOp-k.op)))
	}
	live := l.queue.live()
	h.Uint64(uint64(len(live)))
	for i := range live {
		h.Uint64(uint64(uint32(live[i].client))<<2 | live[i].bits())
		if rank != nil {
			h.Uint64(rank(live[i].zxid))
		}
	}
	if !l.cfg.Tokens {
		return
	}
	l.fence.hash(h, &l.queue, rank)
}

// AppendZxids appends the zxids that the monitors keep, in no order and some
// of them twice.
func (l *Lock) AppendZxids(dst []int64) []int64 {
	live := l.queue.live()
	for i := range live {
		dst = append(dst, live[i].zxid)
	}
	if !l.cfg.Tokens {
		return dst
	}
	if l.fence.granted != 0 {
		dst = append(dst, l.fence.granted)
	}
	if l.fence.written != 0 {
		dst = append(dst, l.fence.written)
	}
	return dst
}

// hash writes the tokens by rank, or by their places among the live tickets
// and each other.
func (f *fence) hash(h Hasher, q *ticketQueue, rank func(zxid int64) uint64) {
	place := func(zxid int64) uint64 {
		switch {
		case zxid == 0:
			return 0
		case rank != nil:
			return 1 + rank(zxid)
		}
		at := q.position(zxid)
		exact := at < len(q.live()) && q.live()[at].zxid == zxid
		return 1 + uint64(at)<<1 + bit(exact)
	}
	order := uint64(1)
	switch {
	case f.written < f.granted:
		order = 0
	case f.written > f.granted:
		order = 2
	}
	h.Uint64(order)
	h.Uint64(place(f.granted))
	h.Uint64(place(f.written))
}

// hash writes what later verdicts depend on. What belongs to the running
// operation counts only while one runs.
func (c *lockClient) hash(h Hasher) {
	if c.flags&isCrashed != 0 {
		h.Uint64(uint64(c.flags & (isCrashed | hasLeft))) // a restart begins anew
		return
	}
	flags, word := c.flags, uint64(0)
	if c.running == idle {
		flags &^= isTouched
	} else {
		word = uint64(c.running)<<40 | uint64(uint32(c.lastOp-c.op))
	}
	if c.running == acquiring {
		word |= uint64(c.mode) << 48
	}
	h.Uint64(word)
	if c.running == acquiring && c.mode == TimedMode {
		h.Uint64(uint64(c.limit))
	}
	h.Uint64(uint64(flags)<<1 | bit(c.session != 0))
	h.Uint64(uint64(c.before(c.endedOp))<<32 | uint64(c.before(c.upOp)))
}

// before counts an operation back from the last: 1 is the last, 0 none.
func (c *lockClient) before(op int32) uint32 {
	if op < 0 {
		return 0
	}
	return uint32(c.lastOp-op) + 1
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
