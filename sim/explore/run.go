package explore

import "zoosim/sim"

// Kind says which strategy fills the choices of a run.
type Kind uint8

// The kinds.
const (
	KindBenign Kind = iota // alternative 0 always
	KindRandom             // [sim.Random]
	KindPCT                // [PCT]
	KindDelay              // [Delay]
	KindSwarm              // [Swarm]

	numKinds = int(KindSwarm) + 1
)

// String is the kind's name.
func (k Kind) String() string {
	return [numKinds]string{"benign", "random", "pct", "delay", "swarm"}[k]
}

// Run says what one run is: plain data from which any worker makes the same
// run. A run with Sites has the faults that they name and draws none.
type Run struct {
	Kind Kind
	Seed uint64
	// Planned: the run draws no faults; those of Sites strike, a zero Site
	// being none.
	Planned bool
	Sites   [2]Site
}

// Site is a place at which a fault can strike: behind the run's transition
// Step or, if that is 0, at the request Request of a client. What the number
// Fault stands for is the caller's affair. The zero Site is none.
type Site struct {
	Fault, Client int
	Step, Request int
}

// IsZero reports whether s is no site.
func (s Site) IsZero() bool { return s.Step == 0 && s.Request == 0 }

// Source gives out the runs of a search in an order that does not depend on
// who makes them. It is the second small interface beside [sim.Strategy]: a
// strategy fills the choices of one run, a source says which runs there are.
type Source interface {
	// Next returns the next run; false if there is none.
	Next() (Run, bool)
	// Cursor says how far the source has got, and GoOn has one that was made
	// with the same settings go on from there.
	Cursor() Cursor
	GoOn(c *Cursor)
}

// Seeds is the Source of a kind's runs with one seed after another. It does
// not end.
type Seeds struct {
	Kind Kind
	Seed uint64 // of the next run
}

// Next implements [Source].
func (s *Seeds) Next() (Run, bool) {
	r := Run{Kind: s.Kind, Seed: s.Seed}
	s.Seed++
	return r, true
}

// Labels says what choices are about, so that strategies can treat what is
// input to a run, as a workload, otherwise than its schedule.
type Labels struct {
	// Order is the label of the choices, one a process, that say which process
	// begins before which: the larger, the later.
	Order sim.Label
	// Counts are labels that stand for another thing each time they are used
	// in a run, as the number of faults of a kind.
	Counts []sim.Label
}

// Schedules reports whether choices of a label are about the order of what
// happens: the delays of messages and of tasks.
func Schedules(l sim.Label) bool {
	return l == sim.LabelLatency || l == sim.LabelWake || l == sim.LabelResume
}

// Player makes the strategies of runs. A worker has one of its own.
type Player struct {
	random sim.Random
	pct    PCT
	delay  Delay
	swarm  Swarm
}

// Depth is the depth of [PCT] and the number of delays of [Delay] in a
// Player's runs: each seed has its own, from 1 to Depth.
const Depth = 4

// NewPlayer returns a player. choices is about how many scheduling choices a
// run makes.
func NewPlayer(l Labels, choices int) *Player {
	return &Player{
		pct:   PCT{Choices: choices, Order: l.Order},
		delay: Delay{Choices: choices},
		swarm: Swarm{Counts: l.Counts},
	}
}

// Strategy returns the strategy that fills the choices of r; it is valid until
// the next call.
func (p *Player) Strategy(r Run) sim.Strategy {
	depth := 1 + int(r.Seed%Depth)
	switch r.Kind {
	case KindRandom:
		p.random.Seed(r.Seed)
		return &p.random
	case KindPCT:
		p.pct.Depth = depth
		p.pct.Seed(r.Seed)
		return &p.pct
	case KindDelay:
		p.delay.Delays = depth
		p.delay.Seed(r.Seed)
		return &p.delay
	case KindSwarm:
		p.swarm.Seed(r.Seed)
		return &p.swarm
	}
	return sim.NewReplay(nil)
}
