package scenarios

import (
	"context"
	"slices"
)

// unmet is the report of a finding that was not met.
func (f *Finding) unmet() MetFinding {
	m := MetFinding{ID: f.ID, Title: f.Title}
	m.Property, m.Level, m.Faults = f.Property, LevelOf(f.Property), []string{}
	return m
}

// apart reports whether the finding is about a workload or a directory other
// than that of a default search.
func (f *Finding) apart() bool {
	s, d := f.Scenario, Default(f.Scenario.Variant)
	return s.Permits != d.Permits || s.Foreign || s.Bare || s.Counter > 0 || s.SamePut
}

// lookApart looks for the findings that have scenarios of their own, and for
// those that the search has not met, with the same strategy, and adds them to
// the report.
func (x *explorer) lookApart(ctx context.Context, rep *CheckReport) error {
	list := slices.Clone(x.apart)
	rep.Findings = slices.DeleteFunc(rep.Findings, func(m MetFinding) bool {
		if m.Found {
			return false
		}
		i := slices.IndexFunc(x.findings, func(f Finding) bool { return f.ID == m.ID })
		list = append(list, x.findings[i])
		return true
	})
	for _, f := range list {
		m, err := x.lookFor(ctx, f, rep)
		if err != nil {
			return err
		}
		rep.Findings = append(rep.Findings, m)
	}
	return nil
}

// apartChunk is how many runs are made between two looks.
const apartChunk = 8 * chunk

// lookFor makes runs of a finding's scenario until one shows it. It looks only
// now and then whether one has, so that the report does not depend on the
// workers.
func (x *explorer) lookFor(ctx context.Context, f Finding, rep *CheckReport) (MetFinding, error) {
	m := f.unmet()
	o := *x.o
	o.Progress = nil
	y, err := newExplorer(x.variant, f.Scenario, &o)
	if err != nil {
		return m, err
	}
	y.findings, y.apart = []Finding{f}, nil
	y.total = newTally(y)
	for y.queue.most = 0; y.queue.most < MaxFindingRuns && ctx.Err() == nil && !y.total.findings[0].found(); {
		y.queue.most += apartChunk
		if err := y.search(ctx); err != nil {
			return m, err
		}
	}
	if !y.total.findings[0].found() {
		return m, nil
	}
	p, err := newPlayer(y)
	if err != nil {
		return m, err
	}
	defer p.r.Close()
	j := &shrinkJob{goal: f.goal(), name: f.fileName(), from: &y.total.findings[0]}
	c, err := p.carryOut(ctx, j, nil)
	if err != nil {
		return m, err
	}
	m.Found, m.ViolationReport = true, j.result
	rep.Stories, rep.shrunk = append(rep.Stories, c.Story), append(rep.shrunk, c)
	return m, nil
}
