package scenarios

import (
	"slices"
	"time"

	"zoosim/checker"
	"zoosim/faults"
)

// markPhase is what a client does.
type markPhase uint8

const (
	markIdle markPhase = iota
	markAcquiring
	markHolding
	markReleasing
)

// markRequest is the last request of an operation that was served.
type markRequest uint8

const (
	requestNone markRequest = iota
	requestCreate
	requestList
	requestWatch // exists or getData
	requestDelete
)

// markClient is what the marks need to know of a client: a small automaton.
type markClient struct {
	phase     markPhase
	mode      checker.Mode
	op        int32
	last      markRequest
	lastAt    time.Duration
	session   int64
	tickets   int // live ones
	made      int // in this acquire
	down      bool
	paused    bool
	crashed   bool
	over      bool // its session has ended and no other has come up
	notified  bool // since its last watch
	gone      bool // its predecessor went since it last looked
	failed    bool // its last acquire failed
	restarted bool
	released  int32 // the operation whose release was invoked last
}

// markTicket is a live ticket.
type markTicket struct {
	zxid   int64
	client int32
}

// markWatcher looks a history through for marks. It keeps its memory.
type markWatcher struct {
	clients []markClient
	tickets []markTicket // oldest first
	hit     uint64
}

// marks returns the marks of a history, by bit.
func (w *markWatcher) marks(h []checker.Event) uint64 {
	w.clients, w.tickets, w.hit = w.clients[:0], w.tickets[:0], 0
	for i := range h {
		e := &h[i]
		if e.Client < 0 {
			w.end(e)
			continue
		}
		for int(e.Client) >= len(w.clients) {
			w.clients = append(w.clients, markClient{released: -1})
		}
		w.event(e, &w.clients[e.Client])
	}
	return w.hit
}

// mark notes that a mark was hit, if it was.
func (w *markWatcher) mark(m mark, hit bool) {
	if hit {
		w.hit |= 1 << m
	}
}

func (w *markWatcher) end(e *checker.Event) {
	if e.Kind == checker.CutOff {
		return
	}
	for i := range w.clients {
		c := &w.clients[i]
		w.mark(markWaitsForever, !c.crashed && (c.phase == markAcquiring || c.phase == markReleasing))
	}
}

func (w *markWatcher) event(e *checker.Event, c *markClient) {
	switch e.Kind {
	case checker.Invoke, checker.Grant, checker.Refuse, checker.Fail, checker.ReleaseInvoke, checker.ReleaseReturn, checker.Done:
		w.operation(e, c)
	case checker.TicketCreate, checker.TicketDelete:
		w.ticket(e, c)
	case checker.Request:
		w.request(e, c)
	case checker.Notify:
		w.notify(e, c)
	case checker.Fault:
		w.fault(e, c)
	case checker.WriteRefused:
		w.mark(markWriteRefused, true)
	default:
		w.life(e, c)
	}
}

// operation follows what a client does.
func (w *markWatcher) operation(e *checker.Event, c *markClient) {
	switch e.Kind {
	case checker.Invoke:
		c.phase, c.mode, c.op, c.last, c.made, c.gone, c.notified = markAcquiring, e.Mode, e.Op, requestNone, 0, false, false
	case checker.Grant:
		w.granted(e, c)
		c.phase, c.last, c.failed = markHolding, requestNone, false
	case checker.Refuse:
		w.mark(markTimedOut, c.mode == checker.TimedMode)
		w.mark(markTryRefused, c.mode == checker.TryMode)
		w.mark(markTimedOutAsPredecessorWent, c.mode == checker.TimedMode && c.gone)
		c.phase, c.failed = markIdle, false
	case checker.Fail:
		w.mark(markFailed, true)
		c.phase, c.failed = markIdle, true
	case checker.ReleaseInvoke:
		w.mark(markReleaseRepeated, c.released == e.Op)
		c.phase, c.released, c.last = markReleasing, e.Op, requestNone
	case checker.ReleaseReturn:
		w.mark(markReleaseFailed, e.Text != "")
		c.phase = markIdle
	case checker.Done:
		w.mark(markDoneWithTicket, c.tickets > 0)
		c.phase = markIdle
	}
}

func (w *markWatcher) granted(e *checker.Event, c *markClient) {
	w.mark(markGrantedAtOnce, e.Waited == 0)
	w.mark(markGrantedAfterWait, e.Waited > 0)
	w.mark(markTimedGranted, c.mode == checker.TimedMode)
	w.mark(markTryGranted, c.mode == checker.TryMode)
	w.mark(markGrantedAfterFailure, c.failed)
	w.mark(markGrantedAfterRestart, c.restarted)
	w.mark(markOvertaken, len(w.tickets) > 0 && c.tickets > 0 && w.tickets[0].client != e.Client)
	for i := range w.clients {
		other := &w.clients[i]
		w.mark(markTwoHolders, int32(i) != e.Client && other.phase == markHolding && !other.crashed)
	}
}

// ticket follows the tickets.
func (w *markWatcher) ticket(e *checker.Event, c *markClient) {
	if e.Kind == checker.TicketCreate {
		w.tickets = append(w.tickets, markTicket{e.Arg, e.Client})
		c.tickets++
		c.made++
		w.mark(markQueueOfThree, len(w.tickets) >= 3)
		w.mark(markTwoTickets, c.tickets > 1)
		w.mark(markTicketAgain, c.phase == markAcquiring && c.made > 1)
		c.last, c.gone = requestCreate, false
		return
	}
	at := slices.IndexFunc(w.tickets, func(t markTicket) bool { return t.zxid == e.Arg && t.client == e.Client })
	if at < 0 {
		return
	}
	w.mark(markHerd, e.N > 1)
	for i := range w.clients {
		if o := &w.clients[i]; int32(i) != e.Client && o.phase == markAcquiring && o.made == 0 {
			w.mark(markGoneBeforeCreate, true)
		}
	}
	if at+1 < len(w.tickets) {
		w.predecessorGone(e, &w.clients[w.tickets[at+1].client])
	}
	w.tickets = slices.Delete(w.tickets, at, at+1)
	c.tickets--
}

// predecessorGone: the ticket before that of o was deleted.
func (w *markWatcher) predecessorGone(e *checker.Event, o *markClient) {
	if o.phase != markAcquiring || o.crashed {
		return
	}
	w.mark(markGoneBeforeList, o.last == requestCreate)
	w.mark(markFiredWhileDown, o.last == requestWatch && o.down)
	w.mark(markUnwatchedDelete, e.N == 0)
	if o.last == requestList {
		o.last = requestNone // what was listed is no longer so
		o.gone = true
		w.mark(markGoneBeforeWatch, true)
		return
	}
	o.gone = true
}

// request follows the requests that are served.
func (w *markWatcher) request(e *checker.Event, c *markClient) {
	switch e.Text {
	case "create", "create2":
		c.last = requestCreate
	case "getChildren", "getChildren2":
		c.last, c.gone = requestList, false
	case "exists", "getData":
		w.mark(markWokenNotFirst, c.phase == markAcquiring && c.notified)
		c.last, c.notified = requestWatch, false
	case "delete":
		c.last = requestDelete
	}
	c.lastAt = e.At
}

// leastLatency is that of the quickest message.
const leastLatency = 200 * time.Microsecond

func (w *markWatcher) notify(e *checker.Event, c *markClient) {
	w.mark(markWoken, c.phase == markAcquiring)
	w.mark(markNotifiedAfterGivingUp, c.phase != markAcquiring && !c.crashed)
	w.mark(markEventBehindReply, c.last == requestWatch && e.At-c.lastAt < leastLatency)
	c.notified = true
}

// waiting reports whether the client is in an acquire and has a ticket.
func (c *markClient) waiting() bool { return c.phase == markAcquiring && c.tickets > 0 }

// life follows connections, sessions and processes.
func (w *markWatcher) life(e *checker.Event, c *markClient) {
	switch e.Kind {
	case checker.SessionEnd:
		if e.Arg != c.session || c.crashed {
			return
		}
		c.over = true
		w.mark(markExpiredHolding, c.phase == markHolding)
		w.mark(markExpiredWaiting, c.phase == markAcquiring)
		w.mark(markExpiredReleasing, c.phase == markReleasing)
		w.mark(markExpiredPaused, c.paused)
	case checker.Lost:
		w.mark(markToldHolding, c.phase == markHolding)
		w.mark(markToldWaiting, c.phase == markAcquiring)
	case checker.Up:
		w.mark(markSameSessionAgain, c.session == e.Arg)
		w.mark(markNewSession, c.session != 0 && c.session != e.Arg && c.over)
		w.mark(markSessionWhileOldLives, c.session != 0 && c.session != e.Arg && !c.over)
		c.session, c.down, c.over = e.Arg, false, false
	case checker.Down:
		c.down = true
		w.mark(markDownHolding, c.phase == markHolding)
		w.mark(markDownWaiting, c.waiting())
	case checker.Crash:
		w.mark(markCrashHolding, c.phase == markHolding)
		w.mark(markCrashWaiting, c.waiting())
		w.mark(markCrashBeforeTicket, c.phase == markAcquiring && c.tickets == 0)
		w.mark(markCrashReleasing, c.phase == markReleasing)
		c.crashed = true
	case checker.Restart:
		w.mark(markRestartWithTicket, c.tickets > 0)
		*c = markClient{tickets: c.tickets, restarted: true, released: -1}
	case checker.Pause:
		c.paused = true
		w.mark(markPausedHolding, c.phase == markHolding)
		w.mark(markPausedWaiting, c.waiting())
	case checker.Resume:
		c.paused = false
		w.mark(markResumedHolderWithoutSession, c.phase == markHolding && c.over)
	}
}

// fault marks what a fault has hit.
func (w *markWatcher) fault(e *checker.Event, c *markClient) {
	switch e.Text {
	case faults.CutReply.String():
		w.mark(markCreateReplyLost, c.last == requestCreate && c.made > 0)
		w.mark(markDeleteReplyLost, c.last == requestDelete)
		w.mark(markListReplyLost, c.last == requestList)
		w.mark(markWatchReplyLost, c.last == requestWatch)
	case faults.CutRequest.String():
		w.mark(markCreateRequestLost, c.phase == markAcquiring && c.made == 0)
		w.mark(markDeleteRequestLost, c.phase == markReleasing)
	case faults.Cut.String():
		w.mark(markCutHolding, c.phase == markHolding)
		w.mark(markCutWaiting, c.waiting())
	case faults.Partition.String():
		w.mark(markPartitionHealed, !c.over)
		w.mark(markPartitionOutlived, c.over)
	case faults.DelayEvent.String():
		w.mark(markEventDelayed, true)
	case faults.Interrupt.String():
		w.mark(markInterruptedWaiting, c.waiting())
		w.mark(markInterruptedReleasing, c.phase == markReleasing)
	}
}
