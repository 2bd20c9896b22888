package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func measure(m *LockMetrics, history []Event) LockSummary {
	m.Reset(4)
	for i := range history {
		m.Observe(&history[i])
	}
	return m.Summary()
}

// standard writes the standard workload of a count: each of n clients is
// queued before the next starts, then they release in order.
type standard struct {
	history []Event
	zxid    int64
	tickets []int64
}

func (s *standard) put(k Kind, client int, e Event) {
	e.Kind, e.Client, e.At = k, int32(client), time.Duration(len(s.history))*time.Millisecond
	s.history = append(s.history, e)
}

func (s *standard) requests(client int, names ...string) {
	for _, name := range names {
		s.put(Request, client, Event{Text: name})
	}
}

func (s *standard) create(client int) {
	s.requests(client, "create")
	s.zxid++
	s.tickets = append(s.tickets, s.zxid)
	s.put(TicketCreate, client, Event{Arg: s.zxid})
}

func (s *standard) release(client, notifications int) {
	s.put(ReleaseInvoke, client, Event{})
	s.requests(client, "delete")
	s.put(TicketDelete, client, Event{Arg: s.tickets[client], N: int64(notifications)})
}

func (s *standard) released(client int) { s.put(ReleaseReturn, client, Event{}) }

// curator is a queue in which each watches the one before it.
func curator(n int) []Event {
	s := &standard{}
	for c := range n {
		s.put(Invoke, c, Event{})
		s.create(c)
		s.requests(c, "getChildren2")
		if c == 0 {
			s.put(Grant, c, Event{})
		} else {
			s.requests(c, "getData")
		}
	}
	for c := range n {
		s.release(c, min(1, n-1-c))
		if c+1 < n {
			s.put(Notify, c+1, Event{})
			s.requests(c+1, "getChildren2")
			s.put(Grant, c+1, Event{})
		}
		s.released(c)
	}
	return s.history
}

// naiveB is a queue in which all watch the children of the parent.
func naiveB(n int) []Event {
	s := &standard{}
	watches := make([]bool, n)
	fire := func() (woken []int) {
		for c := range watches {
			if watches[c] {
				watches[c] = false
				woken = append(woken, c)
			}
		}
		return woken
	}
	list := func(c int) {
		s.requests(c, "getChildren2")
		watches[c] = true
	}
	for c := range n {
		s.put(Invoke, c, Event{})
		s.create(c)
		woken := fire()
		for _, w := range woken {
			s.put(Notify, w, Event{})
			if w > 0 {
				list(w)
			}
		}
		list(c)
		if c == 0 {
			s.put(Grant, c, Event{})
		}
	}
	for c := range n {
		woken := fire()
		s.release(c, len(woken))
		for _, w := range woken {
			s.put(Notify, w, Event{})
			if w > c {
				list(w)
			}
			if w == c+1 {
				s.put(Grant, w, Event{})
			}
		}
		s.released(c)
	}
	return s.history
}

// naiveA is one znode that all try to create and watch; waiters have no
// ticket.
func naiveA(n int) []Event {
	s := &standard{tickets: make([]int64, n)}
	hold := func(c int) {
		s.zxid++
		s.tickets[c] = s.zxid
		s.put(TicketCreate, c, Event{Arg: s.zxid})
		s.put(Grant, c, Event{})
	}
	for c := range n {
		s.put(Invoke, c, Event{})
		s.requests(c, "create")
		if c == 0 {
			hold(c)
		} else {
			s.requests(c, "exists")
		}
	}
	for c := range n {
		s.release(c, n-1-c)
		for w := c + 1; w < n; w++ {
			s.put(Notify, w, Event{})
			s.requests(w, "create")
			if w == c+1 {
				hold(w)
			} else {
				s.requests(w, "exists")
			}
		}
		s.released(c)
	}
	return s.history
}

// The counts that were measured on the real libraries and servers: Curator
// 5.4.0, and the two naive locks, on ZooKeeper 3.8.0.
func TestMetricsOfTheStandardWorkload(t *testing.T) {
	for _, c := range []struct {
		name                                       string
		history                                    func(int) []Event
		n                                          int
		requests, notifications, maxFanOut, wasted int64
	}{
		{"curator", curator, 3, 13, 2, 1, 0},
		{"curator", curator, 10, 48, 9, 1, 0},
		{"curator", curator, 100, 498, 99, 1, 0},
		{"naive (a)", naiveA, 3, 12, 3, 2, 1},
		{"naive (a)", naiveA, 10, 110, 45, 9, 36},
		{"naive (a)", naiveA, 100, 10100, 4950, 99, 4851},
		{"naive (b)", naiveB, 3, 13, 7, 2, 4},
		{"naive (b)", naiveB, 10, 111, 91, 9, 46},
		{"naive (b)", naiveB, 30, 931, 871, 29, 436},
		{"naive (b)", naiveB, 100, 10101, 9901, 99, 4951},
	} {
		var m LockMetrics
		got := measure(&m, c.history(c.n))
		require.Equal(t, c.requests, got.RequestTotal, "%s %d", c.name, c.n)
		require.Equal(t, c.notifications, got.Notifications, "%s %d", c.name, c.n)
		require.Equal(t, c.maxFanOut, got.MaxFanOut, "%s %d", c.name, c.n)
		require.Equal(t, c.wasted, got.WastedWakeups, "%s %d", c.name, c.n)
		require.Equal(t, int64(c.n), got.Acquisitions)
		require.Equal(t, int64(c.n), got.Releases)
		require.Zero(t, got.Overtakes)
	}
}

func TestWastedWakeups(t *testing.T) {
	queued := `
		0.0 A invoke 0
		0.0 A create zxid=1
		0.1 A grant 0
		0.2 B invoke 0
		0.2 B create zxid=2
		0.3 C invoke 0
		0.3 C create zxid=3
	`
	for _, c := range []struct {
		name, history string
		wasted        int64
	}{
		{"nearer", "1 B delete zxid=2\n 1 C notify", 0},
		{"no nearer", "1 C notify", 1},
		{"no nearer twice", "1 C notify\n 1 C notify", 2},
		{"nearer once", "1 B delete zxid=2\n 1 C notify\n 1 C notify", 1},
		{"granted", "1 C notify\n 2 C grant 0", 0},
		{"granted after the next one", "1 C notify\n 2 C notify\n 3 C grant 0", 1},
		{"refused", "1 C notify\n 2 C refuse 0\n 3 C invoke 1\n 4 C grant 1", 1},
		{"failed", "1 C notify\n 2 C fail 0 text=x", 1},
		{"waits for nothing", "1 A notify\n 2 A release 0", 1},
		{"waits for nothing, though nearer", "1 C refuse 0\n 1 B delete zxid=2\n 1 C notify", 1},
		{"no ticket, granted", "1 D invoke 0\n 1 D notify\n 2 D grant 0", 0},
		{"no ticket, not granted", "1 D invoke 0\n 1 A delete zxid=1\n 1 D notify", 1},
		{"crashed", "1 C notify\n 2 C crash", 1},
		{"restarted", "1 C notify\n 2 C crash\n 3 C restart\n 4 C notify", 2},
		{"a new ticket begins anew", "1 C delete zxid=3\n 1 C create zxid=4\n 2 C notify", 1},
		{"a new ticket, nearer", "1 C delete zxid=3\n 1 C create zxid=4\n 2 A delete zxid=1\n 2 C notify", 0},
		{"a ticket of the process before", "1 C crash\n 2 C restart\n 2 C invoke 1\n 2 B delete zxid=2\n 2 C notify", 1},
	} {
		var m LockMetrics
		require.Equal(t, c.wasted, measure(&m, parseHistory(t, queued+c.history)).WastedWakeups, c.name)
	}
}

func TestOvertakes(t *testing.T) {
	queued := `
		0.0 A create zxid=1
		0.0 B create zxid=2
		0.0 C create zxid=3
	`
	for _, c := range []struct {
		name, history string
		want          int64
	}{
		{"in order", "1 A grant 0\n 2 A release 0\n 2 A delete zxid=1\n 3 B grant 0", 0},
		{"out of order", "1 B grant 0", 1},
		{"one grant counts once, however many it overtakes", "1 C grant 0", 1},
		{"re-entrant grants do not count", "1 B grant 0\n 2 B grant 1\n 3 B grant 2", 1},
		{"released and granted again", "1 B grant 0\n 2 B release 0\n 3 B grant 1", 2},
		{"lost and granted again", "1 B grant 0\n 2 B lost\n 3 B grant 1", 2},
		{"the ticket of a crashed client is live", "1 A crash\n 2 B grant 0", 1},
		{"so is that of the process before", "1 A crash\n 1 A restart\n 2 B grant 0", 1},
		{"until it is deleted", "1 A crash\n 1 A restart\n 1 A delete zxid=1\n 2 B grant 0", 0},
		{"a crash keeps the ticket, a restart does not", "1 B crash\n 2 B grant 0\n 3 C crash\n 3 C restart\n 4 C grant 0", 1},
		{"no ticket", "1 D grant 0", 0},
	} {
		var m LockMetrics
		require.Equal(t, c.want, measure(&m, parseHistory(t, queued+c.history)).Overtakes, c.name)
	}
}

func TestMaxFanOut(t *testing.T) {
	for _, c := range []struct {
		name, history string
		want          int64
	}{
		{"nothing", "", 0},
		{"before the first release", "0 A notify\n 0 B notify", 0},
		{"between", "0 A notify\n 0 B notify\n 0 C notify\n 1 A release 0\n 1 B notify\n 1 B notify\n 2 B release 0\n 2 C notify", 2},
		{"after the last", "1 A release 0\n 1 B notify\n 2 B release 0\n 2 C notify\n 2 C notify\n 2 C notify", 3},
	} {
		var m LockMetrics
		require.Equal(t, c.want, measure(&m, parseHistory(t, c.history)).MaxFanOut, c.name)
	}
}

func TestSummary(t *testing.T) {
	history := parseHistory(t, `
		0.0 A invoke 0
		0.0 A request text=getChildren2
		0.0 A create zxid=1
		0.0 A request text=create
		0.1 A listing n=30
		0.1 B listing n=12
		0.1 A request text=create
		0.2 B invoke 0
		0.2 B create zxid=2
		0.5 B grant 0             # overtakes A
		0.6 B invoke 1
		0.7 B grant 1             # re-entrant: not counted again
		0.8 B release 1
		0.9 B released 1 text=connection loss
		1.0 B release 1
		1.1 B released 1
		1.2 B release 0
		1.3 B released 0
		1.4 B lost
		2.0 A grant 0
		2.1 A lost
		2.2 A invoke 1
		2.3 A grant 1
		3.0 C grant 0             # not invoked, no ticket
		4.0 - quiescent
	`)
	want := LockSummary{
		Requests:     []RequestCount{{"create", 2}, {"getChildren2", 1}},
		RequestTotal: 3, ListingBytes: 42, Acquisitions: 5, Releases: 2, Overtakes: 1, MaxOvertaken: 1, WaitMax: 2 * time.Second,
		WaitMedian: 100 * time.Millisecond, WaitP95: 2 * time.Second, WaitP99: 2 * time.Second,
	}
	var m LockMetrics
	require.Equal(t, want, measure(&m, history))
	require.Equal(t, want, m.Summary())
	measure(&m, contendedHistory(16, 3))
	require.Equal(t, want, measure(&m, history), "nothing is left behind")
	require.Equal(t, LockSummary{}, measure(&m, nil))
}

// Names that share a slot, or find the table full, are told apart.
func TestRequestNames(t *testing.T) {
	var r requestCounts
	var names []string
	for i := range 300 {
		names = append(names, "r"+ClientName(i)+"x")
	}
	names = append(names, "")
	for round := range 3 {
		for i := range names {
			for range i%3 + round {
				r.add(names[i])
			}
		}
	}
	counts := map[string]int64{}
	for _, c := range r.sorted() {
		counts[c.Name] = c.Count
	}
	for i, name := range names {
		require.Equal(t, int64(3*(i%3)+3), counts[name], name)
	}
	r.reset()
	require.Empty(t, r.sorted())
	r.add("create")
	require.Equal(t, []RequestCount{{"create", 1}}, r.sorted())
}

// Each waiter that is passed over counts its own, whoever waits before it.
func TestOvertakenBehindOthers(t *testing.T) {
	var m LockMetrics
	s := measure(&m, parseHistory(t, `
		0.0 A invoke 0
		0.1 A create zxid=1
		0.2 B invoke 0
		0.3 B create zxid=2
		0.4 C create zxid=3
		0.5 C grant 0
		0.6 C release 0
		0.7 C delete zxid=3
		0.8 A delete zxid=1
		0.9 A refuse 0
		1.0 C create zxid=4
		1.1 C grant 1
	`))
	require.Equal(t, int64(2), s.Overtakes)
	require.Equal(t, int64(2), s.MaxOvertaken)
}
