package scenarios

import (
	"time"

	"zoosim/checker"
)

// Outcome is what one run showed.
type Outcome struct {
	// Results holds one verdict a property; it is valid until the next run of
	// the same runner.
	Results []checker.Result
	// Failed reports whether any property failed.
	Failed bool
	// Hash is the hash of the trace.
	Hash uint64
	// Transitions counts messages taken by clients, timers that resume a
	// client, requests served, faults and expiries.
	Transitions int
	// Steps counts the recipe requests that the server served, the callbacks,
	// and the timers that resumed a client.
	Steps int
	// Virtual is the virtual time at which the run was judged.
	Virtual time.Duration
	// Nodes counts the znodes left below the lock's directory then.
	Nodes int
	// Vacuous reports that faults were planned and none changed anything.
	Vacuous bool
	// End says how the run ended.
	End checker.Kind
}
