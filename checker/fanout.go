package checker

import "strconv"

// fanOut judges how many clients the end of a ticket woke. A waiter that gives
// up leaves its watch behind, since ZooKeeper's clients do not take watches
// back from the server: each ticket that ended without a release excuses one
// notification, and so does each session that a client has left for another
// before the server ended it, since a watch that it waits for may be set in both.
// A left-over watch is a cost, not a failure.
func (l *Lock) fanOut(e *Event) {
	if l.cfg.MaxFanOut == 0 || e.N <= int64(l.cfg.MaxFanOut)+int64(l.leftWatches) {
		return
	}
	l.fail(failure{
		property: fanOutIndex, client: e.Client, at: e.At,
		a: e.N, b: int64(l.cfg.MaxFanOut), op: l.leftWatches,
	})
}

// fanOut is the sentence about a failure of fan-out.
func (f *failure) fanOut() string {
	left := ""
	if f.op > 0 {
		left = ", " + strconv.Itoa(int(f.op)) + " more for watches that were left behind"
	}
	return "the end of a ticket of " + name(f.client) + " at " + seconds(f.at) + " caused " +
		strconv.FormatInt(f.a, 10) + " notifications, and at most " +
		strconv.FormatInt(f.b, 10) + " are promised" + left
}

// fanOut judges how many clients a put woke. Whoever takes an item leaves its
// watch behind: that one is told of the next put without waiting for it is the
// herd, too.
func (q *Queue) fanOut(e *Event) {
	most := int64(q.cfg.MaxFanOut)
	if most < 0 {
		most = int64(q.cfg.Clients)
	}
	if most == 0 || e.Arg <= most || q.fan.Verdict != Pass {
		return
	}
	q.fan.Verdict, q.fan.Client, q.fan.At = Failed, e.Client, e.At
	q.fan.Why = "the put of item " + strconv.FormatInt(e.N, 10) + " by " + name(e.Client) + " at " + seconds(e.At) + " caused " +
		strconv.FormatInt(e.Arg, 10) + " notifications, and at most " + strconv.FormatInt(most, 10) + " are promised"
}
