package explore

import (
	"slices"

	"zoosim/sim"
)

// PCT is probabilistic concurrency testing (Burckhardt, Kothari, Musuvathi and
// Nagarakatte, "A randomized scheduler with probabilistic guarantees of finding
// bugs", ASPLOS 2010) as far as timed mode allows it.
//
// In the paper every one of n threads has a random priority, the runnable
// thread of highest priority always runs, and at d-1 random ones of the run's
// k steps the running thread's priority falls below all others. A bug of depth
// d (one that d ordering constraints suffice to show) is then found in a run
// with probability 1/(n*k^(d-1)) or more.
//
// In timed mode a strategy does not pick who is next: it picks delays. Here
// the processes begin one after another in random order, which stands for the
// priorities; all delays are the smallest, so that whoever began first goes on
// until it waits; and at Depth-1 random ones of Choices scheduling choices the
// delay is the largest there is, so that others overtake what is delayed,
// which stands for the fall of a priority. Everything that is no schedule
// (modes, limits, holds, faults, orders of lists) is drawn uniformly.
//
// What of the bound holds: the change points are uniform among Choices places,
// so a bug that shows when Depth-1 particular choices are delayed as long as
// can be, and the processes begin in one particular order, is hit with
// probability 1/(n!*Choices^(Depth-1)) or more among runs with the inputs it
// needs, if runs make at most Choices scheduling choices. What does not hold:
// a delay ends by itself, so a process cannot be held back until all others
// wait, nor one that must be held longer than the largest delay; processes
// that begin last are not starved, only late; and the order n! is not the n of
// the paper, where only the first of d constraints needs a priority.
type PCT struct {
	// Depth is the paper's d, 1 or more.
	Depth int
	// Choices is the paper's k, the number of scheduling choices of a run.
	Choices int
	// Order is the label of the choices that say when a process begins, one a
	// process.
	Order sim.Label

	random sim.Random
	points []int // places of the changes, ascending
	at     int   // scheduling choices so far
	taken  []bool
}

var _ sim.Strategy = (*PCT)(nil)

// Seed sets the seed of the runs that follow.
func (p *PCT) Seed(seed uint64) { p.random.Seed(seed) }

// Begin implements [sim.Strategy].
func (p *PCT) Begin() {
	p.random.Begin()
	p.at, p.taken = 0, p.taken[:0]
	p.points = drawPoints(p.points[:0], &p.random, p.Depth-1, p.Choices)
}

// drawPoints appends n places in [0, of), ascending, each once unless there
// are fewer.
func drawPoints(dst []int, r *sim.Random, n, of int) []int {
	for range min(n, of) {
		x := r.Choose("", of)
		for slices.Contains(dst, x) {
			x = (x + 1) % of
		}
		dst = append(dst, x)
	}
	slices.Sort(dst)
	return dst
}

// Choose implements [sim.Strategy].
func (p *PCT) Choose(label sim.Label, n int) int {
	switch {
	case label == p.Order:
		return p.priority(n)
	case !Schedules(label):
		return p.random.Choose(label, n)
	}
	p.at++
	if len(p.points) > 0 && p.points[0] < p.at {
		p.points = p.points[1:]
		return n - 1
	}
	return 0
}

// priority is an alternative that no other process has, if there is one.
func (p *PCT) priority(n int) int {
	for len(p.taken) < n {
		p.taken = append(p.taken, false)
	}
	free := 0
	for _, t := range p.taken[:n] {
		if !t {
			free++
		}
	}
	if free == 0 {
		return p.random.Choose(p.Order, n)
	}
	left := p.random.Choose(p.Order, free)
	for i, t := range p.taken[:n] {
		if t {
			continue
		}
		if left == 0 {
			p.taken[i] = true
			return i
		}
		left--
	}
	return 0
}

// End implements [sim.Strategy].
func (p *PCT) End(uint64) {}
