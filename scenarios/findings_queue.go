package scenarios

import (
	"strings"

	"zoosim/checker"
	"zoosim/faults"
)

// queueFindings are the known faults of the queues.
func queueFindings() []Finding {
	return []Finding{
		{
			"seed002:Q1", checker.LostItem,
			"items are ephemeral: what a producer has put goes with its session",
			twice("queue/seed002", ModeBlocking, faults.Crash), removedByNobody,
		},
		{
			"seed002:Q2", checker.Progress,
			"the notification comes between the listing and the wait, and the consumer sleeps beside an item",
			once("queue/seed002", ModeBlocking), untouched,
		},
		{
			"seed002:Q3", checker.LostItem,
			"the item is deleted before its taker has it",
			once("queue/seed002", ModeBlocking, faults.CutReply), removedByTaker,
		},
		{
			"seed002:Q5", checker.Progress,
			"a waiting consumer does not hear of the end of its session, nor of any item after it",
			once("queue/seed002", ModeBlocking, faults.Expiry, faults.Resession), sessionLost,
		},
		{
			"seed002:Q4", checker.DuplicateItem,
			"an enqueue that is made again after a lost reply makes a second item",
			with(once("queue/seed002", ModeBlocking, faults.CutReply), func(s *Scenario) { s.SamePut = true }), storedTwice,
		},
		{
			"seed002:Q8", checker.SpuriousError,
			"two clients find no root and create it, and one is told that it is there",
			bare(once("queue/seed002", ModeBlocking)), rootTaken,
		},
		{
			"seed002:Q6", checker.FanOut,
			"every consumer watches the queue, and a put wakes all of them to go for its head",
			once("queue/seed002", ModeBlocking), untouched,
		},
		{
			"zkjava:Z3", checker.LostItem,
			"a take whose delete reply is lost throws, and the item is gone",
			once("queue/zkjava", ModeBlocking, faults.CutReply), replyLost,
		},
		{
			"zkjava:Z4", checker.DuplicateItem,
			"an offer whose reply is lost throws, and who offers again puts the item twice",
			with(once("queue/zkjava", ModeBlocking, faults.CutReply), func(s *Scenario) { s.SamePut = true }), always,
		},
		{
			"zkjava:Z5", checker.SpuriousError,
			"two offers find no directory, and the second to create it fails",
			with(once("queue/zkjava", ModeBlocking), func(s *Scenario) { s.Bare = true }), untouched,
		},
		{
			"seed002:Q7", checker.FIFO,
			"behind the wrap of the counter new items sort before the old",
			with(twice("queue/seed002", ModeBlocking), wrapped), untouched,
		},
		{
			"curator:C6", checker.LostItem,
			"a delete repeated after a lost reply finds nothing, and the take goes on with the next item",
			once("queue/curator-simple", ModeBlocking, faults.CutReply), replyLost,
		},
		{
			"curator:C8", checker.DuplicateItem,
			"a create repeated after a lost reply makes a second item",
			once("queue/curator-simple", ModeBlocking, faults.CutReply), always,
		},
		{
			"curator:C7", checker.LostItem,
			"a delete repeated after a lost reply finds nothing, and the item is never consumed",
			once("queue/curator", ModeBlocking, faults.CutReply), replyLost,
		},
		{
			"CURATOR-605", checker.DuplicateItem,
			"an item whose consumer's session ends is consumed by another while the first goes on",
			once("queue/curator-locked", ModeBlocking, faults.Expiry, faults.Resession), returnedTwice,
		},
		{
			"kazoo:K2", checker.LostItem,
			"a delete repeated after a lost reply finds nothing, and the get goes on with the next item",
			once("queue/kazoo", ModeTry, faults.CutReply), replyLost,
		},
		{
			"kazoo:K3", checker.Priority,
			"the listing is kept, and an item of higher priority that comes meanwhile waits",
			Default("queue/kazoo"), always,
		},
	}
}

// twice is once with two operations a client.
func twice(variant string, mode Mode, kinds ...faults.Kind) Scenario {
	s := once(variant, mode, kinds...)
	s.Ops = 2
	return s
}

// untouched: no fault took effect on the client.
func untouched(h []checker.Event, r checker.Result) bool {
	for i := range h {
		if e := &h[i]; e.Kind == checker.Fault && e.Client == r.Client {
			return false
		}
	}
	return true
}

// removedByNobody, removedByTaker: who deleted the znode of the lost item.
func removedByNobody(_ []checker.Event, r checker.Result) bool {
	return !strings.Contains(r.Why, " removed it at ")
}

func removedByTaker(h []checker.Event, r checker.Result) bool { return !removedByNobody(h, r) }

// replyLost: the item was removed, a reply was lost, and nobody crashed.
func replyLost(h []checker.Event, r checker.Result) bool {
	lost := false
	for i := range h {
		switch e := &h[i]; {
		case e.Kind == checker.Crash:
			return false
		case e.Kind == checker.Fault && e.Text == faults.CutReply.String():
			lost = true
		}
	}
	return lost && removedByTaker(h, r)
}

// sessionLost: the session of the client that waits has ended, or was given up.
func sessionLost(h []checker.Event, r checker.Result) bool {
	return hit(h, r, faults.Expiry) || hit(h, r, faults.Resession)
}

// storedTwice: two znodes were made for one item.
func storedTwice(h []checker.Event, _ checker.Result) bool {
	stored := map[int64]bool{}
	for i := range h {
		if e := &h[i]; e.Kind == checker.ItemCreate {
			if stored[e.N] {
				return true
			}
			stored[e.N] = true
		}
	}
	return false
}

// returnedTwice: the item was not put twice, but returned twice.
func returnedTwice(_ []checker.Event, r checker.Result) bool {
	return strings.Contains(r.Why, "had been returned")
}
