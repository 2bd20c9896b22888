package livezk

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	gozk "github.com/go-zookeeper/zk"

	"zoosim/recipes/zk"
)

// Options are the settings of a handle.
type Options struct {
	// Address is that of the server, as "127.0.0.1:2181".
	Address string
	// SessionTimeout is what the client asks for.
	SessionTimeout time.Duration
	// Library says which library's way watches are told of the ends of
	// connection and session.
	Library zk.Library

	_ struct{}
}

// handle is one client of go-zookeeper.
type handle struct {
	p       *Process
	o       Options
	conn    *gozk.Conn
	timeout atomic.Int64 // negotiated
	up      chan struct{}
	upOnce  sync.Once
	endOnce sync.Once
	events  queue

	// With the process.
	watches   []*watch // in the order of their registration
	listeners []watcher
	expired   bool // for ever, as a Java handle
	closed    bool
}

// quietLogger keeps go-zookeeper from writing on standard error.
type quietLogger struct{}

// Printf implements gozk.Logger.
func (quietLogger) Printf(string, ...any) {}

// Connect opens a handle and waits for its first session, at most for as long
// as a session may last. It is for the task that runs; the handle of a server
// that does not answer answers every request with ConnectionLoss.
func (p *Process) Connect(o Options) zk.Client {
	h := &handle{p: p, o: o, up: make(chan struct{})}
	h.events.init()
	dial := func(network, address string, timeout time.Duration) (net.Conn, error) {
		return p.meter.dial(network, address, timeout, func(d time.Duration) { h.timeout.Store(int64(d)) })
	}
	var err error
	h.conn, _, err = gozk.Connect([]string{o.Address}, o.SessionTimeout,
		gozk.WithDialer(dial), gozk.WithEventCallback(h.arrived), gozk.WithLogger(quietLogger{}), gozk.WithLogInfo(false))
	if err != nil {
		panic("livezk: Process.Connect: " + err.Error()) // OpenAdmin has found the address
	}
	p.handles = append(p.handles, h)
	p.events.Go(h.dispatch)
	p.away(func() {
		t := time.NewTimer(o.SessionTimeout)
		defer t.Stop()
		select {
		case <-h.up:
		case <-t.C:
		case <-p.ctx.Done():
		}
	})
	return h
}

// end ends the session and the event task.
func (h *handle) end() {
	h.endOnce.Do(func() {
		h.conn.Close()
		h.events.close()
	})
}

// do carries out a request with the process let go.
func (h *handle) do(ctx context.Context, request func() error) error {
	if err := ctx.Err(); err != nil {
		h.p.away(func() {})
		return err
	}
	if h.closed || h.expired {
		h.p.away(func() {})
		return zk.ErrSessionExpired
	}
	var err error
	h.p.away(func() { err = request() })
	return recipeError(err)
}

// recipeError is the error that recipes see for one of go-zookeeper.
func recipeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gozk.ErrSessionExpired), errors.Is(err, gozk.ErrClosing):
		return zk.ErrSessionExpired
	case errors.Is(err, gozk.ErrNoNode):
		return zk.ErrNoNode
	case errors.Is(err, gozk.ErrNodeExists):
		return zk.ErrNodeExists
	case errors.Is(err, gozk.ErrBadVersion):
		return zk.ErrBadVersion
	case errors.Is(err, gozk.ErrNotEmpty):
		return zk.ErrNotEmpty
	case errors.Is(err, gozk.ErrNoChildrenForEphemerals):
		return zk.ErrNoChildrenForEphemerals
	case errors.Is(err, gozk.ErrBadArguments), errors.Is(err, gozk.ErrInvalidPath):
		return zk.ErrBadArguments
	case errors.Is(err, gozk.ErrInvalidACL):
		return zk.ErrInvalidACL
	case errors.Is(err, gozk.ErrNoAuth):
		return zk.ErrNoAuth
	}
	// ErrConnectionClosed, ErrNoServer, and what the network has to say.
	return fmt.Errorf("%w: %w", zk.ErrConnectionLoss, err)
}

// everything is the ACL of every znode.
var everything = gozk.WorldACL(gozk.PermAll)

// Create implements [zk.Client].
func (h *handle) Create(ctx context.Context, path string, data []byte, mode zk.CreateMode) (made string, err error) {
	err = h.do(ctx, func() (err error) {
		made, err = h.conn.Create(path, data, int32(mode), everything)
		return err
	})
	return made, err
}

// Create2 implements [zk.Client]: a create, and the Stat that follows from it.
func (h *handle) Create2(ctx context.Context, path string, data []byte, mode zk.CreateMode) (string, zk.Stat, error) {
	made, err := h.Create(ctx, path, data, mode)
	if err != nil {
		return "", zk.Stat{}, err
	}
	s := &madeStat{h: h, path: made, known: gozk.Stat{DataLength: int32(len(data))}}
	if mode.Ephemeral() {
		s.known.EphemeralOwner = h.SessionID()
	}
	return made, zk.NewStat(s, 0), nil
}

// Delete implements [zk.Client].
func (h *handle) Delete(ctx context.Context, path string, version int32) error {
	return h.do(ctx, func() error { return h.conn.Delete(path, version) })
}

// Exists implements [zk.Client].
func (h *handle) Exists(ctx context.Context, path string) (stat zk.Stat, err error) {
	err = h.do(ctx, func() error {
		ok, s, err := h.conn.Exists(path)
		if ok && err == nil {
			stat = newStat(s)
		}
		return err
	})
	return stat, err
}

// ExistsW implements [zk.Client].
func (h *handle) ExistsW(ctx context.Context, path string, w zk.Watcher) (stat zk.Stat, err error) {
	err = h.watch(ctx, path, w, func() (table, <-chan gozk.Event, error) {
		ok, s, ch, err := h.conn.ExistsW(path)
		if !ok || err != nil {
			return existTable, ch, err
		}
		stat = newStat(s)
		return dataTable, ch, nil
	})
	return stat, err
}

// Get implements [zk.Client].
func (h *handle) Get(ctx context.Context, path string) (data []byte, stat zk.Stat, err error) {
	err = h.do(ctx, func() error {
		d, s, err := h.conn.Get(path)
		if err == nil {
			data, stat = d, newStat(s)
		}
		return err
	})
	return data, stat, err
}

// GetW implements [zk.Client].
func (h *handle) GetW(ctx context.Context, path string, w zk.Watcher) (data []byte, stat zk.Stat, err error) {
	err = h.watch(ctx, path, w, func() (table, <-chan gozk.Event, error) {
		d, s, ch, err := h.conn.GetW(path)
		if err == nil {
			data, stat = d, newStat(s)
		}
		return dataTable, ch, err
	})
	return data, stat, err
}

// Set implements [zk.Client].
func (h *handle) Set(ctx context.Context, path string, data []byte, version int32) (stat zk.Stat, err error) {
	err = h.do(ctx, func() error {
		s, err := h.conn.Set(path, data, version)
		if err == nil {
			stat = newStat(s)
		}
		return err
	})
	return stat, err
}

// Children implements [zk.Client]; go-zookeeper sends getChildren2.
func (h *handle) Children(ctx context.Context, path string) ([]string, error) {
	names, _, err := h.Children2(ctx, path)
	return names, err
}

// ChildrenW implements [zk.Client]; go-zookeeper sends getChildren2.
func (h *handle) ChildrenW(ctx context.Context, path string, w zk.Watcher) ([]string, error) {
	names, _, err := h.Children2W(ctx, path, w)
	return names, err
}

// Children2 implements [zk.Client].
func (h *handle) Children2(ctx context.Context, path string) (names []string, stat zk.Stat, err error) {
	err = h.do(ctx, func() error {
		n, s, err := h.conn.Children(path)
		if err == nil {
			names, stat = n, newStat(s)
		}
		return err
	})
	return names, stat, err
}

// Children2W implements [zk.Client].
func (h *handle) Children2W(ctx context.Context, path string, w zk.Watcher) (names []string, stat zk.Stat, err error) {
	err = h.watch(ctx, path, w, func() (table, <-chan gozk.Event, error) {
		n, s, ch, err := h.conn.ChildrenW(path)
		if err == nil {
			names, stat = n, newStat(s)
		}
		return childTable, ch, err
	})
	return names, stat, err
}

// RemoveWatches implements [zk.Client]: go-zookeeper has no such request.
func (h *handle) RemoveWatches(context.Context, string, zk.Watcher) error {
	h.p.missing = "checkWatches (RemoveWatches)"
	return zk.ErrUnimplemented
}

// Sync implements [zk.Client].
func (h *handle) Sync(ctx context.Context, path string) error {
	return h.do(ctx, func() error {
		_, err := h.conn.Sync(path)
		return err
	})
}

// Multi implements [zk.Client].
func (h *handle) Multi(ctx context.Context, ops ...zk.Op) ([]zk.OpResult, error) {
	list := make([]any, len(ops))
	for i, o := range ops {
		switch o.Kind {
		case zk.OpCreate:
			list[i] = &gozk.CreateRequest{Path: o.Path, Data: o.Data, Acl: everything, Flags: int32(o.Mode)}
		case zk.OpDelete:
			list[i] = &gozk.DeleteRequest{Path: o.Path, Version: o.Version}
		case zk.OpSet:
			list[i] = &gozk.SetDataRequest{Path: o.Path, Data: o.Data, Version: o.Version}
		case zk.OpCheck:
			list[i] = &gozk.CheckVersionRequest{Path: o.Path, Version: o.Version}
		}
	}
	var got []gozk.MultiResponse
	err := h.do(ctx, func() (err error) {
		got, err = h.conn.Multi(list...)
		return err
	})
	failed := false
	results := make([]zk.OpResult, len(got))
	for i := range got {
		g := &got[i]
		r := zk.OpResult{Path: g.String, Err: recipeError(g.Error)}
		switch {
		case failed:
			r.Err = zk.ErrRuntimeInconsistency
		case g.Error != nil:
			// go-zookeeper gives the error of the first operation that has one.
			failed, err = true, r.Err
		case g.Stat != nil:
			r.Stat = newStat(g.Stat)
		}
		results[i] = r
	}
	return results, err
}

// SessionID implements [zk.Client].
func (h *handle) SessionID() int64 { return h.conn.SessionID() }

// State implements [zk.Client].
func (h *handle) State() zk.State {
	switch {
	case h.closed:
		return zk.Closed
	case h.expired:
		return zk.Expired
	case h.conn.State() == gozk.StateHasSession:
		return zk.Connected
	}
	return zk.Connecting
}

// SessionTimeout implements [zk.Client].
func (h *handle) SessionTimeout() time.Duration { return time.Duration(h.timeout.Load()) }

// AddListener implements [zk.Client].
func (h *handle) AddListener(w zk.Watcher) {
	h.listeners = append(h.listeners, watcher(w.WatcherID()))
}

// RemoveListener implements [zk.Client].
func (h *handle) RemoveListener(w zk.Watcher) {
	for i, x := range h.listeners {
		if x == watcher(w.WatcherID()) {
			h.listeners = append(h.listeners[:i:i], h.listeners[i+1:]...)
			return
		}
	}
}

// Close implements [zk.Client].
func (h *handle) Close(context.Context) error {
	h.closed = true
	h.p.away(h.end)
	return nil
}
