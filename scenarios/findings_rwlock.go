package scenarios

import (
	"zoosim/checker"
	"zoosim/faults"
)

// rwlockFindings are the known faults of the read-write locks.
func rwlockFindings() []Finding {
	return []Finding{
		{
			"seed000:R1", checker.Progress,
			"a writer behind writers alone has nothing to watch, and waits for ever",
			once("rwlock/seed000", ModeBlocking), waitsAs(writeGrant),
		},
		{
			"seed000:R2", checker.RWExclusion,
			"a writer waits for readers alone: of two behind the same reader both enter when it goes",
			once("rwlock/seed000", ModeBlocking), grantedAs(writeGrant),
		},
		{
			"seed000:R3", checker.RWExclusion,
			"a reader enters when the writer that it watched is gone, without looking again",
			once("rwlock/seed000", ModeBlocking, faults.Crash), grantedAs(checker.SharedGrant),
		},
		{
			"seed000:R4", checker.Progress,
			"a reader behind readers alone is not the smallest, and has nothing to watch",
			once("rwlock/seed000", ModeBlocking), waitsAs(checker.SharedGrant),
		},
		{
			"seed000:R10", checker.Progress,
			"the znode to watch goes between listing and watching, and nobody wakes the waiter",
			once("rwlock/seed000", ModeBlocking), watchedNothing,
		},
	}
}

// waitsAs: the client that waits acquires for a purpose, and nothing hit it.
func waitsAs(purpose string) func([]checker.Event, checker.Result) bool {
	return func(h []checker.Event, r checker.Result) bool {
		for i := range h {
			if e := &h[i]; e.Kind == checker.Invoke && e.Client == r.Client {
				return e.Text == purpose && untouched(h, r)
			}
		}
		return false
	}
}

// grantedAs: the grant that broke the property was one for a purpose.
func grantedAs(purpose string) func([]checker.Event, checker.Result) bool {
	return func(h []checker.Event, r checker.Result) bool {
		g := grantOf(h, r)
		return g >= 0 && h[g].Text == purpose
	}
}

// watchedNothing: the client is first in line, no fault struck it, and though it
// has asked for a znode to watch it was told of none.
func watchedNothing(h []checker.Event, r checker.Result) bool {
	watches := false
	for i := range h {
		switch e := &h[i]; {
		case e.Client != r.Client:
		case e.Kind == checker.Request && e.Text == "exists":
			watches = true
		case e.Kind == checker.Notify, e.Kind == checker.Grant, e.Kind == checker.Fail:
			watches = false
		}
	}
	return watches && firstInLineUntouched(h, r)
}
