package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The operations of the lock histories are judged as the monitors judge the
// events, and told in the same words.
func TestLockOperations(t *testing.T) {
	eachLockCase(t, func(t *testing.T, _ Property, c lockCase) {
		m := named(t, "mutex")
		if c.cfg.Reentrant {
			m = named(t, "reentrant-mutex")
		}
		o := LinearizableOptions{Reentrant: c.cfg.Reentrant, StopsAtDisconnect: c.cfg.StopsAtDisconnect}
		for _, history := range [][]Event{c.bad, c.good} {
			want := MutexLinearizable(history, o)
			d := Decide(m, LockOperations(history, o), DecideOptions{})
			require.Equal(t, want.Verdict, d.Verdict, d.Why)
			if d.Verdict == Failed {
				require.Contains(t, d.Why, "was granted the lock")
				require.Contains(t, d.Why, name(want.Client)+" was granted")
			}
		}
	})
}

func TestLockOperationsOfAHistory(t *testing.T) {
	ops := LockOperations(parseHistory(t, `
		0.000 A invoke 0
		0.000 B invoke 0
		1.000 A grant 0
		2.000 A release 0
		2.500 A released 0
		3.000 B grant 0
		4.000 B release 0
		4.500 B released 0 text=error
		5.000 B invoke 1
		6.000 B grant 1
		7.000 B crash
		8.000 C invoke 0
		9.000 D released 0
		9.100 D grant 0
		9.200 D grant 1
		9.300 A released 0
	`), LinearizableOptions{})
	require.Equal(t, []Operation{
		{Kind: OpAcquire, Client: 0, In: 1, Call: 0, Return: 2, CallAt: 0, ReturnAt: time.Second},
		{Kind: OpRelease, Client: 0, In: 1, Call: 3, Return: 4, CallAt: 2 * time.Second, ReturnAt: 2500 * time.Millisecond},
		{Kind: OpAcquire, Client: 1, In: 2, Call: 1, Return: 5, CallAt: 0, ReturnAt: 3 * time.Second},
		{Kind: OpRelease, Client: 1, In: 2, Outcome: OutcomeUnknown, Call: 6, Return: 18, CallAt: 4 * time.Second, ReturnAt: 9300 * time.Millisecond},
		{Kind: OpAcquire, Client: 1, In: 3, Call: 8, Return: 9, CallAt: 5 * time.Second, ReturnAt: 6 * time.Second},
		{Kind: OpLose, Client: 1, In: 3, Outcome: OutcomeUnknown, Call: 10, Return: 18, CallAt: 7 * time.Second, ReturnAt: 9300 * time.Millisecond},
		// Nobody saw these begin.
		{Kind: OpAcquire, Client: 3, In: 4, Call: 13, Return: 13, CallAt: 9100 * time.Millisecond, ReturnAt: 9100 * time.Millisecond},
		{Kind: OpAcquire, Client: 3, In: 4, Call: 14, Return: 14, CallAt: 9200 * time.Millisecond, ReturnAt: 9200 * time.Millisecond},
	}, ops)
	require.Empty(t, LockOperations(nil, LinearizableOptions{}))
}
