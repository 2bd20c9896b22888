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
}

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
