package checker

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// decidePart decides the operations on one object. Places is the witness
// order, nil for none; steps and limit are the budget.
func (m *Model) decidePart(p *part, places []int32, steps int64, limit time.Duration) Decision {
	d := Decision{Size: len(p.ops)}
	for i := range p.ops {
		if !p.ops[i].certain() {
			d.Unknowns++
		}
	}
	if places != nil && m.passes(p.ops, p.order(places)) {
		d.Verdict, d.How = Pass, ByWitness
		return d
	}
	m.settle(&d, p.ops, steps, limit)
	return d
}

// settle decides operations on one object without a witness.
func (m *Model) settle(d *Decision, ops []Operation, steps int64, limit time.Duration) {
	if m.patterns != nil {
		d.How = ByPatterns
		if d.Verdict = m.patterns(ops).verdict; d.Verdict != Unknown {
			return
		}
	}
	kept, _ := m.withoutUseless(ops)
	if m.guess != nil {
		order := m.guess(kept)
		if at := m.engine.replay(kept, order); at < 0 {
			if inTime(kept, order) {
				d.Verdict, d.How = Pass, ByWitness
				return
			}
		} else {
			d.How = ByPorcupine
			r := search(m, m.suspects(kept, order, at), steps, limit)
			d.Steps = r.steps
			if r.verdict == Failed {
				d.Verdict = Failed
				return
			}
		}
	}
	r := search(m, kept, steps, limit)
	d.Verdict, d.How = r.verdict, ByPorcupine
	d.Steps += r.steps
	if r.verdict == Unknown {
		d.Why = "the search ended because " + r.why + ": " + strconv.Itoa(d.Size) + " operations on one object, " +
			strconv.Itoa(d.Unknowns) + " of them of unknown outcome"
	}
}

// passes is true if the order is a linearization, by Wing and Gong's
// definition: in time, and allowed by the specification.
func (m *Model) passes(ops []Operation, order []int32) bool {
	return inTime(ops, order) && m.engine.replay(ops, order) < 0
}

// inTime is true if every certain operation is in the order once, and none
// ahead of one that was over before it began: in one pass, an operation may not
// stand behind one that began after its end.
func inTime(ops []Operation, order []int32) bool {
	latest := int64(math.MinInt64)
	certain := 0
	for _, k := range order {
		op := &ops[k]
		if op.end() < latest {
			return false
		}
		latest = max(latest, op.Call)
		if op.certain() {
			certain++
		}
	}
	for i := range ops {
		if ops[i].certain() {
			certain--
		}
	}
	return certain == 0
}

// order is the part's operations in the order of their places.
func (p *part) order(places []int32) []int32 {
	order := make([]int32, 0, len(p.ops))
	for i, k := range p.index {
		if places[k] >= 0 {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(places[p.index[a]], places[p.index[b]]) })
	return order
}
