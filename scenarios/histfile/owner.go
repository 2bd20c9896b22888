package histfile

import (
	"slices"

	"zoosim/checker"
)

// own gives the holds of locks their owners.
func (h *History) own(calls []call) error {
	base := baseName(h.Model)
	reentrant := base == "reentrant-mutex" || base == "reentrant-rw-lock"
	first := -1 // that tells an owner
	for i := range calls {
		c, op := &calls[i], &h.Operations[i]
		if op.Kind > checker.OpLose {
			return nil // no lock
		}
		h.anonymous = !reentrant
		if c.begin.owned || c.end != nil && c.end.owned {
			first, h.anonymous = i, false
			break
		}
	}
	for i := range calls {
		c, op := &calls[i], &h.Operations[i]
		switch {
		case c.begin.owned:
			op.In = c.begin.owner
		case c.end != nil && c.end.owned:
			op.In = c.end.owner
		case op.Outcome == checker.OutcomeFailed:
		case first >= 0:
			return fault(c.begin.line, "%s without an owner, and line %d tells one; allowed: all or none",
				c.begin.f, calls[first].begin.line)
		case reentrant:
			op.In = c.begin.process + 1
		case op.Kind == checker.OpLose:
			return fault(c.begin.line, "lose without an owner; allowed: owners everywhere")
		}
		if op.In > maxProcess {
			return fault(c.begin.line, "process %d is no owner; allowed: below %d", c.begin.process, maxProcess)
		}
	}
	return nil
}

// decideAnonymous decides a history of a lock with anonymous holds. That it
// fails does not tell which holds overlap, so the sentence is about the same
// history with owners, which fails all the more. It is used if it tells of
// acquires of several owners; that a process releases what another holds is
// allowed here.
func (h *History) decideAnonymous(o checker.DecideOptions) checker.Decision {
	quick := o
	quick.NoEvidence = true
	d := checker.Decide(h.Model, h.Operations, quick)
	if d.Verdict != checker.Failed || o.NoEvidence {
		return d
	}
	owned := byBelief(h.Operations)
	if told := checker.Decide(h.Model, owned, o); told.Evidence != nil && overlap(owned, told.Evidence.Operations) {
		return told
	}
	return checker.Decide(h.Model, h.Operations, o)
}

// byBelief makes each acquire an owner, and a process release what it acquired
// last: an owner for each process would let an earlier release of unknown
// outcome end a later hold.
func byBelief(ops []checker.Operation) []checker.Operation {
	owned := slices.Clone(ops)
	type holder struct {
		object string
		client int32
		kind   checker.OpKind // of the acquire
	}
	latest := map[holder]int64{}
	for i := range owned {
		op := &owned[i]
		if op.Outcome == checker.OutcomeFailed {
			continue
		}
		key := holder{op.Object, op.Client, acquireOf(op.Kind)}
		if acquires(op.Kind) || latest[key] == 0 {
			latest[key] = int64(i) + 1
		}
		op.In = latest[key]
	}
	return owned
}

// acquireOf is the acquire of a release, and of itself.
func acquireOf(k checker.OpKind) checker.OpKind {
	switch k {
	case checker.OpRelease:
		return checker.OpAcquire
	case checker.OpReleaseRead:
		return checker.OpAcquireRead
	case checker.OpReleaseWrite:
		return checker.OpAcquireWrite
	}
	return k
}

// overlap is true for acquires of several owners.
func overlap(ops []checker.Operation, heart []int) bool {
	several := false
	for _, i := range heart {
		if !acquires(ops[i].Kind) {
			return false
		}
		several = several || ops[i].In != ops[heart[0]].In
	}
	return several
}

func acquires(k checker.OpKind) bool {
	return k == checker.OpAcquire || k == checker.OpAcquireRead || k == checker.OpAcquireWrite
}
