package sim

import "math"

// MarkKind is the kind of a mark that a process sets.
type MarkKind uint8

// The kinds of marks.
const (
	// MarkKeep: what has been made so far may be used for ever.
	MarkKeep MarkKind = iota
	// MarkCheckpoint: from here on the code depends on the locals it declares,
	// on what is made before MarkKeep, and on nothing else of its past. The kinds
	// from here to maxMark are checkpoints too, for an App that lets a search do
	// without some of them.
	MarkCheckpoint

	maxMark MarkKind = 1<<markBits - 1
)

// markBits is the room of a kind of mark in an output.
const markBits = 3

// mark is the kind of mark that an output is, and made what was made before.
func (o *output) mark() MarkKind { return MarkKind(o.b) & maxMark }

func (o *output) made(scopes int32) numbers { return numbers{o.a, scopes, o.b >> markBits} }

// numbers count what a process has made: latches, scopes, tasks of its own.
type numbers struct{ latches, scopes, funcs int32 }

// dead is the number of what was made between MarkKeep and the last
// checkpoint: nothing refers to it any more.
const dead = math.MaxUint32 - 1

// renumber counts from the last checkpoint what was made since, and leaves
// what is kept as it is.
func renumber(n, kept, base int32) uint64 {
	switch {
	case n < kept:
		return uint64(uint32(n))
	case n < base:
		return dead
	}
	return uint64(n-base) | 1<<31
}

func (s *memoState) latch(l int32) uint64 { return renumber(l, s.kept.latches, s.base.latches) }

// scope leaves the root scope and noScope as they are.
func (s *memoState) scope(id ScopeID) uint64 {
	return renumber(int32(id), max(s.kept.scopes, 1), s.base.scopes)
}

func (s *memoState) spawned(f int32) uint64 { return renumber(f, s.kept.funcs, s.base.funcs) }

// MaskedHistory is the hash of the process's history, whoever it is, in a world
// with a memo or one that learns.
func (p *Proc) MaskedHistory() uint64 { return p.memo.masked }

// Keep declares that what the process has made so far, and is numbered, may be
// used after checkpoints.
func (p *Proc) Keep() { p.setMark(MarkKeep, 0) }

// Checkpoint declares that all that the process does from here on is a
// function of the given hash of locals, of what it is told from here on, and
// of what was made before [Proc.Keep]. A search may then take states for one
// that differ only in how the process got here; [VerifyCheckpoints] checks each
// such pair. It takes effect if no other task of the process is alive, and the
// search takes checkpoints of the kind.
//
// Times count from the checkpoint: code may compare two that it has asked for
// since, but a deadline that it computed before is a local, and its value none
// that two histories share.
func (p *Proc) Checkpoint(k MarkKind, locals uint64) {
	p.Now() // so that the history says from when on times count
	p.setMark(k, locals)
}

func (p *Proc) setMark(k MarkKind, locals uint64) {
	p.check()
	d := &p.side
	d.outs = append(d.outs, output{kind: outMark, a: d.latches, b: int32(len(d.funcs))<<markBits | int32(k), d: Time(locals)})
	// A question ends the step: what follows it belongs to what follows the mark.
	p.query(queryMark, int32(k))
}

// mark carries out a mark.
func (p *Proc) mark(t TaskID, o *output) {
	if p.w.memo == nil && p.w.learned == nil {
		return
	}
	s := &p.memo
	n, k := o.made(int32(len(p.scopes))), o.mark()
	if k == MarkKeep {
		s.kept = n
		p.w.app.(MemoApp).Mark(p, k)
		return
	}
	if p.w.memo == nil || p.w.memo.Checkpoints>>k&1 == 0 {
		return
	}
	for i := range p.tasks {
		if TaskID(i) != t && p.tasks[i].state != taskOver {
			return
		}
	}
	s.base, s.clock, s.marks = n, p.clock, after(s.marks, uint64(s.node))
	full, masked := p.w.app.(MemoApp).Mark(p, k)
	var h Hash
	for _, x := range [...]uint64{
		checkpointWord, s.program, uint64(k), uint64(o.d), uint64(s.kept.latches), uint64(s.kept.scopes), uint64(s.kept.funcs), masked,
	} {
		h.Uint64(x)
	}
	s.masked = h.Sum()
	switch c := &p.w.memo.nodes[s.node].class; *c {
	case 0, s.masked:
		*c = s.masked
	default:
		p.w.memo.torn = &CheckpointError{k, ", or not: one history reaches two checkpoints there"}
	}
	h.Uint64(full)
	s.hash = h.Sum()
}

// checkpointWord begins the hash of a history that has been replaced.
const checkpointWord = 0xc4ec
