package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

// DefaultShrinkRuns bounds the runs of one shrinking.
const DefaultShrinkRuns = 12_000

// Goal says which runs show the same failure.
type Goal struct {
	// Property is the one that fails.
	Property checker.Property
	// Match narrows it to failures of one kind; nil takes all.
	Match func(h []checker.Event, r checker.Result) bool
	_     struct{}
}

// reached reports whether an outcome shows the failure, and how.
func (g *Goal) reached(h []checker.Event, out *Outcome) (checker.Result, bool) {
	if !out.Failed {
		return checker.Result{}, false
	}
	for _, x := range out.Results {
		if x.Property == g.Property && x.Verdict == checker.Failed && (g.Match == nil || g.Match(h, x)) {
			return x, true
		}
	}
	return checker.Result{}, false
}

// Shrunk is a run that shows a failure: a scenario whose faults are
// all in its plan, and the choices, up to the last that is not 0.
type Shrunk struct {
	Scenario Scenario
	Tape     sim.Tape
	// Hash is that of the trace.
	Hash uint64
	// Result is the verdict on the property.
	Result checker.Result
	// Story tells it.
	Story *Story
	// Runs is how many runs were made to shrink it.
	Runs int

	weight weight
	from   candidate // the run that was shrunk, in a search
}

// weight is what makes one counterexample simpler than another: the parts of
// less weight count only where those before them are equal.
type weight [costParts]int

const (
	costClients = iota
	costOps     // of all clients
	costFaults
	costSteps   // recipe requests served, events sent, time limits that ended a wait
	costKnobs   // what the scenario leaves to be drawn, and modes other than blocking
	costChoices // that are not 0
	costMoments // faults at a request are plainer than those at a step or a time
	costSizes   // of everything that has one
	costLength  // of the tape
	costOrder   // clients whose first ticket is before that of one with a lower name
	costParts
)

func (c *weight) less(d *weight) bool {
	for i := range c {
		if c[i] != d[i] {
			return c[i] < d[i]
		}
	}
	return false
}

// costOf is the cost of a run, as far as it is known without making it.
func costOf(g *genome) weight {
	s := &g.s
	c := weight{costClients: s.Clients, costOps: s.Clients * s.Ops, costFaults: len(s.Plan), costLength: len(g.rest)}
	for _, drawn := range []bool{s.drawsArrival(), s.drawsLimit(), s.drawsHold(), s.drawsMode(), s.Mode != ModeBlocking, s.Attempts > 1} {
		if drawn {
			c[costKnobs]++
		}
	}
	for _, v := range g.genes() {
		if *v != 0 {
			c[costChoices]++
			c[costSizes] += *v
		}
	}
	c[costSizes] += rank(holdTable, s.Hold) + rank(limitSizes(), s.Limit) + s.Attempts
	for _, f := range s.Plan {
		switch {
		case f.Request > 0:
			c[costSizes] += f.Request
		case f.Step > 0:
			c[costMoments]++
			c[costSizes] += f.Step
		default:
			c[costMoments] += 2
		}
		c[costSizes] += rank(faultLengths(), f.For)
	}
	return c
}

// rank counts the values of a table that are smaller.
func rank(d sim.Dist, v sim.Time) int {
	n := 0
	for _, x := range d {
		if x < v {
			n++
		}
	}
	return n
}

// limitSizes is the table of limits in increasing order.
func limitSizes() sim.Dist {
	d := make(sim.Dist, len(limitTable))
	for i, v := range limitTable {
		d[len(d)-1-i] = v
	}
	return d
}

// shrinker makes a counterexample simpler, run by run.
type shrinker struct {
	w    *witness
	goal Goal
	left int // runs
	made int

	best     genome
	cost     weight
	requests int   // the most recipe requests of a client in the best run
	kSteps   int   // its transitions as the kernel counts them
	order    []int // its clients by their first tickets
	ranges   []int // how many alternatives each choice of the best run had, those of the clients left out

	kinds    faults.Budget // faults that may take the place of a client
	noLonger bool          // what has more steps is no gain

	feed feeder
	seen map[uint64]struct{}
}

// Shrink makes a counterexample simpler as long as the same failure shows:
// fewer clients, operations and faults, fewer steps, plainer settings, fewer
// and more benign choices, until no removal of a client, an operation or a
// fault leaves the failure, and no other removal leaves it in as few steps, or
// runs have been made (0 means [DefaultShrinkRuns]). Where no fault is left,
// one of the scenario's budget may take the place of a client, if that makes it
// shorter. s, plan and tape are those of a run that shows the failure; if they
// do not, that is an error.
func Shrink(v Variant, s Scenario, plan faults.Plan, tape sim.Tape, goal Goal, runs int) (*Shrunk, error) {
	if s.Untimed {
		return nil, errors.New("untimed runs are not shrunk: their choices are transitions")
	}
	w, err := newWitness(v, s)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if runs == 0 {
		runs = DefaultShrinkRuns
	}
	sh := &shrinker{w: w, goal: goal, left: runs, kinds: s.Faults, seen: map[uint64]struct{}{}}
	w.watch(goal.Property, true)
	g := newGenome(s, plan, tape)
	if !sh.try(&g) {
		return nil, fmt.Errorf("%s: the run to shrink does not show the failure of %s", v.Name, goal.Property)
	}
	for sh.left > 0 && (sh.pass() || sh.fromScratch() || sh.faultForClient() || sh.lateOnce()) {
	}
	return sh.result(), nil
}

// result runs the best to its end and tells it.
func (sh *shrinker) result() *Shrunk {
	w := sh.w
	w.set(sh.best.s)
	w.most = 0
	sh.feed.values, sh.feed.draw = sh.best.values(nil), nil
	c := &Shrunk{Scenario: sh.best.s, Runs: sh.made, weight: sh.cost}
	c.Story = w.tell(&sh.feed, sh.goal.Property)
	c.Tape, c.Hash = trimTape(sh.feed.tape), w.world.K.TraceHash()
	for _, x := range w.results {
		if x.Property == sh.goal.Property {
			c.Result = x
		}
	}
	return c
}

// File is the counterexample as a replay file; seed is that of the run in
// which it was found.
func (c *Shrunk) File(seed uint64) *ReplayFile {
	return &ReplayFile{
		Scenario: c.Scenario, Seed: seed, Property: string(c.Result.Property), Why: c.Result.Why,
		Hash: c.Hash, Tape: c.Tape, Commit: buildCommit(), Story: c.Story.Text(),
	}
}

// trimTape leaves out the choices of 0 at the end.
func trimTape(t sim.Tape) sim.Tape {
	for len(t) > 0 && t[len(t)-1].V == 0 {
		t = t[:len(t)-1]
	}
	return append(sim.Tape(nil), t...)
}

// try makes a run and keeps it if it shows the failure and costs less.
func (sh *shrinker) try(g *genome) bool {
	sh.feed.values, sh.feed.draw = g.values(sh.feed.values[:0]), nil
	key := g.hash(sh.feed.values)
	if _, known := sh.seen[key]; known {
		return false
	}
	sh.seen[key] = struct{}{}
	return sh.run(g)
}

// run makes a run with what is fed.
func (sh *shrinker) run(g *genome) bool {
	if sh.left == 0 {
		return false
	}
	w := sh.w
	var worth bool
	if w.most, worth = sh.bound(g); !worth {
		return false
	}
	sh.left--
	sh.made++
	w.set(g.s)
	out := w.watchRun(&sh.feed)
	if _, ok := sh.goal.reached(w.History(), &out); !ok {
		return false
	}
	got := newGenome(g.s, g.s.Plan, sh.feed.tape)
	c := costOf(&got)
	c[costSteps] = w.steps
	order := g.s.withinRoles(ticketOrder(w.History(), g.s.Clients))
	c[costOrder] = inversions(order)
	if sh.made > 1 && !c.less(&sh.cost) {
		return false
	}
	sh.best, sh.cost, sh.order = got, c, order
	sh.ranges = sh.ranges[:0]
	for _, x := range sh.feed.tape[min(len(got.drawn(nil)), len(sh.feed.tape)):] {
		sh.ranges = append(sh.ranges, x.N)
	}
	sh.kSteps, sh.requests = w.world.K.Steps(), 0
	for _, cl := range w.clients {
		sh.requests = max(sh.requests, cl.p.Requests())
	}
	return true
}

// bound is the most steps with which a candidate can be a gain, 0 for any
// number; it is not worth a run if it cannot be one.
func (sh *shrinker) bound(g *genome) (most int, worth bool) {
	if sh.made == 0 {
		return 0, true
	}
	if sh.noLonger {
		return sh.cost[costSteps], true
	}
	c := costOf(g)
	for i := range costSteps {
		if c[i] != sh.cost[i] {
			return 0, c[i] < sh.cost[i]
		}
	}
	most = sh.cost[costSteps]
	for i := costKnobs; i <= costChoices; i++ {
		if c[i] > sh.cost[i] {
			return most - 1, most > 1 // 0 would be no bound
		} else if c[i] < sh.cost[i] {
			break
		}
	}
	return most, true
}

// ticketOrder lists the clients in the order of their first tickets; those
// without one come last.
func ticketOrder(h []checker.Event, clients int) []int {
	var order []int
	for i := range h {
		if e := &h[i]; e.Kind == checker.TicketCreate && !slices.Contains(order, int(e.Client)) {
			order = append(order, int(e.Client))
		}
	}
	for i := range clients {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

func inversions(order []int) int {
	n := 0
	for i, a := range order {
		for _, b := range order[:i] {
			if a < b {
				n++
			}
		}
	}
	return n
}

// hash identifies a candidate.
func (g *genome) hash(values []int) uint64 {
	var h sim.Hash
	s := &g.s
	for _, x := range []int{s.Clients, s.Writers, s.Producers, s.Members, s.Leases, s.Permits, s.Stock, s.Ops, s.Attempts, int(s.Limit), int(s.Hold), int(s.SessionTimeout), int(s.Tick)} {
		h.Uint64(uint64(x))
	}
	h.String(string(s.Mode))
	h.String(string(s.Arrivals))
	if s.FixedHold {
		h.Uint64(1)
	}
	if s.Renew {
		h.Uint64(2)
	}
	for _, f := range s.Plan {
		h.Uint64(uint64(f.Kind)<<32 | uint64(f.Client))
		h.Uint64(uint64(f.Step)<<32 | uint64(f.Request))
		h.Uint64(uint64(f.Time))
		h.Uint64(uint64(f.For))
	}
	n := len(values)
	for n > 0 && values[n-1] == 0 {
		n--
	}
	for _, v := range values[:n] {
		h.Uint64(uint64(v))
	}
	return h.Sum()
}

// completions is how many drawn continuations are tried where leaving
// something out changes all that comes behind.
const completions = 24

// tryAround tries a candidate in which choices and faults may no longer be in
// their places: as it is; with the choices of the run all 0; with each fault
// at other requests and steps; with choices drawn anew.
func (sh *shrinker) tryAround(g genome) bool {
	if sh.tryBenign(g) {
		return true
	}
	benign := g.clone()
	benign.rest = nil
	for i := range g.s.Plan {
		for n := 1; n <= sh.requests; n++ {
			for _, c := range []genome{g.clone(), benign.clone()} {
				if sh.at(&c.s.Plan[i], n, 0); sh.try(&c) {
					return true
				}
			}
		}
		for n := 1; n <= sh.kSteps && len(g.s.Plan) <= 2 && !lossOnly(g.s.Plan[i].Kind); n += sh.stride() {
			c := benign.clone()
			if sh.at(&c.s.Plan[i], 0, n); sh.try(&c) {
				return true
			}
		}
	}
	for i := range uint64(completions) {
		in := []int{16, 4, 1}[i%3]
		sh.feed.values, sh.feed.draw = benign.values(sh.feed.values[:0]), newSparse(i, in)
		if sh.run(&benign) {
			return true
		}
	}
	return false
}

// scanned is about how many steps of a run a fault is moved to.
const scanned = 120

// stride is the distance of the steps to which a fault is moved.
func (sh *shrinker) stride() int { return 1 + sh.kSteps/scanned }

// tryBenign tries a candidate as it is, and with the choices of the run all 0.
func (sh *shrinker) tryBenign(g genome) bool {
	if sh.try(&g) {
		return true
	}
	benign := g.clone()
	benign.rest = nil
	return sh.try(&benign)
}

// at moves a fault.
func (sh *shrinker) at(f *faults.Fault, request, step int) {
	f.Request, f.Step, f.Time = request, step, 0
}
