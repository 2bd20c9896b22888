package simzk

import (
	"context"
	"fmt"
	"time"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/stores"
)

// store is the server of recipes that use no ZooKeeper, and what is under way
// to it and from it. Each call of a client is a message of its own on a
// connection that is there whenever it is wanted.
type store struct {
	kind     zk.StoreKind
	database stores.Database
	redis    stores.Redis
	calls    []call
	sent     int  // calls so far
	streams  bool // the next change is under way to the replica
	held     int  // lags of the replica that are not over
	bitten   bool // the present lag has held something up
}

// call is a request to the store, its slot used again once it is over.
type call struct {
	p     *Process
	tag   waitTag
	req   stores.Request
	value int64 // of the answer; see answered
	stage callStage
	loss  faults.Loss
	// broken: its connection has gone, and it with it.
	broken bool
	// held: a partition holds it up, at most until the client's patience ends,
	// which is when the client is told that it is lost and it is nobody's.
	held     bool
	patience sim.Time
	nobodys  bool
}

// callStage is how far a call has got.
type callStage uint8

const (
	callOver callStage = iota
	callUnderWay
	callAnswered
)

// The answers to calls, in one number: these, or callDone and the token.
const (
	callLost    int64 = -1
	callRefused int64 = 0
	callDone    int64 = 1
)

// callPatience is how long a client waits for an answer; see [zk.Store].
const callPatience = 2 * time.Second

// SetStore gives a run a store before its processes start. replicated says
// whether a Redis has its replica: what that has shows in a fail-over alone.
func (w *World) SetStore(kind zk.StoreKind, replicated bool) {
	s := &w.store
	s.kind = kind
	if kind == zk.StoreRedis && !replicated {
		s.redis.Detach()
	}
}

func (s *store) reset() {
	redis, calls := s.redis, s.calls[:0]
	redis.Reset()
	*s = store{redis: redis, calls: calls}
}

// machine is the store's, nil for none.
func (s *store) machine() stores.Machine {
	switch s.kind {
	case zk.StoreDatabase:
		return &s.database
	case zk.StoreRedis:
		return &s.redis
	}
	return nil
}

// storeTime is the store's clock. Untimed it stands still: whoever selects
// moves ends leases.
func (w *World) storeTime() time.Duration {
	if w.K.Untimed() {
		return 0
	}
	return w.K.Now()
}

// storeLatency is that of a call and of its answer: that of a message to a
// ZooKeeper.
var storeLatency = sim.Exponential(200*time.Microsecond, 500*time.Microsecond, 256)

// startCall sends a call, or loses it where a fault says so.
func (w *World) startCall(p *Process, tag waitTag, r *stores.Request) {
	s := &w.store
	i := 0
	for i < len(s.calls) && !s.calls[i].over() {
		i++
	}
	if i == len(s.calls) {
		s.calls = append(s.calls, call{})
	}
	x := &s.calls[i]
	*x = call{p: p, tag: tag, req: *r, stage: callUnderWay, loss: p.onRequest()}
	s.sent++
	if r.Op != stores.Clear {
		p.tends = r.Owner
	}
	d := w.K.Draw(sim.LabelLatency, storeLatency)
	w.K.After(d, sim.NoProc, timerCall, int32(i), false)
}

// over reports whether nothing comes of a call any more.
func (x *call) over() bool {
	return x.stage == callOver || x.stage == callAnswered && (x.nobodys || x.p.sp.Status() == sim.Crashed)
}

// busy reports whether a call is under way that nothing holds up.
func (s *store) busy() bool {
	for i := range s.calls {
		if x := &s.calls[i]; !x.over() && !x.held {
			return true
		}
	}
	return false
}

func (w *World) storeTimer(kind, i int32) {
	switch kind {
	case timerCall:
		w.callArrives(i)
	case timerAnswer:
		w.answerArrives(i)
	case timerPatience:
		if x := &w.store.calls[i]; x.held && !x.nobodys && x.patience <= w.K.Now() {
			x.p.bit(faults.Partition)
			w.answered(x, callLost)
			x.nobodys = true
		}
	case timerReplica:
		w.replicate()
	}
}

// callArrives: a call reaches the store, or a partition.
func (w *World) callArrives(i int32) {
	x := &w.store.calls[i]
	if w.holdsUp(i) {
		return
	}
	x.stage = callAnswered
	latency := storeLatency
	switch {
	case x.broken:
		x.value = callLost
	case x.loss == faults.LoseRequest:
		w.loses(x, faults.CutRequest, x.req.Op.String())
	default:
		w.carryOut(x)
		if x.loss == faults.LoseReply {
			w.loses(x, faults.CutReply, "the answer to "+x.req.Op.String())
		}
	}
	if x.value == callLost {
		latency = resetDelay
	}
	if !x.over() {
		w.K.After(w.K.Draw(sim.LabelLatency, latency), x.p.sp.ID(), timerAnswer, i, false)
	}
}

// loses loses a call, or its answer, where a fault says so.
func (w *World) loses(x *call, k faults.Kind, what string) {
	x.value = callLost
	x.p.bit(k)
	if w.K.Tracing() {
		w.K.Tracef("fault: %s of %s is lost and its connection cut", what, x.p.Name())
	}
}

// carryOut lets the store handle a call.
func (w *World) carryOut(x *call) {
	s := &w.store
	had := s.machine().Owner(w.storeTime())
	a := s.machine().Handle(w.storeTime(), x.req)
	x.value = callRefused
	if a.Done {
		x.value = callDone + a.Token
	}
	w.moves++
	w.steps++
	w.K.Note(uint64(x.req.Op)<<32 ^ uint64(x.value))
	request, outcome := x.req.Op.String(), w.outcome(x, had)
	if w.K.Tracing() {
		w.K.Tracef("store: %s of %s: %s", request, x.p.Name(), outcome)
	}
	w.observer.Called(x.p, request, outcome)
	w.stream()
}

// outcome is what a call has done, in words.
func (w *World) outcome(x *call, had string) string {
	switch {
	case x.value > callDone:
		return fmt.Sprintf("done, token %d", x.value-callDone)
	case x.value == callDone:
		return "done"
	case had == "":
		return "refused, nobody has it"
	}
	return "refused, " + w.nameOf(had) + " has it"
}

// nameOf is the name of the process that an owner is of.
func (w *World) nameOf(owner string) string {
	for _, p := range w.procs[:w.nprocs] {
		var serial [8]byte
		putHex(serial[:], uint64(p.serial))
		if len(owner) > 8 && owner[:8] == string(serial[:]) {
			return p.Name()
		}
	}
	return owner
}

// answerArrives: an answer reaches its client, or a partition.
func (w *World) answerArrives(i int32) {
	x := &w.store.calls[i]
	if x.nobodys || w.holdsUp(i) {
		return
	}
	w.answered(x, x.value)
	x.stage = callOver
}

// answered tells a client what has become of its call.
func (w *World) answered(x *call, value int64) {
	p := x.p
	if x.req.Op == stores.Drop && p.tends == x.req.Owner {
		p.tends = ""
	}
	w.moves++
	w.K.Note(uint64(value))
	if w.K.Tracing() {
		what := "done"
		switch value {
		case callLost:
			what = "ConnectionLoss"
		case callRefused:
			what = "refused"
		}
		w.K.Tracef("%s: receives %s for %s", p.Name(), what, x.req.Op)
	}
	p.slots[x.tag.task].value = value
	w.K.Complete(p.sp, x.tag.task, x.tag.seq)
}

// holdsUp holds a call or its answer up if its client is cut off from the
// store.
func (w *World) holdsUp(i int32) bool {
	x := &w.store.calls[i]
	if w.K.Untimed() || !w.partitioned(x.p.client) {
		return false
	}
	x.held = true
	if x.patience == 0 {
		x.patience = w.K.Now() + callPatience
		w.K.After(callPatience, x.p.sp.ID(), timerPatience, i, false)
	}
	return true
}

// letGo lets what a partition has held up of a client go on, and reports
// whether there was anything.
func (w *World) letGo(client int) bool {
	any := false
	for i := range w.store.calls {
		x := &w.store.calls[i]
		if x.over() || !x.held || x.p.client != client {
			continue
		}
		any, x.held = any || !x.nobodys, false
		timer, owner := timerCall, sim.NoProc
		if x.stage == callAnswered {
			timer, owner = timerAnswer, x.p.sp.ID()
		}
		w.K.After(w.K.Draw(sim.LabelLatency, storeLatency), owner, timer, int32(i), false)
	}
	return any
}

// Store is the store that recipes of the process see; nil for none.
func (e *Env) Store() zk.Store {
	if e.p.store == zk.StoreNone {
		return nil
	}
	return storeHandle{e.p}
}

// storeHandle implements [zk.Store] for one process.
type storeHandle struct{ p *Process }

func (h storeHandle) do(ctx context.Context, r stores.Request) (zk.StoreAnswer, error) {
	p := h.p
	if err := p.ctxErr(ctx); err != nil {
		return zk.StoreAnswer{}, err
	}
	p.segment.calls = append(p.segment.calls, r)
	p.sp.Await(outCall|int32(len(p.segment.calls)-1), false)
	switch v := p.slots[p.sp.Current()].value; v {
	case callLost:
		return zk.StoreAnswer{}, zk.ErrConnectionLoss
	case callRefused:
		return zk.StoreAnswer{}, nil
	default:
		return zk.StoreAnswer{Done: true, Token: v - callDone}, nil
	}
}

// Claim implements [zk.Store].
func (h storeHandle) Claim(ctx context.Context, owner string, lease time.Duration) (zk.StoreAnswer, error) {
	return h.do(ctx, stores.Request{Op: stores.Claim, Owner: owner, Lease: lease})
}

// Extend implements [zk.Store].
func (h storeHandle) Extend(ctx context.Context, owner string, lease time.Duration) (zk.StoreAnswer, error) {
	return h.do(ctx, stores.Request{Op: stores.Extend, Owner: owner, Lease: lease})
}

// Drop implements [zk.Store].
func (h storeHandle) Drop(ctx context.Context, owner string) (zk.StoreAnswer, error) {
	return h.do(ctx, stores.Request{Op: stores.Drop, Owner: owner})
}

// Clear implements [zk.Store].
func (h storeHandle) Clear(ctx context.Context) (zk.StoreAnswer, error) {
	return h.do(ctx, stores.Request{Op: stores.Clear})
}
