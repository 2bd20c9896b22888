package scenarios

import (
	"slices"
	"time"

	"zoosim/faults"
	"zoosim/sim"
)

// pass tries everything that may make the best simpler once, and reports
// whether anything did.
func (sh *shrinker) pass() bool {
	before := sh.cost
	for _, p := range []func(){
		sh.fewerClients, sh.fewerOps, sh.fewerFaults, sh.plainerKnobs,
		sh.fewerChoices, sh.otherMoments, sh.plainerFaults, sh.smallerChoices, sh.plainerNames,
	} {
		p()
	}
	return sh.cost.less(&before)
}

func (sh *shrinker) fewerClients() {
	for i := sh.best.s.Clients - 1; i >= 0; i-- {
		if sh.best.s.Clients > 1 {
			sh.tryAround(sh.best.withoutClient(i))
		}
	}
}

func (sh *shrinker) fewerOps() {
	for i := sh.best.s.Ops - 1; i >= 0; i-- {
		if sh.best.s.Ops > 1 {
			sh.tryAround(sh.best.withoutOp(i))
		}
	}
}

func (sh *shrinker) fewerFaults() {
	for i := len(sh.best.s.Plan) - 1; i >= 0; i-- {
		sh.tryAround(sh.best.withoutFault(i))
	}
}

// plainerKnobs fixes what is drawn, and prefers what is plainer.
func (sh *shrinker) plainerKnobs() {
	change := func(f func(s *Scenario)) bool {
		c := sh.best.clone()
		f(&c.s)
		return sh.tryBenign(c)
	}
	for _, m := range []Mode{ModeBlocking, ModeTimed, ModeTry} {
		if change(func(s *Scenario) { s.Mode = m }) {
			break
		}
	}
	change(func(s *Scenario) { s.Arrivals = ArriveTogether })
	change(func(s *Scenario) { s.Attempts = 1 })
	change(func(s *Scenario) { s.Renew = false })
	for _, v := range limitSizes() {
		if change(func(s *Scenario) { s.Limit = v }) {
			break
		}
	}
	last := time.Duration(-1)
	for _, v := range holdTable {
		if v != last && change(func(s *Scenario) { s.Hold, s.FixedHold = v, true }) {
			break
		}
		last = v
	}
}

// fewerChoices sets choices to 0: all, those of a label, halves, quarters, and
// so on to single ones.
func (sh *shrinker) fewerChoices() {
	for _, first := range []int{0, sh.headGenes()} {
		c := sh.best.clone()
		for _, p := range c.genes()[first:] {
			*p = 0
		}
		if sh.try(&c) && first == 0 {
			return
		}
	}
	for size := sh.chosen() / 2; size >= 1; size /= 2 {
		for at := 0; at < sh.chosen(); {
			c := sh.best.clone()
			i := 0
			for _, p := range c.genes() {
				if *p == 0 {
					continue
				}
				if i >= at && i < at+size {
					*p = 0
				}
				i++
			}
			if !sh.try(&c) {
				at += size
			}
		}
	}
}

// headGenes counts the genes of the clients.
func (sh *shrinker) headGenes() int { return sh.best.s.Clients * (1 + 3*sh.best.s.Ops) }

// chosen counts the choices other than 0.
func (sh *shrinker) chosen() int { return sh.cost[costChoices] }

// otherMoments lets each fault strike at every request and every step, one
// after another.
func (sh *shrinker) otherMoments() {
	for i := range sh.best.s.Plan {
		requests, steps := sh.requests, sh.kSteps
		at := func(f func(f *faults.Fault)) {
			c := sh.best.clone()
			f(&c.s.Plan[i])
			if !sh.try(&c) && len(c.rest) > 0 {
				c.rest = nil
				sh.try(&c)
			}
		}
		for n := 1; n <= requests; n++ {
			at(func(f *faults.Fault) { sh.at(f, n, 0) })
		}
		if lossOnly(sh.best.s.Plan[i].Kind) {
			continue
		}
		for n := 1; n <= steps; n += sh.stride() {
			at(func(f *faults.Fault) { sh.at(f, 0, n) })
		}
	}
}

// lossOnly reports whether a kind strikes at requests alone.
func lossOnly(k faults.Kind) bool { return k == faults.CutRequest || k == faults.CutReply }

// faultLengths are the lengths of faults, in increasing order.
func faultLengths() sim.Dist {
	return sim.Dist{
		50 * time.Millisecond, 500 * time.Millisecond, 3 * time.Second, 8 * time.Second, 15 * time.Second, 30 * time.Second,
	}
}

// plainerFaults makes faults shorter.
func (sh *shrinker) plainerFaults() {
	for i := range sh.best.s.Plan {
		for _, d := range faultLengths() {
			if d >= sh.best.s.Plan[i].For {
				break
			}
			c := sh.best.clone()
			c.s.Plan[i].For = d
			if sh.try(&c) {
				break
			}
		}
	}
}

// smallerChoices makes each choice that is not 0 smaller.
func (sh *shrinker) smallerChoices() {
	for i := 0; i < len(sh.best.genes()); i++ {
		for {
			v := *sh.best.genes()[i]
			if v < 2 || !sh.smaller(i, v/2) && !sh.smaller(i, v-1) {
				break
			}
			if i >= len(sh.best.genes()) {
				return
			}
		}
	}
}

func (sh *shrinker) smaller(i, v int) bool {
	c := sh.best.clone()
	*c.genes()[i] = v
	return sh.try(&c)
}

// plainerNames calls the clients A, B, C... in the order of their tickets.
func (sh *shrinker) plainerNames() {
	if sh.cost[costOrder] > 0 {
		sh.tryAround(sh.best.reordered(sh.order))
	}
}

// faultForClient tries whether a run with a client less and one fault shows a
// failure that needs none so far, in no more steps. Where nothing happens for
// a while, a fault can only strike at a time.
func (sh *shrinker) faultForClient() bool {
	if len(sh.best.s.Plan) > 0 || sh.best.s.Clients < 2 {
		return false
	}
	sh.noLonger = true
	defer func() { sh.noLonger = false }()
	for i := sh.best.s.Clients - 1; i >= 0; i-- {
		g := sh.best.withoutClient(i)
		g.rest = nil
		for _, k := range plannedFaults(sh.kinds) {
			for c := range g.s.Clients {
				k.Client = c
				if sh.tryFault(&g, k) {
					return true
				}
			}
		}
	}
	return false
}

// fromScratch tries the runs in which all choices are benign, with as many
// clients or one less and at most as many acquires and as many faults, one at
// most: for each hold, the fault at every place. It finds what cannot be
// reached by leaving out one thing after another.
func (sh *shrinker) fromScratch() bool {
	if len(sh.best.s.Plan) > 1 {
		return false
	}
	before, plan := sh.cost, sh.best.s.Plan
	defer sh.within(scratchRuns)()
	bases := []Scenario{sh.best.s}
	for i := sh.best.s.Clients - 1; i >= 0 && sh.best.s.Clients > 1; i-- {
		bases = append(bases, sh.best.withoutClient(i).s)
	}
	for _, hold := range sh.holds() {
		for _, base := range bases {
			for ops := 1; ops <= sh.best.s.Ops; ops++ {
				base.Ops, base.Hold, base.FixedHold = ops, hold, true
				base.Arrivals = ArriveTogether
				g := newGenome(base, nil, nil)
				if len(plan) == 0 {
					sh.try(&g)
					continue
				}
				for c := range base.Clients {
					f := plan[0]
					f.Client = c
					sh.tryFault(&g, f)
				}
			}
		}
	}
	return sh.cost.less(&before)
}

// lateOnce tries whether it takes fewer steps if one client begins later, or
// one thing takes longer.
func (sh *shrinker) lateOnce() bool {
	before := sh.cost
	defer sh.within(scratchRuns)()
	for i := range sh.best.s.Clients {
		for v := range arrivalTable {
			c := sh.best.clone()
			c.s.Arrivals, c.head[i].arrival = ArriveDrawn, v
			sh.tryBenign(c)
		}
	}
	for i := 0; i < len(sh.ranges); i++ {
		for _, part := range latenesses {
			c := sh.best.clone()
			for len(c.rest) <= i {
				c.rest = append(c.rest, 0)
			}
			c.rest[i] = sh.ranges[i] - 1 - (sh.ranges[i]-1)*part/16
			sh.try(&c)
		}
	}
	return sh.cost.less(&before)
}

// latenesses are the sixteenths of the alternatives behind those that are
// tried: the last is the latest.
var latenesses = [...]int{0, 1, 4, 8}

// holds are the holds of the table: that of the best run, then the longest and
// the shortest by turns.
func (sh *shrinker) holds() sim.Dist {
	d := sim.Dist{sh.best.s.Hold}
	for i, j := 0, len(holdTable)-1; i <= j; i, j = i+1, j-1 {
		for _, v := range []sim.Time{holdTable[j], holdTable[i]} {
			if !slices.Contains(d, v) {
				d = append(d, v)
			}
		}
	}
	return d
}

// scratchRuns bounds the runs of one call of fromScratch.
const scratchRuns = 1500

// within bounds the runs that are left until the returned function is called.
func (sh *shrinker) within(runs int) func() {
	aside := max(sh.left-runs, 0)
	sh.left -= aside
	return func() { sh.left += aside }
}

// tryFault tries a fault at every request, step and time.
func (sh *shrinker) tryFault(g *genome, f faults.Fault) bool {
	tried := false
	try := func() {
		c := g.clone()
		c.s.Plan = append(c.s.Plan, f)
		tried = sh.try(&c) || tried
	}
	for n := 1; n <= sh.requests; n++ {
		sh.at(&f, n, 0)
		try()
	}
	if lossOnly(f.Kind) {
		return tried
	}
	for n := 1; n <= sh.kSteps; n += sh.stride() {
		sh.at(&f, 0, n)
		try()
	}
	f.Step = 0
	for _, d := range faultTimes() {
		f.Time = d
		try()
	}
	return tried
}

// faultTimes are times at which faults strike.
func faultTimes() sim.Dist {
	return sim.Dist{
		20 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 4 * time.Second,
	}
}
