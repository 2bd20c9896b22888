package sim

// LinkID numbers the links of a run; ids of closed links are used again.
type LinkID int32

// Dir is a direction of a link.
type Dir uint8

// The directions.
const (
	ToServer Dir = iota
	ToClient
)

// link is a connection between a process and something outside the processes:
// two FIFO directions. The kernel keeps the times of arrival, the App the
// messages.
type link struct {
	proc    ProcID
	gen     uint32 // arrivals of an earlier gen are void
	open    bool
	blocked bool
	last    [2]Time  // of the latest arrival
	held    [2]int32 // arrived while blocked
}

// Dial opens a link between process p and the outside.
func (w *World) Dial(p ProcID) LinkID {
	if w.untimed {
		return w.dialUntimed(p)
	}
	if n := len(w.freeLn); n > 0 {
		id := w.freeLn[n-1]
		w.freeLn = w.freeLn[:n-1]
		l := &w.links[id]
		*l = link{proc: p, gen: l.gen + 1, open: true}
		return id
	}
	w.links = append(w.links, link{proc: p, open: true})
	return LinkID(len(w.links) - 1)
}

// linksPerProc is how many links of one process an untimed world numbers
// together.
const linksPerProc = 4

// dialUntimed opens a link whose number does not depend on the order in which
// processes dial: the first free one of the process's own. A process that has
// more open at once than are set aside for it gets one behind all of those.
func (w *World) dialUntimed(p ProcID) LinkID {
	id := int(p) * linksPerProc
	for k := 0; ; k++ {
		if k == linksPerProc {
			id = max(len(w.links), 256*linksPerProc)
		}
		for id >= len(w.links) {
			w.links = append(w.links, link{proc: NoProc})
		}
		if l := &w.links[id]; !l.open {
			*l = link{proc: p, gen: l.gen + 1, open: true}
			return LinkID(id)
		}
		id++
	}
}

// Send lets a message leave in direction d: it arrives after a drawn latency,
// behind all that left before it. idle marks keep-alive.
func (w *World) Send(id LinkID, d Dir, idle bool) {
	l := &w.links[id]
	at := max(w.now+w.Draw(LabelLatency, w.o.Latency), l.last[d])
	l.last[d] = at
	owner := NoProc
	if d == ToClient {
		owner = l.proc
	}
	w.push(event{at: at, kind: evDeliver, proc: owner, a: int32(id), b: int32(d), gen: l.gen, idle: idle})
}

// Cut breaks a link at once: nothing that is under way arrives. The id may be
// used again by a later [World.Dial].
func (w *World) Cut(id LinkID) {
	l := &w.links[id]
	if !l.open {
		return
	}
	l.open = false
	l.gen++
	w.pending -= int(l.held[0] + l.held[1])
	l.held = [2]int32{}
	if !w.untimed {
		w.freeLn = append(w.freeLn, id)
	}
}

// Drop takes back the message at the head of one direction, in untimed mode.
func (w *World) Drop(id LinkID, d Dir) {
	first := -1
	for i := range w.queue.h {
		if e := &w.queue.h[i]; e.kind == evDeliver && e.a == int32(id) && e.b == int32(d) && e.gen == w.links[id].gen &&
			(first < 0 || e.seq < w.queue.h[first].seq) {
			first = i
		}
	}
	if first < 0 {
		return
	}
	w.uncount(&w.queue.h[first])
	last := len(w.queue.h) - 1
	w.queue.h[first] = w.queue.h[last]
	w.queue.h = w.queue.h[:last]
}

// Block holds everything that arrives on a link, in both directions, until
// [World.Unblock].
func (w *World) Block(id LinkID) { w.links[id].blocked = w.links[id].open }

// Unblock lets go what arrived meanwhile, in order.
func (w *World) Unblock(id LinkID) {
	l := &w.links[id]
	if !l.blocked {
		return
	}
	l.blocked = false
	for d := range l.held {
		n := l.held[d]
		l.held[d] = 0
		w.pending -= int(n)
		l.last[d] = max(l.last[d], w.now)
		for ; n > 0; n-- {
			w.Send(id, Dir(d), false)
		}
	}
}

// HeldOn counts the messages that have arrived on a blocked link.
func (w *World) HeldOn(id LinkID) int { l := &w.links[id]; return int(l.held[0] + l.held[1]) }
