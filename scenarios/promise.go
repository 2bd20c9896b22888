package scenarios

import (
	"zoosim/checker"
	"zoosim/recipes/lock"
)

// Promised lists the properties that a variant is judged by; the others are
// n/a for it.
func Promised(v *lock.Variant) []checker.Property {
	var ps []checker.Property
	for _, p := range checker.LockProperties() {
		switch {
		case p == checker.FIFO && !v.FIFO,
			p == checker.Fenced && !v.Tokens,
			p == checker.FanOut && v.MaxFanOut == 0,
			p == checker.Deadline && !v.Timed && !v.Try:
			continue
		}
		ps = append(ps, p)
	}
	return ps
}

// ModesOf lists the ways in which a variant can acquire.
func ModesOf(v *lock.Variant) []Mode {
	ms := []Mode{ModeBlocking}
	if v.Timed {
		ms = append(ms, ModeTimed)
	}
	if v.Try {
		ms = append(ms, ModeTry)
	}
	return ms
}
