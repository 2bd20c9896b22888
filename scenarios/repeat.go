package scenarios

import (
	"fmt"
	"strings"

	"zoosim/sim"
	"zoosim/sim/explore"
)

// repeatEvery: one run in so many is made twice and compared.
const repeatEvery = 16

// NondeterminismError says that a run, made twice with the same choices, was
// not the same: recipe code depends on something that is not the run's, as a
// variable that processes or runs share, the order of a map, or a clock.
type NondeterminismError struct {
	Variant string
	Run     int // number within the search
	// Step is the place in the traces of the first difference, from 0; One and
	// Other are the traces.
	Step       int
	One, Other []TraceLine
}

// contextLines is how many equal lines an error shows before the first
// difference.
const contextLines = 8

// Error implements error: it shows both traces from a little before the first
// difference on.
func (e *NondeterminismError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: run %d is not deterministic: made twice, it differs from line %d of its trace on\n", e.Variant, e.Run, e.Step+1)
	from := max(e.Step-contextLines, 0)
	for i := from; i < e.Step; i++ {
		fmt.Fprintf(&b, "  both   %4d  %s\n", i+1, e.One[i])
	}
	for _, x := range []struct {
		name  string
		lines []TraceLine
	}{{"first", e.One}, {"second", e.Other}} {
		for i := e.Step; i < min(e.Step+contextLines, len(x.lines)); i++ {
			fmt.Fprintf(&b, "  %-6s %4d  %s\n", x.name, i+1, x.lines[i])
		}
		if e.Step >= len(x.lines) {
			fmt.Fprintf(&b, "  %-6s ends\n", x.name)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// String is the line as a trace has it.
func (l TraceLine) String() string { return fmt.Sprintf("%.6fs %s", l.At.Seconds(), l.Text) }

// playTwice makes a run twice and compares the traces.
func (p *player) playTwice(run *explore.Run, number int) (Outcome, error) {
	p.r.Record(true)
	defer p.r.Record(false)
	first := p.play(run, nil)
	one := p.r.Trace()
	out := p.play(run, nil)
	other := p.r.Trace()
	step := 0
	for step < len(one) && step < len(other) && one[step] == other[step] {
		step++
	}
	if first.Hash == out.Hash && step == len(one) && step == len(other) {
		return out, nil
	}
	return out, &NondeterminismError{Variant: p.x.variant.Name, Run: number, Step: step, One: linesOf(one), Other: linesOf(other)}
}

// linesOf is the text of a trace.
func linesOf(trace []sim.Entry) []TraceLine {
	lines := make([]TraceLine, len(trace))
	for i, e := range trace {
		lines[i] = TraceLine{e.At, e.Step, e.Text}
	}
	return lines
}
