package checker

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn is the page of a history and the data in it.
func drawn(t *testing.T, m Model, ops []Operation, o DrawOptions) (string, drawnPage) {
	var b bytes.Buffer
	require.NoError(t, Draw(&b, m, ops, o))
	_, data, found := strings.Cut(b.String(), "const data = ")
	require.True(t, found)
	data, _, _ = strings.Cut(data, "\n")
	var page drawnPage
	require.NoError(t, json.Unmarshal([]byte(data), &page), data)
	return b.String(), page
}

// A history that fails, on two objects, one of them of unknown outcome.
func drawnHistory() []Operation {
	return []Operation{
		{Object: "a", Kind: OpEnqueue, Client: 0, Call: 1, Return: 4, In: 7},
		{Object: "a", Kind: OpEnqueue, Client: 1, Call: 2, Return: 3, In: 8},
		{Object: "b", Kind: OpEnqueue, Client: 1, Call: 5, Outcome: OutcomeUnknown, In: 9},
		{Object: "a", Kind: OpDequeue, Client: 2, Call: 6, Return: 8, Out: 5},
		{Object: "b", Kind: OpDequeue, Client: 0, Call: 7, Return: 20, Out: 9},
		{Object: "b", Kind: OpDequeue, Client: 0, Call: 30, Return: 31, Outcome: OutcomeFailed},
	}
}

func TestDraw(t *testing.T) {
	html, page := drawn(t, named(t, "queue"), drawnHistory(), DrawOptions{})
	require.True(t, strings.HasPrefix(html, "<!doctype html>"))
	require.True(t, strings.HasSuffix(strings.TrimSpace(html), "</html>"))
	require.Equal(t, drawnPage{Annotations: []struct{}{}, Partitions: []drawnPart{
		{
			History: []drawnOperation{
				{0, 0, "1", 300, "4", "enqueue 7", "a"},
				{1, 100, "2", 200, "3", "enqueue 8", "a"},
				{2, 500, "6", 700, "8", "dequeue -> 5", "a"},
			},
			PartialLinearizations: [][]drawnStep{{{0, "[7]"}, {1, "[7 8]"}}},
			Largest:               map[int]int{0: 0, 1: 0},
		},
		{
			History: []drawnOperation{
				{1, 400, "5", 900, "unknown", "enqueue 9 (outcome unknown)", "b"},
				{0, 600, "7", 800, "20", "dequeue -> 9", "b"},
			},
			PartialLinearizations: [][]drawnStep{{{0, "[9]"}, {1, "[]"}}},
			Largest:               map[int]int{0: 0, 1: 0},
		},
	}}, page)
}

// The same history gives the same bytes, whatever order maps have, and what is
// drawn as an order is allowed.
func TestDrawIsCanonical(t *testing.T) {
	for k, om := range oracleModels() {
		m := named(t, om.name)
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(uint64(k), seed))
			ops, _ := generate(r, om, 1+r.IntN(8))
			for range r.IntN(4) {
				ops = mutate(r, ops)
			}
			if m.unfit(ops) != "" {
				continue
			}
			first, page := drawn(t, m, ops, DrawOptions{})
			for range 5 {
				again, _ := drawn(t, m, ops, DrawOptions{})
				require.Equal(t, first, again, "%s seed %d", om.name, seed)
			}
			pass := Decide(m, ops, DecideOptions{NoEvidence: true}).Verdict == Pass
			parts := m.split(ops)
			require.Len(t, page.Partitions, len(parts))
			for i := range parts {
				complete := checkDrawnOrders(t, &m, &parts[i], &page.Partitions[i])
				require.True(t, complete || !pass, "%s seed %d: a linearization is drawn", om.name, seed)
			}
		}
	}
}

// checkDrawnOrders reports whether an order of all certain operations is among
// those drawn.
func checkDrawnOrders(t *testing.T, m *Model, p *part, d *drawnPart) bool {
	complete := false
	for i, steps := range d.PartialLinearizations {
		var order []int32
		certain := 0
		for _, s := range steps {
			order = append(order, int32(s.Index))
			if p.ops[s.Index].certain() {
				certain++
			}
			require.LessOrEqual(t, d.Largest[s.Index], i)
		}
		require.Equal(t, -1, m.engine.replay(p.ops, order))
		if i > 0 {
			require.LessOrEqual(t, len(steps), len(d.PartialLinearizations[i-1]))
		}
		all := 0
		for k := range p.ops {
			if p.ops[k].certain() {
				all++
			}
		}
		complete = complete || certain == all
	}
	return complete || len(p.ops) == 0
}

// Beyond its budget a search is drawn without orders.
func TestDrawWithinABudget(t *testing.T) {
	_, page := drawn(t, named(t, "queue"), drawnHistory(), DrawOptions{Steps: 1})
	for _, p := range page.Partitions {
		require.NotEmpty(t, p.History)
		require.Empty(t, p.PartialLinearizations)
		require.Empty(t, p.Largest)
	}
	ops, _ := busyQueue(4, 3000)
	_, page = drawn(t, named(t, "queue"), ops, DrawOptions{Steps: 20_000})
	steps := 0
	for _, p := range page.Partitions {
		for _, order := range p.PartialLinearizations {
			steps += len(order)
			for _, s := range order {
				require.LessOrEqual(t, len(s.StateDescription), drawnState+len("..."))
			}
		}
	}
	require.LessOrEqual(t, steps, drawnSteps)
}

// Nothing of a history is markup, and what cannot be judged is not drawn.
func TestDrawHostile(t *testing.T) {
	ops := []Operation{
		{Object: "</script><b>", Kind: OpCreate, Client: 0, Call: 1, Return: 2, Key: "/<script>", Data: "<!--"},
		{Kind: OpGet, Call: 3, Return: 4, Key: "/<script>", Out2: codeNoNode},
	}
	html, _ := drawn(t, named(t, "znodes"), ops, DrawOptions{Text: strings.ToUpper})
	require.Equal(t, 1, strings.Count(html, "</script>"))
	require.NotContains(t, html, "<!--")
	require.Contains(t, html, `CREATE /\u003cSCRIPT\u003e`)

	var b bytes.Buffer
	require.ErrorContains(t, Draw(&b, named(t, "mutex"), ops, DrawOptions{}), "cannot be drawn: operation 0 (create of A) is no operation of a mutex")
	require.Empty(t, b.Bytes())
	require.Error(t, Draw(brokenWriter{}, named(t, "queue"), drawnHistory(), DrawOptions{}))
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("full") }

// A state is drawn whole as long as it fits.
func TestDrawnStates(t *testing.T) {
	d := &pageDrawing{}
	fits := strings.Repeat("x", drawnState)
	require.Equal(t, fits, d.state(fits))
	require.Equal(t, fits+"...", d.state(fits+"x"))
}
