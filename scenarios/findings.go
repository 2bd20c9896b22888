package scenarios

import (
	"math"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
)

// Finding is a known fault of a variant: the scenario in which a search looks
// for it, and how it is told from other faults of the same variant that break
// the same property.
type Finding struct {
	// ID carries its source: a row of the catalogue of the seeds' faults
	// (seed002:L1), or of the defects measured on real libraries (kazoo:K12).
	ID       string
	Property checker.Property
	// Title says in one sentence what goes wrong.
	Title string
	// Scenario is where it is looked for.
	Scenario Scenario
	// match reports whether a run that failed the property shows this fault.
	match func(h []checker.Event, r checker.Result) bool
}

// MaxFindingRuns bounds the search for one finding.
const MaxFindingRuns = 50_000

// Findings lists the known faults of the variants that [Compare] looks
// for.
func Findings() []Finding {
	var all []Finding
	for _, list := range [][]Finding{lockFindings(), seedLockFindings(), storeFindings(), rwlockFindings(), semaphoreFindings(), queueFindings(), groupFindings(), electionFindings()} {
		all = append(all, list...)
	}
	return all
}

// lockFindings are the known faults of the locks.
func lockFindings() []Finding {
	return []Finding{
		{
			"seed002:L1", checker.Exclusion,
			"woken by the deletion of its predecessor, a waiter enters without looking again",
			once("lock/seed002", ModeBlocking, faults.Crash), wokenInTime,
		},
		{
			"seed002:L2", checker.Exclusion,
			"a waiter that has timed out after 5 s enters all the same",
			once("lock/seed002", ModeBlocking), timedOutWithTicket,
		},
		{
			"seed002:L10", checker.Exclusion,
			"behind the wrap of the counter a newcomer's name sorts first, and it enters",
			with(once("lock/seed002", ModeBlocking), wrapped), enteredAtOnce,
		},
		{
			"seed003:T9", checker.SpuriousError,
			"behind the wrap of the counter the number in a name cannot be read",
			with(once("lock/seed003", ModeBlocking), wrapped), untouched,
		},
		{
			"seed003:T1", checker.Progress,
			"the predecessor vanishes between listing and watching, and the waiter sleeps for ever",
			once("lock/seed003", ModeBlocking), firstInLineUntouched,
		},
		{
			"seed003:T2", checker.Exclusion,
			"woken by the deletion of its predecessor, a waiter enters without looking again",
			once("lock/seed003", ModeBlocking, faults.Crash), wokenAfterCrash,
		},
		{
			"zkjava:Z1", checker.Progress,
			"after a lost create reply the lock waits on its own znode",
			once("lock/zkjava", ModeBlocking, faults.CutReply), waitsOnItself,
		},
		{
			"zkjava:Z2", checker.Progress,
			"the predecessor goes between list and exists, and nobody wakes the waiter",
			once("lock/zkjava", ModeBlocking), firstInLineUntouched,
		},
		{
			"gozk:G1", checker.Leak,
			"an error between create and the end of Lock leaves the znode behind",
			once("lock/gozk", ModeBlocking, faults.CutRequest), failedAcquire,
		},
		{
			"gozk:G4", checker.SpuriousError,
			"after a lost delete reply the lock can be neither released nor acquired again",
			once("lock/gozk", ModeBlocking, faults.CutReply), cannotRelease,
		},
		{
			"gozk:G2", checker.Leak,
			"an error of the watched read leaves the znode behind",
			once("lock/gozk", ModeBlocking, faults.CutRequest), failedBehindList,
		},
		{
			"gozk:G3", checker.Leak,
			"a child whose name has no number ends Lock, and the znode stays",
			with(once("lock/gozk", ModeBlocking), func(s *Scenario) { s.Foreign = true }), untouched,
		},
		{
			"gozk:G5", checker.SpuriousError,
			"after the end of its session the lock can be neither released nor acquired again",
			with(once("lock/gozk", ModeBlocking, faults.Expiry), func(s *Scenario) { s.Ops = 2 }), sessionLost,
		},
		{
			"gozk:G6", checker.Exclusion,
			"a holder is not told that its session has ended",
			once("lock/gozk", ModeBlocking, faults.Pause), heldByPaused,
		},
		{
			"kazoo:K10", checker.Exclusion,
			"a holder is not told that its session has ended",
			once("lock/kazoo", ModeBlocking, faults.Pause), heldByPaused,
		},
		{
			"kazoo:K11", checker.Deadline,
			"the time limit starts anew at each wake-up",
			once("lock/kazoo", ModeTimed, faults.Cut), always,
		},
		{
			"kazoo:K12", checker.Leak,
			"a non-blocking acquire leaves its znode when the clean-up delete is lost",
			once("lock/kazoo", ModeTry, faults.CutRequest), refusedAcquire,
		},
		{
			"curator:C10", checker.Exclusion,
			"a holder is not told that its session has ended",
			once("lock/curator", ModeBlocking, faults.Pause), heldByPaused,
		},
		{
			"curator:C11", checker.Exclusion,
			"in a new session a client takes the znode of its old session for its own",
			once("lock/curator", ModeBlocking, faults.Resession), always,
		},
		{
			"curator:C13", checker.Deadline,
			"behind a lock that failed with an exception it goes on to the next, and waits for that too",
			with(once("lock/curator-multi", ModeTimed), func(s *Scenario) {
				s.Faults[faults.CutRequest] = 4 // more than the retries of one request
				s.Clients, s.Ops, s.Limit = 2, 3, 500*time.Millisecond
			}), endedAs(checker.Fail),
		},
		{
			"curator:C13c", checker.Deadline,
			"each of the locks is given the whole time limit",
			with(once("lock/curator-multi", ModeTimed, faults.Resession), func(s *Scenario) { s.Ops = 2 }), endedAs(checker.Grant),
		},
	}
}

// once is a default scenario with one operation a client and one fault of each
// of the kinds.
func once(variant string, mode Mode, kinds ...faults.Kind) Scenario {
	s := Default(variant)
	s.Ops, s.Mode = 1, mode
	for _, k := range kinds {
		s.Faults[k] = 1
	}
	return s
}

// with is a scenario that differs from another.
func with(s Scenario, change func(*Scenario)) Scenario {
	change(&s)
	return s
}

// wrapped ages the directory: the next number but one is beyond the largest, and
// the server goes on as its documentation says.
func wrapped(s *Scenario) { s.Counter, s.DocumentedWrap = math.MaxInt32, true }

// enteredAtOnce: the client was granted the lock without having waited.
func enteredAtOnce(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	return g >= 0 && h[g].Waited == 0
}

// heldByPaused: a client that was granted the lock before had been paused.
func heldByPaused(h []checker.Event, r checker.Result) bool {
	paused := false
	for i := range h {
		e := &h[i]
		paused = paused || e.Kind == checker.Pause && e.Client != r.Client
	}
	return paused && grantOf(h, r) >= 0
}

// failedBehindList: an acquire of the client failed behind its list, with a
// request lost.
func failedBehindList(h []checker.Event, r checker.Result) bool {
	listed := false
	for i := range h {
		switch e := &h[i]; {
		case e.Client != r.Client:
		case e.Kind == checker.Invoke:
			listed = false
		case e.Kind == checker.Listing:
			listed = true
		case e.Kind == checker.Fail && listed:
			return hit(h, r, faults.CutRequest)
		}
	}
	return false
}

// endedAs: what failed is an operation that ended so.
func endedAs(k checker.Kind) func([]checker.Event, checker.Result) bool {
	return func(h []checker.Event, r checker.Result) bool {
		for i := range h {
			if e := &h[i]; e.Kind == k && e.Client == r.Client && e.At == r.At {
				return true
			}
		}
		return false
	}
}

// seed002Await is how long the lock of seed 002 waits.
const seed002Await = 5 * time.Second

func always([]checker.Event, checker.Result) bool { return true }

// grantOf is the index of the grant at which a client broke a property.
func grantOf(h []checker.Event, r checker.Result) int {
	for i := range h {
		if e := &h[i]; e.Kind == checker.Grant && e.Client == r.Client && e.At == r.At {
			return i
		}
	}
	return -1
}

// wokenInTime: woken, not timed out.
func wokenInTime(h []checker.Event, r checker.Result) bool {
	return wokenAfterCrash(h, r) && !timedOutAndIn(h, r)
}

// wokenAfterCrash: the client's first grant came after a notification in the
// same acquire, and a client had crashed before it.
func wokenAfterCrash(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	if g < 0 {
		return false
	}
	crashed, notified := false, false
	for i := range h[:g] {
		switch e := &h[i]; {
		case e.Kind == checker.Crash:
			crashed = true
		case e.Client != r.Client:
		case e.Kind == checker.Grant:
			return false // its latch has been opened before
		case e.Kind == checker.Invoke:
			notified = false
		case e.Kind == checker.Notify:
			notified = crashed
		}
	}
	return notified
}

// timedOutAndIn: the client was granted the lock at the end of its wait.
func timedOutAndIn(h []checker.Event, r checker.Result) bool {
	g := grantOf(h, r)
	return g >= 0 && h[g].Waited >= seed002Await
}

// timedOutWithTicket: the same, and its znode was there.
func timedOutWithTicket(h []checker.Event, r checker.Result) bool {
	return timedOutAndIn(h, r) && hasTicket(h, r)
}

// firstInLine: the client that waits has the oldest live ticket.
func firstInLine(h []checker.Event, r checker.Result) bool {
	var live []checker.Event
	for i := range h {
		switch e := &h[i]; e.Kind {
		case checker.TicketCreate:
			live = append(live, *e)
		case checker.TicketDelete:
			for j := range live {
				if live[j].Arg == e.Arg {
					live = append(live[:j], live[j+1:]...)
					break
				}
			}
		}
	}
	return len(live) > 0 && live[0].Client == r.Client
}

// firstInLineUntouched: the same, and no fault took effect on the client.
func firstInLineUntouched(h []checker.Event, r checker.Result) bool {
	for i := range h {
		if e := &h[i]; e.Kind == checker.Fault && e.Client == r.Client {
			return false
		}
	}
	return firstInLine(h, r)
}

// waitsOnItself: first in line, and a reply to the client was lost.
func waitsOnItself(h []checker.Event, r checker.Result) bool {
	return hit(h, r, faults.CutReply) && firstInLine(h, r)
}

// hit reports whether a fault took effect on the client.
func hit(h []checker.Event, r checker.Result, k faults.Kind) bool {
	for i := range h {
		if e := &h[i]; e.Kind == checker.Fault && e.Client == r.Client && e.Text == k.String() {
			return true
		}
	}
	return false
}

// failedAcquire, refusedAcquire: an acquire of the client ended so.
func failedAcquire(h []checker.Event, r checker.Result) bool {
	return hit(h, r, faults.CutRequest) && ended(h, r, checker.Fail)
}

func refusedAcquire(h []checker.Event, r checker.Result) bool {
	return hit(h, r, faults.CutRequest) && ended(h, r, checker.Refuse)
}

func ended(h []checker.Event, r checker.Result, k checker.Kind) bool {
	for i := range h {
		if e := &h[i]; e.Kind == k && e.Client == r.Client {
			return true
		}
	}
	return false
}

// cannotRelease: a release failed although its znode was gone.
func cannotRelease(h []checker.Event, r checker.Result) bool {
	return hit(h, r, faults.CutReply) && strings.Contains(r.Why, "release")
}
