package scenarios

import (
	"zoosim/checker"
	"zoosim/scenarios/servicetap"
	"zoosim/zkmodel"
)

// LevelOf is the level at which a property of [Variant.Properties] speaks.
func LevelOf(p checker.Property) checker.Level {
	if p == checker.ServiceGuarantees {
		return checker.LevelService
	}
	return checker.LevelOf(p)
}

// serviceJudge holds the server of a run to its guarantees while the run goes
// on. It has no part in the states of an exhaustive search, which it would
// multiply: there the service is judged in the counterexamples, when they are
// re-executed.
type serviceJudge struct {
	checker.Service
	tap servicetap.Tap
}

// judgeService starts the judge of a run whose server has been set up, or has
// nobody judge it.
func (r *Runner) judgeService(on bool) {
	j := &r.service
	j.Reset()
	if !on {
		r.world.SetTap(nil)
		return
	}
	j.tap.To = &j.Service
	j.tap.Plant(r.world.K.Now(), r.world.Server(), r.dir())
	r.world.SetTap(&j.tap)
}

// addService completes the outcome of a run that is over.
func (r *Runner) addService(out *Outcome) {
	r.results = append(r.results[:0], out.Results...)
	r.results = append(r.results, r.service.Finish())
	out.Results = r.results
	out.Failed = out.Failed || r.service.Failed()
}

// serverOptions are those of a scenario's server.
func (s *Scenario) serverOptions() zkmodel.ServerOptions {
	return zkmodel.ServerOptions{Tick: s.Tick, Mutant: s.ServerMutant, DocumentedWrap: s.DocumentedWrap}
}
