package scenarios

import (
	"slices"

	"zoosim/faults"
	"zoosim/sim"
)

// genome is a run in the form in which it is shrunk: a scenario without a
// budget of faults, what is drawn for each client, and the choices that are
// made while the run goes on. Choices past the end are 0.
type genome struct {
	s    Scenario
	head []clientGene
	rest []int
}

// clientGene is what is drawn for one client; what the scenario fixes is 0.
type clientGene struct {
	arrival int
	ops     []opGene
}

// opGene is what is drawn for one acquisition.
type opGene struct{ mode, limit, hold int }

// drawsArrival, drawsMode, drawsLimit and drawsHold say what a scenario leaves
// to be drawn, as [Runner.draw] does.
func (s *Scenario) drawsArrival() bool { return s.Arrivals == ArriveDrawn && !s.Serial }
func (s *Scenario) drawsMode() bool    { return s.Mode == ModeMixed }
func (s *Scenario) drawsLimit() bool   { return s.Limit == 0 && !s.Serial }
func (s *Scenario) drawsHold() bool    { return s.Hold == 0 && !s.FixedHold }

// newGenome parts the tape of a run of s, whose faults were those of plan.
func newGenome(s Scenario, plan faults.Plan, tape sim.Tape) genome {
	g := genome{s: s}
	g.s.Faults = faults.Budget{}
	g.s.Plan = slices.Clone(plan)
	next := 0
	take := func(drawn bool) int {
		if !drawn || next >= len(tape) {
			return 0
		}
		next++
		return tape[next-1].V
	}
	for range s.Clients {
		c := clientGene{arrival: take(s.drawsArrival())}
		for range s.Ops {
			c.ops = append(c.ops, opGene{take(s.drawsMode()), take(s.drawsLimit()), take(s.drawsHold())})
		}
		g.head = append(g.head, c)
	}
	for ; next < len(tape); next++ {
		switch tape[next].Label {
		case faults.LabelCount, faults.LabelClient, faults.LabelWhen, faults.LabelLength:
			continue // the plan says it
		}
		g.rest = append(g.rest, tape[next].V)
	}
	return g.trimmed()
}

// trimmed leaves out the choices that are taken at the end anyway.
func (g genome) trimmed() genome {
	for len(g.rest) > 0 && g.rest[len(g.rest)-1] == 0 {
		g.rest = g.rest[:len(g.rest)-1]
	}
	return g
}

// clone is a copy that shares nothing.
func (g *genome) clone() genome {
	c := genome{s: g.s, rest: slices.Clone(g.rest)}
	c.s.Plan = slices.Clone(g.s.Plan)
	for _, h := range g.head {
		c.head = append(c.head, clientGene{h.arrival, slices.Clone(h.ops)})
	}
	return c
}

// values appends the choices as a tape has them.
func (g *genome) values(dst []int) []int { return append(g.drawn(dst), g.rest...) }

// drawn appends those that are drawn for the clients.
func (g *genome) drawn(dst []int) []int {
	put := func(drawn bool, v int) {
		if drawn {
			dst = append(dst, v)
		}
	}
	for _, c := range g.head {
		put(g.s.drawsArrival(), c.arrival)
		for _, o := range c.ops {
			put(g.s.drawsMode(), o.mode)
			put(g.s.drawsLimit(), o.limit)
			put(g.s.drawsHold(), o.hold)
		}
	}
	return dst
}

// genes are pointers to every choice, those of the clients first.
func (g *genome) genes() []*int {
	var ps []*int
	for i := range g.head {
		c := &g.head[i]
		ps = append(ps, &c.arrival)
		for j := range c.ops {
			o := &c.ops[j]
			ps = append(ps, &o.mode, &o.limit, &o.hold)
		}
	}
	for i := range g.rest {
		ps = append(ps, &g.rest[i])
	}
	return ps
}

// withoutClient leaves a client and its faults out; the clients behind it move
// up.
func (g *genome) withoutClient(i int) genome {
	c := g.clone()
	c.s.dropClient(i)
	c.head = slices.Delete(c.head, i, i+1)
	c.s.Plan = c.s.Plan[:0]
	for _, f := range g.s.Plan {
		if f.Client == i {
			continue
		}
		if f.Client > i {
			f.Client--
		}
		c.s.Plan = append(c.s.Plan, f)
	}
	return c
}

// withoutOp leaves the i-th acquisition of every client out.
func (g *genome) withoutOp(i int) genome {
	c := g.clone()
	c.s.Ops--
	for j := range c.head {
		c.head[j].ops = slices.Delete(c.head[j].ops, i, i+1)
	}
	return c
}

// withoutFault leaves an entry of the plan out.
func (g *genome) withoutFault(i int) genome {
	c := g.clone()
	c.s.Plan = slices.Delete(c.s.Plan, i, i+1)
	return c
}

// reordered renames the clients: order[i] becomes client i.
func (g *genome) reordered(order []int) genome {
	c := g.clone()
	for i, old := range order {
		c.head[i] = g.head[old]
	}
	for i := range c.s.Plan {
		c.s.Plan[i].Client = slices.Index(order, g.s.Plan[i].Client)
	}
	return c.clone()
}

// feeder is the strategy that takes its choices from a list of values,
// whatever they are asked for; a value that is no alternative counts as 0.
// Past the end they are 0, or drawn. It keeps the tape.
type feeder struct {
	values []int
	draw   *sparse // past the end; nil takes 0
	pos    int
	tape   sim.Tape
}

var _ sim.Strategy = (*feeder)(nil)

// Begin implements [sim.Strategy].
func (f *feeder) Begin() {
	f.pos, f.tape = 0, f.tape[:0]
}

// Choose implements [sim.Strategy].
func (f *feeder) Choose(label sim.Label, n int) int {
	v := 0
	switch {
	case f.pos < len(f.values):
		if v = f.values[f.pos]; v >= n {
			v = 0
		}
	case f.draw != nil:
		v = f.draw.choose(label, n)
	}
	f.pos++
	f.tape = append(f.tape, sim.Choice{Label: label, N: n, V: v})
	return v
}

// End implements [sim.Strategy].
func (f *feeder) End(uint64) {}

// sparse draws choices most of which are 0: each is another one in so many
// times.
type sparse struct {
	r  sim.Random
	in int
}

func newSparse(seed uint64, in int) *sparse {
	s := &sparse{in: in}
	s.r.Seed(seed)
	s.r.Begin()
	return s
}

func (s *sparse) choose(label sim.Label, n int) int {
	if s.in > 1 && s.r.Choose(label, s.in) != 0 {
		return 0
	}
	return s.r.Choose(label, n)
}
