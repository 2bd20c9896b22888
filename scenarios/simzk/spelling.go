package simzk

import (
	"slices"
	"strconv"
	"strings"

	"zoosim/zkmodel"
)

// SpellsSessions stands among the fields of Stats for code that writes the id of
// its session into a name or into data. Whoever reads that may put sessions in
// the order of their ids, so clients are not alike.
const SpellsSessions uint32 = 1 << 31

// learnSession notes that the process was told the id of a session, or that
// there is none.
func (p *Process) learnSession(id int64) {
	if id > 0 && !slices.Contains(p.learnt, id) {
		p.learnt = append(p.learnt, id)
	}
}

// noteSpelling notes whether a request has in it the id of a session that the
// process was told.
func (p *Process) noteSpelling(r *zkmodel.Request) {
	if !p.w.K.Untimed() || p.w.stats.asked&SpellsSessions != 0 {
		return // nobody wants to know, or it is known
	}
	for _, id := range p.learnt {
		spelt := spells(r.Path, id) || spells(string(r.Data), id)
		for i := range r.Multi {
			spelt = spelt || spells(r.Multi[i].Path, id) || spells(string(r.Multi[i].Data), id)
		}
		if spelt {
			p.w.stats.asked |= SpellsSessions
		}
	}
}

// spells reports whether a text has the id of a session in it, in decimal or
// hexadecimal digits.
func spells(text string, id int64) bool {
	return strings.Contains(text, strconv.FormatInt(id, 10)) || strings.Contains(strings.ToLower(text), strconv.FormatInt(id, 16))
}
