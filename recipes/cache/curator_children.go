package cache

import (
	"context"
	"errors"
	"slices"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorChildren is Curator's PathChildrenCache: a listing with a watch, anew
// at each event of it, and for each child that is not in the cache a getData
// with a watch of its own. After a new connection all children are read again.
type curatorChildren struct {
	f        *curator.Framework
	o        Options
	children zk.Watcher
	data     zk.Watcher
	current  []Entry
}

func newCuratorChildren(_ context.Context, c zk.Client, e zk.Env, o Options) (Cache, error) {
	n := &curatorChildren{f: framework(c, e), o: o}
	n.children = e.NewWatcher(func(zk.Event) { n.refresh(false) })
	n.data = e.NewWatcher(n.dataChanged)
	return n, nil
}

// Start implements [Cache]: start with StartMode.NORMAL.
func (n *curatorChildren) Start(context.Context) error {
	n.f.ZK.AddListener(n.f.Env.NewWatcher(func(ev zk.Event) {
		if ev.State == zk.Connected {
			n.refresh(true)
		}
	}))
	n.refresh(false)
	return nil
}

// dataChanged is the watcher of the children's data.
func (n *curatorChildren) dataChanged(ev zk.Event) {
	switch ev.Type {
	case zk.EventNodeDeleted:
		n.remove(ev.Path)
	case zk.EventNodeDataChanged:
		n.read(ev.Path)
	}
}

// refresh lists in the background; force reads the known children again. A
// missing parent is made.
func (n *curatorChildren) refresh(force bool) {
	n.f.Env.Go("children-cache", func(context.Context) {
		ctx := n.f.Env.Background()
		names, _, err := n.f.Children2W(ctx, n.o.Path, n.children)
		if errors.Is(err, zk.ErrNoNode) {
			if err = n.f.Mkdirs(ctx, n.o.Path); err == nil {
				names, _, err = n.f.Children2W(ctx, n.o.Path, n.children)
			}
		}
		if err == nil {
			n.listed(names, force)
		}
	})
}

// listed is processChildren.
func (n *curatorChildren) listed(names []string, force bool) {
	for _, e := range slices.Clone(n.current) {
		if !slices.Contains(names, e.Path[len(n.o.Path)+1:]) {
			n.remove(e.Path)
		}
	}
	for _, name := range names {
		path := n.o.Path + "/" + name
		if force || n.find(path) < 0 {
			n.read(path)
		}
	}
	n.o.Show(slices.Clone(n.current))
}

func (n *curatorChildren) find(path string) int {
	return slices.IndexFunc(n.current, func(e Entry) bool { return e.Path == path })
}

func (n *curatorChildren) remove(path string) {
	if i := n.find(path); i >= 0 {
		n.current = slices.Delete(n.current, i, i+1)
		n.o.Show(slices.Clone(n.current))
	}
}

// read is getDataAndStat, in the background, with applyNewData.
func (n *curatorChildren) read(path string) {
	n.f.Env.Go("children-cache-data", func(context.Context) {
		data, _, err := n.f.GetW(n.f.Env.Background(), path, n.data)
		switch {
		case errors.Is(err, zk.ErrNoNode):
			n.remove(path)
		case err != nil:
		default:
			if i := n.find(path); i >= 0 {
				n.current[i].Data = data
			} else {
				n.current = append(n.current, Entry{path, data})
			}
			n.o.Show(slices.Clone(n.current))
		}
	})
}
