package scenarios

import (
	"strings"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
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
			once("lock/seed003", ModeBlocking, faults.Expiry), enteredWithoutTicket,
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

// state is what was the case just before an event of a history.
type state struct {
	believes map[int32]int // grants that are not given back; index of the last plus 1
	live     []checker.Event
}

// stateAt goes through the first n events.
func stateAt(h []checker.Event, n int) state {
	s := state{believes: map[int32]int{}}
	for i := range h[:n] {
		switch e := &h[i]; e.Kind {
		case checker.Grant:
			s.believes[e.Client] = i + 1
		case checker.ReleaseInvoke, checker.Lost, checker.Crash:
			delete(s.believes, e.Client)
		case checker.TicketCreate:
			s.live = append(s.live, *e)
		case checker.TicketDelete:
			s.drop(e.Arg)
		}
	}
	return s
}

// drop removes a ticket.
func (s *state) drop(zxid int64) {
	for i := range s.live {
		if s.live[i].Arg == zxid {
			s.live = append(s.live[:i], s.live[i+1:]...)
			return
		}
	}
}

// tickets lists the client's live tickets, oldest first.
func (s *state) tickets(client int32) []checker.Event {
	var own []checker.Event
	for _, t := range s.live {
		if t.Client == client {
			own = append(own, t)
		}
	}
	return own
}

// createReplyLost: the reply that the client lost was that of a create, whose
// znode is left.
func createReplyLost(h []checker.Event, r checker.Result) bool {
	created := false // the client's last request
	for i := range h {
		switch e := &h[i]; {
		case e.Client != r.Client:
		case e.Kind == checker.TicketCreate:
			created = true
		case e.Kind == checker.Fault && e.Text == faults.CutReply.String():
			return created
		case e.Kind == checker.Request && !strings.HasPrefix(e.Text, "create"):
			created = false
		}
	}
	return false
}

// holderNotTold: the client entered first in line, beside another whose live
// session the server had ended after its grant.
func holderNotTold(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 {
		return false
	}
	s := stateAt(h, g)
	if len(s.live) == 0 || s.live[0].Client != r.Client {
		return false
	}
	for i := range h[:g] {
		if e := &h[i]; e.Client != r.Client && e.Kind == checker.SessionEnd && s.believes[e.Client] > 0 && s.believes[e.Client] <= i {
			return hit(h[:g], checker.Result{Client: e.Client}, faults.Expiry)
		}
	}
	return false
}

// enteredWithoutTicket: the server ended a live session of the client within
// the acquire, and it had no znode when it entered.
func enteredWithoutTicket(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 || hasTicket(h, r) || !hit(h[:g], r, faults.Expiry) {
		return false
	}
	for i := g - 1; i >= 0 && h[i].Kind != checker.Invoke || h[i].Client != r.Client; i-- {
		if h[i].Kind == checker.SessionEnd && h[i].Client == r.Client {
			return true
		}
	}
	return false
}

// hasTicket: the client had a znode at the grant that broke the property.
func hasTicket(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 {
		return false
	}
	s := stateAt(h, g)
	return len(s.tickets(r.Client)) > 0
}

// says: the verdict has the text in it.
func says(text string) func([]checker.Event, checker.Result) bool {
	return func(_ []checker.Event, r checker.Result) bool { return strings.Contains(r.Why, text) }
}

// timedOut is the place of the event by which the client's acquire failed when
// its time was over, -1 for none, and of its invocation.
func timedOut(h []checker.Event, r checker.Result) (invoke, fail int) {
	for i := range h {
		switch e := &h[i]; {
		case e.Client != r.Client:
		case e.Kind == checker.Invoke:
			invoke = i
		case e.Kind == checker.Fail && e.Waited >= seed002Await:
			return invoke, i
		}
	}
	return invoke, -1
}

// notified reports whether a client was sent a notification.
func notified(h []checker.Event, client int32) bool {
	for i := range h {
		if e := &h[i]; e.Kind == checker.Notify && e.Client == client {
			return true
		}
	}
	return false
}

// sleptThroughNotification: the client's time ran out behind a notification.
func sleptThroughNotification(h []checker.Event, r checker.Result) bool {
	invoke, fail := timedOut(h, r)
	return fail >= 0 && untouched(h, r) && notified(h[invoke:fail], r.Client)
}

// waitedForNobody: the client's time ran out without a notification, and its
// znode was the oldest all the time.
func waitedForNobody(h []checker.Event, r checker.Result) bool {
	invoke, fail := timedOut(h, r)
	if fail < 0 || !untouched(h, r) || notified(h[invoke:fail], r.Client) {
		return false
	}
	s := stateAt(h, fail)
	return len(s.live) > 0 && s.live[0].Client == r.Client
}

// timedOutAndLeft: the znode that is left is that of an acquire whose time ran
// out.
func timedOutAndLeft(h []checker.Event, r checker.Result) bool {
	_, fail := timedOut(h, r)
	return fail >= 0 && untouched(h, r)
}

// waitedForItself: the client held the lock, and was granted it again when its
// time was over.
func waitedForItself(h []checker.Event, r checker.Result) bool {
	return strings.Contains(r.Why, "not re-entrant") && timedOutAndIn(h, r)
}

// heldByNobodyAtWork: the oldest znode is that of a client whose program is
// over, and which has not released.
func heldByNobodyAtWork(h []checker.Event, r checker.Result) bool {
	s := stateAt(h, len(h))
	if !untouched(h, r) || len(s.live) == 0 {
		return false
	}
	holder := s.live[0].Client
	return s.believes[holder] > 0 && ended(h, checker.Result{Client: holder}, checker.Done)
}

// answeredFromMemory: the client, granted the lock before and told of the end
// of its session since, was granted it again without a request.
func answeredFromMemory(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 || hasTicket(h, r) {
		return false
	}
	for i := g - 1; i >= 0; i-- {
		switch e := &h[i]; {
		case e.Client != r.Client:
		case e.Kind == checker.Request:
			return false
		case e.Kind == checker.Invoke:
			return ended(h[:i], r, checker.Grant) && ended(h[:i], r, checker.Lost)
		}
	}
	return false
}

// waitsForCrossing: another client holds the lock for ever, and its program is
// not over.
func waitsForCrossing(h []checker.Event, r checker.Result) bool {
	s := stateAt(h, len(h))
	if len(s.live) == 0 || !untouched(h, r) {
		return false
	}
	holder := s.live[0].Client
	return s.believes[holder] > 0 && untouched(h, checker.Result{Client: holder}) &&
		!ended(h, checker.Result{Client: holder}, checker.Done)
}

// failedRelease: a release of the client failed when the fault struck it, and
// nothing else was left to delete.
func failedRelease(k faults.Kind) func([]checker.Event, checker.Result) bool {
	return func(h []checker.Event, r checker.Result) bool {
		for i := range h {
			if e := &h[i]; e.Kind == checker.ReleaseReturn && e.Client == r.Client && e.Text != "" {
				s := stateAt(h, len(h))
				return hit(h, r, k) && len(s.tickets(r.Client)) == 1
			}
		}
		return false
	}
}

// rootTaken: the client was told that the root was there.
func rootTaken(_ []checker.Event, r checker.Result) bool {
	return strings.Contains(r.Why, zk.ErrNodeExists.Error())
}

// latchStillOpen: the client had been granted the lock before, and went
// through without a word from the server.
func latchStillOpen(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 || h[g].Waited > 0 || !hasTicket(h, r) {
		return false
	}
	for i := range h[:g] {
		if e := &h[i]; e.Kind == checker.Grant && e.Client == r.Client {
			return true
		}
	}
	return false
}

// waitsOnOwnTicket: the client has two znodes, the first of which is the
// oldest of all.
func waitsOnOwnTicket(h []checker.Event, r checker.Result) bool {
	s := stateAt(h, len(h))
	return hit(h, r, faults.CutReply) && len(s.tickets(r.Client)) > 1 && s.live[0].Client == r.Client
}

// waitsBehindOther: nothing struck the client, and another's znode is the
// oldest.
func waitsBehindOther(h []checker.Event, r checker.Result) bool {
	s := stateAt(h, len(h))
	return untouched(h, r) && len(s.live) > 1 && s.live[0].Client != r.Client && len(s.tickets(r.Client)) > 0
}

// toldOfOldPredecessor: a client heard of the end of the ticket when none of
// its acquires was under way.
func toldOfOldPredecessor(h []checker.Event, r checker.Result) bool {
	acquiring := map[int32]bool{}
	for i := range h {
		switch e := &h[i]; e.Kind {
		case checker.Invoke:
			acquiring[e.Client] = true
		case checker.Grant, checker.Refuse, checker.Fail, checker.Crash:
			acquiring[e.Client] = false
		case checker.Notify:
			if e.At >= r.At && !acquiring[e.Client] {
				return true
			}
		}
	}
	return false
}
