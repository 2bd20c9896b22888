package checker

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A witness order that is a linearization is a proof; any other says nothing.
func TestDecideByWitness(t *testing.T) {
	m := named(t, "queue")
	ops := parseOperations(t, `
		1 4 A enqueue 7
		1 4 B enqueue 8
		5 6 C dequeue = 8
		1 ? C dequeue
		7 8 C enqueue 9 !
	`)
	for _, c := range []struct {
		name    string
		witness []int
		how     How
	}{
		{"whole", []int{1, 0, 2, 3}, ByWitness},
		{"without what never took effect", []int{1, 0, 2}, ByWitness},
		{"one that cannot take effect where it stands never does", []int{3, 1, 0, 2}, ByWitness},
		{"what failed is left out", []int{1, 4, 0, 2}, ByWitness},
		{"not the specification's", []int{0, 1, 2}, ByPatterns},
		{"against real time", []int{1, 2, 0}, ByPatterns},
		{"incomplete", []int{1, 2}, ByPatterns},
		{"empty", []int{}, ByPatterns},
		{"none", nil, ByPatterns},
	} {
		d := Decide(m, ops, DecideOptions{Witness: c.witness})
		require.Equal(t, Decision{Verdict: Pass, How: c.how, Size: 4, Unknowns: 1}, d, c.name)
	}
	// Equal stamps are no order.
	tied := parseOperations(t, "2 3 A enqueue 7\n 1 2 B dequeue = 7")
	require.Equal(t, ByWitness, Decide(m, tied, DecideOptions{Witness: []int{0, 1}}).How)

	bad := slices.Clone(ops)
	bad[1].Call, bad[1].CallAt = 4500, 4500*time.Millisecond
	bad[1].Return = 4600
	bad[3].Outcome = OutcomeFailed
	require.Equal(t, Failed, Decide(m, bad, DecideOptions{Witness: []int{0, 1, 2}}).Verdict)
	for _, c := range []struct {
		witness []int
		why     string
	}{
		{[]int{0, 9}, "the history cannot be judged: the witness names operation 9 of 5"},
		{[]int{0, 5}, "the history cannot be judged: the witness names operation 5 of 5"},
		{[]int{-1}, "the history cannot be judged: the witness names operation -1 of 5"},
		{[]int{1, 0, 1}, "the history cannot be judged: the witness names operation 1 twice"},
	} {
		d := Decide(m, ops, DecideOptions{Witness: c.witness})
		require.Equal(t, Decision{Verdict: Unknown, Size: 5, Why: c.why}, d)
	}
}

func TestDecideOfNothing(t *testing.T) {
	for _, m := range Models() {
		require.Equal(t, Decision{Verdict: Pass}, Decide(m, nil, DecideOptions{}), m.Name())
	}
}

// Objects are decided apart: one that fails decides, whatever else is
// undecided, and one that is undecided keeps the whole from passing.
func TestDecideObjects(t *testing.T) {
	m := named(t, "priority-queue")
	quick := parseOperations(t, "1 2 A enqueue 1 @quick\n 1 3 B dequeue @quick = 1")
	bad := parseOperations(t, "1 2 A dequeue @bad = 1")
	hard := hardPriorityQueue(12)
	o := DecideOptions{Steps: 2000}

	d := Decide(m, slices.Concat(quick, hard), o)
	require.Equal(t, Unknown, d.Verdict)
	require.Equal(t, ByPorcupine, d.How)
	require.Equal(t, "hard", d.Object)
	require.Equal(t, 25, d.Size)
	require.Equal(t, 1, d.Unknowns)
	require.Equal(t, "the search ended because its steps were spent: 25 operations on one object, 1 of them of unknown outcome", d.Why)
	require.GreaterOrEqual(t, d.Steps, int64(2000))
	require.Less(t, d.Steps, int64(3000))
	require.Nil(t, d.Evidence)

	again := Decide(m, slices.Concat(hard, quick), o)
	require.Equal(t, d.Verdict, again.Verdict)
	require.Equal(t, d.Why, again.Why)
	require.Equal(t, "hard", again.Object)

	for _, ops := range [][]Operation{slices.Concat(hard, bad), slices.Concat(bad, hard)} {
		d = Decide(m, ops, o)
		require.Equal(t, Failed, d.Verdict)
		require.Equal(t, ByPatterns, d.How)
		require.Equal(t, "bad", d.Object)
		require.Equal(t, 1, d.Size)
		require.Equal(t, "A took 1 at 2.000s, and nobody had put it", d.Why)
		require.Equal(t, "bad", ops[d.Evidence.Operations[0]].Object)
	}

	// What one object spent does not keep the next from being decided.
	small := readModelCases(t, "priority-queue")[4].bad
	for i := range small {
		small[i].Object = "small"
	}
	d = Decide(m, slices.Concat(hard, small), DecideOptions{Steps: 5000})
	require.Equal(t, Failed, d.Verdict)
	require.Equal(t, "small", d.Object)
	require.Equal(t, ByPorcupine, d.How)

	// The budget is one for all objects, but for a hundredth for each.
	harder := hardPriorityQueue(12)
	for i := range harder {
		harder[i].Object = "harder"
	}
	const budget, drained = 20_000, 40 // a search that gives up goes through what is left
	d = Decide(m, slices.Concat(hard, harder), DecideOptions{Steps: budget})
	require.InDelta(t, budget+budget/100, d.Steps, 2*drained)
	medium := hardPriorityQueue(5)
	for i := range medium {
		medium[i].Object = "medium"
	}
	d = Decide(m, medium, DecideOptions{})
	require.Equal(t, Pass, d.Verdict)
	require.Greater(t, d.Steps, int64(3*drained))
	d = Decide(m, slices.Concat(medium, hard), DecideOptions{Steps: budget})
	require.Equal(t, "hard", d.Object)
	require.InDelta(t, budget, d.Steps, drained)

	d = Decide(m, quick, DecideOptions{})
	require.Equal(t, Pass, d.Verdict)
	require.Equal(t, 2, d.Size)
	require.Empty(t, d.Object)
}

// hardPriorityQueue is a history that keeps a search busy: n values of one
// priority are put at once, and left in the order that a search tries last;
// one more put is of unknown outcome.
func hardPriorityQueue(n int64) []Operation {
	var ops []Operation
	for i := range n {
		ops = append(ops, Operation{Object: "hard", Kind: OpEnqueue, In: i, Call: 0, Return: 10})
	}
	for i := range n {
		ops = append(ops, Operation{Object: "hard", Kind: OpDequeue, Out: n - 1 - i, Call: 20 + 2*i, Return: 21 + 2*i})
	}
	return append(ops, Operation{Object: "hard", Kind: OpEnqueue, In: n, Outcome: OutcomeUnknown, Call: 5})
}

// Time is a budget too, and a search that ran out of it is no pass.
func TestDecideTimeLimit(t *testing.T) {
	m := named(t, "priority-queue")
	d := Decide(m, hardPriorityQueue(20), DecideOptions{Steps: -1, Time: time.Millisecond})
	require.Equal(t, Unknown, d.Verdict)
	require.True(t, strings.HasPrefix(d.Why, "the search ended because its time was over: 41 operations"), d.Why)
}

func TestDecideDefaults(t *testing.T) {
	var o DecideOptions
	require.Equal(t, int64(5_000_000), o.steps())
	require.Equal(t, 10*time.Second, o.limit())
	o = DecideOptions{Steps: -1, Time: -1}
	require.Zero(t, o.steps())
	require.Zero(t, o.limit())
	o = DecideOptions{Steps: 7, Time: 8}
	require.Equal(t, int64(7), o.steps())
	require.Equal(t, time.Duration(8), o.limit())
}

func TestSearchBudget(t *testing.T) {
	b := newSearchBudget(2, 0)
	require.False(t, b.step())
	require.False(t, b.step())
	require.True(t, b.step())
	require.True(t, b.spent())

	b = newSearchBudget(0, 8000)
	require.Equal(t, int64(searchMemory/1160), b.maxStates)
	for range 100 {
		require.False(t, b.step())
	}
	b.maxStates = 2
	b.kept()
	require.False(t, b.spent())
	b.kept()
	require.True(t, b.spent())
	require.True(t, b.step())
}

// What is of unknown outcome stands behind the end, and the end behind all
// that is certain; those that are alike are numbered by their calls.
func TestSearchInputs(t *testing.T) {
	list, classes := searchInputs(parseOperations(t, `
		1 ? A enqueue 7
		5 9 A enqueue 8
		4 ? B dequeue
		3 ? C dequeue
		12 ? C enqueue 7
	`))
	require.Equal(t, 2, classes)
	require.Len(t, list, 6)
	end := list[5]
	require.Nil(t, end.Input.(*searchInput).op)
	require.Equal(t, []int64{12_001, 12_002}, []int64{end.Call, end.Return})
	for i, want := range []searchInput{{class: 0, rank: 0}, {}, {class: 1, rank: 1}, {class: 1, rank: 0}, {class: 0, rank: 1}} {
		got := list[i].Input.(*searchInput)
		require.Equal(t, []int32{want.class, want.rank}, []int32{got.class, got.rank}, i)
		require.Equal(t, int64(i) != 1, list[i].Return > end.Return, i)
	}
}

// A search whose memory is full says so.
func TestSearchMemory(t *testing.T) {
	m := named(t, "priority-queue")
	ops := hardPriorityQueue(12)
	b := newSearchBudget(0, len(ops))
	b.maxStates = 50
	require.Equal(t, searched{verdict: Unknown, steps: b.steps, why: "its memory was full"}.why, runSearch(&m, ops, b, 0).why)
	require.Less(t, b.steps, int64(5000))
}

// The size of what had to be looked at is that of the largest object.
func TestDecideSizes(t *testing.T) {
	d := Decide(named(t, "counter"), parseOperations(t, `
		1 2 A add 1 @x
		1 ? B add 1 @x
		1 2 C add 1 @y
		3 4 C read @y = 1
		3 4 C read @y = 1
		1 2 D read @z = 5 !
	`), DecideOptions{})
	require.Equal(t, Decision{Verdict: Pass, How: ByPorcupine, Size: 3, Unknowns: 1, Steps: d.Steps}, d)
	require.NotZero(t, d.Steps)
}

// Long histories of busy clients are decided, and without a search.
func TestBusyHistoriesAreDecided(t *testing.T) {
	for _, n := range []int{1000, 10_000} {
		ops, order := busyQueue(20, n)
		d := Decide(named(t, "queue"), ops, DecideOptions{})
		require.Equal(t, Pass, d.Verdict, d.Why)
		require.Equal(t, ByPatterns, d.How)
		require.Equal(t, ByWitness, Decide(named(t, "queue"), ops, DecideOptions{Witness: order}).How)
		require.Equal(t, ByWitness, Decide(named(t, "queue"), ops, DecideOptions{Witness: order}).How)

		locks, order := busyLock(10, n)
		d = Decide(named(t, "mutex"), locks, DecideOptions{})
		require.Equal(t, Pass, d.Verdict, d.Why)
		require.Zero(t, d.Steps)
		require.Equal(t, ByWitness, Decide(named(t, "mutex"), locks, DecideOptions{Witness: order}).How)
		d = Decide(named(t, "mutex"), breakLock(locks), DecideOptions{})
		require.Equal(t, Failed, d.Verdict)
		require.Less(t, d.Steps, int64(100))
		require.Len(t, d.Evidence.Operations, 2)
		require.True(t, d.Evidence.Minimal)
	}
}

func TestLater(t *testing.T) {
	require.Equal(t, How(""), later("", ""))
	require.Equal(t, ByWitness, later("", ByWitness))
	require.Equal(t, ByPatterns, later(ByPatterns, ByWitness))
	require.Equal(t, ByPorcupine, later(ByWitness, ByPorcupine))
}

// Without a bound there is none for later objects either, and a small budget
// that one object has spent leaves the next a step, not all that it wants.
func TestDecideBudgetsOfLaterObjects(t *testing.T) {
	m := named(t, "priority-queue")
	var ops []Operation
	for _, object := range []string{"x", "y"} {
		for _, op := range hardPriorityQueue(5) {
			op.Object = object
			ops = append(ops, op)
		}
	}
	d := Decide(m, ops, DecideOptions{Steps: -1})
	require.Equal(t, Pass, d.Verdict, d.Why)
	alone := Decide(m, ops[:len(ops)/2], DecideOptions{})
	require.Equal(t, 2*alone.Steps, d.Steps)

	d = Decide(m, ops, DecideOptions{Steps: 20})
	require.Equal(t, Unknown, d.Verdict)
	require.Less(t, d.Steps, alone.Steps)
}

// What a search has tried it does not try again in another order: n operations
// at once have n! orders and 2^n states at most.
func TestSearchRemembers(t *testing.T) {
	const n = 8
	for _, c := range []struct {
		model string
		op    Operation
		last  Operation // what cannot be
	}{
		{"counter", Operation{Kind: OpAdd, In: 1, Out: None}, Operation{Kind: OpRead, Out: n + 1}},
		{"sale:100", Operation{Kind: OpBuy, In: 1, Out: 1}, Operation{Kind: OpRead, Out: 1}},
		{"cas-register", Operation{Kind: OpWrite, In: 7}, Operation{Kind: OpRead, Out: 8}},
		{"rw-lock", Operation{Kind: OpAcquireRead}, Operation{Kind: OpAcquireWrite, In: 50}},
		{"semaphore:100", Operation{Kind: OpAcquire}, Operation{Kind: OpAcquire, In: 50, In2: 100}},
		{"queue", Operation{Kind: OpEnqueue, In: 7}, Operation{Kind: OpDequeue, Out: 8}},
		{"election", Operation{Kind: OpLead, In: 7, In2: 1}, Operation{Kind: OpRead, In2: 1, Out: 8}},
	} {
		ops := make([]Operation, n)
		for i := range ops {
			ops[i] = c.op
			ops[i].Return = 10
			if c.op.Kind.acquires() {
				ops[i].In = int64(i)
			}
		}
		c.last.Call, c.last.Return = 20, 30
		m := named(t, c.model)
		r := search(&m, append(ops, c.last), 0, 0)
		require.Equal(t, Failed, r.verdict, c.model)
		require.LessOrEqual(t, r.steps, int64((n+1)*(1<<n)), c.model)
	}
}

// States are equal if and only if they look it, and equal ones have one hash:
// else a search would take one state for another, or try the same again.
func TestSearchTellsStatesApart(t *testing.T) {
	for _, om := range oracleModels() {
		m := named(t, om.name)
		p := m.engine.search(newSearchBudget(0, 0))
		r := rand.New(rand.NewPCG(7, 7))
		var states []any
		var texts []string
		for range 60 {
			ops, order := generate(r, om, 6)
			s := p.Init()
			var taken []int32
			for _, k := range order {
				ops[k].Outcome = OutcomeOK
				ok, next := p.Step(s, &searchInput{op: &ops[k]}, nil)
				if !ok || ops[k].Object != "x" {
					break
				}
				s = next
				taken = append(taken, k32(k))
				states = append(states, s)
				text := m.engine.states(ops, taken)
				texts = append(texts, text[len(text)-1])
			}
		}
		same, others := 0, 0
		for i := range states {
			for k := range states[:i] {
				equal := p.Equal(states[i], states[k])
				if texts[i] == texts[k] {
					same++
					require.True(t, equal, "%s: %s", om.name, texts[i])
				} else if !equal {
					others++
				}
				if equal {
					require.Equal(t, p.Hash(states[i]), p.Hash(states[k]), "%s: %s, %s", om.name, texts[i], texts[k])
				}
			}
		}
		require.Positive(t, same, om.name)
		require.Positive(t, others, om.name)
	}
}

func k32(k int) int32 { return int32(k) }
