package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/recipes/lock"
)

// small is a scenario for exhaustive search.
func small(t testing.TB, variant string, clients, ops int, budget string) Scenario {
	s := Default(variant)
	s.Clients, s.Ops, s.Attempts, s.Mode, s.Arrivals = clients, ops, 1, ModeBlocking, ArriveTogether
	s.Hold, s.FixedHold = time.Millisecond, true
	b, err := faults.ParseBudget(budget)
	require.NoError(t, err)
	s.Faults = b
	return s
}

func TestTryAll(t *testing.T) {
	for _, v := range lock.Variants() {
		for _, f := range []string{"none", "crash=1", "expiry=1", "cut-reply=1", "cut-request=1"} {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			t0 := time.Now()
			rep, err := Exhaustive(ctx, small(t, v.Name, 2, 1, f), SearchOptions{Reductions: AllReductions(), Shortest: true, States: 400000})
			cancel()
			if err != nil {
				fmt.Println(v.Name, f, err)
				continue
			}
			fmt.Println(v.Name, f, rep.States, rep.Complete, rep.Histories, time.Since(t0))
			for _, c := range rep.Violations {
				fmt.Println("    ", c.Property, c.Transitions, c.Why)
			}
		}
	}
}
