package scenarios

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

func TestDbg(t *testing.T) {
	v := os.Getenv("V")
	if v == "" {
		t.Skip("no V")
	}
	s := Default(v)
	s.Faults, _ = faults.ParseBudget(os.Getenv("F"))
	r, err := NewRunner(s)
	if err != nil {
		t.Fatal(err)
	}
	r.Record(true)
	from, to := 0, 3000
	if x := os.Getenv("S"); x != "" {
		from, _ = strconv.Atoi(x)
		to = from + 1
	}
	for seed := from; seed < to; seed++ {
		out := r.Run(sim.NewRandom(uint64(seed)))
		hit := to == from+1 || (os.Getenv("P") == "horizon" && out.End == checker.Horizon)
		for _, x := range out.Results {
			hit = hit || x.Verdict != checker.Pass && string(x.Property) == os.Getenv("P")
		}
		if hit {
			fmt.Println("seed", seed, "plan", r.Plan(), verdicts(out), out.End)
			tr := r.Trace()
			n := 400
			for i, e := range tr {
				if i < n || i > len(tr)-30 {
					fmt.Println(e.At, e.Step, e.Text)
				}
			}
			return
		}
	}
}
