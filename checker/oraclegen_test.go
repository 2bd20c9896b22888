package checker

import (
	"math/rand/v2"
	"slices"
)

// oracleModel is a model with the oracle's specification of the same object
// and random operations on it.
type oracleModel struct {
	name  string
	start string
	spec  oracleSpec
	draw  func(r *rand.Rand, g *generator, op *Operation)
	// complete is true if the patterns decide histories with distinct values.
	complete bool
}

// oracleModels are all models, some with several parameters.
func oracleModels() []oracleModel {
	return []oracleModel{
		{name: "mutex", spec: oracleMutex(false), draw: drawHold(OpAcquire, OpRelease)},
		{name: "reentrant-mutex", spec: oracleMutex(true), draw: drawHold(OpAcquire, OpRelease)},
		{name: "rw-lock", spec: oracleRWLock(false), draw: drawRW},
		{name: "reentrant-rw-lock", spec: oracleRWLock(true), draw: drawRW},
		{name: "semaphore:1", spec: oracleSemaphore(1), draw: drawHold(OpAcquire, OpRelease)},
		{name: "semaphore:3", spec: oracleSemaphore(3), draw: drawPermits},
		{name: "queue", spec: oracleQueue(-1, oldest), draw: drawQueue(0), complete: true},
		{name: "priority-queue", spec: oracleQueue(-1, mostUrgent), draw: drawQueue(3)},
		{name: "bounded-queue:1", spec: oracleQueue(1, oldest), draw: drawQueue(0)},
		{name: "bounded-queue:2", spec: oracleQueue(2, oldest), draw: drawQueue(0)},
		{name: "cas-register", spec: oracleRegister, draw: drawRegister},
		{name: "multi-register", spec: oracleMultiRegister, draw: drawTransaction},
		{name: "counter", spec: oracleCounter, draw: drawCounter},
		{name: "election", spec: oracleElection, draw: drawElection},
		{name: "znodes", spec: oracleZnodes, draw: drawZnodes},
		{name: "sale:3", start: "3", spec: oracleSale, draw: drawSale},
	}
}

// generator runs random clients on the oracle's specification.
type generator struct {
	r       *rand.Rand
	m       oracleModel
	states  map[string]string
	clients []generated
	ops     []Operation
	order   []int // in which the operations took effect
	stamp   int64
	value   int64 // the last that was enqueued
}

// generated is a client in the middle of an operation.
type generated struct {
	op     int // among ops, -1 if idle
	effect bool
}

// generate is a random history that has a linearization, which is the order,
// of up to most operations.
func generate(r *rand.Rand, m oracleModel, most int) ([]Operation, []int) {
	g := &generator{r: r, m: m, states: map[string]string{}, clients: make([]generated, 2+r.IntN(3))}
	for i := range g.clients {
		g.clients[i].op = -1
	}
	for range 4 * most {
		g.step(r.IntN(len(g.clients)), most)
	}
	g.finish()
	return g.ops, g.order
}

// step lets one client call, take effect or return.
func (g *generator) step(client, most int) {
	c := &g.clients[client]
	g.stamp++
	if c.op < 0 {
		if len(g.ops) == most {
			return
		}
		op := Operation{Client: int32(client), Call: g.stamp, Object: "x"}
		if g.r.IntN(8) == 0 {
			op.Object = "y"
		}
		g.m.draw(g.r, g, &op)
		*c = generated{op: len(g.ops)}
		g.ops = append(g.ops, op)
		return
	}
	op := &g.ops[c.op]
	if !c.effect {
		if g.r.IntN(12) == 0 { // it gives up without an effect
			op.Outcome = OutcomeFailed
			op.Return = g.stamp
			c.op = -1
			return
		}
		c.effect = g.takeEffect(c.op)
		return
	}
	op.Return = g.stamp
	if g.r.IntN(8) == 0 {
		op.Outcome = OutcomeUnknown // the reply is lost
	}
	c.op = -1
}

// takeEffect runs an operation, if it need not wait.
func (g *generator) takeEffect(i int) bool {
	op := &g.ops[i]
	state, known := g.states[op.Object]
	if !known {
		state = g.m.start
	}
	next, told, can := g.m.spec(state, *op)
	if !can {
		return false
	}
	g.states[op.Object] = next
	op.Out, op.Out2, op.Result, op.Accesses = told.Out, told.Out2, told.Result, told.Accesses
	g.order = append(g.order, i)
	return true
}

// finish makes what has not returned unknown, and some of what nobody has
// seen the effect of too.
func (g *generator) finish() {
	for i := range g.clients {
		if k := g.clients[i].op; k >= 0 {
			g.ops[k].Outcome = OutcomeUnknown
		}
	}
	if g.r.IntN(3) == 0 { // times that are less exact bring ties
		for i := range g.ops {
			g.ops[i].Call /= 2
			g.ops[i].Return /= 2
		}
	}
	for i := range g.ops {
		if g.ops[i].Outcome == OutcomeUnknown {
			g.ops[i].Out, g.ops[i].Out2, g.ops[i].Return = g.r.Int64N(4), 0, g.r.Int64N(9)
		}
	}
}

// mutate changes a history a little, so that it may have no linearization any
// more.
func mutate(r *rand.Rand, ops []Operation) []Operation {
	ops = slices.Clone(ops)
	if len(ops) == 0 {
		return ops
	}
	op, other := &ops[r.IntN(len(ops))], &ops[r.IntN(len(ops))]
	switch r.IntN(9) {
	case 8: // other outputs than Out
		switch {
		case len(op.Accesses) > 0:
			op.Accesses = slices.Clone(op.Accesses)
			op.Accesses[r.IntN(len(op.Accesses))].Value = r.Int64N(3)
		case op.Kind >= OpCreate:
			op.Out2 = [...]int64{0, codeNoNode, codeBadVersion, codeNodeExists}[r.IntN(4)]
			op.Result = [...]string{"", "p", "/a", "/a0000000001", "b"}[r.IntN(5)]
		}
	case 0:
		op.In = nearby(r, op, op.In)
	case 1, 2:
		if op.Kind == OpCAS || op.Kind == OpBuy {
			op.Out = 1 - op.Out&1
		} else {
			op.Out = nearby(r, op, op.Out)
		}
	case 3:
		if op.Kind == other.Kind {
			op.Out, other.Out = other.Out, op.Out
			op.Result, other.Result = other.Result, op.Result
			op.Out2, other.Out2 = other.Out2, op.Out2
			op.Accesses, other.Accesses = other.Accesses, op.Accesses
		}
	case 4:
		op.Outcome = OutcomeFailed
	case 5:
		if op.Outcome == OutcomeUnknown {
			op.Outcome, op.Return = OutcomeOK, op.Call+r.Int64N(5)
			if op.Kind == OpCAS || op.Kind == OpBuy {
				op.Out &= 1
			}
		} else {
			op.Outcome = OutcomeUnknown
		}
	case 6: // it returned earlier
		if op.Outcome == OutcomeOK {
			op.Return = op.Call + r.Int64N(op.Return-op.Call+1)
		}
	case 7: // it was somewhere else
		if op.Outcome == OutcomeOK {
			shift := r.Int64N(13) - 6
			op.Call, op.Return = op.Call+shift, op.Return+shift
		}
	}
	return ops
}

// nearby is another value of the same kind.
func nearby(r *rand.Rand, op *Operation, v int64) int64 {
	if (op.Kind == OpDequeue || op.Kind == OpEnqueue || op.Kind == OpRead) && r.IntN(6) == 0 && op.Kind != OpEnqueue {
		return None
	}
	if v == None {
		return 1 + r.Int64N(4)
	}
	return max(v+r.Int64N(5)-2, 1)
}

func drawHold(acquire, release OpKind) func(*rand.Rand, *generator, *Operation) {
	return func(r *rand.Rand, _ *generator, op *Operation) {
		op.In = int64(op.Client)
		if r.IntN(12) == 0 {
			op.In = r.Int64N(3)
		}
		op.Kind = acquire
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			op.Kind = release
		case 4:
			op.Kind = OpLose
		}
	}
}

func drawPermits(r *rand.Rand, g *generator, op *Operation) {
	drawHold(OpAcquire, OpRelease)(r, g, op)
	op.In2 = r.Int64N(3)
}

func drawRW(r *rand.Rand, g *generator, op *Operation) {
	if r.IntN(2) == 0 {
		drawHold(OpAcquireRead, OpReleaseRead)(r, g, op)
		return
	}
	drawHold(OpAcquireWrite, OpReleaseWrite)(r, g, op)
}

func drawQueue(priorities int64) func(*rand.Rand, *generator, *Operation) {
	return func(r *rand.Rand, g *generator, op *Operation) {
		if r.IntN(2) == 0 {
			op.Kind = OpDequeue
			return
		}
		op.Kind = OpEnqueue
		if g.value == 0 || r.IntN(20) > 0 {
			g.value++
		}
		op.In = g.value
		if priorities > 0 {
			op.In2 = r.Int64N(priorities)
		}
	}
}

func drawRegister(r *rand.Rand, _ *generator, op *Operation) {
	op.Kind = [...]OpKind{OpRead, OpWrite, OpCAS}[r.IntN(3)]
	op.In, op.In2 = r.Int64N(3), r.Int64N(3)
}

func drawTransaction(r *rand.Rand, _ *generator, op *Operation) {
	op.Kind = OpTransaction
	for range 1 + r.IntN(3) {
		op.Accesses = append(op.Accesses, Access{
			Key: string(rune('x' + r.IntN(3))), Write: r.IntN(2) == 0, Value: r.Int64N(3),
		})
	}
}

func drawCounter(r *rand.Rand, _ *generator, op *Operation) {
	op.Kind = [...]OpKind{OpRead, OpAdd}[r.IntN(2)]
	op.In = r.Int64N(4) - 1
}

func drawElection(r *rand.Rand, _ *generator, op *Operation) {
	op.Kind = [...]OpKind{OpRead, OpLead}[r.IntN(2)]
	op.In, op.In2 = int64(op.Client), r.Int64N(3)
}

func drawSale(r *rand.Rand, _ *generator, op *Operation) {
	op.Kind = [...]OpKind{OpRead, OpBuy, OpBuy}[r.IntN(3)]
	op.In = 1 + r.Int64N(2)
}

func drawZnodes(r *rand.Rand, _ *generator, op *Operation) {
	op.Kind = [...]OpKind{
		OpCreate, OpCreate, OpCreate, OpDelete, OpSet, OpGet, OpExists, OpChildren, OpClose,
	}[r.IntN(9)]
	op.Key = [...]string{"/a", "/a/b", "/a/b/c", "/"}[r.IntN(4)]
	op.Data = [...]string{"", "p", "q"}[r.IntN(3)]
	op.In = r.Int64N(3) - 1
	if op.Kind == OpCreate || op.Kind == OpClose {
		op.In = r.Int64N(3)
		op.In2 = r.Int64N(4) / 3
	}
}
