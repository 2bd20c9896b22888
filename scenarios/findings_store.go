package scenarios

import (
	"time"

	"zoosim/checker"
	"zoosim/faults"
)

// storeFindings are what is known of the locks on a store that seed 001 names:
// it says of Redis that there are problems with the time limit of the lock and
// with consistency.
func storeFindings() []Finding {
	return []Finding{
		{
			"redis:F1", checker.Exclusion,
			"the primary answers before the replica has the key, and behind a fail-over the replica gives the lock to the next",
			once("lock/redis", ModeBlocking, faults.LeaderCrash), struckBefore(faults.LeaderCrash),
		},
		{
			"redis:F2", checker.Exclusion,
			"the replica lags, and a fail-over loses a key that was set long ago",
			with(once("lock/redis", ModeBlocking, faults.LeaderCrash, faults.Lag), func(s *Scenario) { s.Hold = 7 * time.Second }), lostLongAfter,
		},
		{
			"redis:F3", checker.Exclusion,
			"the lease of a paused holder ends, and it goes on beside the next",
			once("lock/redis", ModeBlocking, faults.Pause), heldByPaused,
		},
		{
			"redis:F4", checker.Exclusion,
			"the work takes longer than the lease",
			with(once("lock/redis", ModeBlocking), longWork), always,
		},
		{
			"redis:F5", checker.Exclusion,
			"a release that deletes the key without a look arrives late and deletes that of the next holder",
			once("lock/redis-plain-delete", ModeBlocking, faults.Partition), releasedByAnother,
		},
		{
			"database:D1", checker.Exclusion,
			"the lease of a paused holder ends, and it goes on beside the next",
			once("lock/database", ModeBlocking, faults.Pause), heldByPaused,
		},
		{
			"database:D2", checker.Exclusion,
			"the work takes longer than the lease",
			with(once("lock/database", ModeBlocking), longWork), always,
		},
	}
}

// longWork has clients hold for longer than the leases of the locks on a store.
func longWork(s *Scenario) { s.Hold = 40 * time.Second }

// holderBefore is the index of the last grant before the one at which a client
// broke exclusion, -1 if there is none.
func holderBefore(h []checker.Event, r checker.Result) int {
	holder := -1
	for i := range h[:max(grantOf(h, r), 0)] {
		if h[i].Kind == checker.Grant {
			holder = i
		}
	}
	return holder
}

// struckBefore: between the holder's grant and the next a server was struck.
func struckBefore(k faults.Kind) func([]checker.Event, checker.Result) bool {
	return func(h []checker.Event, r checker.Result) bool {
		return struckAt(h, r, k) >= 0
	}
}

// struckAt is the index of a fault of a server between the holder's grant and
// the next, -1 for none.
func struckAt(h []checker.Event, r checker.Result, k faults.Kind) int {
	for i := holderBefore(h, r); i >= 0 && i < grantOf(h, r); i++ {
		if h[i].Kind == checker.Fault && h[i].Client < 0 && h[i].Text == k.String() {
			return i
		}
	}
	return -1
}

// lostLongAfter: the holder had been granted the lock a second before the
// fail-over.
func lostLongAfter(h []checker.Event, r checker.Result) bool {
	i := struckAt(h, r, faults.LeaderCrash)
	return i >= 0 && h[i].At-h[holderBefore(h, r)].At >= time.Second
}

// releasedByAnother: the holder's lease cannot be over, and a client that holds
// no more has had the store delete it.
func releasedByAnother(h []checker.Event, r checker.Result) bool {
	holder := holderBefore(h, r)
	for i := holder; i >= 0 && i < grantOf(h, r); i++ {
		if e := &h[i]; e.Kind == checker.Request && e.Text == "clear" && e.Client != h[holder].Client {
			return true
		}
	}
	return false
}
