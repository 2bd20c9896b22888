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
	return s.Permits != d.Permits || s.Attempts != d.Attempts || s.Usage != d.Usage || s.Foreign || s.Bare || s.Counter > 0 || s.SamePut
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

// lookFor looks for a finding in its scenario.
func (x *explorer) lookFor(ctx context.Context, f Finding, rep *CheckReport) (MetFinding, error) {
	o := *x.o
	o.Progress, o.Resume = nil, ""
	m, c, _, err := seek(ctx, x.variant, f, o, MaxFindingRuns)
	if c != nil {
		rep.Stories, rep.shrunk = append(rep.Stories, c.Story), append(rep.shrunk, c)
	}
	return m, err
}

// seek makes runs of a finding's scenario, at most so many, until one shows it;
// that one is shrunk and saved. It looks only now and then whether one has, so
// that what it returns does not depend on the workers.
func seek(ctx context.Context, v Variant, f Finding, o ExploreOptions, most int) (m MetFinding, c *Shrunk, runs int, err error) {
	m = f.unmet()
	x, err := newExplorer(v, f.Scenario, &o)
	if err != nil {
		return m, nil, 0, err
	}
	x.findings, x.apart = []Finding{f}, nil
	x.done.total = newTally(x)
	for x.queue.most = 0; x.queue.most < most && ctx.Err() == nil && !x.done.total.Findings[0].found(); {
		x.queue.most = min(x.queue.most+apartChunk, most)
		if err := x.search(ctx); err != nil {
			return m, nil, 0, err
		}
	}
	runs = x.done.total.Runs
	if !x.done.total.Findings[0].found() {
		return m, nil, runs, nil
	}
	p, err := newPlayer(x)
	if err != nil {
		return m, nil, runs, err
	}
	defer p.r.Close()
	j := &shrinkJob{goal: f.goal(), name: f.fileName(), from: &x.done.total.Findings[0]}
	if c, err = p.carryOut(ctx, j, nil); err != nil {
		return m, nil, runs, err
	}
	m.Found, m.ViolationReport = true, j.result
	return m, c, runs, nil
}
