package scenarios

import (
	"slices"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// maxSteps bounds a run that does not end by itself, for each client.
const maxSteps = 100_000

// Runner carries out a scenario, one run after another. It is not for
// concurrent use.
type Runner struct {
	s       Scenario
	variant Variant
	world   *simzk.World
	plants  []string // see planted

	faults   faults.Injector
	plan     faults.Plan
	programs []program
	clients  []clientRun
	owner    []int32 // client by number of session
	begun    int     // clients let through gateAcquire
	order    []int   // in which they are

	monitor     monitors
	service     serviceJudge
	metrics     checker.LockMetrics
	history     []checker.Event
	keepHistory bool
	ended       bool
	// operationsEnded counts the operations that came to an end.
	operationsEnded int
	results         []checker.Result

	// Untimed runs.
	memo       *sim.Memo
	reductions Reductions
	interleave bool          // see atomic
	shortest   bool          // no transition is made that can wait
	learns     bool          // histories, without a memo
	unknown    *move         // what a reduction would have to know more of
	touch      *touch        // the footprint of the transition under way, if it is noted
	left       faults.Budget // faults that may still strike
	zxids      bool          // the order of zxids matters to clients
	whole      bool          // no subset of the transitions is enough; see doDeferring
	goesOn     int32         // 1 + the client whose process goes on, 0 for none; see doDeferring
	// What is computed of a state at most once; see changed.
	ranked    []int64
	isRanked  bool
	blocks    []uint64 // by client; 0: not computed
	sharedSum uint64   // 0: not computed
	rankOf    func(int64) uint64

	*room
}

// room is memory for work inside one call, no state. The runners of a search
// share it, so that it stays in the processor's caches.
type room struct {
	next            []move  // transitions to explore
	nextOf          *Runner // whose these are; nil if they are not known
	kernelMoves     []sim.Move
	sessions        []int64
	links           []sim.LinkID
	peers           []int32
	locals          []int // transitions of each client's process alone
	sorted          []uint64
	hash, blockHash sim.Hash
	ev              checker.Event
	granted         bool   // something was granted in the transition under way
	deletes         uint32 // see deletesOthers
}

// clientRun is what the runner knows of a client.
type clientRun struct {
	p       *simzk.Process
	current *simzk.Client // its newest handle
	from    progress
	waited  time.Duration // of the main task when the operation began
	done    bool
	crashed bool
	// canceled: an interrupt has marked the client's acquire, or its next, and
	// none has failed for it yet.
	canceled bool
}

// NewRunner returns a runner for a valid scenario.
func NewRunner(s Scenario) (*Runner, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	v, _ := ByName(s.Variant)
	return makeRunner(v, s), nil
}

// makeRunner returns a runner for a scenario that is known to be valid.
func makeRunner(v Variant, s Scenario) *Runner {
	r := &Runner{s: s, variant: v, keepHistory: true, monitor: newMonitors(v.family), room: &room{}}
	o := s.servers()
	r.world = simzk.NewWorld(simzk.Options{Server: o.options, Servers: o.number}, r)
	r.world.SetFaults(&r.faults)
	r.zxids = s.Faults[faults.Cut]+s.Faults[faults.CutRequest]+s.Faults[faults.CutReply] > 0 || s.Servers > 1 && s.reconnects()
	r.programs = make([]program, s.Clients)
	r.clients = make([]clientRun, s.Clients)
	return r
}

// dir is the directory of the recipe's object.
func (r *Runner) dir() string { return r.variant.family.dir }

// planted are the znodes that exist before a run: the directory of the object,
// those below it, and a foreign child.
func (r *Runner) planted() []string {
	if r.plants == nil {
		r.plants = []string{r.dir()}
		for _, sub := range r.variant.Dirs {
			r.plants = append(r.plants, r.dir()+sub)
		}
		if r.s.Usage == UseCrossed {
			r.plants = append(r.plants, secondDir)
		}
		if r.s.Foreign {
			r.plants = append(r.plants, r.dir()+"/foreign")
		}
	}
	return r.plants
}

// Close ends the runner's coroutines.
func (r *Runner) Close() { r.world.K.Close() }

// Record sets whether later runs keep the text of their trace.
func (r *Runner) Record(on bool) { r.world.K.Record(on) }

// Trace is the text of the last run's trace.
func (r *Runner) Trace() []sim.Entry { return r.world.K.Trace() }

// History is the history of the last run. It is valid until the next.
func (r *Runner) History() []checker.Event { return r.history }

// clientOptions are those of a client library.
func clientOptions(l zk.Library, timeout time.Duration, servers int) zkmodel.ClientOptions {
	var o zkmodel.ClientOptions
	switch l {
	case zk.LibraryJava:
		o = zkmodel.JavaOptions()
	case zk.LibraryCurator:
		o = zkmodel.CuratorOptions()
	case zk.LibraryGo:
		o = zkmodel.GoOptions()
	case zk.LibraryKazoo:
		o = zkmodel.KazooOptions()
	}
	o.SessionTimeout = timeout
	o.SetHosts(servers)
	return o
}

// draw fixes what the clients do and what goes wrong. These are the first
// choices of a run and do not depend on the variant, so that the same seed
// gives every variant the same arrivals, holds and faults.
func (r *Runner) draw() {
	k, s := r.world.K, &r.s
	timeout := s.SessionTimeout
	if r.variant.SessionTimeout > 0 {
		timeout = r.variant.SessionTimeout
	}
	options := clientOptions(r.variant.Library, timeout, s.Servers)
	for i := range r.programs {
		g := &r.programs[i]
		g.variant, g.options, g.serial, g.attempts = &r.variant, options, s.Serial, s.Attempts
		g.dir, g.client, g.role, g.samePut = r.dir(), i, s.roleOf(i), s.SamePut
		g.purpose, g.permits, g.leases = g.role.purpose(), s.Permits, s.Leases
		g.downgrade, g.renew, g.usage, g.itemBytes = s.Downgrade, s.Renew, s.Usage, s.ItemBytes
		g.arrival = 0
		if s.Arrivals == ArriveDrawn && !s.Serial {
			g.arrival = k.Draw(LabelArrival, arrivalTable)
		}
		g.list = g.list[:0]
		for range s.opsOf(i) {
			g.list = append(g.list, r.drawAcquisition())
		}
	}
	r.plan = append(r.plan[:0], s.Plan...)
	if s.Faults != (faults.Budget{}) {
		gen := faults.Generator{Budget: s.Faults, Clients: s.Clients}
		r.plan = gen.Draw(r.plan, func(label string, n int) int { return k.Choose(sim.Label(label), n) })
	}
}

// opsOf is the number of operations of a client. In the standard workload the
// producers together put as many items as there are consumers, for a single one
// as many as it takes.
func (s *Scenario) opsOf(client int) int {
	if !s.Serial || s.roleOf(client) != roleProducer {
		return s.Ops
	}
	items := s.Consumers
	if items == 1 {
		items = s.Ops
	}
	n := items / s.Producers
	if client < items%s.Producers {
		n++
	}
	return n
}

func (r *Runner) drawAcquisition() acquisition {
	k, s := r.world.K, &r.s
	a := acquisition{limit: s.Limit, hold: s.Hold}
	mode := s.Mode
	if mode == ModeMixed {
		mode = Modes()[k.Choose(LabelMode, 3)]
	}
	switch mode {
	case ModeTimed:
		a.mode = checker.TimedMode
	case ModeTry:
		a.mode = checker.TryMode
	}
	if a.limit == 0 && !s.Serial {
		a.limit = k.Draw(LabelLimit, limitTable)
	}
	if a.hold == 0 && !s.FixedHold {
		a.hold = k.Draw(LabelHold, holdTable)
	}
	return a
}

// fitModes replaces the modes that the recipe does not have by blocking.
func (r *Runner) fitModes() {
	timed, try := r.variant.Timed, r.variant.Try
	for i := range r.programs {
		for j := range r.programs[i].list {
			a := &r.programs[i].list[j]
			if a.mode == checker.TimedMode && !timed || a.mode == checker.TryMode && !try {
				a.mode = checker.Blocking
			}
			if a.mode == checker.Blocking && r.variant.NeverBlocks {
				a.mode = checker.TryMode
			}
		}
	}
}

// Run carries the scenario out once with the choices of st.
func (r *Runner) Run(st sim.Strategy) Outcome {
	if r.s.Untimed {
		return r.runUntimed(st)
	}
	r.begin(st)
	end := r.loop()
	out := r.judge(end)
	if end == checker.Quiescent {
		r.closeSessions()
	}
	r.addService(&out)
	r.world.K.Seal()
	out.Hash = r.world.K.TraceHash()
	return out
}

func (r *Runner) begin(st sim.Strategy) {
	w := r.world
	w.K.SetUntimed(false)
	w.Begin(st)
	r.plant()
	r.judgeService(true)
	r.draw()
	r.fitModes()
	r.reset()
	r.faults.Begin(r.plan, (*faultWorld)(r))
}

// plant makes the directory of the recipe's object.
func (r *Runner) plant() {
	if !r.s.Bare {
		for _, dir := range r.planted() {
			r.world.Plant(dir, int32(r.s.Counter))
		}
	}
	r.world.SetStock(r.s.Stock)
	r.world.SetStore(r.variant.Store, r.s.strikesServers())
	r.world.StartServers()
}

// reset starts the monitors and the clients.
func (r *Runner) reset() {
	r.owner = r.owner[:0]
	r.history = r.history[:0]
	r.begun, r.ended = 0, false
	r.order = r.variant.family.serialOrder(&r.s)
	r.monitor.reset(r)
	r.metrics.Reset(r.s.Clients)
	for i := range r.clients {
		r.clients[i] = clientRun{}
		r.spawn(i, 0)
	}
}

// spawn starts a client's process.
func (r *Runner) spawn(i, incarnation int) {
	c := &r.clients[i]
	g, from := &r.programs[i], c.from
	c.done, c.crashed, c.current, c.waited = false, false, nil, 0
	c.p = r.world.Spawn(simzk.ProcessOptions{
		Client: i, Incarnation: incarnation, Name: checker.ClientName(i),
		InterruptsRequests: r.variant.InterruptsRequests, EventThread: r.variant.eventThread,
		Store: r.variant.Store,
	}, func(p *simzk.Process) { g.run(p, from) })
	if r.memo != nil || r.learns {
		r.world.K.SetProgram(r.world.K.Proc(c.p.ID()), packProgram(r.sameProgram(i), from))
	}
}

// sameProgram is the first client whose program is that of client i.
func (r *Runner) sameProgram(i int) int {
	for j := range r.programs[:i] {
		a, b := &r.programs[j], &r.programs[i]
		if a.arrival == b.arrival && a.role == b.role && !a.role.named() && slices.Equal(a.list, b.list) && a.usedAs(b) {
			return j
		}
	}
	return i
}

// loop makes transitions until the run is over.
func (r *Runner) loop() checker.Kind {
	k := r.world.K
	horizon := r.horizon()
	limit := maxSteps * r.s.Clients
	for {
		if k.Still() && r.world.Settled() && !r.openGate() && k.Quiet() {
			return checker.Quiescent
		}
		at, ok := k.NextAt()
		if !ok {
			return checker.Quiescent
		}
		if at > horizon+r.faults.Last() {
			return checker.Horizon
		}
		if k.Steps() > limit {
			return checker.CutOff
		}
		k.Step()
		r.faults.OnStep(k.Steps())
	}
}

// horizon is the time after the last fault by which every live waiter must
// have been served: sessions that end must have ended, every hold and limit
// that remains may have to pass, and each operation may have to retry.
func (r *Runner) horizon() time.Duration {
	h := 4*max(r.s.SessionTimeout, r.variant.SessionTimeout, r.variant.Lease) + longestRetry
	for i := range r.programs {
		h += r.programs[i].arrival
		for _, a := range r.programs[i].list {
			h += a.hold + a.limit + longestRetry
		}
	}
	for _, f := range r.plan {
		h = max(h, f.Time+f.For+h)
	}
	return h
}

// longestRetry is the longest retry loop of a recipe.
const longestRetry = 60 * time.Second

// waiterBound is the time within which one waiter of a variant that keeps the
// order of its tickets is served, once nothing disturbs it: the sessions that
// end must have ended, and each client goes ahead once at most, with the
// longest of its holds and a retry loop. 0 where there is no such bound.
func (r *Runner) waiterBound() time.Duration {
	if !r.variant.FIFO || r.s.Untimed {
		return 0
	}
	b := 4*max(r.s.SessionTimeout, r.variant.SessionTimeout) + longestRetry
	for i := range r.programs {
		hold := time.Duration(0)
		for _, a := range r.programs[i].list {
			hold = max(hold, a.hold)
		}
		b += hold + longestRetry
	}
	return b
}

// openGate lets one process of the standard workload go on, now that nothing
// is in flight, or all begin together; false if none waits.
func (r *Runner) openGate() bool {
	if !r.s.Serial {
		return false
	}
	if r.s.Arrivals == ArriveTogether && r.begun == 0 {
		for i := range r.clients {
			if p := r.clients[r.order[i]].p; p.AtGate(gateAcquire) {
				r.begun++
				r.world.OpenGate(p)
			}
		}
		return r.begun > 0
	}
	if r.begun < len(r.clients) {
		if p := r.clients[r.order[r.begun]].p; p.AtGate(gateAcquire) {
			r.begun++
			r.world.OpenGate(p)
			return true
		}
	}
	for i := range r.clients {
		if p := r.clients[i].p; p.AtGate(gateRelease) {
			r.world.OpenGate(p)
			return true
		}
	}
	return false
}

// closeSessions lets every client that is done close its session.
func (r *Runner) closeSessions() {
	r.ended = true
	for i := range r.clients {
		if p := r.clients[i].p; p.AtGate(gateEnd) {
			r.world.OpenGate(p)
		}
	}
	k := r.world.K
	for n := 0; n < maxSteps && !k.Quiet() && k.Step(); n++ {
	}
}

// judge closes the history and asks the monitors.
func (r *Runner) judge(end checker.Kind) Outcome {
	r.ev = checker.Event{At: r.world.K.Now(), Kind: end, Client: -1}
	r.observe()
	return r.outcome(end)
}

// outcome asks the monitors.
func (r *Runner) outcome(end checker.Kind) Outcome {
	out := Outcome{
		Results:     r.monitor.Finish(r.history),
		Transitions: r.world.Transitions(),
		Steps:       r.world.Steps(),
		Virtual:     r.world.K.Now(),
		Nodes:       r.world.Server().NumNodes() - len(r.planted()),
		Vacuous:     r.faults.Vacuous(),
		End:         end,
		Failed:      r.monitor.Failed(),
	}
	return out
}

// Metrics is what the last run cost.
func (r *Runner) Metrics() checker.LockSummary { return r.metrics.Summary() }

// Effects is what the faults of kind k changed in the last run.
func (r *Runner) Effects(k faults.Kind) faults.Effects { return r.faults.Effects(k) }

// Plan is what was planned to go wrong in the last run.
func (r *Runner) Plan() faults.Plan { return r.plan }

// observe hands r.ev to the monitors.
func (r *Runner) observe() {
	if r.ended {
		return
	}
	if r.touch != nil {
		r.touch.observed(&r.ev)
	}
	r.granted = r.granted || r.ev.Kind == checker.Grant
	r.monitor.Observe(&r.ev)
	if r.memo == nil { // a search counts nothing
		r.metrics.Observe(&r.ev)
	}
	if r.keepHistory {
		r.history = append(r.history, r.ev)
	}
}

// parentIs reports whether path is a child of dir.
func parentIs(path, dir string) bool {
	return len(path) > len(dir)+1 && path[len(dir)] == '/' && strings.HasPrefix(path, dir)
}
