package sim

// eventKind is the kind of a pending event.
type eventKind uint8

const (
	evRun     eventKind = iota // a ready task runs: a task
	evDeliver                  // a message arrives: a link, b direction
	evScope                    // a scope's deadline: a scope
	evSleep                    // a sleep ends: a task
	evApp                      // the App's timer: a, b
)

// event is a pending event of the timed mode. Events of a process (proc >= 0)
// are held while it is paused and dropped once it has crashed. gen tells
// whether the event is still meant.
type event struct {
	at   Time
	seq  uint64
	kind eventKind
	idle bool // keep-alive: does not count as something that can still happen
	proc ProcID
	a, b int32
	gen  uint32
}

func (e *event) before(f *event) bool {
	return e.at < f.at || e.at == f.at && e.seq < f.seq
}

// queue is a 4-ary heap of events by time, then by order of insertion.
type queue struct{ h []event }

func (q *queue) push(e event) {
	q.h = append(q.h, e)
	i := len(q.h) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&q.h[p]) {
			break
		}
		q.h[i] = q.h[p]
		i = p
	}
	q.h[i] = e
}

func (q *queue) pop() event {
	top := q.h[0]
	n := len(q.h) - 1
	e := q.h[n]
	q.h = q.h[:n]
	if n == 0 {
		return top
	}
	i := 0
	for {
		c := 4*i + 1
		if c >= n {
			break
		}
		end := min(c+4, n)
		m := c
		for j := c + 1; j < end; j++ {
			if q.h[j].before(&q.h[m]) {
				m = j
			}
		}
		if !q.h[m].before(&e) {
			break
		}
		q.h[i] = q.h[m]
		i = m
	}
	q.h[i] = e
	return top
}
