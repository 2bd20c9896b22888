package explore

import "zoosim/sim"

// Delay is delay-bounded scheduling (Emmi, Qadeer and Rakamaric,
// "Delay-bounded scheduling", POPL 2011) as far as timed mode allows it: every
// scheduling choice is the most benign one but for at most Delays of them, at
// drawn places, where a drawn delay is taken. Everything that is no schedule
// is drawn uniformly.
//
// In the paper a delay skips the task that a deterministic scheduler would run
// next; here the deterministic scheduler is the order of arrival with the
// smallest latencies, and a delay holds one message or one task back.
type Delay struct {
	// Delays is the most delays of a run.
	Delays int
	// Choices is about how many scheduling choices a run makes; the places are
	// drawn among them.
	Choices int

	random sim.Random
	points []int
	at     int
}

var _ sim.Strategy = (*Delay)(nil)

// Seed sets the seed of the runs that follow.
func (d *Delay) Seed(seed uint64) { d.random.Seed(seed) }

// Begin implements [sim.Strategy].
func (d *Delay) Begin() {
	d.random.Begin()
	d.at = 0
	d.points = drawPoints(d.points[:0], &d.random, d.Delays, d.Choices)
}

// Choose implements [sim.Strategy].
func (d *Delay) Choose(label sim.Label, n int) int {
	if !Schedules(label) {
		return d.random.Choose(label, n)
	}
	d.at++
	if len(d.points) > 0 && d.points[0] < d.at {
		d.points = d.points[1:]
		return 1 + d.random.Choose(label, n-1)
	}
	return 0
}

// End implements [sim.Strategy].
func (d *Delay) End(uint64) {}
