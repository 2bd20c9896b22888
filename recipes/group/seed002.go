package group

import (
	"context"
	"time"

	"zoosim/recipes/zk"
)

// seed002Timeout is the session timeout that the seed asks for.
const seed002Timeout = 5 * time.Second

// seed002 is the class GroupManagement of seed 002, step by step with its
// faults:
//
//   - G1 a fixed name, not sequential: a process that starts again before its
//     former session has ended fails, and the znode then goes with that session;
//   - G2 the end of the session is not heeded: no joining again, no new watch;
//   - G3 the watch is set again within the callback, whose error is swallowed;
//   - G4 changes of the children alone are heeded: a group that is deleted and
//     made again is not watched any more;
//   - G6 every member watches the group, and each change wakes all.
//
// The original joins and begins to list in its constructor, and never leaves
// but by the end of its process; here Leave is the close of its handle. A
// client that observes calls getGroupMembers alone.
type seed002 struct {
	c       zk.Client
	e       zk.Env
	o       Options
	watcher zk.Watcher // the object itself, in the original
}

// newSeed002 is the first part of the constructor. The object is the handle's
// default watcher, too.
func newSeed002(ctx context.Context, c zk.Client, e zk.Env, o Options) (Group, error) {
	g := &seed002{c: c, e: e, o: o}
	g.watcher = e.NewWatcher(g.process)
	c.AddListener(g.watcher)
	stat, err := c.Exists(ctx, o.Dir)
	if err != nil {
		return nil, err
	}
	if !stat.Exists() {
		if _, err := c.Create(ctx, o.Dir, []byte{}, zk.Persistent); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Join implements [Group]: joinGroup, then getGroupMembers.
func (g *seed002) Join(ctx context.Context) error {
	if _, err := g.c.Create(ctx, g.o.Dir+"/"+g.o.Name+"_", []byte{}, zk.Ephemeral); err != nil { // G1
		return err
	}
	return g.Follow(ctx)
}

// Follow implements [Follower] (getGroupMembers).
func (g *seed002) Follow(ctx context.Context) error {
	names, err := g.c.ChildrenW(ctx, g.o.Dir, g.watcher) // G6
	if err != nil {
		return err
	}
	g.o.Show(names)
	return nil
}

// Leave implements [Group].
func (g *seed002) Leave(ctx context.Context) error { return g.c.Close(ctx) }

// process is the callback of the handle and of every watch (G2, G4). What goes
// wrong in it is printed by the original (G3).
func (g *seed002) process(ev zk.Event) {
	if ev.Type == zk.EventNodeChildrenChanged {
		_ = g.Follow(g.e.Background())
	}
}
