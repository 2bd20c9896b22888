package simzk

import (
	"time"

	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/stores"
	"zoosim/zkmodel"
)

// Process is one incarnation of a client: its program, its tasks, its
// handles.
type Process struct {
	w           *World
	sp          *sim.Proc
	name        string
	client      int
	incarnation int

	interruptsRequests bool
	eventThread        bool

	// Process side.
	env       Env
	callbacks []func(zk.Event) // by number of the watcher, from 1; nil for latches
	nhandles  int32
	nstats    int32
	guids     int
	learnt    []int64 // ids of sessions that it was told
	onIntr    func()

	// What the running segment puts out besides the kernel's outputs.
	segment segment

	// World side.
	latches     []sim.LatchID // by number of the watcher, from 1; -1 for callbacks
	handles     []int32       // the world's number of each handle
	slots       []slot        // by task
	stats       []zkmodel.Stat
	serial      int64 // number of its first session in connect order; on a store, of the process
	store       zk.StoreKind
	tends       string  // owner of the lease on a store that it will give back
	round       uint64  // see [Process.Round]; process side
	sessions    []int64 // that the server opened for it
	interrupts  bool    // an interrupt calls what the program set
	partitioned bool
	forsaken    bool // what has stopped it never ends
	faults      procFaults
	gate        waitTag // who waits at a gate
	atGate      int32
	kept, base  numbers            // at [Process.Keep] and at the last checkpoint
	made        string             // the znode that it made last, since the last checkpoint
	word        func(int32) uint64 // watcherWord, once made
	own         keptHash           // of it, if it was written
	share       sharedHash         // what the server has of it
	missed      sharedHash         // see [World.HashMissed]
	equal       bool               // scratch of [World.CopyInto]: it need not be copied
}

// segment holds the contents of a segment's outputs, which name them by
// index.
type segment struct {
	requests []request
	records  []Record
	writes   []access
	opens    []zkmodel.ClientOptions
	calls    []stores.Request
}

// request is a request that a task puts out.
type request struct {
	handle  int32
	watcher int32
	req     zkmodel.Request
}

// slot holds what a task is told as it goes on.
type slot struct {
	resp  zkmodel.Response
	value int64
	call  zkmodel.WatchCall // of a callback's task
}

// The outputs and waits of a process, in the high bits; an index, a number or
// a handle stands in the low ones.
const (
	outRequest int32 = (iota + 1) << 24
	outOpen
	outListen
	outUnlisten
	outRecord
	outWrite
	outCallbackOver
	outGate
	outStat           // takes over the Stat of the task's reply
	outWatcher        // makes a watcher: a latch's number, or watcherCode
	outOnIntr         // an interrupt calls a function from now on
	outCall           // a request to the store
	outMask     int32 = 0x7f << 24
	watcherCode int32 = 1<<24 - 1
	replyStat   int32 = 1<<24 - 1 // outStat: that of the reply itself, not of an operation in it
)

// startInterrupt is what [sim.World.StartTask] is told to run the function
// for interrupts; a callback is told by its handle.
const startInterrupt int32 = -1

// The queries of a process.
const (
	querySession int32 = iota
	queryState
	queryTimeout
	queryStat
	querySerial
)

// ProcessOptions are the settings of [World.Spawn].
type ProcessOptions struct {
	// Client is the number of the client, Incarnation that of its restart.
	Client, Incarnation int
	// Name is how traces call it.
	Name string
	// InterruptsRequests: an interrupt also ends a request, its outcome
	// unknown (Java).
	InterruptsRequests bool
	// EventThread: all code of the process runs on the event thread of its
	// client, which takes what arrives in order, one message after another.
	EventThread bool
	// Store is the kind of the store that the program uses, if it uses one
	// rather than ZooKeeper.
	Store zk.StoreKind
	_     struct{}
}

// Spawn starts a process that runs program.
func (w *World) Spawn(o ProcessOptions, program func(*Process)) *Process {
	if w.nprocs == len(w.procs) {
		w.procs = append(w.procs, &Process{w: w})
	}
	p := w.procs[w.nprocs]
	cutOff := w.partitioned(o.Client)
	w.nprocs++
	p.name, p.client, p.incarnation = o.Name, o.Client, o.Incarnation
	p.interruptsRequests = o.InterruptsRequests
	p.env = Env{p: p, root: scopeCtx{p: p, id: sim.RootScope}}
	p.callbacks, p.nhandles, p.nstats, p.guids, p.learnt, p.onIntr = p.callbacks[:0], 0, 0, 0, p.learnt[:0], nil
	p.segment.reset()
	p.latches, p.handles, p.slots, p.stats = p.latches[:0], p.handles[:0], p.slots[:0], p.stats[:0]
	p.serial, p.interrupts, p.partitioned, p.forsaken = 0, false, cutOff, false
	p.faults = procFaults{}
	p.gate, p.atGate, p.sessions = waitTag{}, 0, p.sessions[:0]
	p.kept, p.base, p.made = numbers{}, numbers{}, ""
	p.eventThread = o.EventThread
	p.store, p.tends, p.round = o.Store, "", 0
	p.sp = w.K.Spawn(o.Name, func() { program(p) })
	if p.store != zk.StoreNone {
		p.serial = int64(p.sp.ID()) + 1
	}
	p.sp.SetPrompt(o.EventThread)
	p.growSlots()
	return p
}

func (s *segment) reset() {
	s.requests, s.records, s.writes, s.opens = s.requests[:0], s.records[:0], s.writes[:0], s.opens[:0]
	s.calls = s.calls[:0]
}

// Segment implements [sim.App].
func (w *World) Segment(sp *sim.Proc) { w.procs[sp.ID()].segment.reset() }

func (p *Process) growSlots() {
	for n := p.sp.NumTasks(); len(p.slots) < n; {
		p.slots = append(p.slots, slot{})
	}
}

// Name is the name given to Spawn.
func (p *Process) Name() string { return p.name }

// ID is the number of the process in its world.
func (p *Process) ID() sim.ProcID { return p.sp.ID() }

// Client is the number of the client.
func (p *Process) Client() int { return p.client }

// Incarnation is the number of the restart, 0 for the first process.
func (p *Process) Incarnation() int { return p.incarnation }

// Status is what the process is doing. It is world side.
func (p *Process) Status() sim.Status { return p.sp.Status() }

// Env is what recipes see of time, tasks and waiting.
func (p *Process) Env() zk.Env { return &p.env }

// Connect opens a handle and waits for its first session.
func (p *Process) Connect(o zkmodel.ClientOptions) zk.Client {
	h := &handle{p: p, n: p.nhandles}
	p.nhandles++
	p.segment.opens = append(p.segment.opens, o)
	p.sp.Await(outOpen|int32(len(p.segment.opens)-1), false)
	return h
}

// Record makes an entry in the run's history.
func (p *Process) Record(r Record) {
	p.segment.records = append(p.segment.records, r)
	p.sp.Emit(outRecord | int32(len(p.segment.records)-1))
}

// Write writes to the fenced resource with a token and reports whether it was
// accepted. The write and its answer take a latency each.
func (p *Process) Write(token int64) bool {
	return p.access(access{token: token}) != 0
}

// Stock reads how many pieces a shop has left: shop 0 asks for no token, shop 1
// refuses one that is stale, and then ok is false.
func (p *Process) Stock(shop int, token int64) (n int64, ok bool) {
	answer := p.access(access{kind: accessStock, shop: int8(shop), token: token})
	return answer - 1, answer != 0
}

// SetStock writes it, and reports whether that was accepted.
func (p *Process) SetStock(shop int, token, n int64) bool {
	return p.access(access{kind: accessSetStock, shop: int8(shop), token: token, value: n}) != 0
}

// access waits for the resource's answer.
func (p *Process) access(a access) int64 {
	p.segment.writes = append(p.segment.writes, a)
	p.sp.Await(outWrite|int32(len(p.segment.writes)-1), false)
	return p.slots[p.sp.Current()].value
}

// OnInterrupt has f called in a task of its own where an interrupt would
// otherwise reach the main task.
func (p *Process) OnInterrupt(f func()) {
	p.onIntr = f
	p.sp.Emit(outOnIntr)
}

// AwaitGate waits until [World.OpenGate] lets the process through the gate
// with the given number, which is not negative.
func (p *Process) AwaitGate(gate int32) { p.sp.Await(outGate|gate, false) }

// Output implements [sim.App].
func (w *World) Output(sp *sim.Proc, t sim.TaskID, out int32) {
	p := w.procs[sp.ID()]
	i := out &^ outMask
	switch out & outMask {
	case outRecord:
		w.observer.Recorded(p, t, &p.segment.records[i])
	case outListen, outUnlisten:
		r := &p.segment.requests[i]
		if m := &w.clients[p.handles[r.handle]].m; out&outMask == outListen {
			m.AddListener(r.watcher)
		} else {
			m.RemoveListener(r.watcher)
		}
	case outCallbackOver:
		c := w.clients[p.handles[i]]
		c.callback = noTask
		w.dispatch(c)
	case outStat:
		resp := &p.slots[t].resp
		if i == replyStat {
			p.stats = append(p.stats, resp.Stat)
		} else {
			p.stats = append(p.stats, resp.Multi[i].Stat)
		}
	case outWatcher:
		l := sim.LatchID(i)
		if i == watcherCode {
			l = -1
		}
		p.latches = append(p.latches, l)
	case outOnIntr:
		p.interrupts = true
	}
}

// Await implements [sim.App].
func (w *World) Await(sp *sim.Proc, t sim.TaskID, out int32) {
	p := w.procs[sp.ID()]
	p.growSlots()
	i := out &^ outMask
	tag := waitTag{task: t, seq: sp.WaitSeq(t), on: true}
	p.slots[t] = slot{}
	switch out & outMask {
	case outRequest:
		r := &p.segment.requests[i]
		c := w.clients[p.handles[r.handle]]
		w.cout.Reset()
		c.m.Submit(w.K.Now(), c.tag(tag), r.watcher, &r.req, &w.cout)
		w.act(c)
	case outOpen:
		c := w.openClient(p, &p.segment.opens[i])
		c.up = tag
		w.cout.Reset()
		c.m.Start(w.K.Now(), &w.cout)
		w.act(c)
	case outWrite:
		w.startWrite(p, tag, p.segment.writes[i])
	case outCall:
		w.startCall(p, tag, &p.segment.calls[i])
	case outGate:
		p.gate, p.atGate = tag, i
	}
}

// Start implements [sim.App].
func (w *World) Start(sp *sim.Proc, t sim.TaskID, arg int32) func() {
	p := w.procs[sp.ID()]
	if arg == startInterrupt {
		return p.onIntr
	}
	call := p.slots[t].call
	f := p.callbacks[call.Watcher-1]
	ev := zk.Event{Type: zk.EventType(call.Event.Type), State: zk.State(call.Event.State), Path: call.Event.Path}
	return func() {
		f(ev)
		p.sp.Emit(outCallbackOver | arg)
	}
}

// Query implements [sim.App].
func (w *World) Query(sp *sim.Proc, kind, arg int32) int64 {
	p := w.procs[sp.ID()]
	switch kind {
	case querySession:
		return w.clients[p.handles[arg]].m.SessionID()
	case queryState:
		return int64(w.clients[p.handles[arg]].m.State())
	case queryTimeout:
		return int64(w.clients[p.handles[arg]].m.NegotiatedTimeout())
	case querySerial:
		return p.serial
	case queryStat:
		w.stats.asked |= 1 << uint(arg&15)
		return statField(&p.stats[arg>>4], zk.StatField(arg&15))
	}
	return 0
}

// Panicked implements [sim.App].
func (w *World) Panicked(sp *sim.Proc, t sim.TaskID, v any) {
	p := w.procs[sp.ID()]
	for _, c := range w.Clients() {
		if c.p == p && c.callback == t {
			c.callback = noTask
		}
	}
	w.observer.Panicked(p, v)
}

// AtGate reports whether a task of p waits at the gate. It is world side.
func (p *Process) AtGate(gate int32) bool { return p.gate.on && p.atGate == gate }

// OpenGate lets p through the gate at which it waits.
func (w *World) OpenGate(p *Process) {
	if p.gate.on {
		p.gate.on = false
		w.K.Complete(p.sp, p.gate.task, p.gate.seq)
	}
}

// Waited is the time that a task of p has spent waiting for latches and
// conditions, pauses excepted. It is world side.
func (p *Process) Waited(t sim.TaskID) time.Duration { return p.sp.Waited(t) }

// At calls f at time d from now; it counts as something that can still
// happen.
func (w *World) At(d time.Duration, f func()) {
	w.timers = append(w.timers, f)
	w.K.After(d, sim.NoProc, timerUser, int32(len(w.timers)-1), false)
}

func (w *World) user(i int32) { w.timers[i]() }

// newStat takes over the Stat of the reply that the running task got, or that
// of an operation in it.
func (p *Process) newStat(which int32) zk.Stat {
	p.sp.Emit(outStat | which)
	p.nstats++
	return zk.NewStat(p, p.nstats-1)
}

// StatField implements [zk.StatReader].
func (p *Process) StatField(handle int32, f zk.StatField) int64 {
	v := p.sp.Query(queryStat, handle<<4|int32(f))
	if f == zk.FieldEphemeralOwner {
		p.learnSession(v)
	}
	return v
}

func statField(s *zkmodel.Stat, f zk.StatField) int64 { return (*zk.StatValues)(s).Field(f) }
