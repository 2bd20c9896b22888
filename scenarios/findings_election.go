package scenarios

import (
	"maps"
	"strings"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
)

// electionFindings are the known faults of the elections.
func electionFindings() []Finding {
	return []Finding{
		{
			"CURATOR-696", checker.Exclusion,
			"in a new session a candidate finds the znode of its old session first, and leads on it",
			once("election/curator-latch-unasked", ModeBlocking, faults.Resession), always,
		},
		{
			"zookeeper:Z6", checker.SpuriousError,
			"an offer that goes between the listing and its read fails the candidate",
			once("election/zkjava", ModeBlocking), untouched,
		},
		{
			"zookeeper:Z7", checker.Progress,
			"an offer whose create reply was lost stays, and leads nobody",
			once("election/zkjava", ModeBlocking, faults.CutReply), orphanOffer,
		},
	}
}

// orphanOffer: a reply was lost, and no candidate was failed by an offer that
// went.
func orphanOffer(h []checker.Event, _ checker.Result) bool {
	lost := false
	for i := range h {
		switch e := &h[i]; {
		case e.Kind == checker.Fail && strings.Contains(e.Text, zk.ErrNoNode.Error()):
			return false
		case e.Kind == checker.Fault && e.Text == faults.CutReply.String():
			lost = true
		}
	}
	return lost
}

// leaderReplaced: the client leads beside another whose znode went while it led,
// and whose session lives.
func leaderReplaced(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	leads, gone := map[int32]bool{}, map[int32]bool{}
	for i := range h[:max(g, 0)] {
		switch e := &h[i]; e.Kind {
		case checker.Grant:
			leads[e.Client] = true
		case checker.Deposed, checker.ReleaseInvoke, checker.Crash:
			leads[e.Client] = false
		case checker.TicketDelete:
			gone[e.Client] = gone[e.Client] || leads[e.Client]
		case checker.SessionEnd: // which deletes its znodes first
			gone[e.Client] = false
		}
	}
	delete(gone, r.Client)
	maps.DeleteFunc(gone, func(c int32, is bool) bool { return !is || !leads[c] })
	return len(gone) > 0
}
