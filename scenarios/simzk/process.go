package simzk

import (
	"time"

	"zoosim/recipes/zk"
	"zoosim/sim"
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

	// Process side: what the program's calls leave for the world.
	interruptsRequests bool
	requests           []request
	records            []Record
	writes             []int64
	watchers           []watcher
	opens              []zkmodel.ClientOptions
	guids              int
	slots              []slot // by task
	stats              []zkmodel.Stat
	env                Env
	onInterrupt        func()

	// World side.
	partitioned bool
	faults      procFaults
	serial      int64   // number of its first session in connect order
	gate        waitTag // who waits at a gate
	atGate      int32
}

// request is a request that a task puts out.
type request struct {
	client  int32
	watcher int32
	req     zkmodel.Request
}

// slot takes the reply that resumes a task.
type slot struct {
	resp  zkmodel.Response
	value int64
}

// watcher is a watcher object: a callback, or a latch.
type watcher struct {
	f     func(zk.Event)
	latch sim.LatchID
}

// The outputs and waits of a process, in the high bits; an index stands in
// the low ones.
const (
	outRequest int32 = (iota + 1) << 24
	outOpen
	outListen
	outUnlisten
	outRecord
	outWrite
	outCallbackOver
	outGate
	outMask int32 = 0x7f << 24
)

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
	_                  struct{}
}

// Spawn starts a process that runs program.
func (w *World) Spawn(o ProcessOptions, program func(*Process)) *Process {
	if w.nprocs == len(w.procs) {
		w.procs = append(w.procs, &Process{w: w})
	}
	p := w.procs[w.nprocs]
	w.nprocs++
	p.name, p.client, p.incarnation = o.Name, o.Client, o.Incarnation
	p.interruptsRequests = o.InterruptsRequests
	p.requests, p.records, p.writes = p.requests[:0], p.records[:0], p.writes[:0]
	p.watchers, p.opens, p.stats = p.watchers[:0], p.opens[:0], p.stats[:0]
	p.guids, p.onInterrupt = 0, nil
	p.slots = p.slots[:0]
	p.partitioned = false
	p.faults = procFaults{}
	p.gate, p.atGate, p.serial = waitTag{}, 0, 0
	p.env = Env{p: p, root: scopeCtx{p: p, id: sim.RootScope}}
	p.sp = w.K.Spawn(o.Name, func() { program(p) })
	p.growSlots()
	return p
}

func (p *Process) growSlots() {
	for n := p.sp.NumTasks(); len(p.slots) < n; {
		p.slots = append(p.slots, slot{})
	}
}

// Name is the name given to Spawn.
func (p *Process) Name() string { return p.name }

// Client is the number of the client.
func (p *Process) Client() int { return p.client }

// Incarnation is the number of the restart, 0 for the first process.
func (p *Process) Incarnation() int { return p.incarnation }

// Status is what the process is doing. It is world side.
func (p *Process) Status() sim.Status { return p.sp.Status() }

// Env is what recipes see of time, tasks and waiting.
func (p *Process) Env() *Env { return &p.env }

// Connect opens a handle and waits for its first session.
func (p *Process) Connect(o zkmodel.ClientOptions) zk.Client {
	h := &handle{p: p}
	p.requests = append(p.requests, request{})
	i := int32(len(p.requests) - 1)
	p.opens = append(p.opens, o)
	p.requests[i].watcher = int32(len(p.opens) - 1)
	p.sp.Await(outOpen|i, false)
	h.c = p.requests[i].client
	return h
}

// Record makes an entry in the run's history.
func (p *Process) Record(r Record) {
	p.records = append(p.records, r)
	p.sp.Emit(outRecord | int32(len(p.records)-1))
}

// Write writes to the fenced resource with a token and reports whether it was
// accepted. The write and its answer take a latency each.
func (p *Process) Write(token int64) bool {
	p.writes = append(p.writes, token)
	p.sp.Await(outWrite|int32(len(p.writes)-1), false)
	return p.slots[p.sp.Current()].value != 0
}

// OnInterrupt has f called in a task of its own where an interrupt would
// otherwise reach the main task.
func (p *Process) OnInterrupt(f func()) { p.onInterrupt = f }

// AwaitGate waits until [World.OpenGate] lets the process through the gate
// with the given number, which is not negative.
func (p *Process) AwaitGate(gate int32) { p.sp.Await(outGate|gate, false) }

// Output implements [sim.App].
func (w *World) Output(sp *sim.Proc, t sim.TaskID, out int32) {
	p := w.procs[sp.ID()]
	i := out &^ outMask
	switch out & outMask {
	case outRecord:
		w.observer.Recorded(p, t, &p.records[i])
	case outListen:
		w.clients[p.requests[i].client].m.AddListener(p.requests[i].watcher)
	case outUnlisten:
		w.clients[p.requests[i].client].m.RemoveListener(p.requests[i].watcher)
	case outCallbackOver:
		c := w.clients[i]
		c.callback = noTask
		w.dispatch(c)
	}
}

// Await implements [sim.App].
func (w *World) Await(sp *sim.Proc, t sim.TaskID, out int32) {
	p := w.procs[sp.ID()]
	p.growSlots()
	i := out &^ outMask
	tag := waitTag{task: t, seq: sp.WaitSeq(t), on: true}
	switch out & outMask {
	case outRequest:
		r := &p.requests[i]
		c := w.clients[r.client]
		c.tags = append(c.tags, tag)
		w.cout.Reset()
		c.m.Submit(w.K.Now(), int32(len(c.tags)-1), r.watcher, &r.req, &w.cout)
		w.act(c)
	case outOpen:
		c := w.openClient(p, &p.opens[p.requests[i].watcher])
		p.requests[i].client = c.id
		c.up = tag
		w.cout.Reset()
		c.m.Start(w.K.Now(), &w.cout)
		w.act(c)
	case outWrite:
		w.startWrite(p, tag, p.writes[i])
	case outGate:
		p.gate, p.atGate = tag, i
	}
}

// Query implements [sim.App].
func (w *World) Query(sp *sim.Proc, kind, arg int32) int64 {
	switch kind {
	case querySession:
		return w.clients[arg].m.SessionID()
	case queryState:
		return int64(w.clients[arg].m.State())
	case queryTimeout:
		return int64(w.clients[arg].m.NegotiatedTimeout())
	case querySerial:
		return w.procs[sp.ID()].serial
	case queryStat:
		return statField(&w.procs[sp.ID()].stats[arg>>4], zk.StatField(arg&15))
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

// newStat keeps a Stat for the queries of its fields.
func (p *Process) newStat(s *zkmodel.Stat) zk.Stat {
	p.stats = append(p.stats, *s)
	return zk.NewStat(p, int32(len(p.stats)-1))
}

// StatField implements [zk.StatReader].
func (p *Process) StatField(handle int32, f zk.StatField) int64 {
	return p.sp.Query(queryStat, handle<<4|int32(f))
}

func statField(s *zkmodel.Stat, f zk.StatField) int64 {
	switch f {
	case zk.FieldCzxid:
		return s.Czxid
	case zk.FieldMzxid:
		return s.Mzxid
	case zk.FieldPzxid:
		return s.Pzxid
	case zk.FieldVersion:
		return int64(s.Version)
	case zk.FieldCversion:
		return int64(s.Cversion)
	case zk.FieldEphemeralOwner:
		return s.EphemeralOwner
	case zk.FieldDataLength:
		return int64(s.DataLength)
	case zk.FieldNumChildren:
		return int64(s.NumChildren)
	case zk.FieldCtime:
		return s.Ctime
	case zk.FieldMtime:
		return s.Mtime
	}
	return 0
}
