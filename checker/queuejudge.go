package checker

// QueueFamilyConfig says what a queue promises and so what [Queue] judges.
type QueueFamilyConfig struct {
	// Clients is the number of clients; more are made room for when their
	// events come.
	Clients int
	// Priorities, AtMostOnce and FIFO are as in [QueueConfig].
	Priorities, AtMostOnce, FIFO bool
	// Locks is true for a queue whose consumers lock an item and delete it when
	// it is dealt with: at-least-once. It is then no queue in the sense of the
	// sequential specification, since what is locked is passed over.
	Locks bool
	// Core is as in [LockConfig].
	Core int
	// MaxFanOut is the most notifications that one put may cause; 0 means that
	// the queue promises nothing. A negative number promises one a client.
	MaxFanOut int
	_         struct{}
}

// QueueFamilyProperties lists what [Queue] judges, in the order of its
// results.
func QueueFamilyProperties() []Property {
	ps := append(append([]Property{Linearizable, FIFO}, QueueProperties()...), RunProperties()...)
	return append(ps, FanOut)
}

// queueRunAt is the place of the first of RunProperties, queueFanOutAt that of
// FanOut.
const (
	queueRunAt    = 5
	queueFanOutAt = 9
)

// Queue is the monitors of a queue, over the events of its clients and of its
// items' znodes. A client is taken to run one operation at a time. The zero
// value is ready after Reset.
type Queue struct {
	cfg   QueueFamilyConfig
	ops   Lock
	items QueueMonitor
	// puts has an entry a client: its running operation is a put.
	puts []bool
	fan  Result
	ev   Event // scratch
}

// Reset forgets everything and judges by cfg from now on.
func (q *Queue) Reset(cfg QueueFamilyConfig) {
	q.cfg = cfg
	q.ops.Reset(LockConfig{Clients: cfg.Clients, Shared: true, Object: "the queue", Operation: "operation", Core: cfg.Core})
	q.items.Reset(QueueConfig{Priorities: cfg.Priorities, AtMostOnce: cfg.AtMostOnce, FIFO: cfg.FIFO})
	q.puts = q.puts[:0]
	q.fan = passed(FanOut, LevelOf(FanOut))
	q.growTo(cfg.Clients)
}

func (q *Queue) growTo(n int) {
	for len(q.puts) < n {
		q.puts = append(q.puts, false)
	}
}

// Observe judges the next event.
func (q *Queue) Observe(e *Event) {
	q.growTo(int(e.Client) + 1)
	item := func(k QueueEventKind, number int64) {
		q.items.Observe(&QueueEvent{At: e.At, Kind: k, Client: e.Client, Item: number, Priority: e.Arg, Left: e.Arg != 0})
	}
	q.ev = *e
	switch e.Kind {
	case Put:
		item(PutInvoke, e.N)
		q.puts[e.Client] = true
		q.ev.Kind = Invoke
	case PutEnd:
		q.ev.Kind = Refuse
		if e.Text != "" {
			q.ev.Kind = Fail
			item(PutFail, e.N)
		} else {
			item(PutReturn, e.N)
		}
	case Invoke:
		q.puts[e.Client] = false
		item(TakeInvoke, 0)
	case Grant:
		item(TakeReturn, e.N)
		if !q.cfg.Locks {
			q.ev.Kind = Refuse // nothing is held
		}
	case Refuse, Fail:
		item(TakeEnd, 0)
	case ItemCreate:
		item(ItemStored, e.N)
		q.fanOut(e)
		return
	case ItemDelete:
		item(ItemRemoved, e.N)
		return
	case ItemLock:
		item(ItemHidden, e.N)
		return
	case ItemUnlock:
		item(ItemShown, e.N)
		return
	case Request:
		item(QueueRequest, 0)
		return
	case Fault, Down:
		item(QueueFault, 0)
	case Pause:
		if !q.ops.mustProgress(e.Client) {
			item(QueueFault, 0) // it does not come back
		}
	case Crash:
		item(QueueCrash, 0)
	case Quiescent, Horizon:
		item(QueueEnd, 0)
		q.excuse()
	case CutOff:
		item(QueueCutOff, 0)
	}
	q.ops.Observe(&q.ev)
}

// excuse lets takes wait that find nothing to take.
func (q *Queue) excuse() {
	if q.items.anyVisible() {
		return
	}
	for i := range q.puts {
		if q.ops.Acquiring(i) && !q.puts[i] {
			q.ops.Excuse(i)
		}
	}
}

// Believes reports whether the client has an item that it has not dealt with.
func (q *Queue) Believes(client int) bool { return q.ops.Believes(client) }

// Failed is true as soon as some property has failed; linearizable and lost
// are known at the end alone.
func (q *Queue) Failed() bool { return q.FailedBits() != 0 }

// FailedBits has bit i set when property i of [QueueFamilyProperties] has
// failed.
func (q *Queue) FailedBits() uint32 {
	return q.items.failedBits()<<1 | q.ops.RunBits()<<queueRunAt | bit32(q.fan.Verdict == Failed)<<queueFanOutAt
}

// Finish gives one result a property, in the order of
// [QueueFamilyProperties]. Linearizable is decided from the history; without
// one it is Unknown.
func (q *Queue) Finish(history []Event) []Result {
	results := []Result{q.linearizable(history)}
	results = append(results, q.items.fifo())
	results = append(results, q.items.Finish()...)
	results = q.ops.AppendRunResults(results, history)
	if q.fan.Verdict == Pass && q.cfg.MaxFanOut == 0 {
		q.fan.Verdict = NotApplicable
	}
	return append(results, q.fan)
}

// CopyInto makes dst an independent copy.
func (q *Queue) CopyInto(dst *Queue) {
	dst.cfg = q.cfg
	q.ops.CopyInto(&dst.ops)
	q.items.copyInto(&dst.items)
	dst.puts = append(dst.puts[:0], q.puts...)
	dst.fan = q.fan
}

// HashClient and HashRest, or HashRanked, write all that later verdicts depend
// on, as those of [Lock] do.
func (q *Queue) HashClient(h Hasher, client int) {
	q.ops.HashClient(h, client)
	h.Uint64(bit(q.puts[client]))
	q.items.hashClient(h, client)
}

// HashRest is described at HashClient. What becomes of an item is told with
// its number, which names the client that put it.
func (q *Queue) HashRest(h Hasher) {
	q.ops.HashRest(h)
	q.items.hashItems(h)
}

// HashRanked is described at HashClient.
func (q *Queue) HashRanked(h Hasher, rank func(zxid int64) uint64) {
	q.ops.HashRanked(h, rank)
	for i := range q.puts {
		h.Uint64(bit(q.puts[i]))
		q.items.hashClient(h, i)
	}
	q.items.hashItems(h)
}

// linearizable decides whether the history is one of a queue.
func (q *Queue) linearizable(history []Event) Result {
	r := passed(Linearizable, LevelBelief)
	if q.cfg.Locks {
		r.Verdict, r.Why = NotApplicable, "takes pass over what others have locked"
		return r
	}
	if history == nil {
		r.Verdict, r.Why = Unknown, "the history was not kept"
		return r
	}
	m := queueModel()
	if q.cfg.Priorities {
		m = priorityQueueModel()
	}
	ops, ends := queueOperations(history)
	d := Decide(m, ops, DecideOptions{Time: -1})
	r.Verdict, r.Why = d.Verdict, d.Why
	if d.Verdict == Failed {
		for _, k := range d.Evidence.Operations {
			if at := ends[k]; at.At >= r.At {
				r.At, r.Client = at.At, at.Client
			}
		}
	}
	return r
}
