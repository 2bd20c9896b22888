package scenarios

import (
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// witness is a runner that looks on: it knows when a property fails, and
// counts, or tells, what happened until then. It shrinks counterexamples and
// writes their stories.
type witness struct {
	*Runner
	servers servers // of the world

	goal   int  // the property that is watched, by its place among those of the variant
	stop   bool // a run ends when it fails
	failed bool // the goal has failed in the present run

	most      int             // steps at which a run is given up, 0 for no bound
	steps     int             // see [Story]
	resumes   int             // timers seen so far
	waited    []time.Duration // by client: time that recipes have waited so far
	grew      []bool          // by client: that time has grown in the last transition
	disturbed []bool          // by client: a session event, and no request since
	last      zkmodel.Request // being served
	teller    *teller         // nil unless a story is told
}

var _ simzk.Observer = (*witness)(nil)

// newWitness returns a witness of runs of a variant.
func newWitness(v Variant, s Scenario) (*witness, error) {
	r, err := NewRunnerFor(v, s)
	if err != nil {
		return nil, err
	}
	w := &witness{Runner: r}
	w.newWorld(s.servers())
	return w, nil
}

// newWorld gives the runner a world that the witness observes.
func (w *witness) newWorld(o servers) {
	w.servers = o
	w.Runner.world = simzk.NewWorld(simzk.Options{Server: o.options, Servers: o.number}, w)
	w.Runner.world.SetFaults(&w.Runner.faults)
}

// set makes later runs those of another scenario of the same variant.
func (w *witness) set(s Scenario) {
	if o := s.servers(); o != w.servers {
		w.Close()
		w.newWorld(o)
	}
	r := w.Runner
	r.s = s
	for len(r.programs) < s.Clients {
		r.programs = append(r.programs, program{})
	}
	r.programs = r.programs[:s.Clients]
	for len(r.clients) < s.Clients {
		r.clients = append(r.clients, clientRun{})
	}
	r.clients = r.clients[:s.Clients]
}

// watch says which property's failure is looked for. With stop, a run is
// stopped at once when it fails.
func (w *witness) watch(p checker.Property, stop bool) {
	w.goal, w.stop = -1, stop && !atTheEnd(p)
	for i, q := range w.variant.Properties() {
		if p == q {
			w.goal = i
		}
	}
}

// atTheEnd reports whether a property is only decided when the run is over.
func atTheEnd(p checker.Property) bool {
	return p == checker.Progress || p == checker.Leak || p == checker.Linearizable || p == checker.LostItem || p == checker.Stale
}

// watchRun carries the scenario out once, as [Runner.Run] does, and looks at
// each transition.
func (w *witness) watchRun(st sim.Strategy) Outcome {
	r := w.Runner
	w.failed, w.steps, w.resumes = false, 0, 0
	w.waited, w.grew, w.disturbed = w.waited[:0], w.grew[:0], w.disturbed[:0]
	for range r.s.Clients {
		w.waited, w.grew, w.disturbed = append(w.waited, 0), append(w.grew, false), append(w.disturbed, false)
	}
	if w.teller != nil {
		w.teller.begin(w)
	}
	if r.s.Untimed {
		r.beginUntimed(nil, st)
		return r.finishUntimed(func(all []move) int {
			w.look()
			return r.world.K.ChooseMove(len(all))
		})
	}
	r.begin(st)
	end := w.loop()
	if w.teller != nil {
		w.teller.step(w)
	}
	out := r.judge(end)
	if end == checker.Quiescent && !(w.stop && w.failed) {
		r.closeSessions()
	}
	r.addService(&out)
	r.world.K.Seal()
	out.Hash = r.world.K.TraceHash()
	return out
}

// loop is the runner's loop with a look at each transition.
func (w *witness) loop() checker.Kind {
	r := w.Runner
	k := r.world.K
	horizon := r.horizon()
	limit := maxSteps * r.s.Clients
	for {
		if k.Still() && r.world.Settled() && !r.openGate() && k.Quiet() {
			return checker.Quiescent
		}
		at, ok := k.NextAt()
		switch {
		case !ok:
			return checker.Quiescent
		case at > horizon+r.faults.Last():
			return checker.Horizon
		case k.Steps() > limit:
			return checker.CutOff
		}
		k.Step()
		r.faults.OnStep(k.Steps())
		w.look()
		if w.failed && w.stop || w.most > 0 && w.steps > w.most {
			return checker.CutOff
		}
	}
}

// look looks at what the last transition did.
func (w *witness) look() {
	if w.failed {
		return
	}
	resumed := w.world.K.Resumes() != w.resumes
	w.resumes = w.world.K.Resumes()
	for i := range w.clients {
		sum := waitedBy(w.world, w.clients[i].p)
		w.grew[i] = sum > w.waited[i]
		if w.grew[i] && (resumed || w.disturbed[i]) {
			w.steps++ // a time limit, or a session event, has ended a recipe's wait
			w.disturbed[i] = false
		}
		w.waited[i] = sum
	}
	if w.teller != nil {
		w.teller.step(w)
	}
	w.failed = w.goal >= 0 && w.failedBits()>>w.goal&1 == 1
}

// failedBits has bit i set when property i of the variant has failed.
func (r *Runner) failedBits() uint32 {
	bits := r.monitor.FailedBits()
	if r.service.failed() {
		bits |= 1 << len(r.variant.family.properties)
	}
	return bits
}

// waitedBy is the time that all tasks of a process have waited.
func waitedBy(w *simzk.World, p *simzk.Process) (sum time.Duration) {
	for t := range w.K.Proc(p.ID()).NumTasks() {
		sum += p.Waited(sim.TaskID(t))
	}
	return sum
}

// makesParents reports whether a request sees to the directory of the
// object, which is no part of an operation.
func (w *witness) makesParents(q *zkmodel.Request) bool {
	dir := w.dir()
	switch q.Op {
	case zkmodel.OpExists, zkmodel.OpCreate, zkmodel.OpCreate2:
		return q.Path == dir || strings.HasPrefix(dir, q.Path+"/") || q.Path == "/"
	}
	return false
}

// Served implements [simzk.Observer].
func (w *witness) Served(c *simzk.Client, q *zkmodel.Request) {
	if !w.failed && !w.ended && simzk.IsRecipeOp(q.Op) {
		w.disturbed[c.Process().Client()] = false
		if !w.makesParents(q) {
			w.steps++
		}
	}
	w.last = *q
	if w.teller != nil {
		w.teller.served(w, c, q)
	}
	w.Runner.Served(c, q)
}

// Called implements [simzk.Observer].
func (w *witness) Called(p *simzk.Process, request, outcome string) {
	if !w.failed && !w.ended && !strings.HasPrefix(outcome, "refused") {
		w.steps++
	}
	if w.teller != nil {
		w.teller.called(w, p, request, outcome)
	}
	w.Runner.Called(p, request, outcome)
}

// Sent implements [simzk.Observer].
func (w *witness) Sent(c *simzk.Client, q *zkmodel.Response) {
	if !w.failed && !w.ended {
		switch {
		case q.Kind == zkmodel.KindEvent:
			w.steps++
		case q.Kind == zkmodel.KindReply && simzk.IsRecipeOp(q.Op) && w.refused(q):
			w.steps--
		}
	}
	if w.teller != nil {
		w.teller.sent(w, c, q)
	}
	w.Runner.Sent(c, q)
}

// refused reports whether a reply says that the request that is being served
// was not applied: it failed, and left no watch.
func (w *witness) refused(q *zkmodel.Response) bool {
	watch := w.last.Op == zkmodel.OpExists && w.last.Watch && q.Err == zkmodel.NoNode
	return q.Err != zkmodel.OK && !watch && !w.makesParents(&w.last)
}

// Applied implements [simzk.Observer].
func (w *witness) Applied(t *zkmodel.Txn) {
	if w.teller != nil {
		w.teller.applied(w, t)
	}
	w.Runner.Applied(t)
}

// Bit implements [simzk.Observer].
func (w *witness) Bit(p *simzk.Process, k faults.Kind) {
	if w.teller != nil {
		w.teller.bit(w, p, k)
	}
	w.Runner.Bit(p, k)
}

// Up implements [simzk.Observer].
func (w *witness) Up(c *simzk.Client) { w.disturb(c); w.Runner.Up(c) }

// Down implements [simzk.Observer].
func (w *witness) Down(c *simzk.Client) { w.disturb(c); w.Runner.Down(c) }

// Lost implements [simzk.Observer].
func (w *witness) Lost(c *simzk.Client) { w.disturb(c); w.Runner.Lost(c) }

func (w *witness) disturb(c *simzk.Client) {
	w.disturbed[c.Process().Client()] = true
}
