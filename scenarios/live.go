package scenarios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"zoosim/checker"
	"zoosim/recipes/zk"
	"zoosim/scenarios/livezk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// LiveOptions say what [RunLive] does.
type LiveOptions struct {
	// Scenario is a standard workload; see [Standard].
	Scenario Scenario
	// Address is that of a ZooKeeper server, as "127.0.0.1:2181".
	Address string
	// Silence is how long nothing may happen before the next client goes on;
	// default 5 ms. What is under way is waited for in any case.
	Silence time.Duration
	// Budget bounds the run; default a minute. A run that is not over by then
	// has made no progress.
	Budget time.Duration
	// Progress, if not nil, is told how many of how many operations are over.
	Progress func(done, total int)

	_ struct{}
}

// LiveReport is the result of a run on a real ZooKeeper.
type LiveReport struct {
	Variant  string          `json:"variant"`
	Address  string          `json:"address"`
	Clients  int             `json:"clients"`
	Verdicts []VerdictReport `json:"verdicts"`
	// Metrics are what was counted on the connections, Simulated the same of the
	// same workload in simulation: create2 as create and getChildren as
	// getChildren2, which is what go-zookeeper sends.
	Metrics   LiveMetrics `json:"metrics"`
	Simulated LiveMetrics `json:"simulated"`
	// Equal reports whether they are the same.
	Equal  bool    `json:"equal"`
	WallMS float64 `json:"wallMS"`
}

// LiveMetrics are numbers of requests and watch notifications.
type LiveMetrics struct {
	Notifications int64            `json:"notifications"`
	Requests      map[string]int64 `json:"requests"`
}

// liveJudged lists what a run on a real server is judged by: what can be seen
// from the clients alone.
var liveJudged = []checker.Property{
	checker.Exclusion, checker.RWExclusion, checker.Capacity, checker.Progress, checker.SpuriousError,
}

// live is a run on a real server.
type live struct {
	o     LiveOptions
	r     *Runner // for what it knows of the variant; it does not run
	dir   string
	meter livezk.Meter
	begin time.Time
	procs []*liveProcess

	mu      sync.Mutex // guards what follows
	history []checker.Event
	token   int64 // highest of the resource
	ended   bool
	over    int // operations
	changed chan struct{}
}

// liveProcess is one client of it, and what its program needs.
type liveProcess struct {
	*livezk.Process
	l      *live
	client int
	gate   int32 // at which it waits, -1 for none
	way    *livezk.Gate
	done   bool
}

var _ process = (*liveProcess)(nil)

// RunLive runs the standard workload of a variant on a real ZooKeeper, in real
// time, below a znode of its own, which it deletes in the end, also when ctx
// ends it before. It fails if no server answers, or if the recipe needs what
// go-zookeeper does not send.
func RunLive(ctx context.Context, o LiveOptions) (*LiveReport, error) {
	if err := o.Scenario.Validate(); err != nil {
		return nil, err
	}
	if !o.Scenario.Serial {
		return nil, fieldErr("serial", "false; allowed on a real server: the standard workload")
	}
	if f := familyName(o.Scenario.Variant); f == "sale" {
		return nil, fieldErr("variant", "a %s has a stock, which no real server keeps; allowed: other families", f)
	}
	if v, _ := ByName(o.Scenario.Variant); v.Store != zk.StoreNone {
		return nil, fieldErr("variant", "%s uses no ZooKeeper, but a store (%s) that is there in simulation alone; allowed: recipes of ZooKeeper", v.Name, v.Store)
	}
	if o.Silence <= 0 {
		o.Silence = 5 * time.Millisecond
	}
	if o.Budget <= 0 {
		o.Budget = time.Minute
	}
	admin, err := livezk.OpenAdmin(ctx, o.Address)
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	root, err := admin.MakeRoot("zoosim-" + familyName(o.Scenario.Variant))
	if err != nil {
		return nil, err
	}
	rep, err := runBelow(ctx, o, admin, root)
	if e := admin.RemoveAll(root); err == nil && e != nil {
		err = fmt.Errorf("clean up %s: %w", root, e)
	}
	return rep, err
}

func runBelow(ctx context.Context, o LiveOptions, admin *livezk.Admin, root string) (*LiveReport, error) {
	v, _ := ByName(o.Scenario.Variant)
	r := makeRunner(v, o.Scenario)
	defer r.Close()
	// The znode of its own is the object's directory, as deep as in simulation:
	// some recipes look at each level. Below it stands what stands there.
	dir := root
	for _, path := range r.planted() {
		if sub, below := strings.CutPrefix(path, r.dir()+"/"); below {
			if err := admin.Make(dir + "/" + sub); err != nil {
				return nil, err
			}
		}
	}
	// What the clients do is drawn as in a simulated run.
	r.world.K.SetUntimed(false)
	r.world.Begin(sim.NewRandom(0))
	r.draw()
	r.fitModes()
	r.order = v.family.serialOrder(&r.s)
	r.monitor.reset(r)

	during, cancel := context.WithCancel(ctx)
	defer cancel()
	l := &live{o: o, r: r, dir: dir, changed: make(chan struct{}, 1), begin: time.Now()}
	l.start(during)
	end := l.drive(during)
	counts := l.meter.Counts()
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	cancel()
	var closing sync.WaitGroup
	for _, p := range l.procs {
		closing.Go(p.End)
	}
	closing.Wait()
	for _, p := range l.procs {
		if what := p.Missing(); what != "" {
			return nil, fmt.Errorf("%s needs %s, which go-zookeeper does not send; allowed: variants without it", v.Name, what)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return l.report(end, counts)
}

// start starts the clients, and counts from when all are connected.
func (l *live) start(ctx context.Context) {
	for i := range l.r.programs {
		p := &liveProcess{l: l, client: i, gate: -1, way: livezk.NewGate()}
		p.Process = livezk.NewProcess(ctx, &l.meter, func(v any) {
			l.observe(checker.Event{Kind: checker.Panic, Client: int32(i), Text: fmt.Sprint(v)})
		})
		l.procs = append(l.procs, p)
	}
	for i, p := range l.procs {
		g := l.r.programs[i]
		g.dir = l.dir
		p.Start(func(context.Context) { g.run(p, progress{}) })
	}
}

// drive lets one client after the other go on, each time nothing is under way
// any more, until all are done.
func (l *live) drive(ctx context.Context) checker.Kind {
	tick := time.NewTicker(max(l.o.Silence/8, time.Millisecond))
	defer tick.Stop()
	late := time.NewTimer(l.o.Budget)
	defer late.Stop()
	begun, counting := 0, false
	total := 0
	for i := range l.r.programs {
		total += len(l.r.programs[i].list)
	}
	for {
		select {
		case <-ctx.Done():
			return checker.Horizon
		case <-late.C:
			return checker.Horizon
		case <-tick.C:
		}
		if l.o.Progress != nil {
			l.mu.Lock()
			over := l.over
			l.mu.Unlock()
			l.o.Progress(over, total)
		}
		if !l.quiet() {
			continue
		}
		if !counting {
			if l.waiting(gateAcquire) < len(l.procs) {
				continue // not all are connected
			}
			counting = true
			l.meter.Reset()
		}
		switch {
		case begun < len(l.procs) && l.openGate(l.procs[l.r.order[begun]], gateAcquire):
			begun++
		case l.openFirst(gateRelease):
		case l.allDone():
			return checker.Quiescent
		}
	}
}

// quiet reports whether nothing is under way: all tasks wait, and what the
// server has sent is dealt with.
func (l *live) quiet() bool {
	before, ok := l.meter.Quiet(l.o.Silence)
	if !ok {
		return false
	}
	var flushing sync.WaitGroup
	for _, p := range l.procs {
		flushing.Go(p.Flush)
	}
	flushing.Wait()
	after, ok := l.meter.Quiet(0)
	return ok && after == before
}

// waiting is the number of clients at a gate.
func (l *live) waiting(gate int32) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.procs {
		if p.gate == gate {
			n++
		}
	}
	return n
}

// openGate lets a client go on if it waits at a gate.
func (l *live) openGate(p *liveProcess, gate int32) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.gate != gate {
		return false
	}
	p.gate = -1
	p.Open(p.way)
	return true
}

// openFirst lets the first client at a gate go on.
func (l *live) openFirst(gate int32) bool {
	return slices.ContainsFunc(l.procs, func(p *liveProcess) bool { return l.openGate(p, gate) })
}

func (l *live) allDone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !slices.ContainsFunc(l.procs, func(p *liveProcess) bool { return !p.done })
}

// observe adds an event to the history and has it judged.
func (l *live) observe(e checker.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	e.At = time.Since(l.begin)
	if endsOperation(e.Kind) {
		l.over++
	}
	if e.Kind == checker.Done {
		l.procs[e.Client].done = true
	}
	l.history = append(l.history, e)
	l.r.monitor.Observe(&e)
}

// Connect implements process.
func (p *liveProcess) Connect(o zkmodel.ClientOptions) zk.Client {
	c := p.Process.Connect(livezk.Options{
		Address: p.l.o.Address, SessionTimeout: o.SessionTimeout, Library: p.l.r.variant.Library,
	})
	p.l.observe(checker.Event{Kind: checker.Up, Client: int32(p.client), Arg: c.SessionID()})
	return c
}

// Record implements process.
func (p *liveProcess) Record(x simzk.Record) {
	k := checker.Kind(x.Kind)
	if k == nextAcquisition {
		return
	}
	e := checker.Event{Kind: k, Client: int32(p.client)}
	readRecord(&e, &x)
	p.l.observe(e)
}

// Write implements process: the resource is one of this program, not of the
// server.
func (p *liveProcess) Write(token int64) bool {
	p.l.mu.Lock()
	ok := token >= p.l.token
	p.l.token = max(p.l.token, token)
	p.l.mu.Unlock()
	k := checker.WriteRefused
	if ok {
		k = checker.WriteAccepted
	}
	p.l.observe(checker.Event{Kind: k, Client: int32(p.client), Arg: token})
	return ok
}

// Stock implements process: on a real server there is no shop.
func (p *liveProcess) Stock(int, int64) (int64, bool) { return 0, false }

// SetStock implements process.
func (p *liveProcess) SetStock(int, int64, int64) bool { return false }

// AwaitGate implements process.
func (p *liveProcess) AwaitGate(gate int32) {
	p.l.mu.Lock()
	p.gate = gate
	p.l.mu.Unlock()
	p.Await(p.way)
}

// OnInterrupt implements process: nothing interrupts a live one.
func (p *liveProcess) OnInterrupt(func()) {}

// Keep implements process.
func (p *liveProcess) Keep() {}

// Checkpoint implements process.
func (p *liveProcess) Checkpoint(sim.MarkKind, uint64) {}

// Round implements [process].
func (p *liveProcess) Round(uint64) {}

// report judges the run and puts the simulated numbers beside its own.
func (l *live) report(end checker.Kind, counts livezk.Counts) (*LiveReport, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := checker.Event{At: time.Since(l.begin), Kind: end, Client: -1}
	l.r.monitor.Observe(&e)
	l.history = append(l.history, e)
	rep := &LiveReport{
		Variant: l.r.variant.Name, Address: l.o.Address, Clients: l.r.s.Clients, Verdicts: []VerdictReport{},
		Metrics: LiveMetrics{counts.Notifications, counts.Requests}, WallMS: ms(time.Since(l.begin)),
	}
	for _, x := range l.r.monitor.Finish(l.history) {
		if slices.Contains(liveJudged, x.Property) {
			rep.Verdicts = append(rep.Verdicts, VerdictReport{x.Property, x.Level, x.Verdict, x.Why})
		}
	}
	if l.r.variant.Family() == "queue" && end == checker.Quiescent {
		rep.Verdicts = append(rep.Verdicts, itemVerdicts(l.history)...)
	}
	s, err := NewRunner(l.o.Scenario)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	s.Run(sim.NewRandom(0))
	m := s.Metrics()
	rep.Simulated = LiveMetrics{m.Notifications, map[string]int64{}}
	for _, c := range m.Requests {
		rep.Simulated.Requests[sentAs(c.Name)] += c.Count
	}
	rep.Equal = rep.Metrics.Notifications == rep.Simulated.Notifications && maps.Equal(rep.Metrics.Requests, rep.Simulated.Requests)
	return rep, nil
}

// sentAs is what go-zookeeper sends for a request.
func sentAs(name string) string {
	switch name {
	case "create2":
		return "create"
	case "getChildren":
		return "getChildren2"
	}
	return name
}

// itemVerdicts compares what was put with what was taken. An item that nobody
// has taken is lost if no take came back without one; else it may lie in the
// queue still.
func itemVerdicts(history []checker.Event) []VerdictReport {
	put, taken, empty := map[int64]bool{}, map[int64]int{}, false
	for i := range history {
		switch e := &history[i]; {
		case e.Kind == checker.PutEnd && e.Text == "":
			put[e.N] = true
		case e.Kind == checker.Grant:
			taken[e.N]++
		case e.Kind == checker.Refuse:
			empty = true
		}
	}
	lost := VerdictReport{Property: checker.LostItem, Level: checker.LevelOf(checker.LostItem), Verdict: checker.Pass}
	twice := VerdictReport{Property: checker.DuplicateItem, Level: checker.LevelOf(checker.DuplicateItem), Verdict: checker.Pass}
	for _, n := range slices.Sorted(maps.Keys(put)) {
		switch taken[n] {
		case 0:
			lost.Verdict, lost.Why = checker.Failed, "item "+itemName(n)+" was put and taken by nobody"
			if empty {
				lost.Verdict, lost.Why = checker.Unknown, lost.Why+"; a take that found none ended before, and it may lie in the queue"
			}
		case 1:
		default:
			twice.Verdict, twice.Why = checker.Failed, fmt.Sprintf("item %s was taken %d times", itemName(n), taken[n])
		}
	}
	return []VerdictReport{lost, twice}
}
