package checker

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// depthBy is by how much an operation deepens its owner's hold that the acquire
// began: positive, negative, or 0 if it has nothing to do with it.
func (op *Operation) depthBy(acquire *Operation) int {
	switch {
	case op.In != acquire.In || op.Outcome == OutcomeFailed:
		return 0
	case op.Kind == acquire.Kind && op.certain():
		return permitsOf(op)
	case op.Kind == OpRelease && acquire.Kind == OpAcquire,
		op.Kind == OpReleaseRead && acquire.Kind == OpAcquireRead,
		op.Kind == OpReleaseWrite && acquire.Kind == OpAcquireWrite:
		return -permitsOf(op)
	}
	return 0
}

// held says from when to when the hold lasted that an acquire began: "from
// 3.000s to 9.000s", or "since 3.000s" if nothing ended it.
func (a *account) held(acquire *Operation) string {
	// The owner's acquires count from their return, what ends them from its
	// call, as in the guess.
	var own []*Operation
	at := func(op *Operation) int64 {
		if op.Kind.acquires() {
			return op.Return
		}
		return op.Call
	}
	for i := range a.ops {
		op := &a.ops[i]
		ends := op.Kind == OpLose && op.In == acquire.In
		if (ends || op.depthBy(acquire) != 0) && at(op) >= acquire.Return {
			own = append(own, op)
		}
	}
	slices.SortStableFunc(own, func(x, y *Operation) int { return cmp.Compare(at(x), at(y)) })
	depth := 0
	for _, op := range own {
		depth += op.depthBy(acquire)
		if depth <= 0 || op.Kind == OpLose {
			return "from " + a.returned(acquire) + " to " + a.called(op)
		}
	}
	return "since " + a.returned(acquire)
}

// purpose says what a lock was acquired for, with a space before it, where
// that makes a difference.
func purpose(op *Operation) string {
	switch op.Kind {
	case OpAcquireRead:
		return " for reading"
	case OpAcquireWrite:
		return " for writing"
	}
	return ""
}

// anonymous is true for several holds without owners: then nothing says which
// of them a release ended, and so which overlap.
func (a *account) anonymous() bool {
	for i := range a.heart {
		if a.heart[i].In != 0 {
			return false
		}
	}
	return len(a.heart) > 1
}

// grants is the sentence about anonymous acquires that are too many, "" if
// others than acquires must stay certain.
func (a *account) grants() string {
	last := 0
	for i := range a.heart {
		if !a.heart[i].Kind.acquires() {
			return ""
		}
		if a.heart[i].Return > a.heart[last].Return {
			last = i
		}
	}
	op := &a.heart[last]
	return name(op.Client) + " was granted the lock" + purpose(op) + " at " + a.returned(op) + ": no order of the " +
		number(int64(len(a.heart))) + " grants up to then and of the releases between them is allowed"
}

// explainExclusion is the sentence about two holds that exclude each other.
// The earlier may be several acquires of one owner.
func explainExclusion(a *account) string {
	if a.anonymous() {
		return a.grants()
	}
	last := 0
	for i := range a.heart {
		if !a.heart[i].Kind.acquires() {
			return ""
		}
		if a.heart[i].Return > a.heart[last].Return {
			last = i
		}
	}
	second := &a.heart[last]
	var first *Operation
	for i := range a.heart {
		op := &a.heart[i]
		switch {
		case i == last:
		case first == nil:
			first = op
		case op.In != first.In || op.Kind != first.Kind:
			return ""
		case op.Return < first.Return:
			first = op
		}
	}
	if first == nil {
		return ""
	}
	again, who := "", name(first.Client)
	if first.In == second.In {
		again, who = " again", "it"
	}
	return name(second.Client) + " was granted the lock" + purpose(second) + again + " at " + a.returned(second) +
		" while " + who + " held it" + purpose(first) + " " + a.held(first)
}

// explainCapacity is the sentence about holds of a semaphore that are more
// than its permits.
func explainCapacity(a *account, permits int64) string {
	if a.anonymous() {
		return a.grants()
	}
	last := 0
	for i := range a.heart {
		if a.heart[i].Kind != OpAcquire {
			return ""
		}
		if a.heart[i].Return > a.heart[last].Return {
			last = i
		}
	}
	var others []string
	for i := range a.heart {
		if i == last {
			continue
		}
		op := &a.heart[i]
		others = append(others, name(op.Client)+" held "+strconv.Itoa(permitsOf(op))+" "+a.held(op))
	}
	op := &a.heart[last]
	why := name(op.Client) + " was granted " + strconv.Itoa(permitsOf(op)) + " at " + a.returned(op)
	if len(others) > 0 {
		why += " while " + strings.Join(others, " and ")
	}
	return why + ", and there are " + strconv.FormatInt(permits, 10) + " in all"
}
