package checker

import "time"

// QueueConfig says what a queue promises and so what [QueueMonitor] judges.
type QueueConfig struct {
	// Priorities is true for a priority queue; else priority is n/a.
	Priorities bool
	// AtMostOnce is true for a queue that says that a take may lose its item
	// when its client crashes or its reply is lost: such an item is not lost in
	// the sense of the property.
	AtMostOnce bool
	// FIFO is true for a queue that serves, within a priority, in the order in
	// which items were stored; else fifo is n/a.
	FIFO bool
	_    struct{}
}

// QueueProperties lists what [QueueMonitor] judges, in the order of its
// results.
func QueueProperties() []Property { return []Property{Priority, LostItem, DuplicateItem} }

// QueueMonitor judges a queue by what becomes of its items, each event looked
// at once and in order. That losing an item to a crashed consumer is
// linearizable is true, and no consolation. A client is taken to run one
// operation at a time. The zero value is ready after Reset.
type QueueMonitor struct {
	cfg     QueueConfig
	items   []queueItem
	index   map[int64]int32
	clients []queueClient
	now     int64 // number of the event
	end     QueueEventKind
	endAt   time.Duration
	results [3]Result
	order   Result // fifo
}

// queueItem is what is known of an item.
type queueItem struct {
	item, priority int64
	putBy          int32
	putAt          time.Duration
	acknowledged   bool
	stores         int   // znodes that its put made
	live           int   // znodes that hold it now
	hidden         bool  // a consumer locked it
	visible        int64 // number of the event since which it is to be seen
	stored         int64 // number of the event that stored it first
	returned       bool
	returnedBy     int32
	returnedAt     time.Duration
	removedBy      int32
	removedAt      time.Duration
	// excused: the take that removed it was hit by a fault.
	excused bool
}

// queueClient is what is known of a client.
type queueClient struct {
	taking  bool
	invoked int64 // number of the event
	hit     bool  // a fault hit the running take
	// late: a take ended by one, and the last request that it sent may yet be
	// served, before any of the next take.
	late    bool
	served  int // requests of the running take
	dead    bool
	removed []int32 // items that the running take removed
}

const (
	priorityIndex = iota
	lostIndex
	duplicateIndex
)

// Reset forgets everything and judges by cfg from now on.
func (m *QueueMonitor) Reset(cfg QueueConfig) {
	*m = QueueMonitor{cfg: cfg, items: m.items[:0], clients: m.clients[:0], index: make(map[int64]int32)}
	m.order = passed(FIFO, LevelBelief)
	if !cfg.FIFO {
		m.order.Verdict, m.order.Why = NotApplicable, "the queue promises no order"
	}
	m.results[priorityIndex] = passed(Priority, LevelBelief)
	m.results[lostIndex] = passed(LostItem, LevelRun)
	m.results[duplicateIndex] = passed(DuplicateItem, LevelRun)
	if !cfg.Priorities {
		m.results[priorityIndex].Verdict = NotApplicable
		m.results[priorityIndex].Why = "the queue knows no priorities"
	}
}

// item is what is known of an item, which need not have been put.
func (m *QueueMonitor) item(number int64) *queueItem {
	at, known := m.index[number]
	if !known {
		at = int32(len(m.items))
		m.index[number] = at
		m.items = append(m.items, queueItem{item: number, putBy: -1, removedBy: -1})
	}
	return &m.items[at]
}

// Observe judges the next event.
func (m *QueueMonitor) Observe(e *QueueEvent) {
	m.now++
	switch e.Kind {
	case QueueEnd, QueueCutOff:
		m.end, m.endAt = e.Kind, e.At
		return
	case ItemShown:
		m.item(e.Item).show(m.now)
		return
	}
	for int(e.Client) >= len(m.clients) {
		m.clients = append(m.clients, queueClient{})
	}
	if e.Client < 0 {
		m.clientless(e)
		return
	}
	c := &m.clients[e.Client]
	switch e.Kind {
	case PutInvoke:
		it := m.item(e.Item)
		it.priority, it.putBy, it.putAt = e.Priority, e.Client, e.At
	case PutReturn:
		m.item(e.Item).acknowledged = true
	case TakeInvoke:
		*c = queueClient{taking: true, invoked: m.now, late: c.late, removed: c.removed[:0]}
	case TakeReturn:
		m.returned(e)
		c.taking, c.late = false, false
	case TakeEnd:
		c.taking = false
		c.late = c.late || c.hit
	case QueueRequest:
		c.served++
	case QueueFault:
		m.hit(c)
	case QueueCrash:
		m.hit(c)
		c.dead = true
	case ItemStored, ItemRemoved, ItemHidden:
		m.stored(e, c)
	}
}

// clientless takes in what the server did on its own.
func (m *QueueMonitor) clientless(e *QueueEvent) {
	if e.Kind == ItemStored || e.Kind == ItemRemoved {
		m.stored(e, &queueClient{})
	}
}

// show makes a stored item visible again.
func (it *queueItem) show(now int64) {
	if it.hidden {
		it.hidden, it.visible = false, now
	}
}

// hit notes that a fault hit what the client does.
func (m *QueueMonitor) hit(c *queueClient) {
	if !c.taking {
		return
	}
	c.hit = true
	for _, k := range c.removed {
		m.items[k].excused = true
	}
}

// stored takes in what became of an item's znode.
func (m *QueueMonitor) stored(e *QueueEvent, c *queueClient) {
	it := m.item(e.Item)
	switch e.Kind {
	case ItemStored:
		it.live++
		it.visible = m.now
		if it.stored == 0 {
			it.stored = m.now
		}
		m.storedAgain(e, it)
	case ItemHidden:
		m.passOver(e, c, it)
		it.hidden = true
	case ItemRemoved:
		if !it.hidden {
			m.passOver(e, c, it)
		}
		it.live, it.hidden = max(it.live-1, 0), false
		it.removedBy, it.removedAt = e.Client, e.At
		it.excused = c.dead || c.late && (!c.taking || c.served == 1 || e.Left) || c.taking && c.hit
		if c.taking {
			c.removed = append(c.removed, m.index[e.Item])
		}
	}
}

// fail notes the first failure of a property.
func (m *QueueMonitor) fail(property int, e *QueueEvent, why string) {
	r := &m.results[property]
	if r.Verdict == Pass {
		r.Verdict, r.Client, r.At, r.Why = Failed, e.Client, e.At, why
	}
}

// Failed is true as soon as some property has failed. Lost is known at the end
// alone.
func (m *QueueMonitor) Failed() bool {
	for i := range m.results {
		if m.results[i].Verdict == Failed {
			return true
		}
	}
	return false
}

// Finish gives one result a property, in the order of [QueueProperties].
func (m *QueueMonitor) Finish() []Result {
	results := m.results
	results[lostIndex] = m.lost()
	return results[:]
}
