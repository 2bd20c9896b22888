package scenarios

import (
	"fmt"
	"os"
	"testing"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/sim"
)

func TestExplore(t *testing.T) {
	only := os.Getenv("V")
	for _, v := range lock.Variants() {
		if only != "" && v.Name != only {
			continue
		}
		for _, c := range FaultClasses() {
			s := Default(v.Name)
			s.Faults = c.Budget
			r, err := NewRunner(s)
			if err != nil {
				t.Fatal(err)
			}
			counts := map[checker.Property]int{}
			first := map[checker.Property]string{}
			vac := 0
			ends := map[checker.Kind]int{}
			n := 2000
			for seed := 0; seed < n; seed++ {
				out := r.Run(sim.NewRandom(uint64(seed)))
				if out.Vacuous {
					vac++
				}
				ends[out.End]++
				for _, x := range out.Results {
					if x.Verdict == checker.Failed || x.Verdict == checker.Unknown {
						counts[x.Property]++
						if first[x.Property] == "" {
							first[x.Property] = fmt.Sprintf("seed %d: %s", seed, x.Why)
						}
					}
				}
			}
			fmt.Printf("%-20s %-12s vacuous %4d ends %v\n", v.Name, c.Name, vac, ends)
			for _, p := range checker.LockProperties() {
				if counts[p] > 0 {
					fmt.Printf("      %-15s %5d  %s\n", p, counts[p], first[p])
				}
			}
			r.Close()
		}
	}
}
