package simzk

import (
	"slices"
	"time"

	"zoosim/sim"
)

// resource is the thing that a lock protects: it refuses a write whose token
// is lower than the highest it has seen. The shops of a sale stand beside it.
type resource struct {
	high   int64
	shops  [2]shop
	writes []write
}

// shop has pieces for sale. The one that is fenced refuses tokens that are
// lower than the highest it has seen, in reads and in writes.
type shop struct {
	stock int64
	high  int64
}

// access is what a write wants of the resource.
type access struct {
	kind  accessKind
	shop  int8
	token int64 // 0 for the shop that is not fenced
	value int64 // the stock to write
}

type accessKind uint8

const (
	accessWrite accessKind = iota
	accessStock            // read the stock of a shop
	accessSetStock
)

// write is an access under way.
type write struct {
	p *Process
	access
	tag    waitTag
	answer int64
	stage  writeStage
}

// writeStage is how far a write has got.
type writeStage uint8

const (
	writeUnderWay writeStage = iota
	writeAnswered
	writeOver
)

func (r *resource) reset() { *r = resource{writes: r.writes[:0]} }

// SetStock sets the stock of both shops before a run.
func (w *World) SetStock(n int) {
	for i := range w.resource.shops {
		w.resource.shops[i].stock = int64(n)
	}
}

// writeLatency is that of a write and of its answer.
var writeLatency = sim.Exponential(200*time.Microsecond, time.Millisecond, 16)

// startWrite sends a write to the resource; once under way it no longer
// depends on its process.
func (w *World) startWrite(p *Process, tag waitTag, a access) {
	r := &w.resource
	r.writes = append(r.writes, write{p: p, tag: tag, access: a})
	w.K.After(w.K.Draw(sim.LabelLatency, writeLatency), sim.NoProc, timerWrite, int32(len(r.writes)-1), false)
}

func (w *World) resourceTimer(kind, i int32) {
	r := &w.resource
	x := &r.writes[i]
	x.stage++
	if kind == timerWriteAck {
		x.p.slots[x.tag.task].value = x.answer
		w.K.Complete(x.p.sp, x.tag.task, x.tag.seq)
		return
	}
	if x.kind == accessWrite {
		w.write(x)
	} else {
		w.visitShop(x)
	}
	w.K.After(w.K.Draw(sim.LabelLatency, writeLatency), x.p.sp.ID(), timerWriteAck, i, false)
}

// write carries a write to the fenced resource out.
func (w *World) write(x *write) {
	if x.token >= w.resource.high {
		w.resource.high, x.answer = x.token, 1
	}
	w.K.Note(uint64(x.token)<<1 | uint64(x.answer))
	if w.K.Tracing() {
		verb := "refuses"
		if x.answer == 1 {
			verb = "accepts"
		}
		w.K.Tracef("resource: %s the write of %s with token %d", verb, x.p.Name(), x.token)
	}
	w.observer.Wrote(x.p, x.token, x.answer == 1)
}

// visitShop carries an access to a shop out. The answer to a read is the stock
// and one more; 0 is a refusal.
func (w *World) visitShop(x *write) {
	s := &w.resource.shops[x.shop]
	name := [...]string{"the shop", "the fenced shop"}[x.shop]
	who := x.p.Name()
	switch {
	case x.token < s.high:
		w.K.Tracef("resource: %s refuses token %d of %s", name, x.token, who)
	case x.kind == accessStock:
		s.high, x.answer = x.token, s.stock+1
		w.K.Tracef("resource: %s tells %s that %d are left", name, who, s.stock)
	default:
		s.high, s.stock, x.answer = x.token, x.value, 1
		w.K.Tracef("resource: %s notes for %s that %d are left", name, who, s.stock)
	}
	w.K.Note(uint64(x.token)<<16 ^ uint64(x.answer)<<8 ^ uint64(s.stock)<<1 ^ uint64(x.shop))
}

// hashShops writes the shops, if anything was ever for sale there.
func (r *resource) hashShops(h *sim.Hash, rank func(int64) uint64) {
	for i := range r.shops {
		if s := &r.shops[i]; s.stock != 0 || s.high != 0 {
			h.Uint64(uint64(s.stock)<<1 | uint64(i))
			h.Uint64(rankOf(rank, s.high))
		}
	}
}

// rankOf is the rank of a token; 0 where tokens do not matter.
func rankOf(rank func(int64) uint64, token int64) uint64 {
	if rank == nil {
		return 0
	}
	return rank(token)
}

// hashWrites writes the writes of a process that are under way, or whose
// answers are. A write arrives also if its process has crashed.
func (r *resource) hashWrites(h *hasher, p *Process, rank func(int64) uint64) {
	crashed := p.sp.Status() == sim.Crashed
	for i := range r.writes {
		x := &r.writes[i]
		if x.p != p || x.stage == writeOver || x.stage == writeAnswered && crashed {
			continue
		}
		h.Uint64(uint64(x.stage)<<40 | uint64(uint32(x.tag.task)))
		h.Uint64(uint64(x.answer))
		if x.stage == writeUnderWay {
			h.Uint64(uint64(x.kind)<<40 | uint64(x.shop)<<32 | uint64(x.value))
			h.Uint64(rankOf(rank, x.token))
		}
	}
}

// writing reports whether a write of the process is under way, or its answer.
func (r *resource) writing(p *Process) bool {
	return slices.ContainsFunc(r.writes, func(x write) bool { return x.p == p && x.stage != writeOver })
}

// appendTokens appends the tokens that may still decide what the resource does.
func (r *resource) appendTokens(dst []int64) []int64 {
	dst = append(dst, r.high, r.shops[1].high)
	for i := range r.writes {
		if r.writes[i].stage == writeUnderWay {
			dst = append(dst, r.writes[i].token)
		}
	}
	return dst
}
