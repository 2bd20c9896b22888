package scenarios

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// Behind the last number ZooKeeper 3.8.0 goes on with no negative one, as its
// documentation says: it answers NodeExists for ever. So of the faults that
// the seeds have there (seed002:L10, Q7, seed003:T9) none shows, and no
// sequential znode is made any more.
func TestBehindTheLastNumberNothingIsMade(t *testing.T) {
	for _, variant := range []string{"lock/seed002", "lock/seed003", "queue/seed002"} {
		s := Default(variant)
		s.Counter = math.MaxInt32
		r := newRunner(t, s)
		for seed := range uint64(50) {
			r.Run(sim.NewRandom(seed))
			failed := 0
			made := map[string]bool{}
			for _, e := range r.History() {
				switch e.Kind {
				case checker.TicketCreate, checker.ItemCreate:
					made[e.Text] = true
				case checker.Fail, checker.PutEnd:
					if e.Text != "" {
						require.Contains(t, e.Text, zk.ErrNodeExists.Error(), "%s seed %d", variant, seed)
						failed++
					}
				}
			}
			require.LessOrEqual(t, len(made), 1, "%s seed %d", variant, seed)
			require.Positive(t, failed, "%s seed %d", variant, seed)
			for path := range made {
				require.True(t, strings.HasSuffix(path, "2147483647"), path)
			}
		}
	}
}
