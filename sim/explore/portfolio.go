package explore

// Portfolio is the Source that mixes others: it takes Weights[i] runs of
// Sources[i], then those of the next, and begins again. Sources that have ended
// are passed over.
type Portfolio struct {
	Sources []Source
	Weights []int

	at, given int
	over      int // sources found over in a row
}

// Next implements [Source].
func (p *Portfolio) Next() (Run, bool) {
	for p.over < len(p.Sources) {
		if p.given >= p.Weights[p.at] {
			p.advance()
			continue
		}
		r, ok := p.Sources[p.at].Next()
		if !ok {
			p.over++
			p.advance()
			continue
		}
		p.given++
		p.over = 0
		return r, true
	}
	return Run{}, false
}

func (p *Portfolio) advance() {
	p.at, p.given = (p.at+1)%len(p.Sources), 0
}
