package checker

import "strconv"

// order judges a grant that is not re-entrant by the tickets that are live
// now. The ticket on which it was granted is the one that its token names,
// else the client's only one. Of several it may have been any (one of a former
// session can be created late), and the oldest counts; a client without a
// ticket is not judged.
func (l *Lock) order(c *lockClient, e *Event) {
	own := c.tickets.granted(&l.queue, e.Client, e.Arg)
	if own == 0 {
		return
	}
	if t := l.queue.overtaken(own, e.Client); t != nil {
		l.fail(failure{
			property: fifoIndex, client: e.Client, other: t.client, op: e.Op,
			at: e.At, since: t.at, a: own, b: t.zxid,
		})
	}
}

// fifo is the sentence about a failure of fifo.
func (f *failure) fifo() string {
	return name(f.client) + " was granted the lock at " + seconds(f.at) + " on ticket " +
		strconv.FormatInt(f.a, 10) + " while the earlier ticket " + strconv.FormatInt(f.b, 10) +
		" of " + name(f.other) + ", created at " + seconds(f.since) + ", was live"
}
