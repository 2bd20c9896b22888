package explore

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/sim"
)

// asked is a run's worth of choices: a script of labels.
type asked struct {
	label sim.Label
	n     int
}

// script is inputs, then scheduling choices with inputs among them.
func script() []asked {
	var s []asked
	for range 4 {
		s = append(s, asked{"order", 8})
	}
	for range 5 {
		s = append(s, asked{"count", 2})
	}
	for i := range 60 {
		s = append(s, asked{sim.LabelLatency, 256}, asked{sim.LabelWake, 32})
		if i%10 == 0 {
			s = append(s, asked{"listing", 64}, asked{sim.LabelResume, 2})
		}
	}
	return s
}

// answers are what a strategy chooses.
func answers(t require.TestingT, st sim.Strategy, s []asked) []int {
	var vs []int
	st.Begin()
	for _, a := range s {
		v := st.Choose(a.label, a.n)
		require.GreaterOrEqual(t, v, 0)
		require.Less(t, v, a.n)
		vs = append(vs, v)
	}
	st.End(0)
	return vs
}

func labels() Labels { return Labels{Order: "order", Counts: []sim.Label{"count"}} }

// A run is a function of its kind and seed, whatever was run before.
func TestPlayersAgree(t *testing.T) {
	one, other := NewPlayer(labels(), 120), NewPlayer(labels(), 120)
	want := map[Run][]int{}
	for k := range Kind(numKinds) {
		for seed := range uint64(50) {
			r := Run{Kind: k, Seed: seed}
			want[r] = answers(t, one.Strategy(r), script())
		}
	}
	seen := map[string]bool{}
	for seed := uint64(49); seed < 50; seed-- {
		for k := range Kind(numKinds) {
			r := Run{Kind: k, Seed: seed}
			require.Equal(t, want[r], answers(t, other.Strategy(r), script()), "%s %d", k, seed)
			seen[fmt.Sprint(want[r])] = true
		}
	}
	require.Greater(t, len(seen), 150, "seeds differ")
	for _, v := range want[Run{Kind: KindBenign}] {
		require.Zero(t, v)
	}
}

// split parts the answers of a run into scheduling choices and the rest.
func split(s []asked, vs []int) (schedule, input []int) {
	for i, a := range s {
		if Schedules(a.label) {
			schedule = append(schedule, vs[i])
		} else {
			input = append(input, vs[i])
		}
	}
	return schedule, input
}

func nonZero(vs []int) int {
	n := 0
	for _, v := range vs {
		if v != 0 {
			n++
		}
	}
	return n
}

func TestPCTDelaysAtChangePointsAlone(t *testing.T) {
	at := map[int]bool{}
	for depth := 1; depth <= 5; depth++ {
		p := &PCT{Depth: depth, Choices: 126, Order: "order"}
		for seed := range uint64(200) {
			p.Seed(seed)
			vs := answers(t, p, script())
			schedule, input := split(script(), vs)
			require.Len(t, schedule, 126)
			require.Equal(t, depth-1, nonZero(schedule), "depth %d seed %d", depth, seed)
			require.Positive(t, nonZero(input))
			n := 0
			for i, a := range script() {
				if !Schedules(a.label) {
					continue
				}
				if vs[i] != 0 {
					require.Equal(t, a.n-1, vs[i], "the longest delay")
					at[n] = true
				}
				n++
			}
			// The processes begin in an order without ties.
			order := map[int]bool{}
			for _, v := range vs[:4] {
				order[v] = true
			}
			require.Len(t, order, 4)
		}
	}
	require.Len(t, at, 126, "every choice is a change point in some run")
}

// Every order of three processes comes about as often.
func TestPCTOrders(t *testing.T) {
	p := &PCT{Depth: 1, Choices: 10, Order: "order"}
	count := map[string]int{}
	const runs = 6000
	for seed := range uint64(runs) {
		p.Seed(seed)
		vs := answers(t, p, []asked{{"order", 8}, {"order", 8}, {"order", 8}})
		count[fmt.Sprint(vs[0] < vs[1], vs[1] < vs[2], vs[0] < vs[2])]++
	}
	require.Len(t, count, 6)
	for o, n := range count {
		require.InDelta(t, runs/6, n, runs/60, o)
	}
}

func TestPCTOfMoreProcessesThanPlaces(t *testing.T) {
	p := &PCT{Depth: 1, Choices: 1, Order: "order"}
	p.Seed(1)
	vs := answers(t, p, []asked{{"order", 2}, {"order", 2}, {"order", 2}, {"order", 2}})
	require.ElementsMatch(t, []int{0, 1}, vs[:2])
}

func TestDelayIsBounded(t *testing.T) {
	values := map[int]bool{}
	for most := range 6 {
		d := &Delay{Delays: most, Choices: 126}
		for seed := range uint64(200) {
			d.Seed(seed)
			schedule, input := split(script(), answers(t, d, script()))
			require.Equal(t, most, nonZero(schedule))
			require.Positive(t, nonZero(input))
			for _, v := range schedule {
				values[v] = true
			}
		}
	}
	require.Greater(t, len(values), 100, "delays of every length")
	// Of fewer choices than delays each is delayed.
	d := &Delay{Delays: 5, Choices: 3}
	d.Seed(1)
	schedule, _ := split(script(), answers(t, d, script()))
	require.Equal(t, 3, nonZero(schedule[:3]))
	require.Zero(t, nonZero(schedule[3:]))
}

func TestSwarmLeavesFeaturesOut(t *testing.T) {
	on, off := map[sim.Label]int{}, map[sim.Label]int{}
	counts := map[string]bool{}
	s := &Swarm{Counts: []sim.Label{"count"}}
	const runs = 400
	for seed := range uint64(runs) {
		s.Seed(seed)
		vs := answers(t, s, script())
		sum := map[sim.Label]int{}
		for i, a := range script() {
			sum[a.label] += vs[i]
		}
		for l, n := range sum {
			if n > 0 {
				on[l]++
			} else {
				off[l]++
			}
		}
		counts[fmt.Sprint(vs[4:9])] = true
	}
	for _, l := range []sim.Label{sim.LabelLatency, sim.LabelWake, "order", "listing"} {
		require.InDelta(t, runs/2, on[l], runs/8, l)
		require.InDelta(t, runs/2, off[l], runs/8, l)
	}
	require.Greater(t, len(counts), 25, "each count is a feature of its own")
}

// extents says that runs are as long as they have faults.
func extents(r Run) Extent {
	e := Extent{Steps: 5, Requests: []int{2, 3}}
	if r.Kind == KindRandom {
		e.Steps += int(r.Seed)
	}
	for _, s := range r.Sites {
		if !s.IsZero() {
			e.Steps++
		}
	}
	return e
}

func newFaults(pairs bool) *Faults {
	return &Faults{Kinds: 3, OnRequest: func(f int) bool { return f == 2 }, Seed: 7, Pairs: pairs, Measure: extents}
}

// Every fault at every place of the base run, once; then the next base run.
func TestSinglesAreAll(t *testing.T) {
	f := newFaults(false)
	for base, steps := range []int{5, 5 + 7, 5 + 8} {
		seen := map[Site]bool{}
		want := 2*2*steps + 5 // two kinds at steps of two clients, one at 2+3 requests
		for range want {
			r, ok := f.Next()
			require.True(t, ok)
			require.True(t, r.Planned)
			require.Equal(t, base == 0, r.Kind == KindBenign)
			if base > 0 {
				require.Equal(t, uint64(6+base), r.Seed)
			}
			require.True(t, r.Sites[1].IsZero())
			s := r.Sites[0]
			require.False(t, seen[s], "%v twice", s)
			seen[s] = true
			if s.Fault == 2 {
				require.Zero(t, s.Step)
				require.LessOrEqual(t, s.Request, 2+s.Client)
			} else {
				require.LessOrEqual(t, s.Step, steps)
				require.Positive(t, s.Step)
			}
		}
		require.Len(t, seen, want)
	}
}

// Every fault at every later place of each faulty run.
func TestPairsAreAll(t *testing.T) {
	f := newFaults(true)
	seen := map[[2]Site]bool{}
	firsts := map[Site]int{}
	for {
		r, ok := f.Next()
		require.True(t, ok)
		if r.Kind != KindBenign {
			break
		}
		require.False(t, seen[r.Sites])
		seen[r.Sites] = true
		firsts[r.Sites[0]]++
		if r.Sites[1].Step > 0 {
			require.Greater(t, r.Sites[1].Step, r.Sites[0].Step)
			require.LessOrEqual(t, r.Sites[1].Step, 6)
		}
	}
	require.Len(t, firsts, 2*2*5+5)
	for s, n := range firsts {
		require.Equal(t, 2*2*(6-s.Step)+5, n, "%v", s)
	}
}

func TestFaultsWithinBounds(t *testing.T) {
	f := newFaults(false)
	f.PerBase = 4
	bases := map[Run]int{}
	for range 40 {
		r, _ := f.Next()
		r.Sites = [2]Site{}
		bases[r]++
	}
	require.Len(t, bases, 10)
	for _, n := range bases {
		require.Equal(t, 4, n)
	}
	f = newFaults(true)
	f.PerBase, f.PerFirst = 6, 2
	firsts := map[string]int{}
	for range 60 {
		r, _ := f.Next()
		firsts[fmt.Sprint(r.Kind, r.Seed, r.Sites[0])]++
	}
	require.Len(t, firsts, 30)
}

func TestFaultsWithoutPlaces(t *testing.T) {
	f := newFaults(true)
	f.Kinds = 0
	_, ok := f.Next()
	require.False(t, ok)
	f = newFaults(false)
	f.Measure = func(Run) Extent { return Extent{} }
	_, ok = f.Next()
	require.False(t, ok)
}

// Leaps visit everything once, whatever the length.
func TestLeapsVisitAll(t *testing.T) {
	for n := range 200 {
		var list []Site
		for i := range n {
			list = append(list, Site{Step: i + 1})
		}
		s := inLeaps(list)
		seen := map[Site]bool{}
		for s.left() {
			seen[s.next()] = true
		}
		require.Len(t, seen, n)
	}
}

// few is a source that ends.
type few struct {
	kind Kind
	left int
}

func (f *few) Next() (Run, bool) {
	f.left--
	return Run{Kind: f.kind}, f.left >= 0
}

func (f *few) Cursor() Cursor { return Cursor{Given: f.left} }

func (f *few) GoOn(c *Cursor) { f.left = c.Given }

func TestPortfolioTakesTurns(t *testing.T) {
	p := &Portfolio{
		Sources: []Source{&Seeds{Kind: KindRandom, Seed: 3}, &few{KindPCT, 3}, &few{KindSwarm, 1}},
		Weights: []int{2, 2, 1},
	}
	got := ""
	for range 12 {
		r, ok := p.Next()
		require.True(t, ok)
		got += r.Kind.String()[:1]
	}
	require.Equal(t, "rrppsrrprrrr", got)
	r, _ := p.Next()
	require.Equal(t, uint64(3+9-1), r.Seed, "seeds follow one another")

	p = &Portfolio{Sources: []Source{&few{KindPCT, 2}, &few{KindDelay, 0}}, Weights: []int{1, 1}}
	for range 2 {
		_, ok := p.Next()
		require.True(t, ok)
	}
	for range 3 {
		_, ok := p.Next()
		require.False(t, ok)
	}
}

func ExamplePortfolio() {
	p := &Portfolio{
		Sources: []Source{&Seeds{Kind: KindSwarm}, &Seeds{Kind: KindPCT}},
		Weights: []int{2, 1},
	}
	for range 4 {
		r, _ := p.Next()
		fmt.Println(r.Kind, r.Seed)
	}
	// Output:
	// swarm 0
	// swarm 1
	// pct 0
	// swarm 2
}
