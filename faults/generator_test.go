package faults

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseBudget(t *testing.T) {
	for _, c := range []struct {
		text string
		want Budget
		back string
	}{
		{"", Budget{}, "none"},
		{"none", Budget{}, "none"},
		{"crash=0", Budget{}, "none"},
		{"crash", Budget{Crash: 1}, "crash=1"},
		{"crash=99", Budget{Crash: 99}, "crash=99"},
		{"cut-reply=2,crash", Budget{Crash: 1, CutReply: 2}, "crash=1,cut-reply=2"},
		{" crash = 2 , cut", Budget{Crash: 2, Cut: 1}, "crash=2,cut=1"},
	} {
		b, err := ParseBudget(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, b, c.text)
		require.Equal(t, c.back, b.String())
	}
}

func TestParseBudgetErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"boom", `unknown fault "boom"; allowed: ` + kindList},
		{"boom=1", `unknown fault "boom"; allowed: ` + kindList},
		{"crash,", `unknown fault ""; allowed: ` + kindList},
		{"none,crash", `unknown fault "none"; allowed: ` + kindList},
		{"crash=", `crash: "" is no number; allowed: 0 to 99`},
		{"crash=x", `crash: "x" is no number; allowed: 0 to 99`},
		{"crash=-1", `crash: "-1" is no number; allowed: 0 to 99`},
		{"crash=+1", `crash: "+1" is no number; allowed: 0 to 99`},
		{"crash=1.5", `crash: "1.5" is no number; allowed: 0 to 99`},
		{"cut=1,crash=100", `crash: "100" is no number; allowed: 0 to 99`},
		{"crash=1000", `crash: "1000" is no number; allowed: 0 to 99`},
		{"crash=1,cut,crash=2", "crash is named twice"},
	} {
		b, err := ParseBudget(c.text)
		require.EqualError(t, err, `fault budget "`+c.text+`": `+c.want)
		require.Equal(t, Budget{}, b, "nothing of a bad budget is kept")
	}
}

func drawBudget(t *rapid.T) Budget {
	var b Budget
	for k := range b {
		b[k] = rapid.IntRange(0, 99).Draw(t, Kind(k).String())
	}
	return b
}

func TestBudgetRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBudget(t)
		back, err := ParseBudget(b.String())
		require.NoError(t, err)
		require.Equal(t, b, back)
	})
}

func TestParseBudgetOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"crash", "cut", "none", "=", ",", "1", "0", "9", "-", " ", "é"})).Draw(t, "parts")
		b, err := ParseBudget(strings.Join(parts, ""))
		if err == nil {
			back, err := ParseBudget(b.String())
			require.NoError(t, err)
			require.Equal(t, b, back)
		}
	})
}

// drawGenerator draws a generator with budgets that are not too large.
func drawGenerator(t *rapid.T) Generator {
	g := Generator{Clients: rapid.IntRange(1, 5).Draw(t, "clients")}
	for k := range g.Budget {
		g.Budget[k] = rapid.IntRange(0, 4).Draw(t, Kind(k).String())
	}
	if rapid.Bool().Draw(t, "own settings") {
		g.Requests = rapid.IntRange(1, 20).Draw(t, "requests")
		g.Times = rapid.SliceOfN(rapid.Just(7*time.Second), 0, 3).Draw(t, "times")
		g.Lengths = rapid.SliceOfN(rapid.Just(3*time.Second), 0, 3).Draw(t, "lengths")
	}
	return g
}

// choices picks alternatives by turns from a list, and checks what is asked.
func choices(t require.TestingT, list []int) func(string, int) int {
	i := 0
	return func(label string, n int) int {
		require.Contains(t, []string{LabelCount, LabelClient, LabelWhen, LabelLength}, label)
		require.Positive(t, n, "there is always an alternative")
		i++
		return list[i%len(list)] % n
	}
}

func zeros(string, int) int { return 0 }

func TestAlternativeZeroIsNoFault(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenerator(t)
		require.Empty(t, g.Draw(nil, zeros))
	})
}

func TestDrawnPlans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGenerator(t)
		list := rapid.SliceOfN(rapid.IntRange(0, 1<<20), 1, 60).Draw(t, "choices")
		p := g.Draw(nil, choices(t, list))
		require.Equal(t, p, g.Draw(nil, choices(t, list)), "the same choices give the same plan")

		requests := g.Requests
		if requests == 0 {
			requests = 12
		}
		var drawn Budget
		for _, f := range p {
			drawn[f.Kind]++
			require.Less(t, f.Client, g.Clients)
			require.GreaterOrEqual(t, f.Client, 0)
			require.Zero(t, f.Step)
			require.LessOrEqual(t, f.Request, requests)
			if f.Kind.onRequest() {
				require.Positive(t, f.Request, "%s strikes at a request", f)
			}
			if f.Request > 0 {
				require.Zero(t, f.Time, "%s has one moment", f)
			} else if g.Times != nil {
				require.Contains(t, g.Times, f.Time)
			}
			require.Equal(t, f.Kind.lasts(), f.For > 0, "%s", f)
			back, err := ParseFault(f.String())
			require.NoError(t, err)
			require.Equal(t, f, back)
		}
		for k, n := range drawn {
			require.LessOrEqual(t, n, g.Budget[k], "%s within the budget", Kind(k))
		}
	})
}

func TestDrawAppends(t *testing.T) {
	g := Generator{Budget: Budget{Crash: 1}, Clients: 2}
	own := Plan{{Kind: Cut, Step: 1}}
	p := g.Draw(own, func(_ string, n int) int { return n - 1 })
	require.Equal(t, "cut:A@step1 crash:B@12s", p.String())
}

// Every kind, client, request, time and length can be drawn.
func TestEveryFaultCanBeDrawn(t *testing.T) {
	for _, k := range Kinds() {
		g := Generator{Clients: 2, Requests: 2, Times: []time.Duration{0, time.Second}, Lengths: []time.Duration{1, 2}}
		g.Budget[k] = 1
		seen := map[string]bool{}
		for i := range 2 * 2 * 4 * 2 {
			digits := map[string]int{LabelCount: i & 1, LabelClient: i >> 1 & 1, LabelWhen: i >> 2 & 3, LabelLength: i >> 4}
			p := g.Draw(nil, func(label string, n int) int { return digits[label] % n })
			seen[p.String()] = true
		}
		want := 2 * 4 // clients and moments
		if k.onRequest() {
			want = 2 * 2
		}
		if k.lasts() {
			want *= 2
		}
		require.Len(t, seen, 1+want, "%s, and no fault", k)
	}
}
