package checker

import (
	"cmp"
	"slices"
	"time"
)

// Evidence is the heart of a failing history: a smallest set of operations
// whose outcomes must stay as they are. With every other operation of unknown
// outcome, so that it may take effect from its call on with any output, or
// never, the history still fails; with one more of them unknown it does not.
// Operations are not dropped, since dropping one can make a good history bad.
type Evidence struct {
	// Operations are indices into the history, in the order of the calls.
	Operations []int
	// Minimal is false if the budget of the reduction ended before it was
	// known that each of them is needed.
	Minimal bool
	// Why explains in one sentence why they cannot be.
	Why string
}

// The budget of a reduction: work is steps of searches and operations looked
// at by other means, in all and in one attempt. About ten million take some
// seconds.
const (
	evidenceWork        = 10_000_000
	evidenceAttemptWork = 500_000
	evidenceAttemptTime = 2 * time.Second
)

// reduction is a failing history on one object that is being reduced.
type reduction struct {
	m     *Model
	ops   []Operation
	index []int32 // in the history, of each
	work  int64
	over  bool // an attempt was not decided
	trial []Operation
}

// evidence reduces a part that is known to fail.
func (m *Model) evidence(p *part, o DecideOptions) *Evidence {
	r := &reduction{m: m, ops: p.ops, index: p.index}
	return r.evidence(p.ops, o)
}

// evidence reduces the history, which is the beginning of the whole.
func (r *reduction) evidence(whole []Operation, o DecideOptions) *Evidence {
	r.cut()
	r.over = false // a longer beginning is as good a start
	all := r.certain()
	// Of unknown outcome, what only reads does not matter, and what writes makes
	// attempts dear: reads go first.
	var reads, writes []int32
	for _, k := range all {
		if r.ops[k].Kind.readOnly() {
			reads = append(reads, k)
		} else {
			writes = append(writes, k)
		}
	}
	reads = r.smallest(writes, true, reads)
	kept := slices.Concat(reads, r.smallest(reads, len(reads) > 0, writes))
	if !r.fails(kept) {
		kept, r.over = all, true
	}
	slices.SortFunc(kept, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.ops[a].Call, r.ops[b].Call), cmp.Compare(a, b))
	})
	e := &Evidence{Operations: make([]int, len(kept)), Minimal: !r.over}
	for i, k := range kept {
		e.Operations[i] = int(r.index[k])
	}
	e.Why = r.sentence(kept, whole, o.Stamps)
	return e
}

// certain are the operations that may be made unknown, the latest to return
// first: of several smallest sets a late one tells more.
func (r *reduction) certain() []int32 {
	var list []int32
	for i := range r.ops {
		if r.ops[i].certain() {
			list = append(list, int32(i))
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.ops[b].Return, r.ops[a].Return), cmp.Compare(a, b))
	})
	return list
}

// cut keeps the shortest beginning of the history that fails. What is called
// after it can neither help nor harm it: the beginning of a linearizable
// history is linearizable.
func (r *reduction) cut() {
	list := r.certain()
	whole := r.ops
	index := r.index
	take := func(end int64) {
		r.ops, r.index = nil, nil
		for i := range whole {
			op := whole[i]
			if op.Call > end {
				continue
			}
			if op.Return > end {
				op.Outcome = OutcomeUnknown
			}
			r.ops, r.index = append(r.ops, op), append(r.index, index[i])
		}
	}
	good, bad := len(list), 0 // in list, which goes back in time
	for good-bad > 1 {
		middle := (good + bad) / 2
		take(whole[list[middle]].Return)
		if r.undecidedOrFails() {
			bad = middle
		} else {
			good = middle
		}
	}
	take(whole[list[bad]].Return) // what fails has something certain
}

// undecidedOrFails is fails for all operations that are certain.
func (r *reduction) undecidedOrFails() bool { return r.decide(r.ops) == Failed }

// fails is true if the history is known to fail with those alone certain.
func (r *reduction) fails(kept []int32) bool {
	r.trial = append(r.trial[:0], r.ops...)
	for i := range r.trial {
		r.trial[i].Outcome = OutcomeUnknown
	}
	for _, k := range kept {
		r.trial[k].Outcome = OutcomeOK
	}
	return r.decide(r.trial) == Failed
}

// decide judges one attempt.
func (r *reduction) decide(ops []Operation) Verdict {
	if r.work >= evidenceWork {
		r.over = true
		return Unknown
	}
	var d Decision
	r.m.settle(&d, ops, evidenceAttemptWork, evidenceAttemptTime)
	r.work += int64(len(ops)) + d.Steps
	if d.Verdict == Unknown {
		r.work += evidenceAttemptWork
		r.over = true
	}
	return d.Verdict
}

// smallest is a smallest part of the choice that fails together with what is
// fixed (Junker, QuickXplain: Preferred Explanations and Relaxations for
// Over-Constrained Problems). Added is true if fixed has grown since it was
// last tried.
func (r *reduction) smallest(fixed []int32, added bool, choice []int32) []int32 {
	if added && r.fails(fixed) {
		return nil
	}
	if len(choice) <= 1 {
		return choice
	}
	half := len(choice) / 2
	first, second := choice[:half], choice[half:]
	late := r.smallest(slices.Concat(fixed, first), true, second)
	early := r.smallest(slices.Concat(fixed, late), len(late) > 0, first)
	return slices.Concat(early, late)
}
