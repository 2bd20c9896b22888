package checker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// judge runs the monitors over a history and returns their results.
func judge(l *Lock, cfg LockConfig, history []Event) []Result {
	l.Reset(cfg)
	for i := range history {
		l.Observe(&history[i])
	}
	return l.Finish(history)
}

// failing is the properties that failed.
func failing(results []Result) []Property {
	var failed []Property
	for _, r := range results {
		if r.Verdict == Failed {
			failed = append(failed, r.Property)
		}
	}
	return failed
}

// resultOf is the result on one property.
func resultOf(t require.TestingT, results []Result, p Property) Result {
	for _, r := range results {
		if r.Property == p {
			return r
		}
	}
	require.Fail(t, "no result", p)
	return Result{}
}

// eachLockCase calls do for each bad history and its good twin.
func eachLockCase(t *testing.T, do func(t *testing.T, p Property, c lockCase)) {
	for _, p := range LockProperties() {
		cases := readLockCases(t, p)
		require.GreaterOrEqual(t, len(cases), 4, p)
		for _, c := range cases {
			t.Run(string(p)+"/"+c.name, func(t *testing.T) { do(t, p, c) })
		}
	}
}

func TestBadHistoriesAreRefused(t *testing.T) {
	eachLockCase(t, func(t *testing.T, p Property, c lockCase) {
		var l Lock
		results := judge(&l, c.cfg, c.bad)
		require.Equal(t, c.fails, failing(results))
		r := resultOf(t, results, p)
		require.Equal(t, c.why, r.Why)
		require.Equal(t, LevelOf(p), r.Level)
		require.NotEqual(t, int32(-1), r.Client)
		require.Contains(t, r.Why, ClientName(int(r.Client)))
		require.Contains(t, r.Why, seconds(r.At))
		require.True(t, l.Failed())
	})
}

func TestGoodTwinsAreAccepted(t *testing.T) {
	eachLockCase(t, func(t *testing.T, p Property, c lockCase) {
		var l Lock
		results := judge(&l, c.cfg, c.good)
		require.Empty(t, failing(results))
		require.Equal(t, Result{Property: p, Level: LevelOf(p), Verdict: Pass, Client: -1}, resultOf(t, results, p))
		require.False(t, l.Failed())
		require.Zero(t, l.FailedBits())
	})
}

func TestLockResultsAreInOrder(t *testing.T) {
	var l Lock
	l.Reset(LockConfig{})
	for i, r := range l.Finish(nil) {
		require.Equal(t, LockProperties()[i], r.Property)
	}
}

func TestTheMonitorsKnowAtOnce(t *testing.T) {
	history := parseHistory(t, `
		0.000 A invoke 0
		0.100 A grant 0
		0.200 B grant 0
		0.300 A release 0
	`)
	var l Lock
	l.Reset(LockConfig{Clients: 2})
	for i, want := range []uint32{0, 0, 1<<exclusionIndex | 1<<linearizableIndex, 1<<exclusionIndex | 1<<linearizableIndex} {
		l.Observe(&history[i])
		require.Equal(t, want, l.FailedBits(), i)
		require.Equal(t, want != 0, l.Failed())
	}
}

func TestWithoutHistoryTheWitnessDecides(t *testing.T) {
	for _, c := range readLockCases(t, Linearizable) {
		var l Lock
		want := resultOf(t, judge(&l, c.cfg, c.bad), Linearizable)
		require.Equal(t, want, resultOf(t, l.Finish(nil), Linearizable), c.name)
	}
}

func TestNotApplicable(t *testing.T) {
	var l Lock
	results := judge(&l, LockConfig{Clients: 2, Leases: true}, parseHistory(t, `
		0.000 A invoke 0
		0.100 A create zxid=1
		0.200 B create zxid=2
		0.300 B grant 0 token=0        # out of order and without a token
		0.400 A write-refused token=0 first
		0.500 A delete zxid=1 n=99
		0.600 B delete zxid=2 n=99
		0.700 A grant 0
		0.800 - horizon
	`))
	for _, c := range []struct {
		p   Property
		why string
	}{
		{Fenced, "the lock hands out no tokens"},
		{FIFO, "the lock promises no order"},
		{Deadline, "no timed or non-blocking acquire was invoked"},
		{FanOut, "the lock promises no fan-out"},
		{Leak, "what is left ends with its lease"},
	} {
		r := resultOf(t, results, c.p)
		require.Equal(t, NotApplicable, r.Verdict)
		require.Equal(t, c.why, r.Why)
	}
}

func TestUnknownIsNoPass(t *testing.T) {
	waiting := `
		0.000 A invoke 0
		0.100 B done
	`
	between := `
		0.000 A invoke 0
		0.100 A grant 0
		0.150 B done
	`
	over := `
		0.000 A done
		0.100 B crash
	`
	for _, c := range []struct {
		name, history, progress string
		leak                    string
	}{
		{
			"a client waits", waiting + "7.000 - cut-off",
			"the run was cut off at 7.000s while A waited for the lock (acquire 0, blocking) since 0.000s",
			"the run was cut off at 7.000s, and tickets may still come and go",
		},
		{
			"a program is not over", between + "7.000 - cut-off",
			"the run was cut off at 7.000s before the program of A was over",
			"the run was cut off at 7.000s, and tickets may still come and go",
		},
		{
			"all programs are over", over + "7.000 - cut-off", "",
			"the run was cut off at 7.000s, and tickets may still come and go",
		},
		{
			"no end", waiting,
			"the history ends while A waited for the lock (acquire 0, blocking) since 0.000s",
			"the history ends: a ticket may still be deleted",
		},
	} {
		var l Lock
		results := judge(&l, LockConfig{Clients: 2}, parseHistory(t, c.history))
		require.Empty(t, failing(results), c.name)
		progress, leak := resultOf(t, results, Progress), resultOf(t, results, Leak)
		require.Equal(t, c.progress, progress.Why, c.name)
		require.Equal(t, c.progress == "", progress.Verdict == Pass, c.name)
		require.Equal(t, c.progress == "", progress.Client == -1, c.name)
		require.Equal(t, c.leak, leak.Why, c.name)
		require.Equal(t, Unknown, leak.Verdict, c.name)
	}
}

// A run that was cut short keeps the failures it has shown.
func TestFailuresOutliveTheCut(t *testing.T) {
	var l Lock
	results := judge(&l, LockConfig{Clients: 2}, parseHistory(t, `
		0.000 A grant 0
		0.100 B grant 0
		1.000 - cut-off
	`))
	require.Equal(t, []Property{Exclusion, Linearizable}, failing(results))
	require.Equal(t, Unknown, resultOf(t, results, Progress).Verdict)
}

func TestOnlyTheFirstFailureIsTold(t *testing.T) {
	var l Lock
	results := judge(&l, LockConfig{Clients: 2, MaxFanOut: 1}, parseHistory(t, `
		0.000 A delete zxid=1 n=2
		0.100 B delete zxid=2 n=3
	`))
	require.Contains(t, resultOf(t, results, FanOut).Why, "ticket of A at 0.000s caused 2")
}

// A client that goes on in a new session may have set the watch it waits for in
// both; once the server has ended the old one, it has not.
func TestWatchesOfSessionsThatWereLeft(t *testing.T) {
	for _, c := range []struct {
		history string
		want    Verdict
	}{
		{"0.1 A up session=1\n0.2 A up session=2\n0.3 B delete zxid=1 n=2", Pass},
		{"0.1 A up session=1\n0.2 A up session=2\n0.3 B delete zxid=1 n=3", Failed},
		{"0.1 A up session=1\n0.2 A session-end session=1\n0.2 A up session=2\n0.3 B delete zxid=1 n=2", Failed},
		{"0.1 A up session=1\n0.2 A session-end session=1\n0.2 A up session=2\n0.2 A up session=3\n0.3 B delete zxid=1 n=2", Pass},
		{"0.1 A up session=1\n0.2 A down\n0.2 A up session=1\n0.3 B delete zxid=1 n=2", Failed},
		{"0.1 A up session=1\n0.2 A up session=2\n0.2 A session-end session=1\n0.3 B delete zxid=1 n=2", Failed},
		{"0.1 A up session=1\n0.2 A up session=2\n0.2 A up session=3\n0.2 A session-end session=2\n0.3 B delete zxid=1 n=2", Pass},
		{"0.1 A up session=1\n0.2 A up session=2\n0.2 A up session=3\n0.2 A session-end session=1\n0.3 B delete zxid=1 n=3", Pass},
		{"0.1 A up session=1\n0.2 A up session=2\n0.2 A restart\n0.2 A up session=3\n0.2 A session-end session=1\n0.3 B delete zxid=1 n=2", Pass},
		// The answer that says the session is up comes after its end.
		{"0.1 A up session=1\n0.2 A session-end session=1\n0.2 A up session=1\n0.2 A up session=2\n0.3 B delete zxid=1 n=2", Failed},
		{"0.1 A up session=1\n0.1 B up session=2\n0.3 B delete zxid=1 n=2", Failed},
	} {
		var l Lock
		results := judge(&l, LockConfig{Clients: 2, MaxFanOut: 1}, parseHistory(t, c.history+"\n1 - quiescent"))
		require.Equal(t, c.want, resultOf(t, results, FanOut).Verdict, c.history)
	}
}

// A ticket that ends before its release may leave a watch behind, whoever deletes it.
func TestWatchesOfTickets(t *testing.T) {
	const held = "0.1 A create zxid=1\n0.1 A invoke 0\n0.1 A grant 0\n"
	for _, c := range []struct {
		history string
		want    Verdict
	}{
		{held + "0.2 A release 0\n0.2 A delete zxid=1\n0.2 A released 0", Failed},
		{held + "0.2 A release 0\n0.2 A released 0\n0.2 A delete zxid=1", Failed},
		{held + "0.2 A delete zxid=1\n0.2 A release 0\n0.2 A released 0", Pass},
		{held + "0.2 A create zxid=2\n0.2 A release 0\n0.2 A delete zxid=1", Pass},
		{held + "0.2 A crash\n0.2 A restart\n0.2 A invoke 1\n0.2 A grant 1\n0.2 A release 1\n0.2 A delete zxid=1", Pass},
	} {
		var l Lock
		results := judge(&l, LockConfig{Clients: 2, MaxFanOut: 1}, parseHistory(t, c.history+"\n0.3 B delete zxid=9 n=2\n1 - quiescent"))
		require.Equal(t, c.want, resultOf(t, results, FanOut).Verdict, c.history)
	}
}

// What the client was told of its sessions explains the errors of its operations.
func TestErrorsUnderSessionsThatEnded(t *testing.T) {
	for _, c := range []struct {
		history string
		want    Verdict
	}{
		// The answer that says the session is up comes after its end.
		{"0.1 A up session=1\n0.1 A session-end session=1\n0.1 A up session=1\n0.2 A invoke 0", Pass},
		// It is told late, when the third is up, that the second is over.
		{"0.1 A up session=1\n0.1 A lost\n0.1 A up session=2\n0.1 A up session=3\n0.1 A lost\n0.2 A invoke 0", Failed},
		{"0.1 A up session=1\n0.1 A lost\n0.2 A invoke 0", Pass},
	} {
		var l Lock
		results := judge(&l, LockConfig{Clients: 1}, parseHistory(t, c.history+"\n0.3 A fail 0 text=x\n1 - quiescent"))
		require.Equal(t, c.want, resultOf(t, results, SpuriousError).Verdict, c.history)
	}
}

func TestMoreClientsThanConfigured(t *testing.T) {
	var l Lock
	results := judge(&l, LockConfig{}, parseHistory(t, `
		0.000 A invoke 0
		0.100 A grant 0
		0.200 Z grant 0
	`))
	require.Contains(t, resultOf(t, results, Exclusion).Why, "Z was granted the lock at 0.200s while A")
}

// Events without a client, other than faults and ends, say nothing about
// locks.
func TestEventsWithoutClient(t *testing.T) {
	var l, fresh Lock
	fresh.Reset(LockConfig{Clients: 1})
	l.Reset(LockConfig{Clients: 1})
	for k := Invoke; k < Quiescent; k++ {
		l.Observe(&Event{Kind: k, Client: -1, Arg: 1, N: 9, Text: "x"})
	}
	fresh.Observe(&Event{Kind: Fault, Client: -1})
	require.Equal(t, hashOf(&fresh), hashOf(&l))
	require.False(t, l.Failed())
}

func TestModeNames(t *testing.T) {
	require.Equal(t, []string{"blocking", "timed", "try", "mode(?)"},
		[]string{Blocking.String(), TimedMode.String(), TryMode.String(), Mode(9).String()})
}
