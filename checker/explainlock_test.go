package checker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Where nobody owns a hold, no sentence says whose holds overlap; with owners
// the same history tells them.
func TestAnonymousHoldsAreNotTold(t *testing.T) {
	history := func(owners ...int64) []Operation {
		ops := []Operation{
			{Kind: OpAcquire, Client: 0, Call: 1, Return: 2},
			{Kind: OpRelease, Client: 1, Call: 3, Outcome: OutcomeUnknown},
			{Kind: OpAcquire, Client: 1, Call: 5, Return: 6},
			{Kind: OpAcquire, Client: 2, Call: 7, Return: 8},
		}
		for i, o := range owners {
			ops[i].In = o
		}
		return ops
	}
	for _, c := range []struct{ model, anonymous, owned string }{
		{
			"mutex", "C was granted the lock at 8: no order of the 3 grants up to then and of the releases between them is allowed",
			"C was granted the lock at 8 while B held it since 6",
		},
		{
			"semaphore:1", "C was granted the lock at 8: no order of the 3 grants up to then and of the releases between them is allowed",
			"C was granted 1 at 8 while B held 1 since 6, and there are 1 in all",
		},
	} {
		d := Decide(named(t, c.model), history(), DecideOptions{Stamps: true})
		require.Equal(t, Failed, d.Verdict)
		require.Equal(t, c.anonymous, d.Why)
		d = Decide(named(t, c.model), history(1, 1, 2, 3), DecideOptions{Stamps: true})
		require.Equal(t, Failed, d.Verdict)
		require.Equal(t, c.owned, d.Why)
	}
}
