package checker

import (
	"slices"
	"strings"
	"time"
)

// ViewConfig says what a group or a cache promises and so what [ViewMonitor]
// judges.
type ViewConfig struct {
	// Quiet is how long nothing must have happened before a view has to equal
	// the set; 0 leaves the end of the run alone to be judged.
	Quiet time.Duration
	// Standalone is true if all reads come from the server whose changes are
	// told, so that a view must have been the set at some moment since its
	// request was sent. A lagging follower may answer with an older set.
	Standalone bool
	// Parts is true for views that are put together from several replies, such
	// as a cache's: they need not have been the set at any moment, nor go
	// forward as a whole, and the quiet alone is judged. A monitor of its own
	// for each part judges the rest.
	Parts bool
	// Told is true if nothing but ViewUp makes a client live.
	Told bool
	_    struct{}
}

// ViewMonitor judges [Stale] over the views of a group or a cache, each event
// looked at once and in order. It keeps every set that there was. The zero
// value is ready after Reset.
type ViewMonitor struct {
	cfg     ViewConfig
	sets    []string // that there were, the first is empty
	changed time.Duration
	clients []viewClient
	pending []viewRequest // that were not answered yet, in order
	end     ViewEventKind
	endAt   time.Duration
	result  Result
}

// viewClient is what is known of a client and its view.
type viewClient struct {
	live    bool
	view    string
	shows   bool // it has shown a view
	shownAt time.Duration
	upAt    time.Duration
	oldest  int // among the sets, the oldest that its last view can have been
	asked   int // the set when the request of its next view was sent, -1 for unknown
	request time.Duration
}

// viewRequest is a request on which a view may come to rest.
type viewRequest struct {
	client int32
	set    int // when it was sent
	id     int64
	at     time.Duration
}

// Reset forgets everything and judges by cfg from now on. The set is empty,
// and clients are live from their first event on, unless they are told to be.
func (m *ViewMonitor) Reset(cfg ViewConfig) {
	*m = ViewMonitor{
		cfg: cfg, sets: append(m.sets[:0], ""), clients: m.clients[:0], pending: m.pending[:0], result: passed(Stale, LevelRun),
	}
}

// setName is a set as one string, in which no order shows.
func setName(members []string) string {
	sorted := slices.Clone(members)
	slices.Sort(sorted)
	return strings.Join(slices.Compact(sorted), "\x00")
}

// shown is a set in sentences.
func shownSet(set string) string { return "[" + strings.ReplaceAll(set, "\x00", " ") + "]" }

// Observe judges the next event.
func (m *ViewMonitor) Observe(e *ViewEvent) {
	switch e.Kind {
	case ViewEnd, ViewCutOff:
		m.over(e)
		return
	case SetChanged:
		m.quiet(e.At)
		if set := setName(e.Members); set != m.sets[len(m.sets)-1] {
			m.sets = append(m.sets, set)
		}
		m.changed = e.At
		return
	}
	if e.Client < 0 {
		return
	}
	c := m.client(e.Client)
	switch e.Kind {
	case ViewRequest:
		m.alive(c, e.At)
		c.asked, c.request = len(m.sets)-1, e.At
	case ViewShown:
		m.quietOf(e.Client, e.At)
		m.alive(c, e.At)
		m.show(c, e)
	case ViewUp:
		c.live, c.upAt = true, e.At
	case ViewDown:
		m.quietOf(e.Client, e.At)
		c.live = false
	case ViewClosed:
		m.quietOf(e.Client, e.At)
		*c = viewClient{asked: -1}
	}
}

// client makes room for a client.
func (m *ViewMonitor) client(i int32) *viewClient {
	for int(i) >= len(m.clients) {
		m.clients = append(m.clients, viewClient{asked: -1})
	}
	return &m.clients[i]
}

// ask notes a request of which several may be under way. Where a view is no
// moment's, requests do not matter.
func (m *ViewMonitor) ask(client int32, id int64, at time.Duration) {
	if !m.cfg.Parts {
		m.pending = append(m.pending, viewRequest{client, len(m.sets) - 1, id, at})
	}
}

// answered notes the reply to the client's oldest request, if that is the one.
// Of several that were answered since the last view, the first is the one since
// which the next can be.
func (m *ViewMonitor) answered(client int32, id int64) {
	i := m.oldestOf(client)
	if i < 0 || m.pending[i].id != id {
		return
	}
	q := m.pending[i]
	m.pending = slices.Delete(m.pending, i, i+1)
	if c := m.client(client); c.asked < 0 {
		c.asked, c.request = q.set, q.at
	}
}

// oldestOf is the place of a client's oldest request, -1 for none.
func (m *ViewMonitor) oldestOf(client int32) int {
	return slices.IndexFunc(m.pending, func(q viewRequest) bool { return q.client == client })
}

// unanswered forgets the requests of a client that will not be answered.
func (m *ViewMonitor) unanswered(client int32) {
	m.pending = slices.DeleteFunc(m.pending, func(q viewRequest) bool { return q.client == client })
}

// alive notes that a client is there, if nothing has told so before.
func (m *ViewMonitor) alive(c *viewClient, at time.Duration) {
	if !c.shows && !c.live && !m.cfg.Told {
		c.live, c.upAt = true, at
	}
}

// show judges a view by the sets that there were.
func (m *ViewMonitor) show(c *viewClient, e *ViewEvent) {
	c.view, c.shows, c.shownAt = setName(e.Members), true, e.At
	if i := m.oldestOf(e.Client); i >= 0 && c.asked < 0 {
		m.answered(e.Client, m.pending[i].id) // nobody has told of the reply
	}
	from := 0
	if m.cfg.Standalone && c.asked >= 0 {
		from = c.asked
	}
	c.asked = -1
	if m.cfg.Parts {
		return
	}
	at := m.find(c.view, max(from, c.oldest))
	switch {
	case at >= 0:
		c.oldest = at
	case m.find(c.view, from) >= 0:
		m.fail(e.Client, e.At, name(e.Client)+" showed "+shownSet(c.view)+" at "+seconds(e.At)+
			", which is older than what it had shown before, "+shownSet(m.sets[c.oldest]))
	case m.cfg.Standalone:
		m.fail(e.Client, e.At, name(e.Client)+" showed "+shownSet(c.view)+" at "+seconds(e.At)+
			", which was the set at no moment"+m.since(c, from))
	}
}

// since says since when a view can have been the set.
func (m *ViewMonitor) since(c *viewClient, from int) string {
	if from == 0 {
		return ""
	}
	return " since " + seconds(c.request) + ", when it sent its request"
}

// find is the first set from there on that equals the view, -1 for none.
func (m *ViewMonitor) find(view string, from int) int {
	for i := from; i < len(m.sets); i++ {
		if m.sets[i] == view {
			return i
		}
	}
	return -1
}

// quiet judges all views when something is about to change.
func (m *ViewMonitor) quiet(now time.Duration) {
	for i := range m.clients {
		m.quietOf(int32(i), now)
	}
}

// quietOf judges a view after a quiet time.
func (m *ViewMonitor) quietOf(client int32, now time.Duration) {
	c := &m.clients[client]
	since := max(m.changed, c.upAt)
	if m.cfg.Quiet > 0 && c.live && now-since >= m.cfg.Quiet {
		m.compare(client, since, now)
	}
}

// compare judges a live view by the set.
func (m *ViewMonitor) compare(client int32, since, now time.Duration) {
	c := &m.clients[client]
	set := m.sets[len(m.sets)-1]
	if c.view == set {
		return
	}
	m.fail(client, now, name(client)+" showed "+shownSet(c.view)+" until "+seconds(now)+" although "+
		shownSet(set)+" was the set and all was quiet since "+seconds(since))
}

// over judges the end of a run.
func (m *ViewMonitor) over(e *ViewEvent) {
	m.end, m.endAt = e.Kind, e.At
	m.quiet(e.At)
	if e.Kind == ViewCutOff {
		return
	}
	for i := range m.clients {
		if m.clients[i].live {
			m.compare(int32(i), max(m.changed, m.clients[i].upAt), e.At)
		}
	}
}

func (m *ViewMonitor) fail(client int32, at time.Duration, why string) {
	if m.result.Verdict != Failed {
		m.result.Verdict, m.result.Client, m.result.At, m.result.Why = Failed, client, at, why
	}
}

// Failed is true as soon as the property has failed.
func (m *ViewMonitor) Failed() bool { return m.result.Verdict == Failed }

// Finish is the result so far; before the end of a run that has not failed it
// is Unknown.
func (m *ViewMonitor) Finish() Result {
	r := m.result
	if r.Verdict == Pass && m.end != ViewEnd {
		r.Verdict, r.At, r.Why = Unknown, m.endAt, "the history ends: a view may still come to differ"
		if m.end == ViewCutOff {
			r.Why = "the run was cut off at " + seconds(m.endAt) + ", and views may still come to differ"
		}
	}
	return r
}

// CopyInto makes dst an independent copy.
func (m *ViewMonitor) CopyInto(dst *ViewMonitor) {
	sets, clients, pending := dst.sets, dst.clients, dst.pending
	*dst = *m
	dst.sets = append(sets[:0], m.sets...)
	dst.clients = append(clients[:0], m.clients...)
	dst.pending = append(pending[:0], m.pending...)
}

// from is the oldest set that the client's next view can be, -1 if it has asked
// for none: it is then one of those to come.
func (c *viewClient) from(standalone bool) int {
	switch {
	case c.asked >= 0 && standalone:
		return max(c.asked, c.oldest)
	case c.asked >= 0 || c.shows:
		return c.oldest
	}
	return -1
}

// hash writes all that later verdicts depend on, but for times, which matter
// to the quiet alone. Of the sets, those are left out that no view can be any
// more. Of requests that were not answered yet, the numbers follow from what is
// under way.
func (m *ViewMonitor) hash(h Hasher) {
	h.Uint64(uint64(m.end))
	if m.cfg.Parts {
		h.String(m.sets[len(m.sets)-1])
		for i := range m.clients {
			c := &m.clients[i]
			h.Uint64(bit(c.live) | bit(c.shows)<<1)
			h.String(c.view)
		}
		return
	}
	base := m.base()
	h.Uint64(uint64(len(m.sets) - base))
	for _, set := range m.sets[base:] {
		h.String(set)
	}
	for i := range m.clients {
		c := &m.clients[i]
		from := c.from(m.cfg.Standalone)
		if from >= 0 {
			from -= base
		}
		h.Uint64(uint64(uint32(from))<<32 | bit(c.live) | bit(c.shows)<<1 | bit(c.asked >= 0)<<2)
		h.String(c.view)
	}
	h.Uint64(uint64(len(m.pending)))
	for i := range m.pending {
		h.Uint64(uint64(m.pending[i].client)<<32 | uint64(m.pending[i].set-base))
	}
}

// base is the oldest set that some view can be.
func (m *ViewMonitor) base() int {
	base := len(m.sets) - 1
	for i := range m.clients {
		if from := m.clients[i].from(m.cfg.Standalone); from >= 0 {
			base = min(base, from)
		}
	}
	for i := range m.pending {
		base = min(base, m.pending[i].set)
	}
	return base
}
