package scenarios

import (
	"strings"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
)

// groupFindings are the known faults of the groups. G5 of the catalogue, a
// member that joins and leaves unseen between a notification and the listing,
// is none: one-shot watches allow it.
func groupFindings() []Finding {
	renewed := once("group/seed002", ModeBlocking)
	renewed.Renew = true
	return []Finding{
		{
			"seed002:G1", checker.SpuriousError,
			"a member that starts again before its former session has ended finds its own name taken",
			once("group/seed002", ModeBlocking, faults.Restart), nameTaken,
		},
		{
			"seed002:G2", checker.Stale,
			"a member whose session has ended does not join again, and goes on showing what it has seen last",
			once("group/seed002", ModeBlocking, faults.Expiry, faults.Resession), sessionLost,
		},
		{
			"seed002:G3", checker.Stale,
			"an error within the callback is swallowed, and the watch is not set again",
			once("group/seed002", ModeBlocking, faults.CutRequest), struck(faults.CutRequest),
		},
		{
			"seed002:G4", checker.Stale,
			"changes of the children alone are heeded: a group that is deleted and made again is not watched any more",
			renewed, shownLess,
		},
		{
			"seed002:G6", checker.FanOut,
			"every member watches the group, and whoever leaves wakes all",
			twice("group/seed002", ModeBlocking), always,
		},
		{
			"kazoo:party-expiry", checker.Stale,
			"a member whose session has ended takes part in nothing, goes on saying that it does, and does not join again",
			once("group/kazoo-party", ModeBlocking, faults.Expiry, faults.Resession), sessionLost,
		},
		{
			"kazoo:party-list", checker.Stale,
			"the list is put together from a listing and a read of each znode, and was the members' at no moment",
			Default("group/kazoo-party"), atNoMoment,
		},
	}
}

// nameTaken: the client, which has started again, was told that a znode was
// there.
func nameTaken(h []checker.Event, r checker.Result) bool {
	for i := range h {
		if e := &h[i]; e.Kind == checker.Restart && e.Client == r.Client {
			return strings.Contains(r.Why, zk.ErrNodeExists.Error())
		}
	}
	return false
}

// shownLess: nothing hit the client, and what it has shown last was not behind
// something newer.
func shownLess(h []checker.Event, r checker.Result) bool {
	return untouched(h, r) && strings.Contains(r.Why, "all was quiet")
}

// atNoMoment: what was shown was never the case.
func atNoMoment(_ []checker.Event, r checker.Result) bool {
	return strings.Contains(r.Why, "at no moment")
}

// struck: a fault took effect on the client.
func struck(k faults.Kind) func([]checker.Event, checker.Result) bool {
	return func(h []checker.Event, r checker.Result) bool { return hit(h, r, k) }
}
