package scenarios

import (
	"slices"

	"zoosim/checker"
	"zoosim/recipes/zk"
)

// Promised lists the properties that a variant is judged by; the others are
// n/a for it.
func Promised(v *Variant) []checker.Property {
	var ps []checker.Property
	for _, p := range v.Properties() {
		switch {
		case p == checker.FIFO && !v.FIFO,
			p == checker.FencedSale && !v.Tokens,
			p == checker.Fenced && !v.Tokens,
			p == checker.FanOut && v.MaxFanOut == 0,
			p == checker.Deadline && !v.Timed && !v.Try,
			p == checker.Priority && !v.Priorities,
			p == checker.ServiceGuarantees && v.Store != zk.StoreNone,
			p == checker.Leak && v.Store != zk.StoreNone, // what is left ends with its lease
			p == checker.Linearizable && v.Locks:
			continue
		}
		ps = append(ps, p)
	}
	return ps
}

// AllProperties lists the properties of all families, each once.
func AllProperties() []checker.Property {
	var all []checker.Property
	for _, f := range families() {
		for _, p := range f.properties {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return append(all, checker.ServiceGuarantees)
}

// ModesOf lists the ways in which a variant can acquire.
func ModesOf(v *Variant) []Mode {
	var ms []Mode
	if !v.NeverBlocks {
		ms = append(ms, ModeBlocking)
	}
	if v.Timed {
		ms = append(ms, ModeTimed)
	}
	if v.Try {
		ms = append(ms, ModeTry)
	}
	return ms
}
