package reports

import (
	"fmt"

	"zoosim/checker"
	"zoosim/scenarios"
)

// hostile is what a recipe might put into an error.
const hostile = "<script>alert(\"A&B\")</script> | `x` *y* [z](w)\n\tO'Neil \x1b[31mred\x00 \xff\u202e end, =1+1"

// sampleCompare is a small report with every kind of cell.
func sampleCompare() *scenarios.CompareReport {
	r := &scenarios.CompareReport{
		Family: "lock", FirstSeed: 1, Seeds: 50, Clients: 3, Ops: 2, Mode: scenarios.ModeMixed,
		Classes: []string{"none", "crash", "cut-reply", "delay-event"}, Baseline: "lock/zkdocs", Out: "/somewhere/out dir",
		Unexpected: []string{"lock/gozk cut-reply leak: fail, expected pass: " + hostile},
	}
	pass := func(p checker.Property, class string) scenarios.ClassVerdict {
		return scenarios.ClassVerdict{
			Property: p, Level: checker.LevelOf(p), Faults: class,
			Verdict: checker.Pass, Expected: checker.Pass, Runs: 50,
		}
	}
	for _, name := range []string{"lock/zkdocs", "lock/seed002", "lock/gozk"} {
		v := scenarios.VariantReport{Variant: name, Correct: name == "lock/zkdocs"}
		for _, class := range r.Classes {
			for _, p := range []checker.Property{checker.Leak, checker.Exclusion, checker.Fenced} {
				v.Verdicts = append(v.Verdicts, pass(p, class))
			}
		}
		for _, class := range r.Classes {
			v.Levels = append(v.Levels, sampleLevels(name, class))
		}
		r.Variants = append(r.Variants, v)
	}
	set := func(variant int, p checker.Property, class string, f func(v *scenarios.ClassVerdict)) {
		f(newMatrix(r.Variants[variant], r.Classes).at(p, class))
	}
	for _, class := range r.Classes {
		set(1, checker.Fenced, class, func(v *scenarios.ClassVerdict) { v.Verdict, v.Expected = checker.NotApplicable, checker.NotApplicable })
		set(0, checker.Leak, class, func(v *scenarios.ClassVerdict) { v.Vacuous = 3 })
	}
	for _, p := range []checker.Property{checker.Leak, checker.Exclusion, checker.Fenced} {
		set(0, p, "delay-event", func(v *scenarios.ClassVerdict) { v.Vacuous = 50 })
	}
	set(1, checker.Exclusion, "crash", func(v *scenarios.ClassVerdict) {
		v.Verdict, v.Expected, v.Failures, v.Seed = checker.Failed, checker.Failed, 3, 17
		v.Why, v.Replay = "C was granted the lock at 4.2 s while A believed to hold it", "replays/seed002-crash-exclusion.json"
	})
	set(1, checker.Leak, "cut-reply", func(v *scenarios.ClassVerdict) { v.Expected = checker.Failed })
	set(1, checker.Exclusion, "cut-reply", func(v *scenarios.ClassVerdict) {
		v.Verdict, v.Why = checker.Unknown, "the search for a linearization was cut off"
	})
	set(2, checker.Leak, "cut-reply", func(v *scenarios.ClassVerdict) {
		v.Verdict, v.Failures, v.Seed, v.Why, v.Replay = checker.Failed, 1, 4, hostile, "replays/gozk cut:reply.json"
	})
	r.Findings = []scenarios.FindingReport{
		{
			ID: "seed002:L1", Variant: "lock/seed002", Property: checker.Exclusion, Faults: "crash",
			Title: "watches the wrong node", Found: true, Runs: 17, Seed: 17, Hash: "00000000000000ab",
			Why: "C was granted the lock at 4.2 s while A believed to hold it", Replay: "replays/seed002-crash-exclusion.json",
		},
		{
			ID: "gozk:G1", Variant: "lock/gozk", Property: checker.Leak, Faults: "cut-reply",
			Title: "leaves its node " + hostile, Found: true, Runs: 4, Seed: 4, Hash: "00000000000000cd",
			Why: hostile, Replay: "replays/gozk cut:reply.json",
		},
		{
			ID: "gozk:G2", Variant: "lock/gozk", Property: checker.Progress, Faults: "expiry",
			Title: "sleeps for ever after its session ends", Runs: 3000,
		},
	}
	sampleMetrics(r)
	return r
}

// sampleLevels are three verdicts of every kind.
func sampleLevels(variant, class string) scenarios.ClassLevels {
	pass := scenarios.Levels{Service: checker.Pass, Belief: checker.Pass, Fenced: checker.Pass}
	c := scenarios.ClassLevels{Faults: class, Levels: pass, Expected: scenarios.Promise{Faults: class, Levels: pass}}
	switch {
	case variant == "lock/seed002" && class == "crash":
		c.Belief, c.Expected.Belief, c.Expected.Why = checker.Failed, checker.Failed, []string{"a paused process <cannot> be told"}
	case variant == "lock/seed002" && class == "cut-reply":
		c.Belief, c.Expected.MayFail = checker.Unknown, []checker.Level{checker.LevelBelief}
	case variant == "lock/gozk":
		c.Fenced, c.Expected.Fenced = checker.NotApplicable, checker.NotApplicable
		if class == "cut-reply" {
			c.Service = checker.Failed
		}
	}
	return c
}

func sampleMetrics(r *scenarios.CompareReport) {
	for i := range r.Variants {
		v, x := &r.Variants[i], float64(i)
		v.Metrics = map[string]float64{"notifications": 2.5 + x, "requests": 31, "waitMedianMS": 1234.5678, "extra": 0.00125}
		v.Intervals = map[string][2]float64{"notifications": {2.25 + x, 2.75 + x}, "requests": {31, 31}, "waitMedianMS": {1200, 1269.1}}
		if i > 0 {
			r.Paired = append(
				r.Paired,
				scenarios.PairedReport{Variant: v.Variant, Metric: "notifications", Mean: x, Low: x - 0.25, High: x + 0.25},
				scenarios.PairedReport{Variant: v.Variant, Metric: "waitMedianMS", Mean: -3, Low: -10, High: 4},
			)
		}
	}
}

// fullCompare is a report of the usual size: ten variants, twelve classes.
func fullCompare() *scenarios.CompareReport {
	r := &scenarios.CompareReport{
		Family: "lock", FirstSeed: 1, Seeds: 300, Clients: 3, Ops: 2, Mode: scenarios.ModeMixed,
		Baseline: "lock/zkdocs", Out: "out",
	}
	for _, c := range scenarios.FaultClasses() {
		r.Classes = append(r.Classes, c.Name)
	}
	for i, name := range lockVariants() {
		v := scenarios.VariantReport{Variant: name, Correct: i < 5}
		for j, class := range r.Classes {
			for k, p := range checker.LockProperties() {
				c := scenarios.ClassVerdict{
					Property: p, Level: checker.LevelOf(p), Faults: class,
					Verdict: checker.Pass, Expected: checker.Pass, Runs: 300,
				}
				switch {
				case p == checker.Fenced && i != 9:
					c.Verdict, c.Expected = checker.NotApplicable, checker.NotApplicable
				case p == checker.Exclusion && (class == "pause" || class == "expiry" || class == "partition"):
					c.Verdict, c.Expected, c.Failures, c.Seed = checker.Failed, checker.Failed, 12, 3
					c.Why = "B was granted the lock at 9.1 s while A believed to hold it"
					c.Replay = fmt.Sprintf("replays/%s-%s-%s.json", short("lock", name), class, p)
				case i > 4 && (i*31+j*7+k*13)%19 == 0:
					c.Verdict, c.Expected, c.Failures, c.Seed = checker.Failed, checker.Failed, 2, 40
					c.Why = "B waits since 3.1 s and nothing can happen any more"
				case i > 4 && (i*31+j*7+k*13)%61 == 1:
					c.Expected = checker.Failed
				}
				v.Verdicts = append(v.Verdicts, c)
			}
		}
		r.Variants = append(r.Variants, v)
	}
	sampleMetrics(r)
	r.Findings = []scenarios.FindingReport{{
		ID: "zkjava:J10", Variant: "lock/zkjava", Property: checker.SpuriousError, Faults: "cut-request", Found: true, Runs: 11, Seed: 11,
		Why:    "the release of B failed at 12.1 s with an error that no fault and no misuse explains: no such znode",
		Replay: "replays/zkjava-J10.json",
	}}
	return r
}

func lockVariants() []string {
	return []string{
		"lock/herd-node", "lock/herd-children", "lock/zkdocs", "lock/curator", "lock/kazoo",
		"lock/gozk", "lock/zkjava", "lock/seed002", "lock/seed003", "lock/fenced",
	}
}

// sampleSweep has the counts that real libraries showed; seed003 is made up,
// to leave the closed forms.
func sampleSweep(clients ...int) *scenarios.SweepReport {
	r := &scenarios.SweepReport{Family: "lock", FirstSeed: 1, Seeds: 5, Slopes: map[string]float64{}, Out: "/somewhere/out"}
	for _, v := range lockVariants() {
		r.Slopes[v] = 1.0
		for _, n := range clients {
			x := float64(n)
			p := scenarios.SweepPoint{
				Variant: v, Clients: n, Notifications: x - 1, MaxFanOut: min(1, x-1),
				Requests: map[string]float64{"create": x, "delete": x, "getChildren": 2*x - 1, "exists": x - 1}, RequestTotal: 5*x - 2,
				WaitMedianMS: 10.5 * x,
			}
			switch v {
			case "lock/herd-node":
				r.Slopes[v] = 1.98
				p.Notifications, p.MaxFanOut, p.RequestTotal = x*(x-1)/2, x-1, x*x+x
				p.Requests = map[string]float64{"create": x * (x + 1) / 2, "exists": x * (x - 1) / 2, "delete": x}
			case "lock/herd-children":
				r.Slopes[v] = 1.99
				p.Notifications, p.MaxFanOut, p.RequestTotal = x*x-x+1, x, x*x+x+1
				p.Requests = map[string]float64{"create": x, "getChildren": x*x - x + 1, "delete": x}
			case "lock/kazoo":
				p.RequestTotal = 6*x - 2
			case "lock/zkjava":
				p.RequestTotal = 8*x - 3
			case "lock/seed003":
				p.Notifications, p.MaxFanOut = 1.37*x, 1.4
			}
			r.Points = append(r.Points, p)
		}
	}
	return r
}

func sampleRun() *scenarios.RunReport {
	return &scenarios.RunReport{
		Variant: "lock/seed002", Seed: 17, Hash: "00000000000000ab", Transitions: 123, VirtualMS: 45678.9,
		Verdicts: []scenarios.VerdictReport{
			{Property: checker.Exclusion, Level: checker.LevelBelief, Verdict: checker.Failed, Why: "C was granted the lock " + hostile},
			{Property: checker.Fenced, Level: checker.LevelFenced, Verdict: checker.NotApplicable},
			{Property: checker.Progress, Level: checker.LevelRun, Verdict: checker.Pass},
		},
		Metrics: scenarios.MetricsReport{
			Notifications: 2, MaxFanOut: 1, Requests: map[string]int64{"delete": 3, "create": 3, "getChildren": 5},
			ListingBytes: 420, Acquisitions: 3, Releases: 1, WaitMedianMS: 1.5, WaitP95MS: 20, WaitP99MS: 2000.25,
		},
		Replay: "out dir/it's.json", Plan: []string{"crash:B@1.2s"}, Nodes: 1,
		Faults: []scenarios.EffectReport{{Kind: "crash", Struck: 1, Bitten: 1}},
	}
}

func sampleManifest() Manifest {
	return Manifest{
		Commit: "0123456", Command: "zoosim compare lock --seeds 50", Scenario: "lock", Seeds: "1-50",
		Versions: map[string]string{"porcupine": "v1.3.1", "go": "go1.26.8", "gonum/plot": "v0.17.0"},
	}
}
