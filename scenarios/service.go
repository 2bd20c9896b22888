package scenarios

import (
	"time"

	"zoosim/checker"
	"zoosim/recipes/zk"
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

// serviceJudge holds the servers of a run to their guarantees while the run goes
// on. It has no part in the states of an exhaustive search, which it would
// multiply: there the service is judged in the counterexamples, when they are
// re-executed.
type serviceJudge struct {
	one  checker.Service
	tap  servicetap.Tap
	many *checker.EnsembleService // of an ensemble; else nil
	taps ensembleTap
}

// ensembleTap tells the judge of an ensemble what happens.
type ensembleTap struct{ servicetap.EnsembleTap }

// Seen implements [simzk.EnsembleTap].
func (t *ensembleTap) Seen(now time.Duration, client int32, session, zxid int64) {
	t.To.Seen(client, session, zxid, now)
}

// judgeService starts the judge of a run whose servers have been set up, or has
// nobody judge them.
func (r *Runner) judgeService(on bool) {
	j := &r.service
	j.one.Reset()
	if r.s.Servers > 1 {
		r.judgeEnsemble(on)
		return
	}
	j.many = nil
	if !on {
		r.world.SetTap(nil)
		return
	}
	j.tap.To = &j.one
	for _, dir := range r.planted() {
		j.tap.Plant(r.world.K.Now(), r.world.Server(), dir)
	}
	r.world.SetTap(&j.tap)
}

// judgeEnsemble starts the judge of an ensemble. Its servers have been started,
// but nothing was applied yet.
func (r *Runner) judgeEnsemble(on bool) {
	j := &r.service
	if !on {
		j.many = nil
		r.world.SetEnsembleTap(nil)
		return
	}
	if j.many == nil {
		j.many = new(checker.EnsembleService)
	}
	j.many.Reset(r.s.Servers)
	j.taps.To, j.taps.Client = j.many, r.world.ClientOf
	for i := 1; i <= r.s.Servers; i++ {
		for _, dir := range r.planted() {
			j.taps.Plant(r.world.K.Now(), r.world.Peer(i), dir)
		}
	}
	r.world.SetEnsembleTap(&j.taps)
}

// failed reports whether a guarantee is broken.
func (j *serviceJudge) failed() bool {
	if j.many != nil {
		return j.many.Failed()
	}
	return j.one.Failed()
}

// finish is the verdict on the run.
func (j *serviceJudge) finish() checker.Result {
	if j.many != nil {
		return j.many.Finish()
	}
	return j.one.Finish()
}

// addService completes the outcome of a run that is over.
func (r *Runner) addService(out *Outcome) {
	r.results = append(r.results[:0], out.Results...)
	service := r.service.finish()
	if r.variant.Store != zk.StoreNone {
		service.Verdict, service.Why = checker.NotApplicable, "no ZooKeeper is asked for anything"
	}
	r.results = append(r.results, service)
	out.Results = r.results
	out.Failed = out.Failed || r.service.failed()
}

// servers says what the servers of a scenario are.
type servers struct {
	options zkmodel.ServerOptions
	number  int
}

func (s *Scenario) servers() servers {
	return servers{zkmodel.ServerOptions{Tick: s.Tick, Mutant: s.ServerMutant, DocumentedWrap: s.DocumentedWrap}, s.Servers}
}
