package scenarios

import (
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/sim/explore"
)

// model binds untimed runs of a scenario to the search.
type model struct {
	v        Variant
	s        Scenario
	memo     *sim.Memo
	shadow   *Runner
	first    *Runner       // that was made; all share its room
	versions *sim.Versions // of processes; nil if steps may touch those of others
	nodes    int           // of the memo at the last call of Learned
	fields   uint32        // of Stats in the keys
	asked    uint32        // fields that code has asked for
	on       Reductions
	// noSymmetry: see [SearchReport].
	noSymmetry string
	// interleave: see [Runner.atomic].
	interleave bool
	// shortest: see [Runner].
	shortest bool
	// made are transitions that were made, by [Runner.behind]. A forgetful model
	// does not remember them.
	made      []uint64
	forgetful bool
	// log, if set, is told each transition before it is carried out.
	log func(m *move)
	// ends, if set, is told each state at which nothing but faults can happen.
	ends func(r *Runner)
}

var _ explore.Model[*Runner, move] = (*model)(nil)

// newModel returns a model of a valid scenario with a memo of its own. Fields are the fields of
// Stats that code may ask for, as far as is known.
func newModel(v Variant, s Scenario, fields uint32, on Reductions) *model {
	shadow := makeRunner(v, s)
	on, noSymmetry := on.in(v.family, &s, fields)
	on.Defer = on.Defer && v.defers()
	md := &model{v: v, s: s, shadow: shadow, fields: fields, on: on, noSymmetry: noSymmetry}
	if s.Servers <= 1 && v.Store == zk.StoreNone {
		md.versions = &sim.Versions{}
	}
	shadow.world.K.SetUntimed(true)
	md.memo = sim.NewMemo(shadow.world, md.spawn)
	if on.Checkpoint {
		md.memo.Checkpoints |= 1 << simzk.CheckpointRound
	}
	if on.Grant {
		md.memo.Checkpoints |= 1 << simzk.CheckpointGrant
	}
	return md
}

// close ends the coroutines of the processes that really run.
func (md *model) close() { md.shadow.Close() }

// spawn starts a process of a program in the shadow world.
func (md *model) spawn(program uint64) *sim.Proc {
	r := md.shadow
	r.world.Begin(nil)
	if len(r.programs[0].list) == 0 {
		r.draw()
		r.fitModes()
	}
	i, from := unpackProgram(program)
	r.clients[i].from = from
	r.spawn(i, 0)
	return r.world.K.Proc(r.clients[i].p.ID())
}

// packProgram names a program and where it goes on; equal programs have equal
// names.
func packProgram(i int, from progress) uint64 {
	return uint64(i)<<48 | uint64(uint32(from.next))<<24 | uint64(uint32(from.op))
}

func unpackProgram(p uint64) (int, progress) {
	return int(p >> 48), progress{next: int(p >> 24 & 0xffffff), op: int32(p & 0xffffff)}
}

// New implements [explore.Model].
func (md *model) New() *Runner {
	r := makeRunner(md.v, md.s)
	r.keepHistory, r.reductions, r.interleave = false, md.on, md.interleave
	r.shortest = md.shortest
	r.memo = md.memo
	r.world.K.SetMemo(md.memo)
	r.world.K.SetVersions(md.versions)
	r.world.K.HashTrace(false)
	if md.first == nil {
		md.first = r
	}
	r.room = md.first.room
	r.world.ShareRoom(md.first.world)
	return r
}

// Begin implements [explore.Model].
func (md *model) Begin(r *Runner) {
	r.world.HashStatFields(md.fields &^ deletesOthers)
	r.beginUntimed(md.memo, nil)
	md.next(r)
}

// Copy implements [explore.Model].
func (md *model) Copy(dst, src *Runner) {
	src.copyInto(dst)
	if dst.nextOf == dst {
		dst.nextOf = nil
	}
}

// Moves implements [explore.Model].
func (md *model) Moves(r *Runner, dst []move) []move {
	if r.nextOf != r {
		md.next(r)
	}
	return append(dst, r.next...)
}

// next lists the transitions to explore in r.next.
func (md *model) next(r *Runner) {
	if r.ended {
		r.next, r.whole = r.closing(r.next[:0]), false
	} else {
		r.next = r.reduce(r.goingOn(r.moves(r.next[:0])), md.on)
	}
	r.nextOf = r
}

// chainLimit bounds how many transitions without an alternative are made in
// one step; a state at the bound is like any other.
const chainLimit = 1000

// passes reports whether a state with no way on but m is none of its own. Many
// ways lead to an end, so that is one, before clients close.
func (m *move) passes() bool { return m.kind != moveEnd }

// Do implements [explore.Model]: a transition, and those behind it that have
// no alternative.
func (md *model) Do(r *Runner, m move) {
	for n := 0; ; n++ {
		if md.log != nil {
			told := m // m stays on the stack
			md.log(&told)
		}
		if md.ends != nil && m.kind == moveEnd {
			md.ends(r)
		}
		if md.on.Defer {
			r.doDeferring(&m)
		} else {
			r.do(&m)
		}
		md.next(r)
		if len(r.next) != 1 || !r.next[0].passes() || n == chainLimit {
			break
		}
		m = r.next[0]
	}
	md.asked |= r.world.StatFields() | md.shadow.world.StatFields() | r.deletes
}

// Learned implements [explore.Learner].
func (md *model) Learned() bool {
	before := md.nodes
	md.nodes = md.memo.Nodes()
	return md.nodes > before
}

// Key implements [explore.Model].
func (md *model) Key(r *Runner) uint64 { return r.key() }

// Failed implements [explore.Model].
func (md *model) Failed(r *Runner) uint32 { return r.monitor.FailedBits() }

// Cost implements [explore.Coster].
func (md *model) Cost(r *Runner) int { return r.world.Transitions() }
