package scenarios

import (
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
