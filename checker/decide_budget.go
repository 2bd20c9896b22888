package checker

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// The default budget of a search, and the memory that one may fill with what
// it remembers, in bytes, whatever its budget.
const (
	defaultSearchSteps  = 5_000_000
	defaultSearchTime   = 10 * time.Second
	searchMemory        = 512 << 20
	searchBytesPerState = 160 // of a remembered state without its set of operations
)

// searchBudget bounds one search. When it is spent, the specification lets
// everything happen and calls no two states equal, so that the search ends
// after as many steps as there are operations left, and its answer is void.
type searchBudget struct {
	steps    int64
	maxSteps int64 // 0 for no bound
	states   int64
	// maxStates is what the memory has room for.
	maxStates int64
	over      bool
	// classes is how many classes of operations of unknown outcome there are.
	classes int
}

// newSearchBudget is a budget for a search over that many operations.
func newSearchBudget(steps int64, operations int) *searchBudget {
	return &searchBudget{
		maxSteps:  max(steps, 0),
		maxStates: searchMemory / (searchBytesPerState + int64(operations)/8),
	}
}

// step counts one, and is true if the budget is spent.
func (b *searchBudget) step() bool {
	b.steps++
	if b.maxSteps > 0 && b.steps > b.maxSteps {
		b.over = true
	}
	return b.over
}

// kept counts a state that the search may remember.
func (b *searchBudget) kept() {
	b.states++
	if b.states >= b.maxStates {
		b.over = true
	}
}

func (b *searchBudget) spent() bool { return b.over }

// searched is how a search ended.
type searched struct {
	verdict Verdict
	steps   int64
	why     string // why it is Unknown
}

// search asks Porcupine whether the operations, all on one object and none of
// them failed, have a linearization. Steps and limit bound it; 0 does not.
// Time is Porcupine's own affair: it looks at its clock between steps, and
// those are short here, so that it stops soon after.
func search(m *Model, ops []Operation, steps int64, limit time.Duration) searched {
	return runSearch(m, ops, newSearchBudget(steps, len(ops)), limit)
}

// runSearch is search within a budget that is made already.
func runSearch(m *Model, ops []Operation, b *searchBudget, limit time.Duration) searched {
	var inputs []porcupine.Operation
	inputs, b.classes = searchInputs(ops)
	switch porcupine.CheckOperationsTimeout(m.engine.search(b), inputs, limit) {
	case porcupine.Ok:
		if !b.over {
			return searched{verdict: Pass, steps: b.steps}
		}
		if b.states >= b.maxStates {
			return searched{verdict: Unknown, steps: b.steps, why: "its memory was full"}
		}
		return searched{verdict: Unknown, steps: b.steps, why: "its steps were spent"}
	case porcupine.Illegal:
		return searched{verdict: Failed, steps: b.steps}
	}
	return searched{verdict: Unknown, why: "its time was over"}
}
