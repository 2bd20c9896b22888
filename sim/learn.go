package sim

// A world whose processes really run can keep what a memo would tell a search
// of them: the hash of each process's history, so that states can be told
// apart, and what code did on what it was told, so that a search can look
// ahead. It is noted while code runs; none runs for it alone.

// learned is what code has been seen to do, by the history that leads to it.
type learned map[uint64]piece

// piece is what a task did from something that it was told until it asked
// something, or to its next wait.
type piece struct {
	asks    bool
	awaits  bool // it then waited for the App
	kind    int32
	arg     int32
	decides bool // see decides
	// segment holds the contents of the outputs since the segment's begin.
	segment any
}

// LearnHistories lets a world without a memo, whose App is a [MemoApp], keep
// the histories of its processes, and what they did, for [World.Peek].
func (w *World) LearnHistories() {
	if w.learned == nil {
		w.learned = learned{}
	}
}

// Surprised reports whether a world that learns has seen code do something
// else on a history than before: then it is no function of its history. Only
// the shape of what it does is compared.
func (w *World) Surprised() bool { return w.surprised }

// rootHash is the hash of the history of a process that has not begun.
func rootHash(program uint64) uint64 {
	var h Hash
	h.Uint64(program)
	return h.Sum()
}

// told adds something that the process is told to its history.
func (s *memoState) told(key, masked uint64) {
	s.hash, s.masked = after(s.hash, key), after(s.masked, masked)
}

// after is the hash of a history that goes on.
func after(history, key uint64) uint64 {
	var h Hash
	h.Uint64(history)
	h.Uint64(key)
	return h.Sum()
}

// goesOn notes that a ready task goes on, with what it is told.
func (w *World) goesOn(p *Proc, t TaskID) {
	o, key := w.observationOf(p, t)
	masked := o.key(&p.memo)
	if o.told {
		masked = after(masked, w.app.(MemoApp).MaskedKey(p, t))
	}
	p.memo.told(key, masked)
}

// isAnswered notes the answer to a question.
func (w *World) isAnswered(p *Proc, kind int32, v int64) {
	o := observation{answer: true, task: p.side.current, value: v}
	key := o.key(&p.memo)
	o.value = w.app.(MemoApp).MaskedAnswer(p, kind, v)
	p.memo.told(key, o.key(&p.memo))
}

// learn notes what the running task did since it was told something. Its
// outputs have not been carried out yet.
func (w *World) learn(p *Proc, x piece) {
	x.decides = decides(p.side.outs)
	if y, ok := w.learned[p.memo.hash]; ok {
		y.segment = nil
		w.surprised = w.surprised || x != y
		return
	}
	x.segment = w.app.(MemoApp).Capture(p)
	w.learned[p.memo.hash] = x
}

// peekLearned is [World.Peek] in a world that learns.
func (w *World) peekLearned(p *Proc, t TaskID, alone bool, visit func(segment any), skip func(kind int32) bool) Peeked {
	_, key := w.observationOf(p, t)
	history := after(p.memo.hash, key)
	for {
		x, ok := w.learned[history]
		if !ok {
			return Peeked{Unknown: true}
		}
		alone = alone && !x.decides
		if !x.asks {
			visit(x.segment)
			return Peeked{Awaits: x.awaits}
		}
		v, known := w.foresee(p, t, x.kind, x.arg, alone, skip)
		if !known {
			visit(x.segment)
			return Peeked{Asks: x.kind, Asked: true}
		}
		o := observation{answer: true, task: t, value: v}
		history = after(history, o.key(&p.memo))
	}
}
