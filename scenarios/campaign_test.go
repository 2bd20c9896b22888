package scenarios

import (
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
)

// The correct lock variants under the fault classes in which everything is
// promised: no property fails and none is left undecided. ZOOSIM_RUNS sets the
// number of runs.
func TestPromisedClassesNeverFail(t *testing.T) {
	runs := 3000
	if text := os.Getenv("ZOOSIM_RUNS"); text != "" {
		var err error
		runs, err = strconv.Atoi(text)
		require.NoError(t, err, "ZOOSIM_RUNS is the number of runs")
	}
	cells := promisedCells("lock")
	require.Greater(t, len(cells), 20)
	neverFail(t, cells, runs/len(cells)+1)
}

// The same of groups, elections, semaphores, caches and sales: 1,000 runs of
// each class, or what ZOOSIM_RUNS says in all.
func TestPromisedClassesOfOthers(t *testing.T) {
	for _, family := range []string{"group", "election", "semaphore", "cache", "sale"} {
		cells, each := promisedCells(family), 1000
		if family == "sale" {
			each = 200 // the locks under them have their own
		}
		require.NotEmpty(t, cells, family)
		if text := os.Getenv("ZOOSIM_RUNS"); text != "" {
			runs, err := strconv.Atoi(text)
			require.NoError(t, err, "ZOOSIM_RUNS is the number of runs")
			each = runs/len(cells) + 1
		}
		neverFail(t, cells, each)
	}
}

// promisedCell is a variant under a class in which everything is promised.
type promisedCell struct {
	variant string
	class   FaultClass
}

// promisedCells are those of a family's correct variants.
func promisedCells(family string) []promisedCell {
	var cells []promisedCell
	for _, v := range Variants(family) {
		for _, class := range FaultClasses() {
			if v.Correct && promisedWhole(&v, class.Name) {
				cells = append(cells, promisedCell{v.Name, class})
			}
		}
	}
	return cells
}

// neverFail makes that many runs of each cell.
func neverFail(t *testing.T, cells []promisedCell, each int) {
	failed := make([]error, len(cells))
	require.NoError(t, parallel(t.Context(), len(cells), 0, func(i int) {
		s := Default(cells[i].variant)
		s.Faults = cells[i].class.Budget
		r, err := NewRunner(s)
		if err != nil {
			failed[i] = err
			return
		}
		defer r.Close()
		st := sim.NewRandom(0)
		for seed := range uint64(each) {
			st.Seed(seed)
			for _, x := range r.Run(st).Results {
				if x.Verdict == checker.Failed || x.Verdict == checker.Unknown {
					failed[i] = fieldErr(s.Variant, "faults %s, seed %d: %s: %s: %s", cells[i].class.Name, seed, x.Property, x.Verdict, x.Why)
					return
				}
			}
		}
	}))
	for _, err := range failed {
		require.NoError(t, err)
	}
	t.Logf("%d runs of %d variants and classes", each*len(cells), len(cells))
}

// promisedWhole reports whether a class is one in which every property of the
// variant is expected to hold.
func promisedWhole(v *Variant, class string) bool {
	for _, p := range v.Properties() {
		if Expected(v.Name, class, p).Verdict == checker.Failed {
			return false
		}
	}
	return true
}
