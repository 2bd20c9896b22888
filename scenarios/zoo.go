package scenarios

import (
	"context"
	"fmt"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/zkmodel"
)

// ZooKind says what an entry of the zoo is about.
type ZooKind string

// The kinds of entries.
const (
	// ZooFault is a known fault of a recipe: a search is to find it.
	ZooFault ZooKind = "fault"
	// ZooNone was described as a fault and is none, or is a matter of a metric.
	ZooNone ZooKind = "none"
	// ZooServerMutant is a statement about the server that is false: a server
	// that behaves so is to be found out.
	ZooServerMutant ZooKind = "server-mutant"
)

// ZooEntry is what is known of a fault, and what a search has made of it.
type ZooEntry struct {
	// ID carries the source, as "seed002:L1"; see [Finding].
	ID     string  `json:"id"`
	Kind   ZooKind `json:"kind"`
	Source string  `json:"source"`
	// Title says in one sentence what goes wrong.
	Title    string           `json:"title"`
	Variant  string           `json:"variant"`
	Property checker.Property `json:"property"`
	// Faults are those among which the search may choose.
	Faults string `json:"faults"`
	Found  bool   `json:"found"`
	// Why is what the counterexample shows; of an entry that is no fault, why it
	// is none.
	Why string `json:"why"`
	// Runs, States and WallMS are the search's, shrinking included in the time.
	// It visits states only where the first runs show nothing.
	Runs   int     `json:"runs"`
	States int     `json:"states,omitempty"`
	WallMS float64 `json:"wallMS"`
	// Transitions and Steps are the size of the shrunk counterexample,
	// ReportSteps the steps that the report of the fault names, 0 if it names
	// none.
	Transitions int `json:"transitions"`
	Steps       int `json:"steps"`
	ReportSteps int `json:"reportSteps"`
	// LeastSteps are the fewest there are, where an exhaustive search has shown
	// that those of the report are not enough; 0 elsewhere.
	LeastSteps int `json:"leastSteps,omitempty"`
	// Replay is the file name within the folder, "" if none was written.
	Replay string `json:"replay"`

	finding *Finding
}

// ZooControl is a search of a correct variant.
type ZooControl struct {
	Variant string `json:"variant"`
	Faults  string `json:"faults"`
	Clients int    `json:"clients"`
	// Runs counts the runs of a search of drawn ones, States the states of one
	// of states.
	Runs   int `json:"runs"`
	States int `json:"states"`
	// Complete is true if every state within the bounds was visited.
	Complete bool `json:"complete"`
	// Clean is true if nothing failed and everything was decided.
	Clean bool   `json:"clean"`
	Why   string `json:"why"`
}

// ZooReport is what [Zoo] found.
type ZooReport struct {
	Entries  []ZooEntry   `json:"entries"`
	Controls []ZooControl `json:"controls"`
	// Unexpected counts the faults that were not found and the controls that are
	// not clean.
	Unexpected int `json:"unexpected"`
	// Interrupted is true if the search was ended from outside.
	Interrupted bool   `json:"interrupted"`
	Out         string `json:"out"`
}

// ZooOptions are the settings of [Zoo].
type ZooOptions struct {
	// Only names the entries to look for, nil for all with the controls.
	Only []string
	// Runs bounds the runs of the search for an entry; default
	// [DefaultZooRuns]. Below 4,096 it visits no states. Of a control it is the
	// number of runs; default [DefaultRuns].
	Runs int
	// Workers is the number of workers; default 1.
	Workers int
	// Seed is the first seed.
	Seed uint64
	// Dir is the folder for replay files and stories; "" writes none.
	Dir string
	// Progress is told how many entries and controls are done, of how many.
	Progress func(done, total int)
	_        struct{}
}

// DefaultZooRuns bounds the search for one entry.
const DefaultZooRuns = MaxFindingRuns

// ZooEntries lists the entries: every row of the catalogue of the seed
// documents' faults that is built, and the defects of libraries.
func ZooEntries() []ZooEntry {
	var all []ZooEntry
	for _, f := range append(Findings(), deepFindings()...) {
		v, _ := ByName(f.Scenario.Variant)
		all = append(all, ZooEntry{
			ID: f.ID, Kind: ZooFault, Source: v.Source, Title: f.Title, Variant: v.Name, Property: f.Property,
			Faults: f.Scenario.Faults.String(), ReportSteps: reportSteps[f.ID], LeastSteps: leastSteps[f.ID], finding: &f,
		})
	}
	for _, e := range zooStatements {
		s := mutantScenario(e.mutant, e.variant)
		all = append(all, ZooEntry{
			ID: e.id, Kind: ZooServerMutant, Source: "the text", Title: e.title, Variant: e.variant, Property: checker.ServiceGuarantees,
			Faults: s.Faults.String(), ReportSteps: reportSteps[e.id],
			finding: &Finding{ID: e.id, Property: checker.ServiceGuarantees, Title: e.title, Scenario: s},
		})
	}
	for _, e := range zooNoFaults {
		all = append(all, ZooEntry{ID: e.id, Kind: ZooNone, Source: "the text", Title: e.title, Faults: "none", Why: e.why})
	}
	return all
}

// zooStatements are statements of the texts about the server that are false.
var zooStatements = []struct {
	id, title, variant string
	mutant             zkmodel.Mutant
}{
	{"seed000:R5", "an ephemeral znode goes when its client disconnects", "lock/curator", zkmodel.EphemeralGoesAtOnce},
	{"seed000:R6", "reads are served only after all replicas have changed", "lock/curator", zkmodel.ReadsWaitForAll},
	{"seed001:S1", "sequential znodes are numbered by the children that exist", "lock/curator", zkmodel.SequenceReused},
}

// mutantScenario is a scenario of a server with a planted fault.
func mutantScenario(m zkmodel.Mutant, variant string) Scenario {
	s := Default(variant)
	s.ServerMutant, s.Mode = m, ModeBlocking
	switch m {
	case zkmodel.EphemeralSurvives:
		s.Faults[faults.Crash] = 1
	case zkmodel.EphemeralGoesAtOnce:
		s.Faults[faults.Cut] = 1
	case zkmodel.ReadsWaitForAll:
		s.Servers = 3
		s.Faults[faults.Lag] = 1
	}
	return s
}

// zooNoFaults are rows of the catalogue that are no fault of a recipe.
var zooNoFaults = []struct{ id, title, why string }{
	{
		"seed002:L15", "the time limit is one for each predecessor, and the number of predecessors has no bound",
		"no property fails: the wait is longer, which the metrics show",
	},
	{
		"seed002:L13", "the handle is used before it is connected",
		"a request made then waits in the client library, and fails only if the attempt to connect does, which a fault explains: TestHandleUsedBeforeItIsConnected",
	},
	{
		"seed002:G5", "a member that joins and leaves between a notification and the listing is not seen",
		"one-shot watches allow it: the listing is what the group is now",
	},
	{
		"seed000:R7", "a release must wake all that wait",
		"a metric: with a watch on the predecessor one is woken, in the naive lock all are; zoosim sweep lock counts them",
	},
	{
		"seed001:S2", "of five clients that work for 4 s and wait for at most 5 s, two succeed",
		"true of a correct lock, whose clients that have timed out delete their znodes",
	},
}

// reportSteps are the numbers of steps with which the catalogue of the seeds'
// faults, or the report of a library's defect, describes each.
var reportSteps = map[string]int{
	"seed002:L1": 7, "seed002:L2": 4, "seed002:L3": 6, "seed002:L4": 7, "seed002:L5": 3, "seed002:L6": 5, "seed002:L7": 4,
	"seed002:L8": 4, "seed002:L9": 4, "seed002:L10": 4, "seed002:L11": 2, "seed002:L12": 4, "seed002:L13": 1, "seed002:L14": 4,
	"seed002:Q1": 2, "seed002:Q2": 4, "seed002:Q3": 4, "seed002:Q4": 2, "seed002:Q5": 3, "seed002:Q7": 3, "seed002:Q8": 4,
	"seed002:G1": 3, "seed002:G2": 3, "seed002:G3": 4, "seed002:G4": 4,
	"seed003:T1": 5, "seed003:T2": 7, "seed003:T3": 7, "seed003:T4": 2, "seed003:T5": 8, "seed003:T6": 5, "seed003:T7": 3, "seed003:T9": 2,
	"seed000:R1": 3, "seed000:R2": 7, "seed000:R3": 7, "seed000:R4": 3, "seed000:R5": 2, "seed000:R8": 4, "seed000:R9": 4, "seed000:R10": 5,
	"seed001:S1": 4, "zkjava:Z2": 10, "kazoo:K11": 9, "kazoo:K12": 6,
}

// leastSteps are the fewest steps in which a fault shows, of those that the
// catalogue describes in fewer than there are, by more than three. Where it
// takes two locks crosswise, an acquire is one step; it is a create and a
// listing, and a read if it waits. TestLeastSteps has the proof.
var leastSteps = map[string]int{"seed000:R9": 10}

// Zoo looks for each known fault by the default search, in a scenario that
// names kinds of faults and no schedule, and then searches each correct variant
// for any. Bounded by runs, it gives the same report everywhere, times aside.
// If ctx ends early the report says what is known.
func Zoo(ctx context.Context, o ZooOptions) (*ZooReport, error) {
	rep := &ZooReport{Entries: []ZooEntry{}, Controls: []ZooControl{}, Out: o.Dir}
	if o.Workers < 1 {
		o.Workers = 1
	}
	entries, err := zooEntries(o.Only)
	if err != nil {
		return nil, err
	}
	controls := []func() (*ZooControl, error){}
	if o.Only == nil {
		controls = o.controls(ctx)
	}
	total := len(entries) + len(controls)
	tell := func() {
		if o.Progress != nil {
			o.Progress(len(rep.Entries)+len(rep.Controls), total)
		}
	}
	for i := range entries {
		if ctx.Err() != nil {
			break
		}
		e := &entries[i]
		if err := o.look(ctx, e); err != nil {
			return nil, err
		}
		if e.Kind != ZooNone && !e.Found {
			rep.Unexpected++
		}
		rep.Entries = append(rep.Entries, *e)
		tell()
	}
	for _, search := range controls {
		if ctx.Err() != nil {
			break
		}
		c, err := search()
		if err != nil {
			return nil, err
		}
		if !c.Clean {
			rep.Unexpected++
		}
		rep.Controls = append(rep.Controls, *c)
		tell()
	}
	rep.Interrupted = ctx.Err() != nil
	return rep, nil
}

// CheckZooEntries returns an error that names what is allowed if one of the
// given entries is not known.
func CheckZooEntries(ids []string) error {
	_, err := zooEntries(ids)
	return err
}

// zooEntries are the entries with the given ids, all for nil.
func zooEntries(only []string) ([]ZooEntry, error) {
	all := ZooEntries()
	if only == nil {
		return all, nil
	}
	var some []ZooEntry
	for _, id := range only {
		found := false
		for i := range all {
			if all[i].ID == id {
				some, found = append(some, all[i]), true
			}
		}
		if !found {
			var ids []string
			for i := range all {
				ids = append(ids, all[i].ID)
			}
			return nil, fmt.Errorf("unknown entry %q; allowed: %s", id, strings.Join(ids, ", "))
		}
	}
	return some, nil
}

// look searches for an entry: by some runs, among the states of two clients, and
// by more runs.
func (o *ZooOptions) look(ctx context.Context, e *ZooEntry) error {
	if e.finding == nil {
		return nil
	}
	begun := time.Now()
	if o.Dir != "" {
		if err := clearFiles(o.Dir, []string{e.finding.fileName()}); err != nil {
			return err
		}
	}
	most := o.Runs
	if most == 0 {
		most = DefaultZooRuns
	}
	v, _ := ByName(e.Variant)
	draw := func(most int) error {
		m, _, runs, err := seek(ctx, v, *e.finding, ExploreOptions{Workers: o.Workers, Seed: o.Seed, Dir: o.Dir}, most)
		e.Runs = runs
		if m.Found {
			e.takes(&m.ViolationReport)
		}
		return err
	}
	err := draw(min(firstRuns, most))
	goesOn := func(bound int) bool { return most >= bound && !e.Found && err == nil && ctx.Err() == nil }
	if s, ok := e.finding.inStates(); ok && goesOn(firstRuns) {
		err = o.lookAtStates(ctx, e, &s)
	}
	if goesOn(firstRuns + 1) {
		err = draw(most) // from the beginning
	}
	e.WallMS = ms(time.Since(begun))
	return err
}

// takes notes that an entry was found.
func (e *ZooEntry) takes(v *ViolationReport) {
	e.Found, e.Why, e.Transitions, e.Steps, e.Replay = true, v.Why, v.Transitions, v.Steps, v.Replay
}

// controls are the searches of the correct variants: one of drawn runs under
// the default faults, and one of all states of two clients for each single
// fault.
func (o *ZooOptions) controls(ctx context.Context) []func() (*ZooControl, error) {
	var list []func() (*ZooControl, error)
	for _, v := range Variants("") {
		if !v.Correct {
			continue
		}
		list = append(list, func() (*ZooControl, error) { return o.draw(ctx, v) })
		if v.family.name == "sale" && v.Name != v.family.baseline {
			continue // they differ in their locks alone, which are searched above
		}
		for _, k := range []faults.Kind{faults.Crash, faults.CutReply} {
			list = append(list, func() (*ZooControl, error) { return o.exhaust(ctx, v, k) })
		}
	}
	return list
}

// draw searches drawn runs of a correct variant.
func (o *ZooOptions) draw(ctx context.Context, v Variant) (*ZooControl, error) {
	s := Default(v.Name)
	s.Faults = DefaultFaults()
	rep, err := Explore(ctx, v, s, ExploreOptions{Runs: o.Runs, Workers: o.Workers, Seed: o.Seed, ShrinkRuns: -1})
	if err != nil {
		return nil, err
	}
	c := &ZooControl{Variant: v.Name, Faults: s.Faults.String(), Clients: s.Clients, Runs: rep.Runs}
	c.judge(rep.Verdicts, ctx)
	return c, nil
}

// exhaust visits every state of two clients of a correct variant with a fault.
func (o *ZooOptions) exhaust(ctx context.Context, v Variant, k faults.Kind) (*ZooControl, error) {
	s := Small(v.Name)
	s.SetClients(2)
	s.Faults[k] = 1
	rep, err := Exhaustive(ctx, s, SearchOptions{Reductions: AllReductions(), Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	c := &ZooControl{Variant: v.Name, Faults: s.Faults.String(), Clients: s.Clients, States: rep.States, Complete: rep.Complete}
	var verdicts []CheckVerdict
	for _, x := range rep.Verdicts {
		verdicts = append(verdicts, CheckVerdict{Property: x.Property, Verdict: x.Verdict, Why: x.Why})
	}
	c.judge(verdicts, ctx)
	c.Clean = c.Clean && rep.Complete
	return c, nil
}

// judge says whether a control is clean.
func (c *ZooControl) judge(verdicts []CheckVerdict, ctx context.Context) {
	c.Clean = ctx.Err() == nil
	for _, v := range verdicts {
		if v.Verdict == checker.Failed || v.Verdict == checker.Unknown {
			c.Clean, c.Why = false, string(v.Property)+": "+v.Why
			return
		}
	}
}
