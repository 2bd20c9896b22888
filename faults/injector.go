package faults

import "time"

// World is what faults act on. Clients are numbered from 0. Each call reports
// whether the fault could strike; what it changed is counted by
// [Injector.Bite].
type World interface {
	// Now is the virtual time.
	Now() time.Duration
	// After calls f at time d from now.
	After(d time.Duration, f func())
	// Crash stops a process for ever; k is Crash or Restart.
	Crash(client int, k Kind) bool
	// Start runs what is left of a crashed client's program in a new process.
	Start(client int) bool
	Pause(client int) bool
	Resume(client int)
	Expire(client int) bool
	Resession(client int) bool
	Cut(client int) bool
	Partition(client int) bool
	Heal(client int)
	// DelayEvent holds up the client's event task for d at its next watch
	// event.
	DelayEvent(client int, d time.Duration) bool
	Interrupt(client int) bool
	// CrashLeader stops the leader of an ensemble; it returns which server that
	// was, counted from 1, or 0 if nobody leads.
	CrashLeader() (server int)
	// StartServer starts a server that CrashLeader stopped.
	StartServer(server int)
	// Lag holds up what is sent to the server that serves the client; it
	// returns which server that is, or 0 if none is connected.
	Lag(client int) (server int)
	// CatchUp ends one Lag of a server.
	CatchUp(server int)
}

// Loss is what becomes of a request.
type Loss uint8

// The losses.
const (
	LoseNothing Loss = iota
	LoseRequest
	LoseReply
)

// Effects counts what the faults of one kind changed in a run.
type Effects struct {
	Struck int // faults that could strike
	Bitten int // faults that changed something
}

// Injector carries out plans, one run after another.
type Injector struct {
	plan    Plan
	done    []bool
	ends    []time.Duration // of pauses and partitions that struck, else 0
	world   World
	effects [NumKinds]Effects
	last    time.Duration
	steps   bool // some fault waits for a transition
	ask     bool // some fault waits for a request
}

// Begin starts a run with the given plan. Faults planned at a time are handed
// to the world at once.
func (in *Injector) Begin(p Plan, w World) {
	in.plan, in.world = p, w
	in.done, in.ends = in.done[:0], in.ends[:0]
	in.effects = [NumKinds]Effects{}
	in.last, in.steps, in.ask = 0, false, false
	for i := range p {
		in.done, in.ends = append(in.done, false), append(in.ends, 0)
		f := &p[i]
		switch {
		case f.Kind.onRequest():
			in.ask = true
		case f.Step > 0:
			in.steps = true
		case f.Request > 0:
			in.ask = true
		default:
			w.After(f.Time, func() { in.strike(i) })
		}
	}
}

// OnStep tells the injector that the run made its n-th transition.
func (in *Injector) OnStep(n int) {
	if !in.steps {
		return
	}
	for i := range in.plan {
		if f := &in.plan[i]; f.Step > 0 && f.Step <= n && !in.done[i] && !f.Kind.onRequest() {
			in.strike(i)
		}
	}
}

// OnRequest tells the injector that a client is sending its n-th recipe
// request, and returns what becomes of it. Other faults planned for the
// request strike right behind the transition that sends it.
func (in *Injector) OnRequest(client, n int) Loss {
	if !in.ask {
		return LoseNothing
	}
	loss := LoseNothing
	for i := range in.plan {
		f := &in.plan[i]
		if in.done[i] || f.Client != client || f.Request > n {
			continue
		}
		if !f.Kind.onRequest() && (f.Step > 0 || f.Request == 0) {
			continue
		}
		switch f.Kind {
		case CutRequest, CutReply:
			if loss != LoseNothing {
				continue // the next request
			}
			in.done[i] = true
			in.effects[f.Kind].Struck++
			loss = LoseRequest
			if f.Kind == CutReply {
				loss = LoseReply
			}
		default:
			in.done[i] = true
			in.world.After(0, func() { in.strikeNow(i) })
		}
	}
	return loss
}

// strike carries out the i-th fault unless that has been done.
func (in *Injector) strike(i int) {
	if !in.done[i] {
		in.done[i] = true
		in.strikeNow(i)
	}
}

func (in *Injector) strikeNow(i int) {
	f, w := &in.plan[i], in.world
	in.last = w.Now()
	struck := false
	switch f.Kind {
	case Crash:
		struck = w.Crash(f.Client, f.Kind)
	case Restart:
		if struck = w.Crash(f.Client, f.Kind); struck {
			in.later(f.For, func() { w.Start(f.Client) })
		}
	case Pause:
		if struck = w.Pause(f.Client); struck {
			in.endLater(i, w.Resume)
		}
	case Expiry:
		struck = w.Expire(f.Client)
	case Resession:
		struck = w.Resession(f.Client)
	case Cut:
		struck = w.Cut(f.Client)
	case Partition:
		if struck = w.Partition(f.Client); struck {
			in.endLater(i, w.Heal)
		}
	case DelayEvent:
		struck = w.DelayEvent(f.Client, f.For)
	case Interrupt:
		struck = w.Interrupt(f.Client)
	case LeaderCrash:
		server := w.CrashLeader()
		if struck = server != 0; struck {
			in.later(f.For, func() { w.StartServer(server) })
		}
	case Lag:
		server := w.Lag(f.Client)
		if struck = server != 0; struck {
			in.later(f.For, func() { w.CatchUp(server) })
		}
	}
	if struck {
		in.effects[f.Kind].Struck++
	}
}

// endLater ends a pause or a partition when its time is over. Where several
// of a client overlap, the one that lasts longest ends them all.
func (in *Injector) endLater(i int, end func(client int)) {
	f := &in.plan[i]
	in.ends[i] = in.world.Now() + f.For
	in.later(f.For, func() {
		for j := range in.plan {
			if g := &in.plan[j]; g.Kind == f.Kind && g.Client == f.Client && in.ends[j] > in.ends[i] {
				return
			}
		}
		end(f.Client)
	})
}

// later calls f, with which a fault ends, after its length.
func (in *Injector) later(d time.Duration, f func()) {
	in.world.After(d, func() {
		in.last = in.world.Now()
		f()
	})
}

// Bite counts a fault that changed something.
func (in *Injector) Bite(k Kind) {
	in.effects[k].Bitten++
	in.last = max(in.last, in.world.Now())
}

// Effects returns what the faults of kind k changed so far.
func (in *Injector) Effects(k Kind) Effects { return in.effects[k] }

// Vacuous reports whether the plan held faults and none of them changed
// anything.
func (in *Injector) Vacuous() bool {
	for _, e := range in.effects {
		if e.Bitten > 0 {
			return false
		}
	}
	return len(in.plan) > 0
}

// Last is the time of the last fault, or of the end of one that lasted.
func (in *Injector) Last() time.Duration { return in.last }
