package simzk

import (
	"time"

	"zoosim/sim"
)

// resource is the thing that a lock protects: it refuses a write whose token
// is lower than the highest it has seen.
type resource struct {
	high   int64
	writes []write
}

type write struct {
	p      *Process
	tag    waitTag
	token  int64
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

func (r *resource) reset() { r.high, r.writes = 0, r.writes[:0] }

// writeLatency is that of a write and of its answer.
var writeLatency = sim.Exponential(200*time.Microsecond, time.Millisecond, 16)

// startWrite sends a write to the resource; once under way it no longer
// depends on its process.
func (w *World) startWrite(p *Process, tag waitTag, token int64) {
	r := &w.resource
	r.writes = append(r.writes, write{p: p, tag: tag, token: token})
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
	if x.token >= r.high {
		r.high, x.answer = x.token, 1
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
	w.K.After(w.K.Draw(sim.LabelLatency, writeLatency), x.p.sp.ID(), timerWriteAck, i, false)
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
		h.Uint64(uint64(x.stage)<<40 | uint64(x.answer)<<32 | uint64(uint32(x.tag.task)))
		if x.stage == writeUnderWay {
			h.Uint64(rank(x.token))
		}
	}
}

// appendTokens appends the tokens that may still decide what the resource does.
func (r *resource) appendTokens(dst []int64) []int64 {
	dst = append(dst, r.high)
	for i := range r.writes {
		if r.writes[i].stage == writeUnderWay {
			dst = append(dst, r.writes[i].token)
		}
	}
	return dst
}
