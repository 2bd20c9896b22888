package checker

import (
	"slices"
	"time"
)

// ticket is a live ticket.
type ticket struct {
	zxid   int64
	at     time.Duration // when it was created
	client int32
	orphan bool // its process crashed and another runs the client's program
	freed  bool // its client has begun to release what it stands for
}

// bits are what a state tells of a ticket beside its place.
func (t *ticket) bits() uint64 { return bit(t.orphan) | bit(t.freed)<<1 }

// ticketQueue holds the live tickets, oldest first. Tickets mostly come at
// the end and go at the front, both in constant time.
type ticketQueue struct {
	list []ticket // live from head on, zxids ascending
	head int
}

// live is the live tickets, oldest first.
func (q *ticketQueue) live() []ticket { return q.list[q.head:] }

func (q *ticketQueue) reset() {
	q.list = q.list[:0]
	q.head = 0
}

func (q *ticketQueue) copyInto(dst *ticketQueue) {
	dst.list = append(dst.list[:0], q.live()...)
	dst.head = 0
}

// add puts a ticket in its place and returns how many older ones live.
func (q *ticketQueue) add(t ticket) int {
	// Moving the tickets down only when half of the list is free keeps the
	// cost of a move below that of the additions since the last one.
	if len(q.list) == cap(q.list) && 2*q.head >= len(q.list) {
		n := copy(q.list, q.list[q.head:])
		q.list = q.list[:n]
		q.head = 0
	}
	q.list = append(q.list, t)
	i := len(q.list) - 1
	for i > q.head && q.list[i-1].zxid > t.zxid {
		q.list[i] = q.list[i-1]
		i--
	}
	q.list[i] = t
	return i - q.head
}

// position is how many live tickets are older than zxid.
func (q *ticketQueue) position(zxid int64) int {
	lo, hi := q.head, len(q.list)
	if lo < hi && q.list[lo].zxid >= zxid {
		return 0
	}
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if q.list[mid].zxid < zxid {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - q.head
}

// find is the index in live of the client's ticket with that zxid, or -1.
func (q *ticketQueue) find(zxid int64, client int32) int {
	live := q.live()
	for i := q.position(zxid); i < len(live) && live[i].zxid == zxid; i++ {
		// A multi gives one zxid to all that it creates.
		if live[i].client == client {
			return i
		}
	}
	return -1
}

// remove takes a ticket out and returns it.
func (q *ticketQueue) remove(zxid int64, client int32) (ticket, bool) {
	i := q.find(zxid, client)
	if i < 0 {
		return ticket{}, false
	}
	i += q.head
	t := q.list[i]
	if i == q.head {
		q.head++
	} else {
		q.list = slices.Delete(q.list, i, i+1)
	}
	if q.head == len(q.list) {
		q.reset()
	}
	return t, true
}

// free marks the newest ticket of the client's running process.
func (q *ticketQueue) free(client int32) {
	if t := q.latest(client); t != nil {
		t.freed = true
	}
}

// newest is the zxid of the newest ticket that the client's running process
// owns, 0 for none.
func (q *ticketQueue) newest(client int32) int64 {
	if t := q.latest(client); t != nil {
		return t.zxid
	}
	return 0
}

// latest is the newest ticket that the client's running process owns, or nil.
func (q *ticketQueue) latest(client int32) *ticket {
	for i := len(q.list) - 1; i >= q.head; i-- {
		if t := &q.list[i]; t.client == client && !t.orphan {
			return t
		}
	}
	return nil
}

// oldest is the zxid of the oldest ticket that the client's running process
// owns, 0 for none.
func (q *ticketQueue) oldest(client int32) int64 {
	for _, t := range q.live() {
		if t.client == client && !t.orphan {
			return t.zxid
		}
	}
	return 0
}

// abandon marks the client's tickets as those of a process that is no more.
func (q *ticketQueue) abandon(client int32) {
	live := q.live()
	for i := range live {
		if live[i].client == client {
			live[i].orphan = true
		}
	}
}

// overtaken is the oldest live ticket of another client that is older than
// zxid, or nil.
func (q *ticketQueue) overtaken(zxid int64, client int32) *ticket {
	live := q.live()
	for i := range live {
		if live[i].zxid >= zxid {
			return nil
		}
		if live[i].client != client {
			return &live[i]
		}
	}
	return nil
}

// owned is a client's share of a queue, so that a grant is judged without a
// search: the tickets of its running process.
type owned struct {
	newest int64 // zxid, 0 for none
	count  int32
}

// granted is the ticket on which the client is granted the lock: the one
// that the token names, else the client's oldest, else 0.
func (o *owned) granted(q *ticketQueue, client int32, token int64) int64 {
	if token != 0 && (token == o.newest || q.find(token, client) >= 0) {
		return token
	}
	if o.count > 1 {
		return q.oldest(client)
	}
	return o.newest
}

// added notes a ticket that was put in the queue.
func (o *owned) added(zxid int64) {
	o.count++
	o.newest = max(o.newest, zxid)
}

// removed notes a ticket that was taken out of the queue.
func (o *owned) removed(q *ticketQueue, t ticket) {
	if t.orphan {
		return
	}
	o.count--
	switch {
	case o.count <= 0:
		*o = owned{}
	case t.zxid == o.newest:
		o.newest = q.newest(t.client)
	}
}
