package curator

import (
	"context"

	"zoosim/recipes/zk"
)

// ChildrenCache keeps the names of a znode's children (class ChildrenCache,
// under DistributedQueue): a listing with a watch in the background, made anew
// at each event and with each connection. A listing that fails is given up.
type ChildrenCache struct {
	f       *Framework
	path    string
	watcher zk.Watcher
	monitor zk.Mutex
	names   []string
	version int // 0 for the empty list before the first answer
	sent    int // listings asked for
	applied int // the latest of them that was answered
}

// NewChildrenCache makes a cache of path. Nothing happens before Start.
func NewChildrenCache(f *Framework, path string) *ChildrenCache {
	c := &ChildrenCache{f: f, path: path, monitor: f.Env.NewMutex()}
	c.watcher = f.Env.NewWatcher(func(zk.Event) { c.sync() })
	return c
}

// Start begins to list. The session listener stays for good.
func (c *ChildrenCache) Start() {
	c.f.ZK.AddListener(c.f.Env.NewWatcher(func(ev zk.Event) {
		if ev.State == zk.Connected {
			c.sync()
		}
	}))
	c.sync()
}

func (c *ChildrenCache) sync() {
	c.f.Env.Go("children-cache", func(context.Context) {
		ctx := c.f.Env.Background()
		for retries := 0; ; {
			c.sent++
			number := c.sent
			names, _, err := c.f.ZK.Children2W(ctx, c.path, c.watcher)
			if err == nil {
				c.set(number, names)
				return
			}
			if !c.f.again(ctx, &retries, &err) {
				return
			}
		}
	})
}

// set takes an answer over. The original's answers are handled by its event
// thread, in their order; here each wakes a task of its own, and one that comes
// to run behind a later one has nothing to say.
func (c *ChildrenCache) set(number int, names []string) {
	if number < c.applied {
		return
	}
	c.applied, c.names = number, names
	c.version++
	c.monitor.Lock()
	c.monitor.NotifyAll()
	c.monitor.Unlock()
}

// Next waits until there is another version than the given one and returns it
// (blockingNextGetData). The list is the caller's.
func (c *ChildrenCache) Next(ctx context.Context, version int) ([]string, int) {
	c.monitor.Lock()
	defer c.monitor.Unlock()
	for c.version == version {
		_ = c.monitor.Wait(ctx)
	}
	return append([]string(nil), c.names...), c.version
}
