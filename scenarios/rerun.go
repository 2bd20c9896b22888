package scenarios

import (
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/sim/explore"
)

// rerun binds untimed runs of a scenario with real tasks to the search by
// re-execution.
type rerun struct {
	r      *Runner
	on     Reductions
	fields uint32 // of Stats in the keys
	asked  uint32 // fields that code has asked for
	// noSymmetry: see [SearchReport].
	noSymmetry string
	// atOnce lets a process without callbacks act on what it is told in the
	// same step.
	atOnce bool
	// short leaves out what clients do when the run has been judged.
	short bool
	foot  explore.Footprint
	// tried was tried last because it was not known, or is to be tried now.
	tried           move
	isTried, trying bool
	// ends, if set, is told each state at which nothing but faults can happen.
	ends func(r *Runner)
	// Planted faults: spoil replaces the transitions to explore, forget takes
	// something out of footprints.
	spoil  func(r *Runner, all []move) []move
	forget func(f *explore.Footprint)
}

var _ explore.Rerun[move] = (*rerun)(nil)

// newRerun returns a world of a valid scenario for a search that tells states
// apart, or for one that does not (uncached).
func newRerun(s Scenario, fields uint32, on Reductions, uncached bool) (*rerun, error) {
	r, err := NewRunner(s)
	if err != nil {
		return nil, err
	}
	return rerunOf(r, fields, on, uncached), nil
}

func rerunOf(r *Runner, fields uint32, on Reductions, uncached bool) *rerun {
	on, noSymmetry := on.in(r.variant.family, &r.s, fields)
	on.Checkpoint, on.Grant, on.Defer = false, false, false // histories are what they are
	r.keepHistory, r.reductions = false, on
	if !uncached || on.Delivery {
		r.learns = true
		r.world.K.LearnHistories()
	}
	return &rerun{r: r, on: on, noSymmetry: noSymmetry, fields: fields, atOnce: uncached, short: uncached}
}

// Begin implements [explore.Rerun].
func (x *rerun) Begin() {
	x.r.world.HashStatFields(x.fields)
	x.r.beginUntimed(nil, nil)
}

// Moves implements [explore.Rerun].
func (x *rerun) Moves(dst []move) (moves []move, try move, known bool) {
	r := x.r
	if x.short && r.ended {
		return dst, move{}, true
	}
	r.unknown = nil
	all := r.moves(dst)
	if x.spoil != nil {
		return x.spoil(r, all), move{}, true
	}
	if x.atOnce {
		all = r.readyFirst(all)
	}
	all = r.reduce(all, x.on)
	if r.unknown != nil && !(x.isTried && *r.unknown == x.tried) {
		x.tried, x.isTried, x.trying = *r.unknown, true, true
		return all, x.tried, false
	}
	x.isTried = false
	return all, move{}, true
}

// Passes implements [explore.Rerun].
func (x *rerun) Passes(m move) bool { return m.passes() }

// Do implements [explore.Rerun].
func (x *rerun) Do(m move) bool {
	r := x.r
	if m.usesKernel() && !r.world.K.Can(m.kernel) {
		return false
	}
	if x.ends != nil && m.kind == moveEnd {
		x.ends(r)
	}
	if x.on.Sleep {
		x.foot = r.doTouching(&m)
		if x.forget != nil {
			x.forget(&x.foot)
		}
	} else {
		r.do(&m)
	}
	if x.trying && m.kernel.Kind == sim.MoveTimer {
		r.wakeUp(m.kernel.Proc) // that is what was not known
	}
	x.trying = false
	x.asked |= r.world.StatFields()
	return true
}

// wakeUp lets a process whose timer has fired go on.
func (r *Runner) wakeUp(p sim.ProcID) {
	r.kernelMoves = r.world.K.Moves(r.kernelMoves[:0])
	for _, k := range r.kernelMoves {
		if k.Kind == sim.MoveRun && k.Proc == p {
			r.do(&move{client: r.clientOf(&k), kernel: k})
			return
		}
	}
}

// usesKernel reports whether the kernel carries the transition out.
func (m *move) usesKernel() bool {
	return m.kind == moveKernel || m.kind == moveFault && (m.fault == faults.CutRequest || m.fault == faults.CutReply)
}

// Key implements [explore.Rerun].
func (x *rerun) Key() uint64 { return x.r.key() }

// Failed implements [explore.Rerun].
func (x *rerun) Failed() uint32 { return x.r.monitor.FailedBits() }

// ID implements [explore.Rerun].
func (x *rerun) ID(m move) uint64 { return m.id() }

// Footprint implements [explore.Rerun].
func (x *rerun) Footprint() explore.Footprint { return x.foot }

// readyFirst keeps the ready tasks of one process that takes what it is told
// and runs to its next wait in one step, if there is such a process.
func (r *Runner) readyFirst(all []move) []move {
	for i := range all {
		m := &all[i]
		if m.kind != moveKernel || m.kernel.Kind != sim.MoveRun || !r.atomic(r.world.Process(m.kernel.Proc)) {
			continue
		}
		proc := m.kernel.Proc
		n := 0
		for _, k := range all {
			if k.kind == moveKernel && k.kernel.Kind == sim.MoveRun && k.kernel.Proc == proc {
				all[n] = k
				n++
			}
		}
		return all[:n]
	}
	return all
}
