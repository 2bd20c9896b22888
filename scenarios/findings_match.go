package scenarios

import (
	"strings"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/zk"
)

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

// enteredInNextSession: of the two that are in, one has entered without a znode
// after the end of the session that it waited in, when the server told it, in
// its next one, of its predecessor.
func enteredInNextSession(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 {
		return false
	}
	in := stateAt(h, g+1)
	for i := range h[:g+1] {
		if e := &h[i]; e.Kind == checker.Grant && in.believes[e.Client] == i+1 && toldInNextSession(h[:i+1]) {
			return true
		}
	}
	return false
}

// toldInNextSession: the client whose grant is the last event had no znode, and
// had been told of something since its session ended within the acquire.
func toldInNextSession(h []checker.Event) bool {
	g := len(h) - 1
	client, told := h[g].Client, false
	s := stateAt(h, g)
	if len(s.tickets(client)) > 0 {
		return false
	}
	for i := g - 1; i >= 0; i-- {
		switch e := &h[i]; {
		case e.Client != client:
		case e.Kind == checker.Notify:
			told = true
		case e.Kind == checker.SessionEnd:
			return told
		case e.Kind == checker.Invoke:
			return false
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
