package checker

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// eachModelCase calls do for each bad history and its good twin.
func eachModelCase(t *testing.T, do func(t *testing.T, m Model, c modelCase)) {
	for _, m := range Models() {
		base, _, _ := strings.Cut(m.Name(), ":")
		cases := readModelCases(t, base)
		require.GreaterOrEqual(t, len(cases), 4, base)
		for _, c := range cases {
			t.Run(base+"/"+c.name, func(t *testing.T) { do(t, named(t, c.model), c) })
		}
	}
}

func TestModelsRefuseBadHistories(t *testing.T) {
	eachModelCase(t, func(t *testing.T, m Model, c modelCase) {
		d := Decide(m, c.bad, DecideOptions{})
		require.Equal(t, Failed, d.Verdict, d.Why)
		require.Equal(t, c.why, d.Why)
		require.Equal(t, c.how, d.How)
		require.True(t, d.Evidence.Minimal)
		require.Equal(t, d.Why, d.Evidence.Why)

		quick := Decide(m, c.bad, DecideOptions{NoEvidence: true})
		require.Equal(t, Failed, quick.Verdict)
		require.Nil(t, quick.Evidence)
		require.Contains(t, quick.Why, m.what)
	})
}

func TestModelsAcceptGoodTwins(t *testing.T) {
	eachModelCase(t, func(t *testing.T, m Model, c modelCase) {
		d := Decide(m, c.good, DecideOptions{})
		require.Equal(t, Pass, d.Verdict, d.Why)
		require.Empty(t, d.Why)
		require.Nil(t, d.Evidence)
	})
}

func TestModelNames(t *testing.T) {
	var names []string
	for _, m := range Models() {
		names = append(names, m.Name())
		again, err := ModelByName(m.Name())
		require.NoError(t, err)
		require.Equal(t, m.Name(), again.Name())
	}
	require.Equal(t, []string{
		"mutex", "reentrant-mutex", "rw-lock", "reentrant-rw-lock", "semaphore:1", "queue", "priority-queue",
		"bounded-queue:1", "cas-register:0", "multi-register:0", "counter:0", "election", "znodes", "sale:1",
	}, names)
	for _, name := range []string{"semaphore", "cas-register:nil", "counter:-3", "sale:0", "multi-register:7"} {
		_, err := ModelByName(name)
		require.NoError(t, err)
	}
	require.Equal(t, "cas-register:nil", named(t, "cas-register:nil").Name())
	for name, why := range map[string]string{
		"lock":           `checker: no such model: "lock", want one of mutex, reentrant-mutex, rw-lock,`,
		"mutex:3":        `checker: no such model: mutex takes no parameter, and got "3"`,
		"sale:-1":        "checker: no such model: sale:-1: stock is a whole number from 0 on",
		"semaphore:0":    "checker: no such model: semaphore:0: permits is a whole number from 1 on",
		"counter:x":      "checker: no such model: counter:x: initial value is a whole number",
		"counter:nil":    "checker: no such model: counter:nil: initial value is a whole number",
		"cas-register:x": "checker: no such model: cas-register:x: initial value or nil is a whole number",
	} {
		_, err := ModelByName(name)
		require.True(t, errors.Is(err, ErrNoModel))
		require.True(t, strings.HasPrefix(err.Error(), why), err.Error())
	}
}

// What is malformed is not judged.
func TestMisfits(t *testing.T) {
	for _, c := range []struct {
		model string
		op    Operation
		why   string
	}{
		{"mutex", Operation{Kind: OpEnqueue, Client: 2}, "operation 0 (enqueue of C) is no operation of a mutex"},
		{"mutex", Operation{Kind: 99}, "operation 0 (kind(?) of A) is no operation of a mutex"},
		{"mutex", Operation{Kind: OpAcquire, Outcome: 7}, "operation 0 (acquire of A) has no such outcome as 7"},
		{"mutex", Operation{Kind: OpAcquire, Call: 2, Return: 1}, "operation 0 (acquire of A) returns before it is called"},
		{"mutex", Operation{Kind: OpAcquire, In: 1 << 40}, "operation 0 (acquire of A) has an owner beyond 32 bits"},
		{"semaphore", Operation{Kind: OpAcquire, In2: -1}, "operation 0 (acquire of A) asks for -1 permits, and may ask for 0 (one) to 65536"},
		{"queue", Operation{Kind: OpEnqueue, In: None}, "operation 0 (enqueue of A) enqueues what stands for no value"},
		{"cas-register", Operation{Kind: OpCAS, Out: 2}, "operation 0 (cas of A) has an output that is neither 1 (swapped) nor 0 (not)"},
		{"sale", Operation{Kind: OpBuy}, "operation 0 (buy of A) buys 0 pieces, and must buy at least 1"},
		{"sale", Operation{Kind: OpBuy, In: 1, Out: 9}, "operation 0 (buy of A) has an output that is neither 1 (sold) nor 0 (refused)"},
		{"znodes", Operation{Kind: OpGet, Key: "a"}, `operation 0 (get of A) has the path "a", and paths begin with a slash`},
	} {
		d := Decide(named(t, c.model), []Operation{c.op}, DecideOptions{})
		require.Equal(t, Unknown, d.Verdict)
		require.Equal(t, "the history cannot be judged: "+c.why, d.Why)
		// An operation without an effect may tell anything.
		if c.op.Outcome == OutcomeOK && c.op.Kind != OpKind(99) && c.model != "mutex" {
			c.op.Outcome = OutcomeFailed
			require.Equal(t, Pass, Decide(named(t, c.model), []Operation{c.op}, DecideOptions{}).Verdict)
		}
	}
	require.Equal(t, Unknown, Decide(Model{}, nil, DecideOptions{}).Verdict)
	most := named(t, "semaphore")
	require.Empty(t, most.unfit([]Operation{{Kind: OpAcquire, In2: maxPermits}}))
}

func TestOpKindNames(t *testing.T) {
	seen := map[string]bool{}
	for k := OpKind(1); k < opKinds; k++ {
		require.NotEmpty(t, k.String())
		require.False(t, seen[k.String()])
		seen[k.String()] = true
	}
	require.Equal(t, "kind(?)", OpKind(0).String())
	require.Equal(t, "kind(?)", opKinds.String())
}
