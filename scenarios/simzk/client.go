package simzk

import (
	"context"
	"time"

	"zoosim/recipes/zk"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// Client is the world's side of one handle: the connection machine of a
// client library and its event task.
type Client struct {
	w    *World
	p    *Process
	proc sim.ProcID // of p
	id   int32      // among the world's clients
	n    int32      // among the handles of its process
	m    zkmodel.Client

	link      sim.LinkID // -1: none
	host      int        // server of an ensemble to which it went last, from 1
	resetting bool       // the connection is broken and the machine not told yet
	dialing   []zkmodel.Request
	armed     bool
	armedAt   sim.Time
	redialAt  sim.Time // end of the pause before the next connect attempt

	calls    fifo[zkmodel.WatchCall]
	stalled  bool       // the event task is held up by a fault
	callback sim.TaskID // the running callback, -1 for none

	tags     []waitTag // of submitted requests; used again once they are over
	up       waitTag   // who waits for the first session
	sessions int       // had so far
}

// waitTag says which wait of which task something ends.
type waitTag struct {
	task sim.TaskID
	seq  uint32
	on   bool
}

const noTask sim.TaskID = -1

// ID is the number of the handle in its world.
func (c *Client) ID() int32 { return c.id }

// Process is the process that opened the handle.
func (c *Client) Process() *Process { return c.p }

// SessionID is the id of the handle's session as the client knows it.
func (c *Client) SessionID() int64 { return c.m.SessionID() }

// Connected reports whether the client has a connection and a live session.
func (c *Client) Connected() bool { return c.m.State() == zkmodel.ClientConnected }

// openClient makes the world's side of a handle.
func (w *World) openClient(p *Process, o *zkmodel.ClientOptions) *Client {
	if w.nclient == len(w.clients) {
		w.clients = append(w.clients, &Client{w: w})
	}
	c := w.clients[w.nclient]
	c.p, c.proc, c.id, c.n = p, p.sp.ID(), int32(w.nclient), int32(len(p.handles))
	p.handles = append(p.handles, c.id)
	w.nclient++
	c.link, c.host, c.resetting, c.dialing = -1, 0, false, c.dialing[:0]
	c.armed = false
	c.calls.reset()
	c.stalled, c.callback = false, noTask
	c.tags = c.tags[:0]
	c.up, c.sessions = waitTag{}, 0
	c.m.Init(*o)
	return c
}

// tag numbers a wait for a request.
func (c *Client) tag(t waitTag) int32 {
	for i := range c.tags {
		if !c.tags[i].on {
			c.tags[i] = t
			return int32(i)
		}
	}
	c.tags = append(c.tags, t)
	return int32(len(c.tags) - 1)
}

// complete ends the wait for a request.
func (c *Client) complete(d *zkmodel.Completion) {
	t := c.tags[d.Tag]
	c.tags[d.Tag].on = false
	if c.p.sp.WaitSeq(t.task) != t.seq {
		return // the wait was interrupted
	}
	c.p.slots[t.task].resp = d.Response
	c.p.learnMade(&d.Response)
	c.w.K.Complete(c.p.sp, t.task, t.seq)
}

// wasUp wakes who waits for the first session.
func (c *Client) wasUp() {
	c.sessions++
	if c.p.serial == 0 {
		c.p.serial = sessionNumber(c.m.SessionID())
	}
	if c.up.on {
		c.up.on = false
		c.w.K.Complete(c.p.sp, c.up.task, c.up.seq)
	}
}

// dispatch lets the event task make its next calls.
func (w *World) dispatch(c *Client) {
	for c.callback == noTask && !c.stalled && c.calls.len() > 0 {
		call := *c.calls.front()
		if call.Event.Type != zkmodel.EventNone {
			if d := c.p.takeEventDelay(); d > 0 {
				c.stalled = true
				if w.K.Tracing() {
					w.K.Tracef("fault: the event task of %s is held up for %v", c.p.Name(), d)
				}
				w.K.After(d, c.p.sp.ID(), timerEvents, c.id, false)
				return
			}
		}
		c.calls.pop()
		if l := c.p.latches[call.Watcher-1]; l >= 0 {
			w.K.OpenLatch(c.p.sp, l)
			continue
		}
		w.steps++
		c.callback = w.K.StartTask(c.p.sp, c.n)
		c.p.growSlots()
		c.p.slots[c.callback] = slot{call: call}
	}
}

// handle is the process's side: the zk.Client that recipes see.
type handle struct {
	p *Process
	n int32 // among the process's handles
}

var _ zk.Client = (*handle)(nil)

// do sends one request and waits for its end.
func (h *handle) do(ctx context.Context, w zk.Watcher, r zkmodel.Request) (*zkmodel.Response, error) {
	p := h.p
	if err := p.ctxErr(ctx); err != nil {
		return nil, err
	}
	if !zkmodel.ValidPath(r.Path, r.Flags&zkmodel.FlagSequential != 0) {
		return nil, zk.ErrBadArguments
	}
	var id int32
	if w != nil {
		id = w.WatcherID()
	}
	return h.await(id, r)
}

func (h *handle) await(watcher int32, r zkmodel.Request) (*zkmodel.Response, error) {
	p := h.p
	p.noteSpelling(&r)
	p.segment.requests = append(p.segment.requests, request{handle: h.n, watcher: watcher, req: r})
	if p.sp.Await(outRequest|int32(len(p.segment.requests)-1), p.interruptsRequests) == sim.CauseInterrupted {
		return nil, zk.ErrInterrupted
	}
	resp := &p.slots[p.sp.Current()].resp
	return resp, codeError(resp.Err)
}

// codeError is the error that recipes see for a code.
func codeError(c zkmodel.Code) error {
	switch c {
	case zkmodel.OK:
		return nil
	case zkmodel.ConnectionLoss:
		return zk.ErrConnectionLoss
	case zkmodel.SessionExpired:
		return zk.ErrSessionExpired
	case zkmodel.NoNode:
		return zk.ErrNoNode
	case zkmodel.NodeExists:
		return zk.ErrNodeExists
	case zkmodel.BadVersion:
		return zk.ErrBadVersion
	case zkmodel.NotEmpty:
		return zk.ErrNotEmpty
	case zkmodel.NoChildrenForEphemerals:
		return zk.ErrNoChildrenForEphemerals
	case zkmodel.BadArguments:
		return zk.ErrBadArguments
	case zkmodel.InvalidACL:
		return zk.ErrInvalidACL
	case zkmodel.NoAuth:
		return zk.ErrNoAuth
	case zkmodel.MarshallingError:
		return zk.ErrMarshalling
	case zkmodel.NoWatcher:
		return zk.ErrNoWatcher
	case zkmodel.RuntimeInconsistency:
		return zk.ErrRuntimeInconsistency
	}
	return zk.ErrUnimplemented
}

// Create implements [zk.Client].
func (h *handle) Create(ctx context.Context, path string, data []byte, mode zk.CreateMode) (string, error) {
	r, err := h.do(ctx, nil, zkmodel.Request{Op: zkmodel.OpCreate, Path: path, Data: data, Flags: int32(mode)})
	if err != nil {
		return "", err
	}
	return r.Path, nil
}

// Create2 implements [zk.Client].
func (h *handle) Create2(ctx context.Context, path string, data []byte, mode zk.CreateMode) (string, zk.Stat, error) {
	r, err := h.do(ctx, nil, zkmodel.Request{Op: zkmodel.OpCreate2, Path: path, Data: data, Flags: int32(mode)})
	if err != nil {
		return "", zk.Stat{}, err
	}
	return r.Path, h.p.newStat(replyStat), nil
}

// Delete implements [zk.Client].
func (h *handle) Delete(ctx context.Context, path string, version int32) error {
	_, err := h.do(ctx, nil, zkmodel.Request{Op: zkmodel.OpDelete, Path: path, Version: version})
	return err
}

// Exists implements [zk.Client].
func (h *handle) Exists(ctx context.Context, path string) (zk.Stat, error) {
	return h.exists(ctx, path, nil)
}

// ExistsW implements [zk.Client].
func (h *handle) ExistsW(ctx context.Context, path string, w zk.Watcher) (zk.Stat, error) {
	return h.exists(ctx, path, w)
}

func (h *handle) exists(ctx context.Context, path string, w zk.Watcher) (zk.Stat, error) {
	_, err := h.do(ctx, w, zkmodel.Request{Op: zkmodel.OpExists, Path: path, Watch: w != nil})
	switch err {
	case nil:
		return h.p.newStat(replyStat), nil
	case zk.ErrNoNode:
		return zk.Stat{}, nil
	}
	return zk.Stat{}, err
}

// Get implements [zk.Client].
func (h *handle) Get(ctx context.Context, path string) ([]byte, zk.Stat, error) {
	return h.get(ctx, path, nil)
}

// GetW implements [zk.Client].
func (h *handle) GetW(ctx context.Context, path string, w zk.Watcher) ([]byte, zk.Stat, error) {
	return h.get(ctx, path, w)
}

func (h *handle) get(ctx context.Context, path string, w zk.Watcher) ([]byte, zk.Stat, error) {
	r, err := h.do(ctx, w, zkmodel.Request{Op: zkmodel.OpGetData, Path: path, Watch: w != nil})
	if err != nil {
		return nil, zk.Stat{}, err
	}
	return r.Data, h.p.newStat(replyStat), nil
}

// Set implements [zk.Client].
func (h *handle) Set(ctx context.Context, path string, data []byte, version int32) (zk.Stat, error) {
	_, err := h.do(ctx, nil, zkmodel.Request{Op: zkmodel.OpSetData, Path: path, Data: data, Version: version})
	if err != nil {
		return zk.Stat{}, err
	}
	return h.p.newStat(replyStat), nil
}

// Children implements [zk.Client].
func (h *handle) Children(ctx context.Context, path string) ([]string, error) {
	return h.ChildrenW(ctx, path, nil)
}

// ChildrenW implements [zk.Client].
func (h *handle) ChildrenW(ctx context.Context, path string, w zk.Watcher) ([]string, error) {
	r, err := h.do(ctx, w, zkmodel.Request{Op: zkmodel.OpGetChildren, Path: path, Watch: w != nil})
	if err != nil {
		return nil, err
	}
	return r.Children, nil
}

// Children2 implements [zk.Client].
func (h *handle) Children2(ctx context.Context, path string) ([]string, zk.Stat, error) {
	return h.Children2W(ctx, path, nil)
}

// Children2W implements [zk.Client].
func (h *handle) Children2W(ctx context.Context, path string, w zk.Watcher) ([]string, zk.Stat, error) {
	r, err := h.do(ctx, w, zkmodel.Request{Op: zkmodel.OpGetChildren2, Path: path, Watch: w != nil})
	if err != nil {
		return nil, zk.Stat{}, err
	}
	return r.Children, h.p.newStat(replyStat), nil
}

// RemoveWatches implements [zk.Client].
func (h *handle) RemoveWatches(ctx context.Context, path string, w zk.Watcher) error {
	_, err := h.do(ctx, w, zkmodel.Request{Op: zkmodel.OpCheckWatches, Path: path, Flags: zkmodel.WatchTypeAny})
	return err
}

// Sync implements [zk.Client].
func (h *handle) Sync(ctx context.Context, path string) error {
	_, err := h.do(ctx, nil, zkmodel.Request{Op: zkmodel.OpSync, Path: path})
	return err
}

// Multi implements [zk.Client].
func (h *handle) Multi(ctx context.Context, ops ...zk.Op) ([]zk.OpResult, error) {
	if err := h.p.ctxErr(ctx); err != nil {
		return nil, err
	}
	list := make([]zkmodel.MultiOp, len(ops))
	for i, o := range ops {
		list[i] = zkmodel.MultiOp{Path: o.Path, Data: o.Data, Flags: int32(o.Mode), Version: o.Version}
		switch o.Kind {
		case zk.OpCreate:
			list[i].Op = zkmodel.OpCreate
		case zk.OpDelete:
			list[i].Op = zkmodel.OpDelete
		case zk.OpSet:
			list[i].Op = zkmodel.OpSetData
		case zk.OpCheck:
			list[i].Op = zkmodel.OpCheck
		}
		if !zkmodel.ValidPath(o.Path, o.Kind == zk.OpCreate && o.Mode.Sequential()) {
			return nil, zk.ErrBadArguments
		}
	}
	r, err := h.await(0, zkmodel.Request{Op: zkmodel.OpMulti, Multi: list})
	if err != nil {
		return nil, err
	}
	results := make([]zk.OpResult, len(r.Multi))
	for i := range r.Multi {
		m := &r.Multi[i]
		results[i] = zk.OpResult{Path: m.Path, Err: codeError(m.Err)}
		if m.Err == zkmodel.OK && m.Op == zkmodel.OpSetData {
			results[i].Stat = h.p.newStat(int32(i))
		}
		if err == nil && m.Err != zkmodel.OK && m.Err != zkmodel.RuntimeInconsistency {
			err = results[i].Err
		}
	}
	return results, err
}

// SessionID implements [zk.Client].
func (h *handle) SessionID() int64 {
	id := h.p.sp.Query(querySession, h.n)
	h.p.learnSession(id)
	return id
}

// State implements [zk.Client].
func (h *handle) State() zk.State { return zk.State(h.p.sp.Query(queryState, h.n)) }

// SessionTimeout implements [zk.Client].
func (h *handle) SessionTimeout() time.Duration {
	return time.Duration(h.p.sp.Query(queryTimeout, h.n))
}

// AddListener implements [zk.Client].
func (h *handle) AddListener(w zk.Watcher) { h.listen(w, outListen) }

// RemoveListener implements [zk.Client].
func (h *handle) RemoveListener(w zk.Watcher) { h.listen(w, outUnlisten) }

func (h *handle) listen(w zk.Watcher, out int32) {
	h.p.segment.requests = append(h.p.segment.requests, request{handle: h.n, watcher: w.WatcherID()})
	h.p.sp.Emit(out | int32(len(h.p.segment.requests)-1))
}

// Close implements [zk.Client].
func (h *handle) Close(ctx context.Context) error {
	_, err := h.await(0, zkmodel.Request{Op: zkmodel.OpCloseSession})
	return err
}
