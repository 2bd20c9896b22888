package scenarios

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/sim"
)

// waysOn compares the states that a search takes for one. It visits the states
// of a scenario, up to a number of them, and looks behind each transition also
// where it leads to a state that is known: the transitions of states with equal
// keys must lead to states with equal keys. It returns how many states it
// visited, and a pair of ways to each pair of states of which that is not so.
func waysOn(t testing.TB, s Scenario, on Reductions, fields uint32, most int, keyOf func(*model, *Runner) uint64) (states int, differ [][2][]move, asked uint32) {
	s.Untimed = true
	require.NoError(t, s.Validate())
	md := newModel(theVariant(t, s), s, fields, on)
	defer md.close()
	beyond := md.New()
	var keys []uint64
	ways := func(r *Runner, moves []move) uint64 {
		keys = keys[:0]
		for _, m := range moves {
			md.Copy(beyond, r)
			md.Do(beyond, m)
			keys = append(keys, keyOf(md, beyond))
		}
		slices.Sort(keys)
		var h sim.Hash
		for _, k := range keys {
			h.Uint64(k)
		}
		h.Uint64(uint64(len(keys)))
		return h.Sum()
	}
	type level struct {
		r     *Runner
		moves []move
		next  int
	}
	var stack []*level
	open := func(depth int) *level {
		if depth == len(stack) {
			stack = append(stack, &level{r: md.New()})
		}
		return stack[depth]
	}
	way := func(depth int) []move {
		var p []move
		for i := range depth + 1 {
			p = append(p, stack[i].moves[stack[i].next-1])
		}
		return p
	}
	type visited struct {
		ways uint64
		way  []move
	}
	known := map[uint64]visited{}
	root := open(0)
	md.Begin(root.r)
	root.moves = md.Moves(root.r, nil)
	for depth := 0; depth >= 0 && len(known) < most; {
		at := stack[depth]
		if at.next == len(at.moves) {
			depth--
			continue
		}
		m := at.moves[at.next]
		at.next++
		to := open(depth + 1)
		md.Copy(to.r, at.r)
		md.Do(to.r, m)
		key := keyOf(md, to.r)
		to.moves, to.next = md.Moves(to.r, to.moves[:0]), 0
		w := ways(to.r, to.moves)
		if k, ok := known[key]; ok {
			if k.ways != w {
				differ = append(differ, [2][]move{k.way, way(depth)})
			}
			continue
		}
		known[key] = visited{w, way(depth)}
		depth++
	}
	return len(known), differ, md.asked
}

// finerThanNeeded has the variants whose states are told apart by what does not
// show in their past, "" with any reductions: no two states are taken for one
// there that are not.
var finerThanNeeded = map[string]string{
	"lock/fenced":  "",         // the code is told zxids, of which only the order matters
	"lock/zkjava":  "symmetry", // ids of sessions stand in names
	"lock/kazoo":   "done",     // the numbers of latches and scopes count those of the past
	"lock/seed003": "done",

	"queue/curator":        "done",
	"queue/curator-locked": "done",

	"election/curator-latch":         "done",
	"election/curator-latch-unasked": "done",
}

// States with equal keys go on alike, whatever the fault, with every reduction
// and with none.
func TestStatesOfEqualKeyGoOnAlike(t *testing.T) {
	t.Parallel()
	most := 400
	if inCampaign() {
		most = 20_000
	}
	pairs := 0
	for _, family := range Families() {
		for _, v := range Variants(family) {
			if family == "sale" && v.Name != v.family.baseline {
				continue // they differ in their locks alone
			}
			for _, on := range []Reductions{without("grant"), {}} { // those at grants are verified after a search
				if finer, ok := finerThanNeeded[v.Name]; ok {
					if finer == "" {
						continue
					}
					*on.named(finer) = false
				}
				if v.Name == "lock/zkjava" || v.Name == "lock/seed002" {
					on.Checkpoint = false // what they call checkpoints are none
				}
				for _, budget := range singleFaults {
					s := Small(v.Name)
					s.SetClients(2)
					s.Faults = budget
					alike(t, s, on, most)
					pairs++
				}
			}
		}
	}
	t.Logf("%d pairs of a scenario and reductions", pairs)
}

// alike requires that of the states of a scenario.
func alike(t testing.TB, s Scenario, on Reductions, most int) {
	for fields := uint32(0); ; {
		_, differ, asked := waysOn(t, s, on, fields, most, (*model).Key)
		if asked&^fields == 0 {
			if len(differ) > 0 {
				t.Errorf("%s, faults %s, reductions %s: %d pairs of states with equal keys go on differently, the first behind\n%v\n%v",
					s.Variant, s.Faults, on, len(differ), differ[0][0], differ[0][1])
			}
			return
		}
		fields |= asked
	}
}

// singleFaults are none, and one of each fault that an exhaustive search knows.
var singleFaults = []faults.Budget{
	{},
	{faults.Crash: 1},
	{faults.Expiry: 1},
	{faults.Resession: 1},
	{faults.Cut: 1},
	{faults.CutRequest: 1},
	{faults.CutReply: 1},
	{faults.Interrupt: 1},
}

// A larger scenario, whose states are many enough to meet in all ways.
func TestStatesOfEqualKeyGoOnAlikeInTwoRounds(t *testing.T) {
	most := 4000
	if inCampaign() {
		most = 300_000
	}
	alike(t, small(t, "lock/zkdocs", 3, 2, "crash=1"), AllReductions(), most)
	alike(t, small(t, "lock/zkdocs", 3, 1, "expiry=1,cut-reply=1"), AllReductions(), most)
}

// A key from which something is missing is noticed: what faults are left.
func TestStatesOfEqualKeyThatGoOnDifferently(t *testing.T) {
	forgetful := func(md *model, r *Runner) uint64 {
		left := r.left
		r.left = faults.Budget{}
		defer func() { r.left = left }()
		return md.Key(r)
	}
	s := small(t, "lock/zkdocs", 2, 1, "cut=1")
	for _, on := range []Reductions{without("grant"), {}} { // those at grants are verified after a search
		_, differ, _ := waysOn(t, s, on, 0, 1500, forgetful)
		require.NotEmpty(t, differ)
	}
}
