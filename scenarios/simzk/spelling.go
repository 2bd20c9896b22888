package simzk

import (
	"strconv"
	"strings"

	"zoosim/zkmodel"
)

// SpellsSessions stands among the fields of Stats for code that writes the id of
// its session into a name or into data. Whoever reads that may put sessions in
// the order of their ids, so clients are not alike.
const SpellsSessions uint32 = 1 << 31

// noteSpelling notes whether a request has in it the id of a session that the
// process has asked for.
func (p *Process) noteSpelling(r *zkmodel.Request) {
	if p.session == 0 || !p.w.K.Untimed() {
		return
	}
	spelt := spells(r.Path, p.session) || spells(string(r.Data), p.session)
	for i := range r.Multi {
		spelt = spelt || spells(r.Multi[i].Path, p.session) || spells(string(r.Multi[i].Data), p.session)
	}
	if spelt {
		p.w.stats.asked |= SpellsSessions
	}
}

// spells reports whether a text has the id of a session in it.
func spells(text string, id int64) bool {
	return strings.Contains(text, strconv.FormatInt(id, 10)) || strings.Contains(strings.ToLower(text), strconv.FormatInt(id, 16))
}
