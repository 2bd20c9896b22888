package scenarios

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/sim/explore"
)

// behindChecker is a model that compares what is told of the state behind a
// transition with that state.
type behindChecker struct {
	*model
	t       testing.TB
	scratch *Runner
	led     map[uint64]uint64
	again   map[moveKind]int // transitions of which it was told before where they lead
}

func (c *behindChecker) Do(r *Runner, m move) {
	if behind := r.behind(&m); behind != 0 {
		c.model.Copy(c.scratch, r)
		c.scratch.doDeferring(&m)
		key := c.scratch.key()
		before, ok := c.led[behind]
		if ok {
			require.Equal(c.t, before, key, "%s, %v", c.v.Name, m)
			c.again[m.kind]++
		}
		c.led[behind] = key
	}
	c.model.Do(r, m)
}

// repeatingModels are models in which transitions repeat others in ways of their
// own.
func repeatingModels() []reducedModel {
	return append(reducedModels(),
		reducedModel{"lock/zkdocs", "crash=1,expiry=1,cut-reply=1", false},
		reducedModel{"lock/zkdocs", "crash=1,resession=1", false},
		reducedModel{"lock/zkdocs", "crash=2,cut=1", false},
		reducedModel{"lock/curator", "crash=1,interrupt=1", false},
		reducedModel{"lock/kazoo", "crash=1,cut-request=1", false},
		reducedModel{"group/kazoo-party", "expiry=1", false}, // 3 million states are not all of it
		reducedModel{"queue/zkdocs", "crash=1", false},
		reducedModel{"rwlock/zkdocs", "crash=1,expiry=1", false},
		reducedModel{"semaphore/curator", "crash=1,resession=1", false},
		reducedModel{"sale/fenced", "crash=1", false},
		reducedModel{"sale/zkdocs", "crash=1", false})
}

// Where a transition is said to lead where another has led, it does.
func TestTransitionsThatRepeatLeadToOneState(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	most := orInCampaign(1000, 50_000)
	for _, on := range []Reductions{{}, {Delivery: true, Private: true, Done: true}, AllReductions()} {
		again := map[moveKind]int{}
		for _, m := range repeatingModels() {
			for _, clients := range []int{2, 3} {
				s := small(t, m.variant, clients, 1, m.faults)
				s.Untimed = true
				require.NoError(t, s.Validate(), m.variant)
				md := newModel(theVariant(t, s), s, 0, on)
				c := &behindChecker{model: md, t: t, scratch: md.New(), led: map[uint64]uint64{}, again: again}
				md.forgetful = true
				explore.Prove(context.Background(), []explore.Model[*Runner, move]{c}, explore.ProveOptions{Limits: explore.Limits{States: most}})
				md.close()
			}
		}
		require.Greater(t, again[moveFault], 1000, on)
		require.Greater(t, again[moveExpiry], 1000, on)
	}
}

// A search that remembers which transitions it made finds what one finds that
// makes all of them, and makes fewer.
func TestSearchesThatRememberFindTheSame(t *testing.T) {
	t.Parallel()
	skipUnderRace(t)
	most := orInCampaign(2000, 100_000)
	compared := 0
	for _, m := range repeatingModels() {
		s := small(t, m.variant, 2, 1, m.faults)
		s.Untimed = true
		if s.Validate() != nil || theVariant(t, s).Tokens {
			continue
		}
		for _, on := range []Reductions{{Delivery: true, Private: true, Done: true}, AllReductions()} {
			search := func(forgetful bool) (*explore.Result[move], map[string]bool) {
				ends := map[string]bool{}
				for fields := uint32(0); ; {
					md := newModel(theVariant(t, s), s, fields, on)
					md.forgetful = forgetful
					md.ends = func(r *Runner) { ends[r.ending()] = true }
					res := explore.Prove(context.Background(), []explore.Model[*Runner, move]{md}, explore.ProveOptions{Limits: explore.Limits{States: most}})
					md.close()
					if md.asked&^fields == 0 {
						return res, ends
					}
					clear(ends)
					fields |= md.asked
				}
			}
			want, ends := search(true)
			if !want.Complete {
				continue
			}
			got, seen := search(false)
			require.Equal(t, ends, seen, m)
			require.Equal(t, want, got, m)
			compared++
		}
	}
	require.Greater(t, compared, 40)
}
