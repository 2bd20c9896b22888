package election

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// latchName is LeaderLatch.LOCK_NAME.
const latchName = "latch-"

var errLatchClosed = errors.New("election: the latch is closed (EOFException)")

// curatorLatch is Curator's LeaderLatch. A candidate's znode is protected and
// made in the background, as every other request; what goes wrong with one
// beyond the retries is logged, and the latch is idle until the next
// connection. A leader whose connection breaks leads no more, and leads again
// when it finds its znode first.
//
// The original asks whose session the first znode is of (CURATOR-696); an
// ablation does not.
type curatorLatch struct {
	f        *curator.Framework
	o        Options
	unasked  bool // CURATOR-696: it leads on the first znode whoever's it is
	path     string
	started  bool
	closed   bool
	leads    bool
	term     int64
	monitor  zk.Mutex
	listener zk.Watcher
}

func newCuratorLatch(unasked bool) func(context.Context, zk.Client, zk.Env, Options) (Election, error) {
	return func(_ context.Context, c zk.Client, e zk.Env, o Options) (Election, error) {
		f := &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
		l := &curatorLatch{f: f, o: o, unasked: unasked, monitor: e.NewMutex()}
		l.listener = e.NewWatcher(l.stateChanged)
		return l, nil
	}
}

// Campaign implements [Election]: start, then await.
func (l *curatorLatch) Campaign(ctx context.Context) error {
	if !l.started {
		l.started = true
		l.f.ZK.AddListener(l.listener)
		l.reset()
	}
	l.monitor.Lock()
	defer l.monitor.Unlock()
	for !l.leads && !l.closed {
		if err := l.monitor.Wait(ctx); err != nil {
			return err
		}
	}
	if l.closed {
		return errLatchClosed
	}
	return nil
}

// Resign implements [Election]: close. The znode is deleted in the background.
func (l *curatorLatch) Resign(context.Context) error {
	if l.closed {
		return nil
	}
	l.closed = true
	l.setNode("")
	l.f.ZK.RemoveListener(l.listener)
	l.leads = false
	l.notify()
	return nil
}

// Term implements [Election].
func (l *curatorLatch) Term() int64 { return l.term }

// stateChanged is handleStateChange with the default error policy, for which a
// suspended connection is an error.
func (l *curatorLatch) stateChanged(ev zk.Event) {
	switch ev.State {
	case zk.Connected:
		l.getChildren()
	case zk.Connecting, zk.Expired:
		l.setLeadership(false)
	}
}

// background runs a request and its callback.
func (l *curatorLatch) background(name string, f func(ctx context.Context)) {
	l.f.Env.Go(name, func(context.Context) { f(l.f.Env.Background()) })
}

// reset gives the znode up, if there is one, and makes another.
func (l *curatorLatch) reset() {
	l.setLeadership(false)
	l.setNode("")
	l.background("latch-create", func(ctx context.Context) {
		made, err := l.f.CreateProtected(ctx, l.o.Dir, latchName, nil, zk.EphemeralSequential)
		if err != nil {
			return // logged
		}
		l.setNode(made)
		if l.closed {
			l.setNode("")
			return
		}
		l.getChildren()
	})
}

// setNode remembers the znode, and has the former one deleted for certain.
func (l *curatorLatch) setNode(path string) {
	old := l.path
	l.path = path
	if old != "" {
		l.f.DeleteLater(old)
	}
}

func (l *curatorLatch) getChildren() {
	l.background("latch-children", func(ctx context.Context) {
		names, err := l.f.Children2(ctx, l.o.Dir)
		switch {
		case l.closed:
		case err == nil:
			l.check(names)
		case errors.Is(err, zk.ErrNoNode):
			l.reset()
		}
	})
}

// check is checkLeadership.
func (l *curatorLatch) check(names []string) {
	own := l.path
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(curator.Suffix(a, latchName), curator.Suffix(b, latchName))
	})
	at := -1
	if own != "" {
		at = slices.Index(names, own[len(l.o.Dir)+1:])
	}
	switch {
	case at < 0:
		l.reset()
	case at == 0 && l.unasked:
		l.lead(own)
	case at == 0:
		l.background("latch-owner", func(ctx context.Context) { l.askOwner(ctx, own) })
	default:
		l.setLeadership(false)
		l.background("latch-watch", func(ctx context.Context) { l.watch(ctx, l.o.Dir+"/"+names[at-1]) })
	}
}

// askOwner leads on the own znode if it is of the present session.
func (l *curatorLatch) askOwner(ctx context.Context, own string) {
	_, stat, err := l.f.Get(ctx, own)
	owner := int64(-1)
	if err == nil {
		owner = stat.EphemeralOwner()
	}
	switch {
	case l.closed:
	case owner != l.f.ZK.SessionID():
		l.reset()
	default:
		l.lead(own)
	}
}

// watch waits for the deletion of the znode before the own one.
func (l *curatorLatch) watch(ctx context.Context, path string) {
	_, _, err := l.f.GetW(ctx, path, l.f.Env.NewWatcher(func(ev zk.Event) {
		if !l.closed && ev.Type == zk.EventNodeDeleted {
			l.getChildren()
		}
	}))
	if errors.Is(err, zk.ErrNoNode) && !l.closed {
		l.getChildren()
	}
}

// lead notes the leadership on a znode.
func (l *curatorLatch) lead(own string) {
	l.term, _ = strconv.ParseInt(curator.Suffix(own, latchName), 10, 64)
	l.setLeadership(true)
}

func (l *curatorLatch) setLeadership(leads bool) {
	was := l.leads
	l.leads = leads
	if was && !leads {
		l.o.OnLoss()
	}
	l.notify()
}

func (l *curatorLatch) notify() {
	l.monitor.Lock()
	l.monitor.NotifyAll()
	l.monitor.Unlock()
}
