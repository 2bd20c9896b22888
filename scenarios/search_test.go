package scenarios

import (
	"context"
	"fmt"
	"testing"
	"time"

	"zoosim/faults"
	"zoosim/sim/explore"
)

func TestTry(t *testing.T) {
	for _, n := range []int{1, 2, 3} {
		for _, f := range []string{"none", "crash=1", "expiry=1,cut-reply=1"} {
			for _, on := range []Reductions{{}, {Private: true, Done: true}, AllReductions()} {
				if n == 3 && !on.Delivery {
					continue
				}
				s := Default("lock/zkdocs")
				s.Clients, s.Ops, s.Mode, s.Arrivals, s.Hold, s.FixedHold = n, 1, ModeBlocking, ArriveTogether, time.Millisecond, true
				s.Faults, _ = faults.ParseBudget(f)
				md, err := newModel(s, 32, on)
				if err != nil {
					t.Fatal(err)
				}
				t0 := time.Now()
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
				res := explore.Prove(ctx, []explore.Model[*Runner, move]{md}, explore.Limits{})
				cancel()
				d := time.Since(t0)
				fmt.Println(n, f, on, res.States, res.Transitions, res.MaxDepth, res.Complete, res.Ends, len(res.Failures), d, float64(res.States)/d.Seconds(), md.memo.Nodes(), md.memo.Fed(), md.memo.Audit())
				md.close()
			}
		}
	}
}
