package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const second = time.Second

func TestQueueOperationsOfAHistory(t *testing.T) {
	history := parseHistory(t, `
		0 A put 0 item=7 prio=3
		1 A put-end 0 item=7
		2 A put 1 item=8
		3 A put-end 1 item=8 text=error
		4 B invoke 0
		5 B grant 0 item=7
		6 B invoke 1
		7 B refuse 1
		8 B invoke 2 mode=timed limit=1s
		9 B refuse 2
		10 B invoke 3 mode=timed limit=1s
		11 B grant 3 item=8
		12 B invoke 4
		13 B fail 4 text=error
		14 B invoke 5
		15 D grant 0 item=1
	`)
	want := []Operation{
		{Kind: OpEnqueue, In: 7, In2: 3, Call: 0, Return: 1, CallAt: 0, ReturnAt: second},
		{Kind: OpEnqueue, In: 8, Outcome: OutcomeUnknown, Call: 2, CallAt: 2 * second},
		{Kind: OpDequeue, Client: 1, Out: 7, Call: 4, Return: 5, CallAt: 4 * second, ReturnAt: 5 * second},
		{Kind: OpDequeue, Client: 1, Out: None, Call: 6, Return: 7, CallAt: 6 * second, ReturnAt: 7 * second},
		{Kind: OpDequeue, Client: 1, Out: None, Outcome: OutcomeFailed, Call: 8, Return: 9, CallAt: 8 * second, ReturnAt: 9 * second},
		{Kind: OpDequeue, Client: 1, Out: 8, Call: 10, Return: 11, CallAt: 10 * second, ReturnAt: 11 * second},
		{Kind: OpDequeue, Client: 1, Outcome: OutcomeUnknown, Call: 12, CallAt: 12 * second},
		{Kind: OpDequeue, Client: 1, Outcome: OutcomeUnknown, Call: 14, CallAt: 14 * second},
	}
	require.Equal(t, want, QueueOperations(history))
	_, ends := queueOperations(history)
	require.Len(t, ends, len(want))
	for i, at := range []int{1, 2, 5, 7, 9, 11, 12, 14} {
		require.Equal(t, history[at], ends[i])
	}
	require.Empty(t, QueueOperations(nil))
}

func TestSharedOperationsOfAHistory(t *testing.T) {
	locks := parseHistory(t, `
		0 A invoke 0 text=write
		1 A grant 0 text=write
		2 A invoke 1 text=read
		3 A grant 1 text=read
		4 A release 0
		5 A released 0
		6 B grant 0 text=read
		7 A release 1
		8 A released 1 text=error
		9 A release 1
		10 A released 1
		11 B grant 1 text=read
		12 B down
		13 C grant 0 text=write
		14 C crash
		15 D invoke 0
		16 D refuse 0
	`)
	for _, c := range []struct {
		o    SharedOptions
		want []Operation
	}{
		{SharedOptions{}, []Operation{
			{Kind: OpAcquireWrite, In: 1, Call: 0, Return: 1, CallAt: 0, ReturnAt: second},
			{Kind: OpAcquireRead, In: 2, Call: 2, Return: 3, CallAt: 2 * second, ReturnAt: 3 * second},
			{Kind: OpReleaseWrite, In: 1, Call: 4, Return: 5, CallAt: 4 * second, ReturnAt: 5 * second},
			{Kind: OpAcquireRead, Client: 1, In: 4, Call: 6, Return: 6, CallAt: 6 * second, ReturnAt: 6 * second},
			{Kind: OpReleaseRead, In: 2, Outcome: OutcomeUnknown, Call: 7, CallAt: 7 * second},
			{Kind: OpAcquireRead, Client: 1, In: 6, Call: 11, Return: 11, CallAt: 11 * second, ReturnAt: 11 * second},
			{Kind: OpAcquireWrite, Client: 2, In: 7, Call: 13, Return: 13, CallAt: 13 * second, ReturnAt: 13 * second},
			{Kind: OpLose, Client: 2, In: 7, Outcome: OutcomeUnknown, Call: 14, CallAt: 14 * second},
		}},
		{SharedOptions{Reentrant: true, StopsAtDisconnect: true}, []Operation{
			{Kind: OpAcquireWrite, In: 1, Call: 0, Return: 1, CallAt: 0, ReturnAt: second},
			{Kind: OpAcquireRead, In: 1, Call: 2, Return: 3, CallAt: 2 * second, ReturnAt: 3 * second},
			{Kind: OpReleaseWrite, In: 1, Call: 4, Return: 5, CallAt: 4 * second, ReturnAt: 5 * second},
			{Kind: OpAcquireRead, Client: 1, In: 4, Call: 6, Return: 6, CallAt: 6 * second, ReturnAt: 6 * second},
			{Kind: OpReleaseRead, In: 1, Outcome: OutcomeUnknown, Call: 7, CallAt: 7 * second},
			{Kind: OpAcquireRead, Client: 1, In: 4, Call: 11, Return: 11, CallAt: 11 * second, ReturnAt: 11 * second},
			{Kind: OpLose, Client: 1, In: 4, Outcome: OutcomeUnknown, Call: 12, CallAt: 12 * second},
			{Kind: OpAcquireWrite, Client: 2, In: 8, Call: 13, Return: 13, CallAt: 13 * second, ReturnAt: 13 * second},
			{Kind: OpLose, Client: 2, In: 8, Outcome: OutcomeUnknown, Call: 14, CallAt: 14 * second},
		}},
	} {
		require.Equal(t, c.want, SharedOperations(locks, c.o))
	}
	require.Equal(t, []Operation{
		{Kind: OpAcquire, In: 1, In2: 2, Call: 0, Return: 0},
		{Kind: OpAcquire, In: 2, In2: 1, Call: 1, Return: 1, CallAt: second, ReturnAt: second},
		{Kind: OpRelease, In: 1, In2: 2, Outcome: OutcomeUnknown, Call: 2, CallAt: 2 * second},
		{Kind: OpLose, In: 2, Outcome: OutcomeUnknown, Call: 3, CallAt: 3 * second},
	}, SharedOperations(parseHistory(t, "0 A grant 0 n=2\n 1 A grant 1\n 2 A release 0\n 3 A lost"), SharedOptions{Semaphore: true}))
}

// A writer that reads before it lets go keeps other writers out, and lets
// readers in only then.
func TestDowngradesAreJudged(t *testing.T) {
	start := "0 A grant 0 text=write\n 1 A grant 1 text=read\n"
	for history, want := range map[string]Verdict{
		"2 A release 0\n 3 B grant 0 text=read\n 4 A release 1":                         Pass,
		"2 B grant 0 text=read\n 3 A release 0\n 4 A release 1":                         Failed,
		"2 A release 0\n 3 B grant 0 text=write\n 4 A release 1":                        Failed,
		"2 A release 0\n 3 A release 1\n 4 B grant 0 text=write":                        Pass,
		"2 A release 1\n 3 B grant 0 text=read\n 4 A release 0":                         Failed,
		"2 A lost\n 3 B grant 0 text=write":                                             Pass,
		"2 A release 0\n 3 A lost\n 4 B grant 0 text=write":                             Pass,
		"2 A release 1\n 3 A grant 2 text=read\n 4 A release 0\n 5 A grant 3 text=read": Pass,
	} {
		events := parseHistory(t, start+history)
		d := Decide(named(t, "reentrant-rw-lock"), SharedOperations(events, SharedOptions{Reentrant: true}), DecideOptions{})
		require.Equal(t, want, d.Verdict, history)
		var m RWMonitor
		m.Reset(false)
		for i := range events {
			m.Observe(&events[i])
		}
		require.Equal(t, want, m.Finish().Verdict, history)
	}
}

// drawShared draws a history of what several clients may hold at once: of a
// lock with downgrades, or of a semaphore.
func drawShared(t *rapid.T, o SharedOptions) []Event {
	type client struct {
		holds   []int32
		writes  bool
		invoked bool
		next    int32
	}
	var history []Event
	clients := make([]client, 3)
	for range rapid.IntRange(1, 16).Draw(t, "events") {
		i := rapid.IntRange(0, len(clients)-1).Draw(t, "client")
		c := &clients[i]
		e := Event{At: time.Duration(len(history)) * second, Client: int32(i)}
		switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
		case what == 0:
			e.Kind = rapid.SampledFrom([]Kind{Lost, Down, Crash, Restart}).Draw(t, "end")
			if endsBelief(e.Kind, o.StopsAtDisconnect) {
				c.holds, c.writes = nil, false
			}
		case what < 5 && len(c.holds) > 0:
			k := rapid.IntRange(0, len(c.holds)-1).Draw(t, "hold")
			e.Kind, e.Op = ReleaseInvoke, c.holds[k]
			c.holds = append(c.holds[:k:k], c.holds[k+1:]...)
			if rapid.Bool().Draw(t, "returns") {
				history = append(history, e)
				e.Kind = ReleaseReturn
			}
			c.writes = c.writes && len(c.holds) > 0
		case !c.invoked && what < 8:
			e.Kind, e.Op, c.invoked = Invoke, c.next, true
		default:
			e.Kind, e.Op, c.invoked = Grant, c.next, false
			c.next++
			e.N = int64(rapid.IntRange(0, 2).Draw(t, "permits"))
			// A client that reads never acquires for writing, and one that writes
			// may read.
			if len(c.holds) > 0 || rapid.Bool().Draw(t, "reads") {
				e.Text = SharedGrant
			}
			c.holds = append(c.holds, e.Op)
		}
		history = append(history, e)
	}
	return history
}

// The monitors of beliefs and the models agree, whatever the history: as of a
// lock, no order does better than that in which beliefs begin and end.
func TestSharedAgreement(t *testing.T) {
	seen := map[Verdict]int{}
	rapid.Check(t, func(t *rapid.T) {
		for range 10 {
			o := SharedOptions{Semaphore: rapid.Bool().Draw(t, "semaphore"), StopsAtDisconnect: rapid.Bool().Draw(t, "stops")}
			model, oracle := "semaphore:2", oracleSemaphore(2)
			cfg := SharedConfig{Clients: 3, StopsAtDisconnect: o.StopsAtDisconnect, Permits: 2}
			if !o.Semaphore {
				model, oracle, o.Reentrant, cfg.Permits = "reentrant-rw-lock", oracleRWLock(true), true, 0
			}
			history := drawShared(t, o)
			var s Shared
			s.Reset(cfg)
			observeAll(&s, history)
			want := s.Finish(history)[0]
			m, err := ModelByName(model)
			require.NoError(t, err)
			ops := SharedOperations(history, o)
			d := Decide(m, ops, DecideOptions{})
			require.Equal(t, want.Verdict, d.Verdict, "%s; %s", want.Why, d.Why)
			if len(ops) <= 8 {
				require.Equal(t, d.Verdict == Pass, oracleAllows(oracle, "", ops), d.Why)
			}
			seen[d.Verdict]++
		}
	})
	require.Positive(t, seen[Pass])
	require.Positive(t, seen[Failed])
}
