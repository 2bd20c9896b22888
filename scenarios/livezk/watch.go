package livezk

import (
	"context"
	"slices"
	"sync"

	gozk "github.com/go-zookeeper/zk"

	"zoosim/recipes/zk"
)

// table is where go-zookeeper keeps a watch, and so which events it is for.
type table uint8

const (
	dataTable table = iota
	existTable
	childTable
)

// hears says whether an event is for the watches of a table.
func (t table) hears(e gozk.EventType) bool {
	switch e {
	case gozk.EventNodeCreated:
		return t == existTable
	case gozk.EventNodeDataChanged:
		return t != childTable
	case gozk.EventNodeChildrenChanged:
		return t == childTable
	}
	return e == gozk.EventNodeDeleted
}

// watch is a watch that a request has left or is about to leave. go-zookeeper
// gives each a channel of its own and tells of all events, in their order, by a
// callback; the callback gives the order, the channel says whose the event is.
type watch struct {
	path   string
	table  table
	w      watcher
	from   uint64 // events that had come when its request was made
	set    uint64 // and when the task knew of the reply; 0: not yet
	told   <-chan gozk.Event
	direct bool // only its channel tells
}

// watch carries out a request that leaves a watch.
func (h *handle) watch(ctx context.Context, path string, w zk.Watcher, request func() (table, <-chan gozk.Event, error)) error {
	x := &watch{path: path, w: watcher(w.WatcherID()), from: h.events.count()}
	h.watches = append(h.watches, x)
	err := h.do(ctx, func() (err error) {
		x.table, x.told, err = request()
		return err
	})
	x.set = h.events.count() + 1
	if err != nil || x.told == nil {
		h.forget(x)
	}
	h.p.changed.Broadcast()
	return err
}

func (h *handle) forget(x *watch) {
	if i := slices.Index(h.watches, x); i >= 0 {
		h.watches = slices.Delete(h.watches, i, i+1)
	}
}

// arrived is go-zookeeper's callback: it is called for every event, in order.
func (h *handle) arrived(e gozk.Event) {
	if e.Type == gozk.EventSession && e.State == gozk.StateHasSession {
		h.upOnce.Do(func() { close(h.up) })
	}
	if e.Type == gozk.EventNotWatching {
		return // StateExpired or the end has been told
	}
	h.p.meter.add(1)
	if !h.events.put(arrival{event: e}) {
		h.p.meter.add(-1)
	}
}

// dispatch is the event task: it makes one call at a time.
func (h *handle) dispatch() {
	for {
		a, ok := h.events.take()
		if !ok {
			return
		}
		h.deliver(a)
	}
}

// deliver calls whoever is to be told of an event.
func (h *handle) deliver(a arrival) {
	h.p.mu.Lock()
	defer h.p.meter.add(-1)
	defer h.p.mu.Unlock()
	defer func() {
		if v := recover(); v != nil {
			h.p.failed(v)
		}
	}()
	switch {
	case a.watch != nil:
		h.forget(a.watch)
		h.call([]watcher{a.watch.w}, znodeEvent(a.event))
	case a.event.Type == gozk.EventSession:
		h.session(a.event.State)
	default:
		h.call(h.fired(a), znodeEvent(a.event))
	}
}

func znodeEvent(e gozk.Event) zk.Event {
	return zk.Event{Type: zk.EventType(e.Type), State: zk.Connected, Path: e.Path}
}

// fired takes out the watches that an event ends.
func (h *handle) fired(a arrival) []watcher {
	mine := func(x *watch) bool { return x.path == a.event.Path && x.from < a.number && !x.direct }
	for slices.ContainsFunc(h.watches, func(x *watch) bool { return mine(x) && x.set == 0 }) {
		if h.p.ended {
			return nil
		}
		h.p.changed.Wait() // for the reply
	}
	var list []watcher
	h.watches = slices.DeleteFunc(h.watches, func(x *watch) bool {
		if !mine(x) || !x.table.hears(a.event.Type) {
			return false
		}
		if x.set > a.number {
			// The reply may have come before the event or behind it.
			select {
			case <-x.told:
			default:
				x.direct = true
				go func() {
					if e, ok := <-x.told; ok && e.Type != gozk.EventNotWatching {
						h.p.meter.add(1)
						if !h.events.put(arrival{event: e, watch: x}) {
							h.p.meter.add(-1)
						}
					}
				}()
				return false
			}
		}
		list = append(list, x.w)
		return true
	})
	return list
}

// session tells of the state of connection and session, as the library that the
// recipe is used to does.
func (h *handle) session(s gozk.State) {
	e := zk.Event{Type: zk.EventSession}
	switch s {
	case gozk.StateHasSession:
		e.State = zk.Connected
	case gozk.StateDisconnected:
		e.State = zk.Connecting
	case gozk.StateExpired:
		e.State = zk.Expired
	default:
		return
	}
	if h.closed || h.expired {
		return
	}
	h.expired = e.State == zk.Expired && h.o.Library == zk.LibraryJava
	list := slices.Clone(h.listeners)
	tell, forget := e.State == zk.Expired, e.State == zk.Expired
	switch h.o.Library {
	case zk.LibraryJava, zk.LibraryCurator:
		tell = true
	case zk.LibraryKazoo:
		tell = e.State != zk.Connected
		forget = tell
	}
	if tell {
		for _, x := range h.watches {
			list = append(list, x.w)
		}
	}
	if forget {
		h.watches = slices.DeleteFunc(h.watches, func(x *watch) bool { return x.set != 0 })
	}
	h.call(list, e)
}

// call calls watchers, each once.
func (h *handle) call(list []watcher, e zk.Event) {
	done := map[watcher]bool{}
	for _, w := range list {
		if !done[w] {
			done[w] = true
			h.p.watchers[w-1](e)
		}
	}
}

// arrival is an event of the queue; of one watch, if that is set.
type arrival struct {
	event  gozk.Event
	number uint64
	watch  *watch
}

// queue is the events that wait for the event task.
type queue struct {
	mu    sync.Mutex
	more  *sync.Cond
	list  []arrival
	total uint64 // events ever put
	ended bool
}

func (q *queue) init() { q.more = sync.NewCond(&q.mu) }

// put adds an event; false if nobody will take it.
func (q *queue) put(a arrival) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended {
		return false
	}
	q.total++
	a.number = q.total
	q.list = append(q.list, a)
	q.more.Signal()
	return true
}

// count is how many events there ever were.
func (q *queue) count() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.total
}

// take waits for the next event; false at the end.
func (q *queue) take() (arrival, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.list) == 0 && !q.ended {
		q.more.Wait()
	}
	if len(q.list) == 0 {
		return arrival{}, false
	}
	a := q.list[0]
	q.list = q.list[1:]
	return a, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	q.more.Broadcast()
}
