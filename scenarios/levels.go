package scenarios

import (
	"slices"
	"strings"

	"zoosim/checker"
	"zoosim/faults"
)

// Levels holds the three verdicts that are never mixed: whether the service
// kept its guarantees, whether what the clients believed was compatible, and
// whether the resource with tokens stayed safe. Each is fail if a property of
// its level fails, unknown if one is not decided, n/a if none is judged, else
// pass. Properties of other levels have no part in them.
type Levels struct {
	Service checker.Verdict `json:"service"`
	Belief  checker.Verdict `json:"belief"`
	Fenced  checker.Verdict `json:"fenced"`
}

// ClassLevels are the three verdicts under a fault class, and those that the
// expectation table names.
type ClassLevels struct {
	Faults string `json:"faults"`
	Levels
	Expected Promise `json:"expected"`
}

// noLevels is what is known before anything is judged.
func noLevels() Levels {
	return Levels{checker.NotApplicable, checker.NotApplicable, checker.NotApplicable}
}

// of is the verdict at a level, nil where there is none.
func (l *Levels) of(level checker.Level) *checker.Verdict {
	switch level {
	case checker.LevelService:
		return &l.Service
	case checker.LevelBelief:
		return &l.Belief
	case checker.LevelFenced:
		return &l.Fenced
	}
	return nil
}

// add takes in the verdict on a property.
func (l *Levels) add(level checker.Level, v checker.Verdict) {
	if to := l.of(level); to != nil && gravity(v) > gravity(*to) {
		*to = v
	}
}

// gravity orders verdicts: what outweighs what.
func gravity(v checker.Verdict) int {
	return slices.Index([]checker.Verdict{checker.NotApplicable, checker.Pass, checker.Unknown, checker.Failed}, v)
}

// Promise is what a variant promises under a fault class.
type Promise struct {
	Faults string `json:"faults"`
	Levels
	// MayFail lists the levels at which a failure is possible that runs seldom
	// meet; their verdict is pass.
	MayFail []checker.Level `json:"mayFail"`
	// Why lists the reasons of what fails or may fail.
	Why []string `json:"why"`
}

// May reports whether a failure that is seldom met is possible at a level.
func (p *Promise) May(l checker.Level) bool { return slices.Contains(p.MayFail, l) }

// PromiseOf looks up in the expectation table what a variant promises under a
// fault class.
func PromiseOf(v *Variant, class string) Promise {
	p := Promise{Faults: class, Levels: noLevels(), MayFail: []checker.Level{}, Why: []string{}}
	for _, property := range Promised(v) {
		level := LevelOf(property)
		if p.of(level) == nil {
			continue
		}
		e := Expected(v.Name, class, property)
		verdict := e.Verdict
		if e.Rare {
			verdict = checker.Pass
			if !p.May(level) {
				p.MayFail = append(p.MayFail, level)
			}
		}
		p.add(level, verdict)
		if e.Why != "" && !slices.Contains(p.Why, e.Why) {
			p.Why = append(p.Why, e.Why)
		}
	}
	p.MayFail = slices.DeleteFunc(p.MayFail, func(l checker.Level) bool { return *p.of(l) == checker.Failed })
	return p
}

// Promises lists what a variant promises under each of [FaultClasses].
func Promises(v *Variant) []Promise {
	var ps []Promise
	for _, c := range FaultClasses() {
		ps = append(ps, PromiseOf(v, c.Name))
	}
	return ps
}

// className is the fault class of a set of kinds: their names with + between
// them.
func className(has func(faults.Kind) bool) string {
	var names []string
	for _, k := range faults.Kinds() {
		if has(k) {
			names = append(names, k.String())
		}
	}
	if names == nil {
		return NoFaults
	}
	return strings.Join(names, "+")
}

// class is the fault class of the scenario's runs.
func (s *Scenario) class() string {
	return className(func(k faults.Kind) bool {
		return s.Faults[k] > 0 || slices.ContainsFunc(s.Plan, func(f faults.Fault) bool { return f.Kind == k })
	})
}

// runClass is the fault class of one run: the kinds that were planned or, in
// an untimed run, that struck.
func (r *Runner) runClass() string {
	return className(func(k faults.Kind) bool {
		if r.s.Untimed {
			return r.left[k] < r.s.Faults[k]
		}
		return slices.ContainsFunc(r.plan, func(f faults.Fault) bool { return f.Kind == k })
	})
}
