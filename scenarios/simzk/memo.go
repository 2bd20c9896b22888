package simzk

import (
	"slices"

	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

var _ sim.MemoApp = (*World)(nil)

// ObservationKey implements [sim.MemoApp].
func (w *World) ObservationKey(sp *sim.Proc, t sim.TaskID) uint64 {
	p := w.procs[sp.ID()]
	x := hasher{}
	x.slot(&p.slots[t], p)
	return x.Sum()
}

// MaskedKey implements [sim.MemoApp].
func (w *World) MaskedKey(sp *sim.Proc, t sim.TaskID) uint64 {
	p := w.procs[sp.ID()]
	x := hasher{mask: p}
	x.slot(&p.slots[t], p)
	return x.Sum()
}

// MaskedAnswer implements [sim.MemoApp].
func (w *World) MaskedAnswer(sp *sim.Proc, kind int32, v int64) int64 {
	p := w.procs[sp.ID()]
	switch kind {
	case querySession:
		return p.sessionWord(v)
	case querySerial:
		return 0
	case queryStat: // ids of sessions are far larger than what else it may be
		if v >= sessionBase {
			return p.sessionWord(v)
		}
	}
	return v
}

// sessionBase is the least session id.
const sessionBase = 1 << 56

// sessionWord stands for the id of a session: the process's first, its second,
// ..., or another's.
func (p *Process) sessionWord(id int64) int64 {
	if id == 0 {
		return 0
	}
	for i, own := range p.sessions {
		if own == id {
			return int64(i) + 1
		}
	}
	return -1
}

// Observation implements [sim.MemoApp].
func (w *World) Observation(sp *sim.Proc, t sim.TaskID) any {
	s := w.procs[sp.ID()].slots[t]
	s.resp.Stat, s.resp.Zxid, s.resp.Xid = zkmodel.Stat{}, 0, 0
	return s
}

// Observe implements [sim.MemoApp].
func (w *World) Observe(sp *sim.Proc, t sim.TaskID, o any) {
	p := w.procs[sp.ID()]
	for int(t) >= len(p.slots) {
		p.slots = append(p.slots, slot{})
	}
	s := o.(slot)
	// Code may change a list that it is given.
	s.resp.Children = slices.Clone(s.resp.Children)
	if len(s.resp.Multi) > 0 {
		s.resp.Multi = slices.Clone(s.resp.Multi)
		for i := range s.resp.Multi {
			s.resp.Multi[i].Children = slices.Clone(s.resp.Multi[i].Children)
		}
	}
	p.slots[t] = s
}

// Capture implements [sim.MemoApp].
func (w *World) Capture(sp *sim.Proc) any {
	s := &w.procs[sp.ID()].segment
	if len(s.requests)+len(s.records)+len(s.writes)+len(s.opens)+len(s.calls) == 0 {
		return (*segment)(nil)
	}
	return &segment{
		requests: clone(s.requests), records: clone(s.records),
		writes: clone(s.writes), opens: clone(s.opens), calls: clone(s.calls),
	}
}

func clone[T any](s []T) []T {
	if len(s) == 0 {
		return nil
	}
	return slices.Clone(s)
}

// Foretell implements [sim.MemoApp].
func (w *World) Foretell(sp *sim.Proc, t sim.TaskID, kind, arg int32) (int64, bool) {
	p := w.procs[sp.ID()]
	switch kind {
	case querySerial:
		return p.serial, true
	case queryStat:
		w.stats.asked |= 1 << uint(arg&15)
		f := zk.StatField(arg & 15)
		if i := int(arg >> 4); i < len(p.stats) {
			return statField(&p.stats[i], f), true
		} else if i == len(p.stats) && len(p.slots[t].resp.Multi) == 0 {
			return statField(&p.slots[t].resp.Stat, f), true // the task takes it over first
		}
	}
	return 0, false
}

// OfSession reports whether a question is about a handle's connection or
// session.
func OfSession(kind int32) bool {
	return kind == querySession || kind == queryState || kind == queryTimeout
}

// Records calls f for each record in a segment that [sim.World.Peek] shows.
func Records(seg any, f func(*Record)) {
	if s := seg.(*segment); s != nil {
		for i := range s.records {
			f(&s.records[i])
		}
	}
}

// Sends reports whether a segment sends requests of a recipe to the server and
// nothing else.
func Sends(seg any) bool {
	s := seg.(*segment)
	if s == nil || len(s.requests) == 0 || len(s.writes)+len(s.opens)+len(s.calls) > 0 {
		return false
	}
	for i := range s.requests {
		if !isRecipeOp(s.requests[i].req.Op) {
			return false
		}
	}
	return true
}

// Install implements [sim.MemoApp]. Nothing is appended to a segment that was
// installed: no code runs in its world.
func (w *World) Install(sp *sim.Proc, o any) {
	if s := o.(*segment); s != nil {
		w.procs[sp.ID()].segment = *s
	}
}
