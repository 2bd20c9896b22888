package checker

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Evidence names what must stay certain, in the order of the calls, and the
// rest may be as it likes.
func TestEvidence(t *testing.T) {
	d := Decide(named(t, "mutex"), parseOperations(t, `
		20 21 D acquire @other
		6.5 7 C acquire
		3 4 B acquire o=9 !
		2.5 3 A acquire
		4 6 B acquire !
		9 10 A release
		0 1 E acquire
		1 2 E release
		11 12 C release
		13 14 B acquire
		15 16 B release
	`), DecideOptions{})
	require.Equal(t, &Evidence{
		Operations: []int{3, 1}, Minimal: true,
		Why: "C was granted the lock at 7.000s while A held it from 3.000s to 9.000s",
	}, d.Evidence)
	require.Equal(t, d.Evidence.Why, d.Why)
}

// Stamps are told as they are.
func TestEvidenceInStamps(t *testing.T) {
	d := Decide(named(t, "mutex"), []Operation{
		{Kind: OpAcquire, In: 1, Call: 1, Return: 3},
		{Kind: OpAcquire, Client: 2, In: 2, Call: 4, Return: 7},
		{Kind: OpRelease, In: 1, Call: 9, Return: 10},
	}, DecideOptions{Stamps: true})
	require.Equal(t, "C was granted the lock at 7 while A held it from 3 to 9", d.Why)
}

// Of many operations the last are told.
func TestEvidenceOfMany(t *testing.T) {
	d := Decide(named(t, "counter"), parseOperations(t, `
		1 2 A add 1
		2 3 A add 1
		3 4 A add 1
		4 5 A add 1
		5 6 A add 1
		7 8 B read = 4
	`), DecideOptions{})
	require.Len(t, d.Evidence.Operations, 6)
	require.Equal(t, "no order of these 6 operations is allowed by a counter: 2 earlier ones; A add 1 (3.000s to 4.000s); "+
		"A add 1 (4.000s to 5.000s); A add 1 (5.000s to 6.000s); B read -> 4 (7.000s to 8.000s)", d.Why)
	d = Decide(named(t, "counter"), parseOperations(t, `
		1 2 A add 1
		2 3 A add 1
		3 4 A add 1
		4 5 A add 1
		7 8 B read = 3
	`), DecideOptions{})
	require.Equal(t, "no order of these 5 operations is allowed by a counter: A add 1 (1.000s to 2.000s); A add 1 (2.000s to 3.000s); "+
		"A add 1 (3.000s to 4.000s); A add 1 (4.000s to 5.000s); B read -> 3 (7.000s to 8.000s)", d.Why)
}

// A reduction that cannot decide all attempts keeps what it cannot spare, and
// says that it may be too much.
func TestEvidenceBeyondTheBudget(t *testing.T) {
	ops := parseOperations(t, `
		1 2 A add 1
		2 3 A add 1
		7 8 B read = 1
	`)
	m := named(t, "counter")
	p := m.split(ops)[0]
	r := &reduction{m: &m, ops: p.ops, index: p.index, work: evidenceWork}
	require.Equal(t, Unknown, r.decide(ops))
	require.True(t, r.over)
	e := r.evidence(ops, DecideOptions{})
	require.False(t, e.Minimal)
	require.Equal(t, []int{0, 1, 2}, e.Operations)
	require.NotEmpty(t, e.Why)
}

// Every kind of operation can be told.
func TestDescribe(t *testing.T) {
	for text, want := range map[string]string{
		"1 2 A acquire":                       "acquire",
		"1 2 A acquire 2":                     "acquire 2",
		"1 2 A release 3":                     "release 3",
		"1 2 A lose":                          "lose",
		"1 2 A acquire-read":                  "acquire-read",
		"1 2 A enqueue 7":                     "enqueue 7",
		"1 2 A enqueue 7 3":                   "enqueue 7 with priority 3",
		"1 2 A enqueue 7 = full":              "enqueue 7 -> full",
		"1 2 A dequeue = 7":                   "dequeue -> 7",
		"1 2 A dequeue = empty":               "dequeue -> empty",
		"1 ? A dequeue":                       "dequeue",
		"1 2 A read = 5":                      "read -> 5",
		"1 2 A read = nothing":                "read -> nothing",
		"1 2 A write 5":                       "write 5",
		"1 2 A cas 1 2 = yes":                 "cas 1 to 2 -> yes",
		"1 2 A cas 1 2 = no":                  "cas 1 to 2 -> no",
		"1 2 A add 3":                         "add 3",
		"1 2 A add 3 = 4":                     "add 3 -> 4",
		"1 2 A buy 3 = no":                    "buy 3 -> no",
		"1 2 A lead 0 3":                      "lead in term 3",
		"1 2 A transaction r:x=1 w:y=nothing": "transaction [read x 1] [write y nothing]",
		"1 2 A create /a data=p":              `create /a "p"`,
		"1 2 A create /a seq = /a0000000001":  `create /a "" -> /a0000000001`,
		"1 2 A create /a = code=-110":         `create /a "" -> error -110`,
		"1 2 A delete /a v=3":                 "delete /a",
		"1 2 A set /a data=q v=1 = v=2":       `set /a "q" -> version 2`,
		"1 2 A get /a = text=q v=2":           `get /a -> "q" version 2`,
		"1 2 A exists /a = v=2":               "exists /a -> version 2",
		"1 2 A exists /a = code=-101":         "exists /a -> error -101",
		"1 2 A children /a = text=b,c":        "children /a -> [b,c]",
		"1 2 A close 3":                       "close",
	} {
		ops := parseOperations(t, text)
		require.Equal(t, want, describe(&ops[0]))
	}
}

// Attempts are paid by their operations and their steps.
func TestEvidenceWork(t *testing.T) {
	ops := parseOperations(t, `
		1 5 A add 1
		1 5 B add 1
		7 8 B read = 2
	`)
	m := named(t, "counter")
	r := &reduction{m: &m, ops: ops}
	require.Equal(t, Pass, r.decide(ops))
	steps := Decide(m, ops, DecideOptions{}).Steps
	require.Positive(t, steps)
	require.Equal(t, int64(len(ops))+steps, r.work)
}

// One grant without an owner is told as it is.
func TestEvidenceOfOneGrant(t *testing.T) {
	d := Decide(named(t, "semaphore:1"), []Operation{{Kind: OpAcquire, In2: 2, Return: 3}}, DecideOptions{Stamps: true})
	require.Equal(t, "A was granted 2 at 3, and there are 1 in all", d.Why)
}

// Suspects are those who hold something where the guess breaks: who has lost
// it, or given it back, is none.
func TestSuspectOwners(t *testing.T) {
	ops := parseOperations(t, `
		1 2 A acquire
		3 4 A lose
		5 6 B acquire
		7 8 B release
		9 10 C acquire
		11 12 D acquire
	`)
	order := guessHolds(ops)
	require.Equal(t, []int32{0, 1, 2, 3, 4, 5}, order)
	require.Equal(t, ops[4:], suspectOwners(ops, order, 5))

	again := parseOperations(t, `
		1 2 A acquire
		1 2 A acquire
		3 4 A lose
		5 6 B acquire
		5 6 B acquire
		7 8 B release
		9 10 C acquire
	`)
	require.Equal(t, again[3:], suspectOwners(again, guessHolds(again), 6))
}
