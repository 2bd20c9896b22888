package scenarios

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim"
)

// The correct variants under the fault classes in which everything is promised:
// no property fails and none is left undecided. ZOOSIM_RUNS sets the number of
// runs of each variant under each class.
func TestPromisedClassesNeverFail(t *testing.T) {
	for _, family := range Families() {
		t.Run(family, func(t *testing.T) {
			cells, each := promisedCells(family), 400
			if family == "sale" {
				each = 200 // the locks under them have their own
			}
			if text := os.Getenv("ZOOSIM_RUNS"); text != "" {
				var err error
				each, err = strconv.Atoi(text)
				require.NoError(t, err, "ZOOSIM_RUNS is the number of runs of each class")
			}
			require.NotEmpty(t, cells)
			start := time.Now()
			neverFail(t, cells, each)
			t.Logf("%d variants and classes, %d runs each, %v", len(cells), each, time.Since(start).Round(time.Millisecond))
		})
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
