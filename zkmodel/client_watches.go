package zkmodel

import "slices"

// WatchTable names one of the three tables in which a client library keeps
// its watchers by path (ZKWatchManager of the Java client).
type WatchTable uint8

// The tables. A watch left by exists stands in TableData when the znode was
// there and in TableExist when it was not; the server, which has one table
// for both, is told the difference by setWatches.
const (
	TableData WatchTable = iota
	TableExist
	TableChild

	clientTables = 3
)

// String names the table.
func (t WatchTable) String() string {
	switch t {
	case TableData:
		return "data"
	case TableExist:
		return "exist"
	case TableChild:
		return "child"
	}
	return "WatchTable(?)"
}

// Event is what a watcher or a listener is told. Type [EventNone] marks a
// session event, whose Path is empty; State is the client's new state then,
// and ClientConnected in events on znodes.
type Event struct {
	Type  EventType
	State ClientState
	Path  string
}

// WatchCall is one call for the event task: the watcher or listener of this
// number is to be called with Event.
type WatchCall struct {
	Watcher int32
	Event   Event
}

// clientWatch is one entry of a watch table.
type clientWatch struct {
	path    string
	watcher int32
}

// clientWatches are the tables. Each is sorted by path and watcher and holds
// no entry twice, so that equal sets of watches are equal data.
type clientWatches [clientTables][]clientWatch

// clientSetWatchesMax is the number of path bytes beyond which the Java
// client starts another setWatches frame (ClientCnxn.SET_WATCHES_MAX_LENGTH).
const clientSetWatchesMax = 128 << 10

// add registers a watcher; a second registration of the same one changes
// nothing.
func (w *clientWatches) add(t WatchTable, path string, watcher int32) {
	e := clientWatch{path, watcher}
	i := w.search(t, e)
	if i < len(w[t]) && w[t][i] == e {
		return
	}
	w[t] = slices.Insert(w[t], i, e)
}

// search returns the position of the first entry of a table that is not in
// front of e.
func (w *clientWatches) search(t WatchTable, e clientWatch) int {
	table := w[t]
	lo, hi := 0, len(table)
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		m := &table[mid]
		if m.path < e.path || (m.path == e.path && m.watcher < e.watcher) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// take removes the watchers of a path from a table and adds their calls to
// those from index start on.
func (w *clientWatches) take(t WatchTable, e *Event, start int, calls []WatchCall) []WatchCall {
	table := w[t]
	if len(table) == 0 {
		return calls
	}
	i := w.search(t, clientWatch{path: e.Path})
	j := i
	for ; j < len(table) && table[j].path == e.Path; j++ {
		calls = addCall(calls, start, table[j].watcher, e)
	}
	if j > i {
		w[t] = append(table[:i], table[j:]...)
	}
	return calls
}

// empty reports whether no watch is registered.
func (w *clientWatches) empty() bool {
	return len(w[TableData])+len(w[TableExist])+len(w[TableChild]) == 0
}

// forget empties the tables.
func (w *clientWatches) forget() {
	for t := range w {
		w[t] = w[t][:0]
	}
}

// addCall puts a watcher among the calls from index start on, which are
// sorted by number, unless it is there already: each watcher object is called
// once per event, however often it is registered. ZooKeeper's clients leave
// the order within one event open (a hash set); here it is that of the
// watchers' numbers, so that it does not depend on the order of registration.
func addCall(calls []WatchCall, start int, watcher int32, e *Event) []WatchCall {
	lo, hi := start, len(calls)
	if hi > start && calls[hi-1].Watcher < watcher {
		lo = hi
	}
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		if calls[mid].Watcher < watcher {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo == len(calls) {
		return append(calls, WatchCall{watcher, *e})
	}
	if calls[lo].Watcher == watcher {
		return calls
	}
	return slices.Insert(calls, lo, WatchCall{watcher, *e})
}

// register leaves the watch of an answered request, if the reply leaves one:
// getData and getChildren when they succeed, exists also on an absent znode.
func (c *Client) register(p *clientSent, err Code) {
	switch p.op {
	case OpGetData:
		if err == OK {
			c.watches.add(TableData, p.path, p.watcher)
		}
	case OpGetChildren, OpGetChildren2:
		if err == OK {
			c.watches.add(TableChild, p.path, p.watcher)
		}
	case OpExists:
		switch err {
		case OK:
			c.watches.add(TableData, p.path, p.watcher)
		case NoNode:
			c.watches.add(TableExist, p.path, p.watcher)
		}
	}
}

// removeWatches forgets what the watcher of an answered checkWatches watches
// on its path, tells it so, and reports whether that was anything
// (ZKWatchManager.removeWatcher). The server's own watch stays.
func (c *Client) removeWatches(p *clientSent, out *ClientOutput) bool {
	removed := [clientTables]bool{}
	for t := range c.watches {
		e := clientWatch{p.path, p.watcher}
		if i := c.watches.search(WatchTable(t), e); i < len(c.watches[t]) && c.watches[t][i] == e {
			c.watches[t] = slices.Delete(c.watches[t], i, i+1)
			removed[t] = true
		}
	}
	tell := func(e EventType, on bool) {
		if on {
			out.Calls = append(out.Calls, WatchCall{p.watcher, Event{Type: e, State: ClientConnected, Path: p.path}})
		}
	}
	tell(EventDataWatchRemoved, removed[TableData] || removed[TableExist])
	tell(EventChildWatchRemoved, removed[TableChild])
	return removed != [clientTables]bool{}
}

// fire calls and removes the watchers that a watch event from the server
// matches (ZKWatchManager.materialize).
func (c *Client) fire(r *Response, out *ClientOutput) {
	e := Event{Type: r.Event, State: ClientConnected, Path: r.Path}
	start := len(out.Calls)
	calls := out.Calls
	switch r.Event {
	case EventNodeCreated, EventNodeDataChanged:
		calls = c.watches.take(TableData, &e, start, calls)
		calls = c.watches.take(TableExist, &e, start, calls)
	case EventNodeDeleted:
		calls = c.watches.take(TableData, &e, start, calls)
		calls = c.watches.take(TableExist, &e, start, calls)
		calls = c.watches.take(TableChild, &e, start, calls)
	case EventNodeChildrenChanged:
		calls = c.watches.take(TableChild, &e, start, calls)
	}
	if c.closing && c.o.Watches == WatchesDrop {
		calls = calls[:start]
	}
	out.Calls = calls
}

// sessionEvent tells the listeners of a new state and, as the watch policy
// has it, the watchers, which it may forget.
func (c *Client) sessionEvent(s ClientState, out *ClientOutput) {
	e := Event{Type: EventNone, State: s}
	for _, l := range c.listeners {
		out.Calls = append(out.Calls, WatchCall{l, e})
	}
	call, forget := c.o.Watches.onSessionEvent(s)
	if call {
		start := len(out.Calls)
		for t := range c.watches {
			for i := range c.watches[t] {
				if w := c.watches[t][i].watcher; !slices.Contains(c.listeners, w) {
					out.Calls = addCall(out.Calls, start, w, &e)
				}
			}
		}
	}
	if forget {
		c.watches.forget()
	}
}

// onSessionEvent says whether the event of a new state reaches the watchers,
// and whether it ends them.
func (p WatchPolicy) onSessionEvent(s ClientState) (call, forget bool) {
	over := s == ClientExpired || s == ClientClosed
	switch p {
	case WatchesReset:
		return true, over
	case WatchesResetClose:
		return over, over
	default:
		return s == ClientConnecting || s == ClientExpired, over || s == ClientConnecting
	}
}

// setWatches asks the server to set all watches again, in as many frames as
// the paths need. The lists are in order of the paths, a function of the set.
func (c *Client) setWatches(now Time, out *ClientOutput) {
	if c.watches.empty() {
		return
	}
	set, size := &WatchSet{RelativeZxid: c.lastZxid}, 0
	for t := range c.watches {
		table := c.watches[t]
		for i := range table {
			if i > 0 && table[i].path == table[i-1].path {
				continue
			}
			if size >= clientSetWatchesMax {
				c.sendSetWatches(now, set, out)
				set, size = &WatchSet{RelativeZxid: c.lastZxid}, 0
			}
			set.list(WatchTable(t), table[i].path)
			size += len(table[i].path)
		}
	}
	c.sendSetWatches(now, set, out)
}

// list adds a path to the list of a table.
func (s *WatchSet) list(t WatchTable, path string) {
	switch t {
	case TableData:
		s.Data = append(s.Data, path)
	case TableExist:
		s.Exist = append(s.Exist, path)
	case TableChild:
		s.Child = append(s.Child, path)
	}
}

func (c *Client) sendSetWatches(now Time, set *WatchSet, out *ClientOutput) {
	c.send(now, 0, 0, &Request{Op: OpSetWatches, Watches: set}, out)
}

// AddListener has every later session event call w, apart from any watch and
// in front of the watchers, in order of addition. A listener that is added
// twice is called once.
func (c *Client) AddListener(w int32) {
	if !slices.Contains(c.listeners, w) {
		c.listeners = append(c.listeners, w)
	}
}

// RemoveListener ends AddListener.
func (c *Client) RemoveListener(w int32) {
	if i := slices.Index(c.listeners, w); i >= 0 {
		c.listeners = slices.Delete(c.listeners, i, i+1)
	}
}
