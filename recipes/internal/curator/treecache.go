package curator

import (
	"context"
	"errors"
	"slices"

	"zoosim/recipes/zk"
)

// TreeEvent is what a [TreeCache] tells its listener.
type TreeEvent uint8

// The events of a tree cache.
const (
	NodeAdded TreeEvent = iota + 1
	NodeRemoved
	NodeUpdated // read again, whether or not it has changed
)

// TreeCache mirrors a znode and all below it (class TreeCache of 2018, Curator
// 4.0, as seed 003 uses it): per znode a read of the data and one of the
// children, both with the znode's one watcher, in the background. It is never
// closed here. Not carried over: the events Initialized and those of the
// connection, which no recipe here listens to.
type TreeCache struct {
	f      *Framework
	listen func(TreeEvent, string)
	root   *treeNode
}

// NewTreeCache makes a cache of path; listen is called with each event and
// the path of its znode. Nothing happens before Start.
func NewTreeCache(f *Framework, path string, listen func(TreeEvent, string)) *TreeCache {
	t := &TreeCache{f: f, listen: listen}
	t.root = t.newNode(path, nil)
	return t
}

// Start begins to read, at once or with the first connection. The session
// listener stays for good.
func (t *TreeCache) Start() {
	t.f.ZK.AddListener(t.f.Env.NewWatcher(func(ev zk.Event) {
		if ev.State == zk.Connected { // CONNECTED or RECONNECTED, in a new session too
			t.root.wasReconnected()
		}
	}))
	if t.f.ZK.State() == zk.Connected {
		t.root.refresh()
	}
}

// Each calls f for the znodes that were read and have not gone.
func (t *TreeCache) Each(f func(path string, data []byte)) { t.root.each(f) }

func (n *treeNode) each(f func(path string, data []byte)) {
	if n.state == live {
		f(n.path, n.data)
	}
	for _, child := range n.children {
		child.each(f)
	}
}

// treeState is the life of a cached znode.
type treeState uint8

const (
	pending treeState = iota // not read yet
	live                     // read, and reported as added
	dead                     // found missing, or deleted
)

// treeNode is one cached znode (class TreeCache.TreeNode).
type treeNode struct {
	cache    *TreeCache
	parent   *treeNode
	path     string
	state    treeState
	data     []byte
	children []*treeNode
	watcher  zk.Watcher // one for data and children: one event, one call
}

func (t *TreeCache) newNode(path string, parent *treeNode) *treeNode {
	n := &treeNode{cache: t, parent: parent, path: path}
	n.watcher = t.f.Env.NewWatcher(n.process)
	return n
}

// process is the znode's watcher. Session events are none of its business.
func (n *treeNode) process(ev zk.Event) {
	switch ev.Type {
	case zk.EventNodeCreated:
		n.refresh()
	case zk.EventNodeChildrenChanged:
		n.readChildren()
	case zk.EventNodeDataChanged:
		n.readData()
	case zk.EventNodeDeleted:
		n.wasDeleted()
	}
}

// refresh reads data and children anew.
func (n *treeNode) refresh() {
	n.readData()
	n.readChildren()
}

// wasReconnected refreshes the znode and all below it: the watches of the
// former session are gone, and the cache lives on in the next one
// (seed003:T5).
func (n *treeNode) wasReconnected() {
	n.refresh()
	for _, child := range n.children {
		child.wasReconnected()
	}
}

func (n *treeNode) readData() {
	f := n.cache.f
	f.Env.Go("tree-cache-data", func(context.Context) {
		data, _, err := f.GetW(f.Env.Background(), n.path, n.watcher)
		n.gotData(data, err)
	})
}

func (n *treeNode) readChildren() {
	f := n.cache.f
	f.Env.Go("tree-cache-children", func(context.Context) {
		names, _, err := f.Children2W(f.Env.Background(), n.path, n.watcher)
		n.gotChildren(names, err)
	})
}

// readExistence leaves a creation watch on a root that is not there.
func (n *treeNode) readExistence() {
	f := n.cache.f
	f.Env.Go("tree-cache-exists", func(context.Context) {
		stat, err := f.ExistsW(f.Env.Background(), n.path, n.watcher)
		if err == nil && stat.Exists() {
			if n.state == dead {
				n.state = pending
			}
			n.refresh()
		}
	})
}

// gotData is the answer to readData. Only a znode that was read at least once
// is reported when it goes (seed003:T1).
func (n *treeNode) gotData(data []byte, err error) {
	switch {
	case errors.Is(err, zk.ErrNoNode):
		n.wasDeleted()
	case err != nil: // logged by the original, and given up
	case n.state == pending:
		n.state, n.data = live, data
		n.cache.listen(NodeAdded, n.path)
	case n.parent == nil || n.state == live: // else a late answer, after its death
		event := NodeUpdated
		if n.state != live {
			event = NodeAdded
		}
		n.state, n.data = live, data
		n.cache.listen(event, n.path)
	}
}

// gotChildren is the answer to readChildren.
func (n *treeNode) gotChildren(names []string, err error) {
	if errors.Is(err, zk.ErrNoNode) {
		n.wasDeleted()
	}
	if err != nil {
		return
	}
	names = slices.Sorted(slices.Values(names))
	for _, name := range names {
		path := n.path + "/" + name
		if slices.ContainsFunc(n.children, func(c *treeNode) bool { return c.path == path }) {
			continue
		}
		child := n.cache.newNode(path, n)
		n.children = append(n.children, child)
		child.refresh()
	}
}

// wasDeleted reports the znode and all below it as removed if they were live,
// and has the root watched for its return.
func (n *treeNode) wasDeleted() {
	children := n.children
	n.children = nil
	for _, child := range children {
		child.wasDeleted()
	}
	was := n.state
	n.state = dead
	if was == live {
		n.cache.listen(NodeRemoved, n.path)
	}
	if n.parent == nil {
		n.readExistence()
		return
	}
	n.parent.children = slices.DeleteFunc(n.parent.children, func(c *treeNode) bool { return c == n })
}
