package checker

import "strconv"

// leak judges the tickets that are live at the end of a run. A client that
// believes, or still waits in an acquire, owns its newest tickets; the
// tickets of a crashed process go with its session.
func (l *Lock) leak() {
	live := l.queue.live()
	for i := range live {
		t := &live[i]
		c := &l.clients[t.client]
		if t.orphan || c.flags&isCrashed != 0 {
			continue
		}
		owns := l.holds.of(t.client) != nil || c.running == acquiring
		if owns && (t.zxid == c.tickets.newest || newerOf(live[i+1:], t.client) < l.cfg.Tickets) {
			continue
		}
		l.fail(failure{
			property: leakIndex, reason: reason(l.end), client: t.client,
			at: l.endAt, since: t.at, a: t.zxid,
		})
		return
	}
}

// newerOf counts the tickets of a client's running process.
func newerOf(list []ticket, client int32) int {
	n := 0
	for i := range list {
		if list[i].client == client && !list[i].orphan {
			n++
		}
	}
	return n
}

// leak is the sentence about a failure of leak. The path of the ticket is
// looked up in the history, which may be nil.
func (f *failure) leak(history []Event) string {
	end := " at quiescence, "
	if Kind(f.reason) == Horizon {
		end = " at the horizon, "
	}
	return "the ticket " + ticketName(f.a, f.client, history) + " of " + name(f.client) + ", created at " +
		seconds(f.since) + ", is still there" + end + seconds(f.at) + ", and nobody holds it"
}

// ticketName is a ticket's zxid and, where the history tells it, its path.
func ticketName(zxid int64, client int32, history []Event) string {
	number := strconv.FormatInt(zxid, 10)
	for i := range history {
		e := &history[i]
		if e.Kind == TicketCreate && e.Arg == zxid && e.Client == client && e.Text != "" {
			return number + " (" + e.Text + ")"
		}
	}
	return number
}
