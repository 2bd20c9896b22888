package checker

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// oracleHistories is how many histories of each model are drawn.
func oracleHistories(t *testing.T) int {
	text := os.Getenv("ZOOSIM_ORACLE")
	if text == "" {
		return 2000
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, "ZOOSIM_ORACLE is the number of histories of each model")
	return n
}

// All deciders agree with the oracle, on histories that are linearizable and
// on such that are not, and what they say about them is right.
func TestDecidersAgreeWithTheOracle(t *testing.T) {
	for k, om := range oracleModels() {
		t.Run(om.name, func(t *testing.T) {
			m, err := ModelByName(om.name)
			require.NoError(t, err)
			c := &comparison{t: t, m: m, om: om, decided: map[Verdict]int{}}
			for i := range oracleHistories(t) {
				c.r = rand.New(rand.NewPCG(uint64(k), uint64(i)))
				c.seed = i
				c.one()
			}
			require.Greater(t, c.decided[Pass], c.seed/4)
			require.Greater(t, c.decided[Failed], c.seed/20)
			t.Logf("%v; evidence of up to %d operations", c.decided, c.largest)
		})
	}
}

// Queue histories of random intervals, with many dequeues that find nothing
// or are of unknown outcome, are where completing what is pending is hardest.
func TestQueuePatternsAgreeWithTheOracle(t *testing.T) {
	decided := map[Verdict]int{}
	for i := range 5 * oracleHistories(t) {
		r := rand.New(rand.NewPCG(99, uint64(i)))
		ops := randomQueue(r)
		f := queuePatterns(ops)
		require.NotEqual(t, Unknown, f.verdict)
		decided[f.verdict]++
		want := oracleAllows(oracleQueue(-1, oldest), "", ops)
		require.Equal(t, want, f.verdict == Pass, "seed %d: %+v", i, ops)
		for _, k := range f.ops {
			require.NotEqual(t, OutcomeFailed, ops[k].Outcome)
		}
	}
	least := oracleHistories(t) / 2
	require.Greater(t, decided[Pass], least)
	require.Greater(t, decided[Failed], least)
	t.Log(decided)
}

// randomQueue draws up to 8 operations with distinct values and any intervals.
func randomQueue(r *rand.Rand) []Operation {
	n := 1 + r.IntN(8)
	var values []int64
	ops := make([]Operation, n)
	for i := range ops {
		op := &ops[i]
		op.Call = r.Int64N(16)
		op.Return = op.Call + r.Int64N(8)
		op.Client = int32(i)
		if r.IntN(3) == 0 {
			op.Outcome = OutcomeUnknown
		}
		op.Kind, op.Out = OpDequeue, None
		switch {
		case r.IntN(2) == 0:
			op.Kind, op.In = OpEnqueue, int64(i)
			values = append(values, op.In)
		case len(values) > 0 && r.IntN(3) > 0:
			k := r.IntN(len(values))
			op.Out = values[k]
			values = slices.Delete(values, k, k+1)
		}
	}
	return ops
}

// comparison compares deciders on histories of one model.
type comparison struct {
	t       *testing.T
	m       Model
	om      oracleModel
	r       *rand.Rand
	seed    int
	decided map[Verdict]int
	largest int // evidence
}

// one draws a history and compares.
func (c *comparison) one() {
	ops, order := generate(c.r, c.om, 1+c.r.IntN(8))
	if c.r.IntN(3) == 0 {
		c.witness(ops, order)
	} else {
		for range 1 + c.r.IntN(6) {
			ops = mutate(c.r, ops)
		}
	}
	if c.m.unfit(ops) != "" {
		return
	}
	want := c.allows(ops)
	d := Decide(c.m, ops, DecideOptions{})
	c.same(want, d.Verdict, ops, "Decide")
	c.decided[d.Verdict]++
	for _, p := range c.m.split(ops) {
		c.deciders(p.ops)
	}
	// An order that is none never makes a bad history good.
	shuffled := c.r.Perm(len(ops))
	c.same(want, Decide(c.m, ops, DecideOptions{Witness: shuffled, NoEvidence: true}).Verdict, ops, "any witness")
	if !want {
		c.evidence(ops, d.Evidence)
	}
}

// witness holds a history as it was generated against its own order.
func (c *comparison) witness(ops []Operation, order []int) {
	d := Decide(c.m, ops, DecideOptions{Witness: append([]int{}, order...)})
	require.Equal(c.t, Pass, d.Verdict, "seed %d: %s", c.seed, d.Why)
	if d.Size > 0 {
		require.Equal(c.t, ByWitness, d.How, "seed %d", c.seed)
	}
}

// deciders compares what Decide is made of, on one object.
func (c *comparison) deciders(ops []Operation) {
	want := c.allows(ops)
	c.same(want, search(&c.m, ops, 0, 0).verdict, ops, "search")
	kept, _ := c.m.withoutUseless(ops)
	c.same(want, search(&c.m, kept, 0, 0).verdict, ops, "search without what is useless")
	if c.m.patterns != nil {
		f := c.m.patterns(ops)
		if f.verdict != Unknown {
			c.same(want, f.verdict, ops, "patterns")
		} else if c.om.complete {
			require.False(c.t, distinct(ops), "seed %d: undecided %+v", c.seed, ops)
		}
	}
	if c.m.guess != nil {
		order := c.m.guess(ops)
		if c.m.passes(ops, order) {
			c.same(want, Pass, ops, "guess")
		}
		if at := c.m.engine.replay(ops, order); at >= 0 {
			if s := search(&c.m, c.m.suspects(ops, order, at), 0, 0); s.verdict == Failed {
				c.same(want, Failed, ops, "suspects")
			}
		}
	}
}

// evidence holds evidence against what it says of itself.
func (c *comparison) evidence(ops []Operation, e *Evidence) {
	require.True(c.t, e.Minimal, "seed %d", c.seed)
	require.NotEmpty(c.t, e.Operations, "seed %d", c.seed)
	require.NotEmpty(c.t, e.Why, "seed %d", c.seed)
	c.largest = max(c.largest, len(e.Operations))
	relaxed := slices.Clone(ops)
	for i := range relaxed {
		if relaxed[i].Outcome == OutcomeOK && !slices.Contains(e.Operations, i) {
			relaxed[i].Outcome = OutcomeUnknown
		}
	}
	c.same(false, Failed, relaxed, "evidence")
	require.False(c.t, c.allows(relaxed), "seed %d: evidence %v of %+v", c.seed, e.Operations, ops)
	for _, i := range e.Operations {
		require.Equal(c.t, OutcomeOK, relaxed[i].Outcome)
		relaxed[i].Outcome = OutcomeUnknown
		require.True(c.t, c.allows(relaxed), "seed %d: evidence %v of %+v: %d is not needed", c.seed, e.Operations, ops, i)
		relaxed[i].Outcome = OutcomeOK
	}
}

func (c *comparison) allows(ops []Operation) bool { return oracleAllows(c.om.spec, c.om.start, ops) }

func (c *comparison) same(want bool, got Verdict, ops []Operation, who string) {
	if (got == Pass) == want && (got == Failed) != want {
		return
	}
	var list string
	for i := range ops {
		op := &ops[i]
		list += fmt.Sprintf("\n\t%d-%d %d:%s %s %d,%d -> %d,%d %s", op.Call, op.Return, op.Outcome, name(op.Client), describe(op), op.In, op.In2, op.Out, op.Out2, op.Result)
	}
	require.Fail(c.t, "verdicts differ", "seed %d: %s says %s, the oracle %v%s", c.seed, who, got, want, list)
}

// distinct is true if no value is enqueued twice.
func distinct(ops []Operation) bool {
	seen := map[int64]bool{}
	for i := range ops {
		if ops[i].Kind == OpEnqueue {
			if seen[ops[i].In] {
				return false
			}
			seen[ops[i].In] = true
		}
	}
	return true
}

// Equal stamps are no order, and it does not matter which operation is told
// first: few stamps bring many ties, and every order of the list occurs.
func TestPatternsAtEqualStamps(t *testing.T) {
	for _, c := range []struct {
		model      string
		spec       oracleSpec
		priorities int64
	}{
		{"queue", oracleQueue(-1, oldest), 1},
		{"priority-queue", oracleQueue(-1, mostUrgent), 2},
	} {
		m := named(t, c.model)
		failed := map[queueFault]int{}
		for seed := range oracleHistories(t) * 4 {
			r := rand.New(rand.NewPCG(uint64(seed), 99))
			ops := randomQueue(r)
			ops = ops[:min(len(ops), 6)]
			for i := range ops {
				ops[i].Call /= 4
				ops[i].Return = ops[i].Call + r.Int64N(3)
				if ops[i].Kind == OpEnqueue {
					ops[i].In2 = r.Int64N(c.priorities)
				}
			}
			r.Shuffle(len(ops), func(i, k int) { ops[i], ops[k] = ops[k], ops[i] })
			f := m.patterns(ops)
			if f.verdict == Unknown {
				require.Equal(t, "priority-queue", c.model)
				continue
			}
			require.Equal(t, oracleAllows(c.spec, "", ops), f.verdict == Pass, "seed %d: %+v", seed, ops)
			failed[f.fault]++
		}
		for _, fault := range []queueFault{faultEarly, faultOrder, faultEmpty} {
			require.Positive(t, failed[fault], "%s %d", c.model, fault)
		}
	}
}

// The patterns of priority queues find what two or three operations show,
// wherever in the list they stand.
func TestPriorityPatternsFind(t *testing.T) {
	for text, fault := range map[string]queueFault{
		"1 2 A enqueue 1 5\n 1 2 A enqueue 2 4\n 3 4 B dequeue = 1":                                     faultOrder,
		"3 4 B dequeue = 1\n 1 2 A enqueue 1 5\n 1 2 A enqueue 2 4":                                     faultOrder,
		"5 6 B dequeue = 2\n 1 2 A enqueue 1 5\n 1 2 A enqueue 2 4\n 3 4 B dequeue = 1\n 9 ? C dequeue": faultOrder,
		"3 4 B dequeue = 2\n 0 1 A enqueue 1 5\n 2 3 A enqueue 2 5":                                     faultOrder,
		"3 4 B dequeue = empty\n 1 2 A enqueue 1":                                                       faultEmpty,
		"1 2 A enqueue 1\n 3 4 B dequeue = empty":                                                       faultEmpty,
		// Nothing is wrong with these.
		"1 2 A enqueue 1 5\n 1 3 A enqueue 2 4\n 3 4 B dequeue = 1":                                     0,
		"1 2 A enqueue 1 5\n 1 2 A enqueue 2 4\n 3 5 B dequeue = 1\n 5 6 B dequeue = 2":                 0,
		"5 6 B dequeue = 2\n 1 2 A enqueue 1 5\n 1 2 A enqueue 2 4\n 3 5 B dequeue = 1\n 9 ? C dequeue": 0,
		"2 3 B dequeue = empty\n 1 2 A enqueue 1":                                                       0,
		"0 1 A enqueue 1 5\n 1 2 A enqueue 2 5\n 3 4 B dequeue = 2\n 5 6 B dequeue = 1":                 0,
		"1 2 A enqueue 1 5\n 1 2 A enqueue 2 4\n 3 4 B dequeue = 1\n 1 ? C dequeue":                     0,
	} {
		want := finding{verdict: Unknown}.verdict
		if fault != 0 {
			want = Failed
		}
		f := priorityPatterns(parseOperations(t, text))
		require.Equal(t, want, f.verdict, text)
		require.Equal(t, fault, f.fault, text)
	}
}

// Values that are inside one after the other leave no empty moment between.
func TestCoveredSpans(t *testing.T) {
	inside := "0 1 A enqueue 1\n 9 10 A dequeue = 1\n 0 3 B enqueue 2\n 4 5 B dequeue = 2\n"
	for text, want := range map[string]Verdict{
		inside + "6 7 C dequeue = empty":   Failed,
		inside + "6 9 C dequeue = empty":   Pass,
		inside + "0 7 C dequeue = empty":   Pass,
		"6 7 C dequeue = empty\n" + inside: Failed,
	} {
		eachRotation(parseOperations(t, text), func(ops []Operation) {
			require.Equal(t, want, queuePatterns(ops).verdict, text)
		})
	}
}

// A value that left before an earlier one is found even if something may have
// taken others, wherever in the list its operations stand.
func TestDisorderBesideTakers(t *testing.T) {
	disorder := "5 6 B dequeue = 1\n 0 1 A enqueue 1\n 2 3 A enqueue 2\n 4 4.5 B dequeue = 2\n 4 ? C dequeue"
	eachRotation(parseOperations(t, disorder), func(ops []Operation) {
		f := queuePatterns(ops)
		require.Equal(t, faultOrder, f.fault, "%+v", ops)
		require.Equal(t, []int64{2, 1}, []int64{ops[f.ops[0]].In, ops[f.ops[2]].In})
	})
}

// eachRotation calls do with every rotation of a list.
func eachRotation(ops []Operation, do func(ops []Operation)) {
	for i := range ops {
		do(slices.Concat(ops[i:], ops[:i]))
	}
}
