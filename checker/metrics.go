package checker

import (
	"cmp"
	"slices"
	"time"
)

// LockMetrics counts what a run of a lock cost. The event that caused a
// notification stands before it in the history. The zero value is ready
// after Reset; one that is used again allocates nothing.
type LockMetrics struct {
	clients       []metricsClient
	queue         ticketQueue
	holds         holdList
	requests      requestCounts
	waits         []time.Duration
	notifications int64
	window        int64 // notifications since the last release was invoked
	maxFanOut     int64
	wasted        int64
	listingBytes  int64
	acquisitions  int64
	releases      int64
	overtakes     int64
	maxOvertaken  int64
	released      bool          // a release was invoked
	now           time.Duration // of the last event
}

// metricsClient is what the metrics know of a client.
type metricsClient struct {
	since     time.Duration // when the pending acquire was invoked
	tickets   owned
	ahead     int32 // older live tickets at the last notification or the ticket's creation
	overtaken int64 // how often while the pending acquire waits
	acquiring bool
	woken     bool // notified, no nearer, and not granted yet
}

// RequestCount is how many requests of one type reached the server.
type RequestCount struct {
	Name  string
	Count int64
}

// LockSummary is the numbers of one run of a lock.
type LockSummary struct {
	// Notifications is how many watch events the server sent.
	Notifications int64
	// MaxFanOut is the largest number of notifications between two successive
	// invocations of a release (of a queue, of a put or of a release of an item),
	// the time behind the last one included. What
	// was sent before the first does not count: it is the cost of queueing.
	MaxFanOut int64
	// WastedWakeups is the number of notifications after which the client
	// neither got what it waited for nor moved nearer. Nearer means fewer
	// older live tickets than at its last notification, or than when its
	// ticket was created; without a ticket only a grant before the next
	// notification counts. A client that waits for nothing is woken in vain.
	WastedWakeups int64
	// Requests is how many requests of each type reached the server, by name.
	Requests []RequestCount
	// RequestTotal is the sum over Requests.
	RequestTotal int64
	// ListingBytes is the size of the names in all lists of children.
	ListingBytes int64
	// Acquisitions is the number of grants, re-entrant ones included.
	Acquisitions int64
	// Releases is the number of releases that returned success.
	Releases int64
	// Overtakes is the number of grants, not re-entrant, during which an
	// older ticket of another client was live.
	Overtakes int64
	// MaxOvertaken is how often one waiting acquire was overtaken, at most.
	MaxOvertaken int64
	// WaitMax is the longest time from Invoke to Grant; WaitUnserved the longest
	// that an acquire had waited that was still pending when the summary was
	// made, at the last event.
	WaitMax, WaitUnserved time.Duration
	// WaitMedian, WaitP95 and WaitP99 are quantiles of the time from Invoke to
	// Grant, 0 without a grant.
	WaitMedian, WaitP95, WaitP99 time.Duration
}

// Reset forgets everything and makes room for that many clients.
func (m *LockMetrics) Reset(clients int) {
	m.queue.reset()
	m.requests.reset()
	*m = LockMetrics{
		clients: m.clients[:0], queue: m.queue, holds: m.holds[:0], requests: m.requests, waits: m.waits[:0],
	}
	m.growTo(clients)
}

func (m *LockMetrics) growTo(n int) {
	for len(m.clients) < n {
		m.clients = append(m.clients, metricsClient{})
	}
}

// Observe counts the next event.
func (m *LockMetrics) Observe(e *Event) {
	m.now = e.At
	if e.Client < 0 {
		return
	}
	if int(e.Client) >= len(m.clients) {
		m.growTo(int(e.Client) + 1)
	}
	c := &m.clients[e.Client]
	switch e.Kind {
	case Request:
		m.requests.add(e.Text)
	case Listing:
		m.listingBytes += e.N
	case Notify:
		m.notify(c)
	case TicketCreate:
		ahead := m.queue.add(ticket{zxid: e.Arg, at: e.At, client: e.Client})
		c.tickets.added(e.Arg)
		if c.tickets.newest == e.Arg {
			c.ahead = int32(ahead)
		}
	case TicketDelete:
		if t, ok := m.queue.remove(e.Arg, e.Client); ok {
			c.tickets.removed(&m.queue, t)
		}
	case Invoke:
		m.settle(c)
		c.acquiring, c.since, c.overtaken = true, e.At, 0
	case Grant:
		m.grant(c, e)
	case Refuse, Fail, Panic:
		m.settle(c)
		c.acquiring = false
	case Put:
		m.closeWindow()
		m.released = true
	case ReleaseInvoke:
		m.holds.release(e.Client, e.Op)
		m.closeWindow()
		m.released = true
	case ReleaseReturn:
		if e.Text == "" {
			m.releases++
		}
	case Lost, Deposed:
		m.holds.lose(e.Client)
	case Crash, Restart:
		m.stop(c, e)
	}
}

// notify judges a notification as it is sent: the client moved nearer, or
// only a grant can still justify it.
func (m *LockMetrics) notify(c *metricsClient) {
	m.notifications++
	m.window++
	m.settle(c)
	if c.tickets.newest != 0 {
		ahead := int32(m.queue.position(c.tickets.newest))
		nearer := ahead < c.ahead
		c.ahead = ahead
		if nearer && c.acquiring {
			return
		}
	}
	if !c.acquiring {
		m.wasted++
		return
	}
	c.woken = true
}

// settle counts the last notification as wasted if nothing justified it.
func (m *LockMetrics) settle(c *metricsClient) {
	if c.woken {
		c.woken = false
		m.wasted++
	}
}

func (m *LockMetrics) grant(c *metricsClient, e *Event) {
	m.acquisitions++
	if c.acquiring {
		m.waits = append(m.waits, e.At-c.since)
	}
	c.acquiring, c.woken = false, false
	if m.holds.of(e.Client) == nil {
		own := c.tickets.granted(&m.queue, e.Client, e.Arg)
		if own != 0 && m.queue.overtaken(own, e.Client) != nil {
			m.overtakes++
			m.passOver(own, e.Client)
		}
	}
	m.holds.grant(e)
}

// passOver counts a grant at those whose older tickets it overtook, once each.
func (m *LockMetrics) passOver(own int64, client int32) {
	for i, t := range m.queue.live() {
		if t.zxid >= own {
			break
		}
		older := slices.ContainsFunc(m.queue.live()[:i], func(u ticket) bool { return u.client == t.client })
		if c := &m.clients[t.client]; t.client != client && c.acquiring && !older {
			c.overtaken++
			m.maxOvertaken = max(m.maxOvertaken, c.overtaken)
		}
	}
}

// stop ends what a client's process was doing.
func (m *LockMetrics) stop(c *metricsClient, e *Event) {
	m.settle(c)
	m.holds.lose(e.Client)
	c.acquiring = false
	if e.Kind == Restart {
		m.queue.abandon(e.Client)
		*c = metricsClient{}
	}
}

// closeWindow ends the time between two releases.
func (m *LockMetrics) closeWindow() {
	if m.released {
		m.maxFanOut = max(m.maxFanOut, m.window)
	}
	m.window = 0
}

// Summary is the numbers so far; the run may go on.
func (m *LockMetrics) Summary() LockSummary {
	s := LockSummary{
		Notifications: m.notifications,
		MaxFanOut:     m.maxFanOut,
		WastedWakeups: m.wasted,
		Requests:      m.requests.sorted(),
		ListingBytes:  m.listingBytes,
		Acquisitions:  m.acquisitions,
		Releases:      m.releases,
		Overtakes:     m.overtakes,
		MaxOvertaken:  m.maxOvertaken,
	}
	if m.released {
		s.MaxFanOut = max(s.MaxFanOut, m.window)
	}
	for i := range m.clients {
		c := &m.clients[i]
		if c.woken {
			s.WastedWakeups++
		}
		if c.acquiring {
			s.WaitUnserved = max(s.WaitUnserved, m.now-c.since)
		}
	}
	for i := range s.Requests {
		s.RequestTotal += s.Requests[i].Count
	}
	slices.Sort(m.waits)
	if n := len(m.waits); n > 0 {
		s.WaitMax = m.waits[n-1]
	}
	s.WaitMedian = Quantile(m.waits, 0.5)
	s.WaitP95 = Quantile(m.waits, 0.95)
	s.WaitP99 = Quantile(m.waits, 0.99)
	return s
}

// requestCounts counts names without a map: there are a dozen, and a slot
// table finds nearly all of them at the first look.
type requestCounts struct {
	list  []RequestCount
	slots [64]uint8 // 1 + index in list, 0 for free
}

func (r *requestCounts) reset() {
	r.list = r.list[:0]
	r.slots = [64]uint8{}
}

func (r *requestCounts) add(name string) {
	slot := requestSlot(name)
	if i := int(r.slots[slot]) - 1; i >= 0 && r.list[i].Name == name {
		r.list[i].Count++
		return
	}
	r.addSlow(name, slot)
}

func (r *requestCounts) addSlow(name string, slot int) {
	for i := range r.list {
		if r.list[i].Name == name {
			r.list[i].Count++
			return
		}
	}
	r.list = append(r.list, RequestCount{Name: name, Count: 1})
	if r.slots[slot] == 0 && len(r.list) < 256 {
		r.slots[slot] = uint8(len(r.list))
	}
}

// requestSlot spreads names by their length and ends.
func requestSlot(name string) int {
	n := len(name)
	if n == 0 {
		return 0
	}
	return (5*n + 3*int(name[0]) + int(name[n-1])) & 63
}

// sorted is a copy in the order of the names, nil if there are none.
func (r *requestCounts) sorted() []RequestCount {
	if len(r.list) == 0 {
		return nil
	}
	list := slices.Clone(r.list)
	slices.SortFunc(list, func(a, b RequestCount) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
