package cache

import (
	"context"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorNode is Curator's NodeCache: exists with a watch, then getData with
// the same watch, anew at each event and each new connection. An answer other
// than success and NoNode is given up; the next connection begins again.
type curatorNode struct {
	f         *curator.Framework
	o         Options
	watcher   zk.Watcher
	connected bool
}

func newCuratorNode(_ context.Context, c zk.Client, e zk.Env, o Options) (Cache, error) {
	n := &curatorNode{f: framework(c, e), o: o, connected: true}
	n.watcher = e.NewWatcher(func(zk.Event) { n.reset() })
	return n, nil
}

// Start implements [Cache].
func (n *curatorNode) Start(context.Context) error {
	n.f.ZK.AddListener(n.f.Env.NewWatcher(n.stateChanged))
	n.reset()
	return nil
}

func (n *curatorNode) stateChanged(ev zk.Event) {
	was := n.connected
	n.connected = ev.State == zk.Connected
	if n.connected && !was {
		n.reset()
	}
}

// reset looks at the znode in the background.
func (n *curatorNode) reset() {
	if !n.connected {
		return
	}
	n.f.Env.Go("node-cache", func(context.Context) {
		ctx := n.f.Env.Background()
		stat, err := n.f.ExistsW(ctx, n.o.Path, n.watcher)
		switch {
		case err != nil:
		case !stat.Exists():
			n.o.Show(nil)
		default:
			n.read(ctx)
		}
	})
}

// read takes the data over. That the znode has gone meanwhile is told by the
// watch of exists.
func (n *curatorNode) read(ctx context.Context) {
	data, _, err := n.f.GetW(ctx, n.o.Path, n.watcher)
	if err == nil {
		n.o.Show([]Entry{{n.o.Path, data}})
	}
}
