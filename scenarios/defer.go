package scenarios

import (
	"slices"

	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
)

// What a process does by itself touches nothing but itself and what it sends, so
// that it may as well be done right before what concerns the process next: a step of
// the server that takes or loses what it has sent, a fault, a message to it. What
// others do meanwhile they do before. Beliefs end no earlier by that, and overlap no
// less; but a grant is put off by nothing.
//
// So where the steps of all are to be tried and one of these is taken, the process
// goes on until something else concerns it: the world is the process's, and other
// worlds are those in which others went first.

// deletesOthers stands among the fields of Stats for clients that delete znodes of
// others where the watches that tickets leave behind are counted: whether such a
// ticket had been given back by then shows.
const deletesOthers uint32 = 1 << 30

// defers reports whether the deferral of steps is proven for a variant: its
// processes meet at the server alone, and no order of grants shows.
func (v *Variant) defers() bool { return v.Store == zk.StoreNone && !v.Tokens }

// isDeferrable reports whether a transition is a process's own.
func isDeferrable(m *move) bool {
	if m.kind != moveKernel || m.kernel.Proc == sim.NoProc {
		return false
	}
	return m.kernel.Kind != sim.MoveApp || simzk.Redials(m.kernel)
}

// doDeferring carries out a transition. If all were to be tried and it is a
// process's own, or the process is at it already, it goes on with what concerns the
// process.
func (r *Runner) doDeferring(m *move) {
	defers := (r.whole || r.goesOn != 0) && isDeferrable(m)
	r.granted = false
	r.do(m)
	r.goesOn = 0
	if defers && !r.granted {
		r.goesOn = m.client + 1
	}
}

// goingOn keeps what concerns the process that goes on. If nothing but faults does,
// it waits.
func (r *Runner) goingOn(all []move) []move {
	if r.goesOn == 0 {
		return all
	}
	client := r.goesOn - 1
	if !slices.ContainsFunc(all, func(m move) bool { return m.kind != moveFault && r.concerns(&m, client) }) {
		r.goesOn = 0
		return all
	}
	return slices.DeleteFunc(all, func(m move) bool { return !r.concerns(&m, client) })
}

// concerns reports whether a transition is about a client.
func (r *Runner) concerns(m *move, client int32) bool {
	return m.kind != moveEnd && m.kind != moveLease && r.ownerOfMove(m) == client
}

// noteDelete notes that a client deletes the ticket of another.
func (r *Runner) noteDelete(session, owner int64) {
	if r.variant.MaxFanOut > 0 && r.ownerOf(session) != r.ownerOf(owner) {
		r.deletes |= deletesOthers
	}
}
