package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/scenarios/simzk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// The runner turns what happens in the world into the events of a history.
var _ simzk.Observer = (*Runner)(nil)

// event starts an event in the scratch space.
func (r *Runner) event(k checker.Kind, client int) *checker.Event {
	r.ev = checker.Event{At: r.world.K.Now(), Kind: k, Client: int32(client)}
	return &r.ev
}

// Served implements [simzk.Observer].
func (r *Runner) Served(c *simzk.Client, q *zkmodel.Request) {
	if r.touch != nil {
		r.touch.served(q)
	}
	r.viewEvent(checker.ViewAsk, c, q.Op, q.Xid)
	if simzk.IsRecipeOp(q.Op) {
		r.event(checker.Request, c.Process().Client()).Text = q.Op.String()
		r.observe()
	}
}

// Called implements [simzk.Observer].
func (r *Runner) Called(p *simzk.Process, request, _ string) {
	r.event(checker.Request, p.Client()).Text = request
	r.observe()
}

// Sent implements [simzk.Observer].
func (r *Runner) Sent(c *simzk.Client, q *zkmodel.Response) {
	if r.touch != nil {
		r.touch.sent(c)
	}
	switch {
	case q.Kind == zkmodel.KindEvent:
		r.event(checker.Notify, c.Process().Client()).Text = q.Path
		r.observe()
	case len(q.Children) > 0:
		e := r.event(checker.Listing, c.Process().Client())
		for _, name := range q.Children {
			e.N += int64(len(name))
		}
		r.observe()
	}
}

// Answered implements [simzk.Observer].
func (r *Runner) Answered(c *simzk.Client, q *zkmodel.Response) {
	r.viewEvent(checker.ViewAnswer, c, q.Op, q.Xid)
}

// viewEvent tells of a request, or of its reply, on which may rest what the
// present process of a client shows.
func (r *Runner) viewEvent(k checker.Kind, c *simzk.Client, op zkmodel.OpCode, xid int32) {
	asks := r.variant.family.asks
	if asks == nil {
		return
	}
	i := c.Process().Client()
	if r.clients[i].p == c.Process() && !r.clients[i].crashed && asks(r, i, op) {
		r.event(k, i).Arg = int64(xid)
		r.observe()
	}
}

// Applied implements [simzk.Observer].
func (r *Runner) Applied(t *zkmodel.Txn) {
	if r.touch != nil {
		r.touch.applied(t)
	}
	switch t.Op {
	case zkmodel.OpConnect:
		n := int(t.Session & 0xffffffff)
		for n >= len(r.owner) {
			r.owner = append(r.owner, -1)
		}
		r.owner[n] = int32(r.world.SessionOwner(t.Session))
	case zkmodel.OpCloseSession:
		r.event(checker.SessionEnd, r.ownerOf(t.Session)).Arg = t.Session
		r.observe()
	case zkmodel.OpCreate, zkmodel.OpCreate2, zkmodel.OpDelete, zkmodel.OpSetData:
		if !parentIs(t.Path, r.dir()) {
			return
		}
		ticket := true
		if f := r.variant.family.applied; f != nil {
			ticket = f(r, t)
		}
		if !ticket || t.Owner == 0 || t.Op == zkmodel.OpSetData {
			return
		}
		k := checker.TicketCreate
		if t.Op == zkmodel.OpDelete {
			k = checker.TicketDelete
			r.noteDelete(t.Session, t.Owner)
		}
		e := r.event(k, r.ownerOf(t.Owner))
		e.Arg, e.N, e.Text = t.Czxid, int64(t.Notified), t.Path
		r.observe()
	}
}

// ownerOf is the client that opened a session.
func (r *Runner) ownerOf(session int64) int {
	if n := int(session & 0xffffffff); n < len(r.owner) {
		return int(r.owner[n])
	}
	return -1
}

// Up implements [simzk.Observer].
func (r *Runner) Up(c *simzk.Client) {
	i := c.Process().Client()
	if r.clients[i].p != c.Process() {
		return
	}
	r.clients[i].current = c
	r.event(checker.Up, i).Arg = c.SessionID()
	r.observe()
}

// Down implements [simzk.Observer].
func (r *Runner) Down(c *simzk.Client) { r.connection(c, checker.Down) }

// Lost implements [simzk.Observer].
func (r *Runner) Lost(c *simzk.Client) { r.connection(c, checker.Lost) }

// connection notes what became of a client's newest handle.
func (r *Runner) connection(c *simzk.Client, k checker.Kind) {
	if i := c.Process().Client(); r.clients[i].current == c {
		r.event(k, i)
		r.observe()
	}
}

// Bit implements [simzk.Observer].
func (r *Runner) Bit(p *simzk.Process, k faults.Kind) {
	client := -1 // a server
	if p != nil {
		client = p.Client()
	}
	r.event(checker.Fault, client).Text = k.String()
	r.observe()
}

// Recorded implements [simzk.Observer].
func (r *Runner) Recorded(p *simzk.Process, t sim.TaskID, x *simzk.Record) {
	c := &r.clients[p.Client()]
	k := checker.Kind(x.Kind)
	if endsOperation(k) {
		r.operationsEnded++
	}
	if k == nextAcquisition {
		c.from.next = int(x.Arg)
		return
	}
	if k == checker.Fail && c.canceled && strings.Contains(x.Text, context.Canceled.Error()) {
		c.canceled = false
		r.event(checker.Fault, p.Client()).Text = faults.Interrupt.String()
		r.observe()
	}
	e := r.event(k, p.Client())
	readRecord(e, x)
	switch k {
	case checker.Invoke:
		c.waited = p.Waited(t)
		c.from.op = x.Op + 1
	case checker.Put:
		c.from.op = x.Op + 1
	case checker.Grant:
		e.Waited = p.Waited(t) - c.waited
	case checker.Refuse, checker.Fail:
		e.Waited = p.Waited(t) - c.waited
	case checker.Done:
		c.done = true
	}
	r.world.K.Note(uint64(k)<<32 ^ uint64(uint32(x.Op)))
	if r.world.K.Tracing() {
		r.traceRecord(p, e)
	}
	r.observe()
}

// readRecord fills an event of a record's kind with what the record says.
func readRecord(e *checker.Event, x *simzk.Record) {
	e.Op, e.Text = x.Op, x.Text
	switch e.Kind {
	case checker.Invoke:
		e.Mode, e.Limit = checker.Mode(x.Arg), time.Duration(x.Arg2)
	case checker.Put, checker.Grant, checker.Buy, checker.BuyEnd:
		e.Arg, e.N = x.Arg, x.Arg2
	case checker.PutEnd:
		e.N = x.Arg2
	}
}

// traceRecord writes what a client did into the trace.
func (r *Runner) traceRecord(p *simzk.Process, e *checker.Event) {
	if text := r.variant.family.tell(e); text != "" {
		r.world.K.Tracef("%s: %s", p.Name(), text)
	}
}

// Wrote implements [simzk.Observer].
func (r *Runner) Wrote(p *simzk.Process, token int64, accepted bool) {
	e := r.event(checker.WriteAccepted, p.Client())
	if !accepted {
		e.Kind = checker.WriteRefused
		e.FirstInLine = r.firstInLine(token)
	}
	e.Arg = token
	r.observe()
}

// firstInLine reports whether the ticket with this token lives, with its
// session, and none in the directory is older; or the store knows of the hold.
func (r *Runner) firstInLine(token int64) bool {
	if r.variant.Store != zk.StoreNone {
		return r.world.HoldsToken(token)
	}
	s := r.world.Server()
	own := false
	for _, name := range s.AppendChildren(nil, r.dir()) {
		st, _ := s.Lookup(r.dir() + "/" + name)
		switch {
		case st.Czxid == token:
			own = s.SessionAlive(st.EphemeralOwner)
		case st.Czxid < token:
			return false
		}
	}
	return own
}

// Panicked implements [simzk.Observer].
func (r *Runner) Panicked(p *simzk.Process, v any) {
	r.event(checker.Panic, p.Client()).Text = fmt.Sprint(v)
	r.world.K.Tracef("%s: panics: %v", p.Name(), v)
	r.observe()
}

// faultWorld is the runner as faults act on it.
type faultWorld Runner

var _ faults.World = (*faultWorld)(nil)

// target is the client's process if a fault can still matter to it.
func (f *faultWorld) target(client int) (*simzk.Process, bool) {
	c := &f.clients[client]
	return c.p, !c.done && !c.crashed && c.p.Status() == sim.Running
}

// heals reports whether what a fault has done to a client ever ends.
func (f *faultWorld) heals(client int) bool {
	if f.s.Core == 0 || client < f.s.Core {
		return true
	}
	f.world.Forsake(f.clients[client].p)
	return false
}

func (f *faultWorld) note(k checker.Kind, client int) {
	r := (*Runner)(f)
	r.event(k, client)
	r.observe()
}

// Now implements [faults.World].
func (f *faultWorld) Now() time.Duration { return f.world.K.Now() }

// After implements [faults.World].
func (f *faultWorld) After(d time.Duration, fn func()) { f.world.At(d, fn) }

// Crash implements [faults.World].
func (f *faultWorld) Crash(client int, k faults.Kind) bool {
	p, ok := f.target(client)
	if ok {
		f.world.Crash(p, k)
		f.clients[client].crashed = true
		f.note(checker.Crash, client)
	}
	return ok
}

// Start implements [faults.World].
func (f *faultWorld) Start(client int) bool {
	c := &f.clients[client]
	if !c.crashed || !f.heals(client) {
		return false
	}
	r := (*Runner)(f)
	r.world.K.Tracef("%s restarts", c.p.Name())
	f.note(checker.Restart, client)
	r.spawn(client, c.p.Incarnation()+1)
	return true
}

// Pause implements [faults.World].
func (f *faultWorld) Pause(client int) bool {
	p, ok := f.target(client)
	if ok {
		f.world.Pause(p)
		f.note(checker.Pause, client)
	}
	return ok
}

// Resume implements [faults.World].
func (f *faultWorld) Resume(client int) {
	if c := &f.clients[client]; c.p.Status() == sim.Paused && f.heals(client) {
		f.world.Resume(c.p)
		f.note(checker.Resume, client)
	}
}

// Expire implements [faults.World].
func (f *faultWorld) Expire(client int) bool {
	p, ok := f.target(client)
	return ok && f.world.Expire(p)
}

// Resession implements [faults.World].
func (f *faultWorld) Resession(client int) bool {
	p, ok := f.target(client)
	return ok && f.world.Resession(p)
}

// Cut implements [faults.World].
func (f *faultWorld) Cut(client int) bool {
	p, ok := f.target(client)
	return ok && f.world.Cut(p)
}

// Partition implements [faults.World].
func (f *faultWorld) Partition(client int) bool {
	p, ok := f.target(client)
	if ok {
		f.world.Partition(p)
	}
	return ok
}

// Heal implements [faults.World].
func (f *faultWorld) Heal(client int) {
	if f.heals(client) {
		f.world.Heal(f.clients[client].p)
	}
}

// DelayEvent implements [faults.World].
func (f *faultWorld) DelayEvent(client int, d time.Duration) bool {
	p, ok := f.target(client)
	if ok {
		f.world.DelayEvent(p, d)
	}
	return ok
}

// Interrupt implements [faults.World].
func (f *faultWorld) Interrupt(client int) bool {
	p, ok := f.target(client)
	ok = ok && f.variant.Interruptible
	if ok {
		f.clients[client].canceled = true
		f.world.Interrupt(p)
	}
	return ok
}

// CrashLeader implements [faults.World].
func (f *faultWorld) CrashLeader() int { return f.world.CrashLeader() }

// StartServer implements [faults.World].
func (f *faultWorld) StartServer(server int) { f.world.StartServer(server) }

// Lag implements [faults.World].
func (f *faultWorld) Lag(client int) int {
	p, ok := f.target(client)
	if !ok {
		return 0
	}
	return f.world.Lag(p)
}

// CatchUp implements [faults.World].
func (f *faultWorld) CatchUp(server int) { f.world.CatchUp(server) }
