package explore

import (
	"slices"

	"zoosim/sim"
)

// Swarm is swarm testing (Groce, Zhang, Eide, Chen and Regehr, "Swarm testing",
// ISSTA 2012): each run leaves out a random half of what can be chosen, so
// that what is left comes more often, and together. What can be left out is a
// label of choices, which is then 0 throughout the run, and, of the labels in
// Counts, each of their choices for itself: the n-th one of a run is the count
// of one kind of fault. All other choices are uniform.
type Swarm struct {
	// Counts are labels each of whose choices in a run is a feature of its own.
	Counts []sim.Label

	random sim.Random
	seed   uint64
	seen   []feature
}

// feature is a label that has been asked for in the present run.
type feature struct {
	label sim.Label
	on    bool
	asked int
}

var _ sim.Strategy = (*Swarm)(nil)

// Seed sets the seed of the runs that follow.
func (s *Swarm) Seed(seed uint64) {
	s.seed = seed
	s.random.Seed(seed)
}

// Begin implements [sim.Strategy].
func (s *Swarm) Begin() {
	s.random.Begin()
	s.seen = s.seen[:0]
}

// Choose implements [sim.Strategy].
func (s *Swarm) Choose(label sim.Label, n int) int {
	f := s.feature(label)
	f.asked++
	on := f.on
	if slices.Contains(s.Counts, label) {
		on = s.on(label, f.asked)
	}
	if !on {
		return 0
	}
	return s.random.Choose(label, n)
}

func (s *Swarm) feature(label sim.Label) *feature {
	for i := range s.seen {
		if s.seen[i].label == label {
			return &s.seen[i]
		}
	}
	s.seen = append(s.seen, feature{label: label, on: s.on(label, 0)})
	return &s.seen[len(s.seen)-1]
}

// on reports whether a feature is on in the runs of the seed.
func (s *Swarm) on(label sim.Label, n int) bool {
	var h sim.Hash
	h.Uint64(s.seed)
	h.String(string(label))
	h.Uint64(uint64(n))
	return h.Sum()>>32&1 == 1
}

// End implements [sim.Strategy].
func (s *Swarm) End(uint64) {}
