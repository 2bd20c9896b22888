package faults_test

import (
	"fmt"

	"zoosim/faults"
)

// A generator draws a plan from the choices of a run: here a source that
// always picks the last alternative.
func ExampleGenerator() {
	g := faults.Generator{Budget: faults.Budget{faults.CutReply: 1, faults.Pause: 2}, Clients: 3}
	last := func(_ string, n int) int { return n - 1 }
	fmt.Println(g.Draw(nil, last))
	benign := func(string, int) int { return 0 }
	fmt.Println(len(g.Draw(nil, benign)), "faults from alternative 0")
	// Output:
	// pause:C@12s+30s pause:C@12s+30s cut-reply:C@req12
	// 0 faults from alternative 0
}

// A plan is written, and read, fault by fault.
func ExampleParseFault() {
	var p faults.Plan
	for _, s := range []string{"cut-reply:B@req3", "pause:A@1.5s+12s", "crash:C@step40"} {
		f, err := faults.ParseFault(s)
		if err != nil {
			panic(err)
		}
		p = append(p, f)
	}
	fmt.Println(p)
	_, err := faults.ParseBudget("crash=many")
	fmt.Println(err)
	// Output:
	// cut-reply:B@req3 pause:A@1.5s+12s crash:C@step40
	// fault budget "crash=many": crash: "many" is no number; allowed: 0 to 99
}
