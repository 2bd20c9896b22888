package scenarios

import (
	"zoosim/checker"
	"zoosim/faults"
)

// seedLockFindings are the known faults of the seeds' locks that are not in
// [lockFindings]: those that take a workload or faults of their own, or that
// another fault of the same lock hides.
func seedLockFindings() []Finding {
	return []Finding{
		{
			"seed002:L5", checker.Leak,
			"the znode whose create reply is lost has no guid to be found by, and stays",
			thrown(once("lock/seed002", ModeBlocking, faults.CutReply)), createReplyLost,
		},
		{
			"seed002:L6", checker.Exclusion,
			"a holder whose session the server ends is not told, and goes on beside the next",
			once("lock/seed002", ModeBlocking, faults.Expiry), holderNotTold,
		},
		{
			"seed002:L7", checker.Exclusion,
			"a waiter whose session has ended sleeps until its time is over, and enters without a znode",
			once("lock/seed002", ModeBlocking, faults.Expiry), enteredWithoutTicket,
		},
		{
			"seed002:L8", checker.Leak,
			"a release whose delete is lost throws before it closes the session, and the znode stays",
			thrown(once("lock/seed002", ModeBlocking, faults.CutRequest)), failedRelease(faults.CutRequest),
		},
		{
			"seed002:L12", checker.SpuriousError,
			"two clients find no root and create it, and one is told that it is there",
			bare(once("lock/seed002", ModeBlocking)), rootTaken,
		},
		{
			"seed002:L3", checker.SpuriousError,
			"the latch is replaced behind the watch, the notification opens the old one, and the waiter sleeps until its time is over",
			with(thrown(once("lock/seed002-heeding", ModeBlocking)), func(s *Scenario) { s.Clients = 2 }), sleptThroughNotification,
		},
		{
			"seed002:L4", checker.Leak,
			"a waiter that has timed out leaves its znode",
			thrown(once("lock/seed002-heeding", ModeBlocking)), timedOutAndLeft,
		},
		{
			"seed002:L9", checker.SpuriousError,
			"another lock's znode below the same root counts as predecessor, and the waiter's time runs out though the lock is free",
			with(thrown(once("lock/seed002-heeding", ModeBlocking)), func(s *Scenario) { s.Foreign = true }), waitedForNobody,
		},
		{
			"seed002:L11", checker.SpuriousError,
			"the own znode is not in the list, as an admin has deleted it, and the index of the one in front is out of bounds",
			used(once("lock/seed002", ModeBlocking), UsePurged), says("IndexOutOfBounds"),
		},
		{
			"seed002:L14", checker.Linearizable,
			"a second acquire on the same object forgets the first znode, waits for it until its time is over, and enters",
			used(once("lock/seed002", ModeBlocking), UseNested), waitedForItself,
		},
		{
			"seed003:T3", checker.Exclusion,
			"the latch of the first acquire is never renewed, and the next goes through it",
			twice("lock/seed003", ModeBlocking), latchStillOpen,
		},
		{
			"seed003:T4", checker.Progress,
			"a create that is repeated after a lost reply makes a second znode, and the client waits on its own first one",
			once("lock/seed003", ModeBlocking, faults.CutReply), waitsOnOwnTicket,
		},
		{
			"seed003:T5", checker.Exclusion,
			"a waiter's tree cache lives on in its next session, reports the predecessor's end, and the waiter enters without a znode",
			twice("lock/seed003", ModeBlocking, faults.Expiry), enteredInNextSession,
		},
		{
			"seed003:T6", checker.Exclusion,
			"a holder whose session the server ends is not told, and goes on beside the next",
			once("lock/seed003", ModeBlocking, faults.Expiry), holderNotTold,
		},
		{
			"seed003:T7", checker.Progress,
			"the release stands in no finally: an exception in the work leaves the lock held, and the others wait for ever",
			used(once("lock/seed003", ModeBlocking), UseThrowing), heldByNobodyAtWork,
		},
		{
			"seed003:T8", checker.FanOut,
			"the tree caches are never closed, and hear of the predecessors of acquires that are long over",
			twice("lock/seed003", ModeBlocking), toldOfOldPredecessor,
		},
		{
			"seed003:T10", checker.Progress,
			"nothing limits the wait: behind a znode that nobody deletes all others wait for ever",
			once("lock/seed003", ModeBlocking, faults.CutReply), waitsBehindOther,
		},
		{
			"seed000:R8", checker.Exclusion,
			"a re-entrant acquire is answered from memory, though the session of the first has ended and another holds",
			used(once("lock/curator", ModeBlocking, faults.Expiry, faults.CutRequest), UseNested), answeredFromMemory,
		},
		{
			"seed000:R9", checker.Progress,
			"the order of the znodes rules out a deadlock over one lock alone: of two that take two locks crosswise each waits for the other",
			used(once("lock/curator", ModeBlocking), UseCrossed), waitsForCrossing,
		},
	}
}

// used has clients use the lock so.
func used(s Scenario, u Usage) Scenario {
	s.Usage = u
	return s
}

// bare leaves the directory to the recipe.
func bare(s Scenario) Scenario {
	s.Bare = true
	return s
}

// thrown has what fails not made again, as if the exception had gone through.
func thrown(s Scenario) Scenario {
	s.Attempts = 1
	return s
}
