package explore

// Extent is how far a run goes: where faults can strike in it.
type Extent struct {
	// Steps counts its transitions.
	Steps int
	// Requests counts the requests of each client.
	Requests []int
}

// Faults is the Source of runs with planned faults: every fault at every
// transition or request of a run without any, and, for pairs, every fault at
// every later place of each of those runs. One base run follows another: first
// that in which all choices are benign, then those of one seed after another.
// It
// ends only where there is no place for a fault.
//
// The places of a run are visited in an order that is spread over the run, so
// that a search that is cut short has seen something of every part.
type Faults struct {
	// Kinds is the number of different faults; fault f strikes at requests alone
	// if OnRequest(f).
	Kinds     int
	OnRequest func(fault int) bool
	// Seed is that of the first base run that is not benign.
	Seed uint64
	// Pairs asks for two faults a run.
	Pairs bool
	// PerBase bounds the runs made of a base run, 0 for all; PerFirst those
	// made of a first fault in pairs.
	PerBase, PerFirst int
	// Measure makes a run and says how far it goes.
	Measure func(Run) Extent

	begun         bool
	base          Run
	singles       sites
	first         Site
	pairs         sites
	given, given2 int // of the base run, of the first fault
}

// emptyBases is how many base runs in a row may have no place for a fault.
const emptyBases = 100

// Next implements [Source].
func (f *Faults) Next() (Run, bool) {
	for empty := 0; empty < emptyBases; {
		if f.Pairs && f.pairs.left() && (f.PerFirst == 0 || f.given2 < f.PerFirst) {
			f.given2++
			f.given++
			r := f.base
			r.Sites = [2]Site{f.first, f.pairs.next()}
			return r, true
		}
		if !f.begun || !f.singles.left() || f.PerBase > 0 && f.given >= f.PerBase {
			f.nextBase()
			empty++
			continue
		}
		site := f.singles.next()
		r := f.base
		r.Sites[0] = site
		if !f.Pairs {
			f.given++
			return r, true
		}
		f.first, f.given2 = site, 0
		f.pairs = f.sites(f.Measure(r), site)
	}
	return Run{}, false
}

// nextBase goes on to the next base run.
func (f *Faults) nextBase() {
	switch {
	case !f.begun:
		f.base = Run{Kind: KindBenign, Planned: true}
	case f.base.Kind == KindBenign:
		f.base = Run{Kind: KindRandom, Seed: f.Seed, Planned: true}
	default:
		f.base.Seed++
	}
	f.begun, f.given, f.given2 = true, 0, 0
	f.first, f.pairs = Site{}, sites{}
	f.singles = f.sites(f.Measure(f.base), Site{})
}

// sites are the places of a run, those behind another one if it is not zero.
func (f *Faults) sites(e Extent, behind Site) sites {
	var list []Site
	for k := range f.Kinds {
		for c, requests := range e.Requests {
			if f.OnRequest(k) {
				for n := 1; n <= requests; n++ {
					list = append(list, Site{Fault: k, Client: c, Request: n})
				}
				continue
			}
			for n := behind.Step + 1; n <= e.Steps; n++ {
				list = append(list, Site{Fault: k, Client: c, Step: n})
			}
		}
	}
	return inLeaps(list)
}

// sites is a list that is visited once, in leaps.
type sites struct {
	list   []Site
	stride int
	at     int
	gone   int
}

// inLeaps visits every element of a list once, neighbours far apart: in leaps
// of about the golden section of its length.
func inLeaps(list []Site) sites {
	s := sites{list: list, stride: 1}
	if n := len(list); n > 2 {
		s.stride = n * 618 / 1000
		for gcd(s.stride, n) != 1 {
			s.stride++
		}
	}
	return s
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (s *sites) left() bool { return s.gone < len(s.list) }

func (s *sites) next() Site {
	x := s.list[s.at]
	s.at = (s.at + s.stride) % len(s.list)
	s.gone++
	return x
}
