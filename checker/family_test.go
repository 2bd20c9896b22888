package checker

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// familyMonitors judge the histories of the files of that name.
var familyMonitors = map[string]func(t testing.TB, c *familyCase, text string) []Result{
	"rw-exclusion": func(t testing.TB, c *familyCase, text string) []Result {
		var m RWMonitor
		m.Reset(c.has("stops-at-disconnect"))
		history := parseHistory(t, text)
		for i := range history {
			m.Observe(&history[i])
		}
		require.Equal(t, m.Finish().Verdict == Failed, m.Failed())
		return []Result{m.Finish()}
	},
	"capacity": func(t testing.TB, c *familyCase, text string) []Result {
		var m CapacityMonitor
		m.Reset(c.number(t, "permits"), c.has("stops-at-disconnect"))
		history := parseHistory(t, text)
		for i := range history {
			m.Observe(&history[i])
		}
		require.Equal(t, m.Finish().Verdict == Failed, m.Failed())
		return []Result{m.Finish()}
	},
	"priority":  judgeQueueCase,
	"lost":      judgeQueueCase,
	"duplicate": judgeQueueCase,
	"barrier": func(t testing.TB, c *familyCase, text string) []Result {
		var m BarrierMonitor
		m.Reset(c.number(t, "n"))
		history := parseBarrierEvents(t, text)
		for i := range history {
			m.Observe(&history[i])
		}
		require.Equal(t, m.Finish().Verdict == Failed, m.Failed())
		return []Result{m.Finish()}
	},
	"gate": func(t testing.TB, _ *familyCase, text string) []Result {
		var m GateMonitor
		m.Reset()
		history := parseBarrierEvents(t, text)
		for i := range history {
			m.Observe(&history[i])
		}
		require.Equal(t, m.Finish().Verdict == Failed, m.Failed())
		return []Result{m.Finish()}
	},
	"stale": func(t testing.TB, c *familyCase, text string) []Result {
		return []Result{judgeViews(t, viewConfigOf(t, c), text)}
	},
}

func judgeQueueCase(t testing.TB, c *familyCase, text string) []Result {
	return judgeQueue(t, QueueConfig{Priorities: c.has("priorities"), AtMostOnce: c.has("at-most-once")}, text)
}

func judgeQueue(t testing.TB, cfg QueueConfig, text string) []Result {
	var m QueueMonitor
	m.Reset(cfg)
	history := parseQueueEvents(t, text)
	for i := range history {
		m.Observe(&history[i])
	}
	return m.Finish()
}

func viewConfigOf(t testing.TB, c *familyCase) ViewConfig {
	cfg := ViewConfig{Standalone: c.has("standalone"), Parts: c.has("parts")}
	if c.has("quiet") {
		var err error
		cfg.Quiet, err = time.ParseDuration(c.config["quiet"])
		require.NoError(t, err)
	}
	return cfg
}

func judgeViews(t testing.TB, cfg ViewConfig, text string) Result {
	var m ViewMonitor
	m.Reset(cfg)
	history := parseViewEvents(t, text)
	for i := range history {
		m.Observe(&history[i])
	}
	require.Equal(t, m.Finish().Verdict == Failed, m.Failed())
	return m.Finish()
}

// familyProperty is the property of a file.
func familyProperty(base string) Property {
	if base == "gate" {
		return BarrierCount
	}
	return Property(base)
}

func TestFamilyMonitorsRefuseBadHistories(t *testing.T) {
	for _, base := range []string{"rw-exclusion", "capacity", "priority", "lost", "duplicate", "barrier", "gate", "stale"} {
		for _, c := range readFamilyCases(t, base) {
			t.Run(base+"/"+c.name, func(t *testing.T) {
				results := familyMonitors[base](t, &c, c.bad)
				require.Equal(t, []Property{familyProperty(base)}, failing(results))
				r := resultOf(t, results, familyProperty(base))
				require.Equal(t, c.why, r.Why)
				require.Contains(t, r.Why, name(r.Client))
				require.Contains(t, r.Why, seconds(r.At))
			})
			t.Run(base+"/"+c.name+"/good", func(t *testing.T) {
				results := familyMonitors[base](t, &c, c.good)
				require.Empty(t, failing(results))
				r := resultOf(t, results, familyProperty(base))
				require.Equal(t, passed(familyProperty(base), r.Level), r)
			})
		}
	}
}

// What only the end can show is unknown before it.
func TestFamilyUnknownIsNoPass(t *testing.T) {
	for _, c := range []struct{ history, lost, stale string }{
		{"", "the history ends: an item may still be lost", "the history ends: a view may still come to differ"},
		{"7 - cut-off", "the run was cut off at 7.000s, and an item may still be lost", "the run was cut off at 7.000s, and views may still come to differ"},
	} {
		lost := resultOf(t, judgeQueue(t, QueueConfig{}, "1 A put 7\n2 A acked 7\n"+c.history), LostItem)
		require.Equal(t, Unknown, lost.Verdict)
		require.Equal(t, c.lost, lost.Why)
		stale := judgeViews(t, ViewConfig{Quiet: 10 * time.Second}, "1 A set a\n2 B request\n"+c.history)
		require.Equal(t, Unknown, stale.Verdict)
		require.Equal(t, c.stale, stale.Why)
	}
	// A failure outlives the cut.
	cut := judgeViews(t, ViewConfig{Standalone: true}, "1 B request\n2 B shows a\n3 - cut-off")
	require.Equal(t, Failed, cut.Verdict)
	require.Equal(t, "B showed [a] at 2.000s, which was the set at no moment", cut.Why)
}

func TestQueueMonitorResults(t *testing.T) {
	results := judgeQueue(t, QueueConfig{}, `
		0 A put 1 prio=9
		0 A stored 1
		0 A put 2
		0 A stored 2
		1 B take
		2 B removed 1
		2 B took 1
		3 - end
	`)
	require.Len(t, results, len(QueueProperties()))
	for i, p := range QueueProperties() {
		require.Equal(t, p, results[i].Property)
	}
	require.Equal(t, NotApplicable, results[0].Verdict)
	require.Equal(t, "the queue knows no priorities", results[0].Why)
	require.Equal(t, LevelBelief, results[0].Level)
	require.Equal(t, Pass, results[1].Verdict)
	require.Equal(t, Pass, results[2].Verdict)
}

// A monitor that is used again remembers nothing.
func TestFamilyMonitorsAreReset(t *testing.T) {
	var queue QueueMonitor
	for range 2 {
		queue.Reset(QueueConfig{})
		require.False(t, queue.Failed())
		for _, e := range parseQueueEvents(t, "0 A put 7\n0 A stored 7\n0 B take\n1 B took 7\n2 - removed 7\n9 - end") {
			queue.Observe(&e)
		}
		require.False(t, queue.Failed())
		require.Empty(t, failing(queue.Finish()))
		for _, e := range parseQueueEvents(t, "10 C take\n11 C took 7") {
			queue.Observe(&e)
		}
		require.True(t, queue.Failed())
	}
	var rw RWMonitor
	var capacity CapacityMonitor
	for range 2 {
		rw.Reset(false)
		capacity.Reset(1, false)
		for _, e := range parseHistory(t, "0 A grant 0\n1 B grant 0\n2 C grant 0") {
			require.Equal(t, e.At > time.Second, rw.Failed())
			require.Equal(t, e.At > time.Second, capacity.Failed())
			rw.Observe(&e)
			capacity.Observe(&e)
		}
		// Only the first failure is told.
		require.Contains(t, rw.Finish().Why, "B was granted")
		require.Contains(t, capacity.Finish().Why, "B was granted")
	}
	var barrier BarrierMonitor
	var gate GateMonitor
	for range 2 {
		barrier.Reset(2)
		gate.Reset()
		for _, e := range parseBarrierEvents(t, "0 A enter\n1 A entered\n2 B enter\n3 B entered\n4 A leave\n5 A left") {
			barrier.Observe(&e)
		}
		require.Contains(t, barrier.Finish().Why, "A passed")
		for _, e := range parseBarrierEvents(t, "0 A wait\n1 A waited\n2 - close\n3 A waited\n4 A wait\n5 A waited\n6 B wait\n7 B waited") {
			require.Equal(t, e.At > 5*time.Second, gate.Failed())
			gate.Observe(&e)
		}
		require.Contains(t, gate.Finish().Why, "A, which waited since 4.000s")
	}
	var view ViewMonitor
	for range 2 {
		view.Reset(ViewConfig{Standalone: true})
		for _, e := range parseViewEvents(t, "0 A set a\n1 B request\n2 B shows\n3 B request\n4 B shows b") {
			view.Observe(&e)
		}
		require.Contains(t, view.Finish().Why, "B showed [] at 2.000s")
	}
}

// Whoever is not live need not show what is there.
func TestViewsOfTheDead(t *testing.T) {
	for _, history := range []string{
		"0 B request\n0 B shows\n1 B down\n2 A set a\n20 A set b\n90 - end",
		"0 B request\n0 B shows\n1 B closed\n2 A set a\n20 A set b\n90 - end",
	} {
		require.Equal(t, Pass, judgeViews(t, ViewConfig{Quiet: time.Second}, history).Verdict)
	}
	// Before it went it was live.
	for _, history := range []string{
		"0 B request\n0 B shows\n2 A set a\n20 B down\n90 - end",
		"0 B request\n0 B shows\n2 A set a\n20 B closed\n90 - end",
		"0 B up\n2 A set a\n20 B closed\n90 - end",
		"0 B request\n0 B shows\n2 A set a\n20 A set\n90 - end",
		"0 B request\n0 B shows\n2 A set a\n20 - cut-off",
	} {
		r := judgeViews(t, ViewConfig{Quiet: time.Second}, history)
		require.Equal(t, Failed, r.Verdict, history)
		require.Equal(t, "B showed [] until 20.000s although [a] was the set and all was quiet since 2.000s", r.Why)
	}
}

// A barrier of which some members fail or go.
func TestBarrierOfTheDead(t *testing.T) {
	for history, want := range map[string]Verdict{
		"0 A enter\n0 B enter\n1 A gone\n2 B entered\n3 B leave\n4 B left":                                                           Pass,
		"0 A enter\n0 B enter\n1 A gave-up\n2 B entered\n3 B leave\n4 B left":                                                        Pass,
		"0 A enter\n0 B enter\n1 A entered\n1 B entered\n2 A leave\n3 A leave-failed\n4 B leave\n5 B left":                           Pass,
		"0 A enter\n0 B enter\n1 A entered\n1 B entered\n2 A leave\n3 A leave-failed\n4 A enter\n5 A ready":                          Failed,
		"0 A enter\n0 A gone\n1 A enter\n2 A entered":                                                                                Failed,
		"0 A gone\n0 A enter\n0 B enter\n1 A entered":                                                                                Pass,
		"0 A enter\n0 B enter\n0 C enter\n1 A entered\n1 B entered\n2 A leave\n2 B leave\n3 A left":                                  Pass,
		"0 A enter\n0 B enter\n0 C enter\n1 A entered\n1 B entered\n1 C entered\n2 A leave\n2 B leave\n3 A left":                     Failed,
		"0 A enter\n0 B enter\n1 A entered\n1 B entered\n2 A gone\n3 A enter\n4 A entered\n5 B leave\n6 A leave\n7 B left\n7 A left": Pass,
	} {
		var m BarrierMonitor
		m.Reset(2)
		for _, e := range parseBarrierEvents(t, history) {
			m.Observe(&e)
		}
		m.Observe(&BarrierEvent{Kind: ReadySet, Client: -1})
		require.Equal(t, want, m.Finish().Verdict, "%s\n%s", history, m.Finish().Why)
	}
}

// Who is who makes no difference: with the clients renamed, the same is judged
// in the same words.
func TestFamiliesBearOtherNames(t *testing.T) {
	rename := regexp.MustCompile(`\b[A-D]\b`)
	swapped := func(text string) string {
		return rename.ReplaceAllStringFunc(text, func(n string) string { return string("BCDA"[n[0]-'A']) })
	}
	for _, base := range []string{"rw-exclusion", "capacity", "priority", "lost", "duplicate", "barrier", "gate", "stale"} {
		for _, c := range readFamilyCases(t, base) {
			p := familyProperty(base)
			bad, good, why := c.bad, c.good, c.why
			for range 4 {
				bad, good, why = swapped(bad), swapped(good), swapped(why)
				require.Equal(t, why, resultOf(t, familyMonitors[base](t, &c, bad), p).Why, c.name)
				require.Empty(t, failing(familyMonitors[base](t, &c, good)), c.name)
			}
		}
	}
}

// A result that names nobody says so.
func TestResultsThatNameNobody(t *testing.T) {
	var rw RWMonitor
	rw.Reset(false)
	require.Equal(t, Result{Property: RWExclusion, Level: LevelBelief, Verdict: Pass, Client: -1}, rw.Finish())
}

// A view whose request is not known may be any set that there was, and one
// whose request is known is held to it once.
func TestViewsOfUnknownRequests(t *testing.T) {
	for history, want := range map[string]Verdict{
		"0 A set a\n 1 A set b\n 2 B shows\n 3 B shows a\n 4 B shows b\n 9 - end":              Pass,
		"0 A set a\n 1 A set b\n 2 B shows b\n 3 B closed\n 4 B shows\n 5 B shows b\n 9 - end": Pass,
		"0 A set a\n 1 A set b\n 2 B request\n 2 B shows b\n 3 B shows b\n 9 - end":            Pass,
		"0 B request\n 0 A set a\n 1 A set b\n 2 B shows\n 3 B shows\n 4 B shows b\n 9 - end":  Pass,
		"0 A set a\n 1 B request\n 2 B shows\n 9 - end":                                        Failed,
	} {
		require.Equal(t, want, judgeViews(t, ViewConfig{Standalone: true}, history).Verdict, history)
	}
	// With a lagging follower no request binds, and what was shown does.
	for history, why := range map[string]string{
		"0 A set a\n 1 B request\n 2 B shows\n 3 B request\n 4 B shows a\n 9 - end":   "",
		"0 A set a\n 1 B request\n 2 B shows a\n 3 B request\n 4 B shows\n 9 - end":   "B showed [] at 4.000s, which is older than what it had shown before, [a]",
		"0 A set a\n 1 B request\n 2 B shows z\n 3 B request\n 4 B shows a\n 9 - end": "",
	} {
		require.Equal(t, why, judgeViews(t, ViewConfig{}, history).Why, history)
	}
	require.Equal(t, "B showed [] at 2.000s, which is older than what it had shown before, [a]",
		judgeViews(t, ViewConfig{Standalone: true}, "0 A set a\n 1 B shows a\n 2 B shows\n 9 - end").Why)
	// A quiet that lasted exactly as long as stated is one.
	require.Equal(t, "B showed [] until 7.000s although [a] was the set and all was quiet since 2.000s",
		judgeViews(t, ViewConfig{Quiet: 5 * time.Second}, "0 B up\n 2 A set a\n 7 B shows\n 8 B shows a\n 9 - end").Why)
}

// Items that the server made or nobody is known to have put.
func TestItemsOfNobody(t *testing.T) {
	for history, want := range map[string][]Property{
		// A consumer gives an item back that it never put.
		"0 B stored 7\n 1 B removed 7\n 2 B stored 7\n 9 - end": nil,
		// The server's account of a znode without a client counts.
		"0 A put 7\n 1 A acked 7\n 2 - stored 7\n 9 - end":                 nil,
		"0 A put 7\n 1 A acked 7\n 2 A stored 7\n 3 - removed 7\n 9 - end": {LostItem},
		"0 A put 7\n 1 A acked 7\n 2 A stored 7\n 3 - hidden 7\n 9 - end":  nil,
	} {
		require.Equal(t, want, failing(judgeQueue(t, QueueConfig{}, history)), history)
	}
	lost := resultOf(t, judgeQueue(t, QueueConfig{}, "0 B acked 7\n 9 - end"), LostItem)
	require.Equal(t, int32(-1), lost.Client)
}
