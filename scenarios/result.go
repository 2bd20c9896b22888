package scenarios

import (
	"time"

	"zoosim/checker"
	"zoosim/faults"
)

// The results of the commands, as they are written with --json. Fields may be
// added, never renamed. Maps are keyed by names and written in their order.

// RunReport is the result of one run.
type RunReport struct {
	Variant     string          `json:"variant"`
	Seed        uint64          `json:"seed"`
	Hash        string          `json:"hash"`
	Transitions int             `json:"transitions"`
	VirtualMS   float64         `json:"virtualMS"`
	Verdicts    []VerdictReport `json:"verdicts"`
	Levels      Levels          `json:"levels"`
	// Class is the fault class: the kinds that were planned.
	Class   string        `json:"class"`
	Metrics MetricsReport `json:"metrics"`
	// Replay is the replay file, empty if none was written.
	Replay string `json:"replay"`
	// Plan is what was planned to go wrong, Faults what it changed.
	Plan   []string       `json:"plan"`
	Faults []EffectReport `json:"faults"`
	// Vacuous reports that faults were planned and none changed anything.
	Vacuous bool `json:"vacuous"`
	// Nodes is the number of znodes left below the lock's directory.
	Nodes int `json:"nodes"`
}

// VerdictReport is the verdict on one property.
type VerdictReport struct {
	Property checker.Property `json:"property"`
	Level    checker.Level    `json:"level"`
	Verdict  checker.Verdict  `json:"verdict"`
	Why      string           `json:"why"`
}

// EffectReport counts what the faults of one kind did.
type EffectReport struct {
	Kind   string `json:"kind"`
	Struck int    `json:"struck"`
	Bitten int    `json:"bitten"`
}

// MetricsReport is what a run cost.
type MetricsReport struct {
	Notifications int64            `json:"notifications"`
	MaxFanOut     int64            `json:"maxFanOut"`
	WastedWakeups int64            `json:"wastedWakeups"`
	Requests      map[string]int64 `json:"requests"`
	ListingBytes  int64            `json:"listingBytes"`
	Acquisitions  int64            `json:"acquisitions"`
	Releases      int64            `json:"releases"`
	Overtakes     int64            `json:"overtakes"`
	// MaxOvertaken is how often one acquire was overtaken at most, WaitMaxMS the
	// longest wait for a grant, WaitUnservedMS that of an acquire that was
	// never granted.
	MaxOvertaken   int64   `json:"maxOvertaken"`
	WaitMaxMS      float64 `json:"waitMaxMS"`
	WaitUnservedMS float64 `json:"waitUnservedMS"`
	WaitMedianMS   float64 `json:"waitMedianMS"`
	WaitP95MS      float64 `json:"waitP95MS"`
	WaitP99MS      float64 `json:"waitP99MS"`
}

// CompareReport is the result of comparing the variants of a family.
type CompareReport struct {
	Family    string          `json:"family"`
	FirstSeed uint64          `json:"firstSeed"`
	Seeds     int             `json:"seeds"`
	Clients   int             `json:"clients"`
	Ops       int             `json:"ops"`
	Mode      Mode            `json:"mode"`
	Classes   []string        `json:"classes"`
	Variants  []VariantReport `json:"variants"`
	// Findings are the known faults that were looked for.
	Findings []FindingReport `json:"findings"`
	// Paired are the differences of the variants' metrics to those of
	// Baseline on the same seeds.
	Baseline string         `json:"baseline"`
	Paired   []PairedReport `json:"paired"`
	// Unexpected says, a line each, where a result differs from the
	// expectation table.
	Unexpected []string `json:"unexpected"`
	Out        string   `json:"out"`
}

// VariantReport is what the runs of one variant showed. Metrics are means
// over the seeds of the fault-free class, intervals their 95 % confidence
// intervals.
type VariantReport struct {
	Variant   string                `json:"variant"`
	Correct   bool                  `json:"correct"`
	Verdicts  []ClassVerdict        `json:"verdicts"`
	Levels    []ClassLevels         `json:"levels"` // by fault class
	Metrics   map[string]float64    `json:"metrics"`
	Intervals map[string][2]float64 `json:"intervals"`
}

// ClassVerdict is the verdict on one property under one fault class: fail if
// any run failed, unknown if any was not decided, else pass.
type ClassVerdict struct {
	Property checker.Property `json:"property"`
	Level    checker.Level    `json:"level"`
	Faults   string           `json:"faults"`
	Verdict  checker.Verdict  `json:"verdict"`
	Why      string           `json:"why"`
	// Replay is a file name within the report folder.
	Replay   string          `json:"replay"`
	Expected checker.Verdict `json:"expected"`
	// Runs counts the runs, Vacuous those in which no fault changed anything,
	// Failures those in which the property failed; Seed is the one of them with
	// the fewest transitions.
	Runs     int    `json:"runs"`
	Vacuous  int    `json:"vacuous"`
	Failures int    `json:"failures"`
	Seed     uint64 `json:"seed"`
}

// FindingReport is a known fault and whether a search found it.
type FindingReport struct {
	ID       string           `json:"id"`
	Variant  string           `json:"variant"`
	Property checker.Property `json:"property"`
	Faults   string           `json:"faults"`
	Title    string           `json:"title"`
	Found    bool             `json:"found"`
	Why      string           `json:"why"`
	Runs     int              `json:"runs"`
	Seed     uint64           `json:"seed"`
	Hash     string           `json:"hash"`
	Replay   string           `json:"replay"`
}

// PairedReport is the mean difference of a metric between a variant and the
// baseline on the same seeds, with its 95 % confidence interval.
type PairedReport struct {
	Variant string  `json:"variant"`
	Metric  string  `json:"metric"`
	Mean    float64 `json:"mean"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// SweepReport is the result of the standard workload over numbers of clients.
type SweepReport struct {
	Family    string       `json:"family"`
	FirstSeed uint64       `json:"firstSeed"`
	Seeds     int          `json:"seeds"`
	Points    []SweepPoint `json:"points"`
	// Slopes are those of the notifications in a log-log fit over the
	// numbers of clients: 1 for a queue, 2 for a herd.
	Slopes map[string]float64 `json:"slopes"`
	Out    string             `json:"out"`
}

// SweepPoint is the mean over the seeds for one variant and number of
// clients.
type SweepPoint struct {
	Variant       string             `json:"variant"`
	Clients       int                `json:"clients"`
	Writers       int                `json:"writers"`
	Readers       int                `json:"readers"`
	Notifications float64            `json:"notifications"`
	MaxFanOut     float64            `json:"maxFanOut"`
	Requests      map[string]float64 `json:"requests"`
	RequestTotal  float64            `json:"requestTotal"`
	WastedWakeups float64            `json:"wastedWakeups"`
	ListingBytes  float64            `json:"listingBytes"`
	WaitMedianMS  float64            `json:"waitMedianMS"`
	WaitP95MS     float64            `json:"waitP95MS"`
	WaitP99MS     float64            `json:"waitP99MS"`
}

// MetricNames lists the names of a comparison's metrics, in the order of
// tables. Those that end in PerRelease and PerAcquisition are ratios within a
// run.
func MetricNames() []string {
	return []string{
		"notifications", "notificationsPerRelease", "maxFanOut", "wastedWakeups",
		"requests", "requestsPerAcquisition", "listingBytes",
		"waitMedianMS", "waitP95MS", "waitP99MS", "waitMaxMS", "overtakes", "maxOvertaken",
	}
}

// ms is a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// reportMetrics turns a summary into its report.
func reportMetrics(s checker.LockSummary) MetricsReport {
	m := MetricsReport{
		Notifications: s.Notifications, MaxFanOut: s.MaxFanOut, WastedWakeups: s.WastedWakeups,
		Requests: map[string]int64{}, ListingBytes: s.ListingBytes,
		Acquisitions: s.Acquisitions, Releases: s.Releases, Overtakes: s.Overtakes,
		MaxOvertaken: s.MaxOvertaken, WaitMaxMS: ms(s.WaitMax), WaitUnservedMS: ms(s.WaitUnserved),
		WaitMedianMS: ms(s.WaitMedian), WaitP95MS: ms(s.WaitP95), WaitP99MS: ms(s.WaitP99),
	}
	for _, c := range s.Requests {
		m.Requests[c.Name] = c.Count
	}
	return m
}

// metricValues are the values of MetricNames for one run.
func metricValues(s checker.LockSummary) []float64 {
	ratio := func(a, b int64) float64 {
		if b == 0 {
			return 0
		}
		return float64(a) / float64(b)
	}
	return []float64{
		float64(s.Notifications), ratio(s.Notifications, s.Releases), float64(s.MaxFanOut), float64(s.WastedWakeups),
		float64(s.RequestTotal), ratio(s.RequestTotal, s.Acquisitions), float64(s.ListingBytes),
		ms(s.WaitMedian), ms(s.WaitP95), ms(s.WaitP99), ms(s.WaitMax), float64(s.Overtakes), float64(s.MaxOvertaken),
	}
}

// report turns an outcome into the result of a run.
func (r *Runner) report(seed uint64, out Outcome) RunReport {
	rep := RunReport{
		Variant: r.s.Variant, Seed: seed, Hash: FormatHash(out.Hash), Transitions: out.Transitions,
		VirtualMS: ms(out.Virtual), Verdicts: []VerdictReport{}, Metrics: reportMetrics(r.Metrics()),
		Plan: []string{}, Faults: []EffectReport{}, Vacuous: out.Vacuous, Nodes: out.Nodes,
		Levels: noLevels(), Class: r.runClass(),
	}
	for _, x := range out.Results {
		rep.Levels.add(x.Level, x.Verdict)
		rep.Verdicts = append(rep.Verdicts, VerdictReport{x.Property, x.Level, x.Verdict, x.Why})
	}
	for _, f := range r.plan {
		rep.Plan = append(rep.Plan, f.String())
	}
	for _, k := range faults.Kinds() {
		if e := r.faults.Effects(k); e.Struck > 0 || e.Bitten > 0 {
			rep.Faults = append(rep.Faults, EffectReport{k.String(), e.Struck, e.Bitten})
		}
	}
	return rep
}
