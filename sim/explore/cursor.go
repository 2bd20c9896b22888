package explore

// Cursor is how far a [Source] has got: plain data, small however far that is,
// from which a source made with the same settings goes on.
type Cursor struct {
	// Seed is the next seed of [Seeds].
	Seed uint64
	// Given counts the runs made of a base run, or taken in a turn of
	// [Portfolio]; GivenFirst those made of a first fault.
	Given, GivenFirst int
	// Begun says that [Faults] have a base run, Base; Singles counts the places
	// taken of it, Pairs those of the run with the fault First as well.
	Begun          bool
	Base           Run
	First          Site
	Singles, Pairs int
	// Turn is whose turn it is in [Portfolio], Over how many sources in a row
	// were found over, and Parts where each source is.
	Turn, Over int
	Parts      []Cursor
}

// Fits reports whether a source whose cursor is begun can go on from c, which may
// come from a file: it has the same parts, and counts.
func (c *Cursor) Fits(begun *Cursor) bool {
	if min(c.Given, c.GivenFirst, c.Singles, c.Pairs, c.Turn, c.Over) < 0 || len(c.Parts) != len(begun.Parts) ||
		c.Turn > 0 && c.Turn >= len(c.Parts) {
		return false
	}
	for i := range c.Parts {
		if !c.Parts[i].Fits(&begun.Parts[i]) {
			return false
		}
	}
	return true
}

// Cursor implements [Source].
func (s *Seeds) Cursor() Cursor { return Cursor{Seed: s.Seed} }

// GoOn implements [Source].
func (s *Seeds) GoOn(c *Cursor) { s.Seed = c.Seed }

// Cursor implements [Source].
func (f *Faults) Cursor() Cursor {
	return Cursor{
		Begun: f.begun, Base: f.base, First: f.first, Singles: f.singles.gone, Pairs: f.pairs.gone,
		Given: f.given, GivenFirst: f.given2,
	}
}

// GoOn implements [Source]. It measures at most two runs.
func (f *Faults) GoOn(c *Cursor) {
	f.begun, f.base, f.first, f.given, f.given2 = c.Begun, c.Base, c.First, c.Given, c.GivenFirst
	f.singles, f.pairs = sites{}, sites{}
	if !c.Begun {
		return
	}
	f.singles = f.sites(f.Measure(f.base), Site{})
	f.singles.skip(c.Singles)
	if !c.First.IsZero() {
		r := f.base
		r.Sites[0] = c.First
		f.pairs = f.sites(f.Measure(r), c.First)
		f.pairs.skip(c.Pairs)
	}
}

// skip passes over the first n places.
func (s *sites) skip(n int) {
	if len(s.list) > 0 {
		s.at, s.gone = n*s.stride%len(s.list), n
	}
}

// Cursor implements [Source].
func (p *Portfolio) Cursor() Cursor {
	c := Cursor{Turn: p.at, Given: p.given, Over: p.over}
	for _, s := range p.Sources {
		c.Parts = append(c.Parts, s.Cursor())
	}
	return c
}

// GoOn implements [Source].
func (p *Portfolio) GoOn(c *Cursor) {
	p.at, p.given, p.over = c.Turn, c.Given, c.Over
	for i, s := range p.Sources {
		s.GoOn(&c.Parts[i])
	}
}
