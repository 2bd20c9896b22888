package group

import (
	"context"
	"errors"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// zkDocs is the group of ZooKeeper's documentation: an ephemeral znode a
// member under the group's, and a listing with a watch for who looks on. The
// text says no more; here
//
//   - a task of its own keeps the member's znode while it is to be one: it
//     watches the znode, and makes it again when it went, as with its session. A
//     znode of the same name that is of another session, such as the process's
//     former one, is waited out;
//   - another task lists, with a new watch, at each event and error, and waits
//     for a group that is not there.
//
// All waits are for latches that are watchers themselves, made before the
// request that registers them, so that no event is missed.
type zkDocs struct {
	c    zk.Client
	e    zk.Env
	o    Options
	path string

	want    bool     // to be a member
	member  bool     // the znode is there, and of the present session
	keeping bool     // the task runs
	err     error    // it gave up
	wake    zk.Latch // wakes the task
	changed zk.Latch // opens when one of these fields changes
	follows bool
}

func newZKDocs(_ context.Context, c zk.Client, e zk.Env, o Options) (Group, error) {
	return &zkDocs{c: c, e: e, o: o, path: o.Dir + "/" + o.Name}, nil
}

// Join implements [Group].
func (g *zkDocs) Join(ctx context.Context) error {
	err := g.become(ctx, true)
	if err != nil {
		g.set(false) // whoever is not told that it has joined is none
	}
	return err
}

// Leave implements [Group].
func (g *zkDocs) Leave(ctx context.Context) error { return g.become(ctx, false) }

// become waits until the process is a member, or is none.
func (g *zkDocs) become(ctx context.Context, member bool) error {
	g.set(member)
	for g.err == nil && (g.member != member || !member && g.keeping) {
		changed := g.changed
		if err := changed.Wait(ctx); err != nil {
			return err
		}
	}
	return g.err
}

// set says whether the process is to be a member, and has the task see to it.
func (g *zkDocs) set(member bool) {
	g.want = member
	switch {
	case g.keeping:
		g.wake.Open()
	case member || g.member:
		g.keeping, g.err = true, nil
		g.wake, g.changed = g.e.NewLatch(), g.e.NewLatch()
		g.e.Go("group-keep", func(context.Context) { g.keep(g.e.Background()) })
	}
}

// now notes what is the case, and tells whoever waits for it.
func (g *zkDocs) now(member bool, err error) {
	g.member, g.err = member, err
	changed := g.changed
	g.changed = g.e.NewLatch()
	changed.Open()
}

// keep has the znode there while it is wanted, and ends when it is not.
func (g *zkDocs) keep(ctx context.Context) {
	for tries := 1; ; {
		g.wake = g.e.NewLatch()
		want := g.want
		var err error
		settled := true
		if want {
			settled, err = g.stand(ctx)
		} else {
			err = g.withdraw(ctx)
		}
		switch {
		case err != nil && !g.passing(err):
			g.keeping = false
			g.now(false, err)
			return
		case err != nil:
			_ = docs.Pause(ctx, g.e, tries)
			tries++
			continue
		case want != g.want:
			continue
		}
		tries = 1
		if !want {
			g.keeping = false
			g.now(false, nil)
			return
		}
		if settled != g.member {
			g.now(settled, nil)
		}
		_ = g.wake.Wait(ctx)
	}
}

// stand reports whether the process's own znode is there, having made it if
// there was none, and leaves a watch on whichever is.
func (g *zkDocs) stand(ctx context.Context) (bool, error) {
	for create := !g.member; ; create = true {
		if create {
			_, err := g.c.Create(ctx, g.path, nil, zk.Ephemeral)
			if errors.Is(err, zk.ErrNoNode) {
				err = g.makeDir(ctx)
				if err == nil {
					continue
				}
			}
			if err != nil && !errors.Is(err, zk.ErrNodeExists) {
				return false, err
			}
		}
		stat, err := g.c.ExistsW(ctx, g.path, g.wake)
		if err != nil {
			return false, err
		}
		if stat.Exists() {
			return stat.EphemeralOwner() == g.c.SessionID(), nil
		}
	}
}

func (g *zkDocs) makeDir(ctx context.Context) error {
	_, err := g.c.Create(ctx, g.o.Dir, nil, zk.Persistent)
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	return err
}

// withdraw deletes the znode; that it is gone already is no error.
func (g *zkDocs) withdraw(ctx context.Context) error {
	err := g.c.Delete(ctx, g.path, zk.AnyVersion)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// passing reports whether an error is one that goes: the connection comes back
// and a new session follows the old, unless the handle was closed.
func (g *zkDocs) passing(err error) bool {
	if errors.Is(err, zk.ErrSessionExpired) {
		return g.c.State() != zk.Closed
	}
	return errors.Is(err, zk.ErrConnectionLoss)
}

// Follow implements [Follower].
func (g *zkDocs) Follow(context.Context) error {
	if !g.follows {
		g.follows = true
		g.e.Go("group-follow", func(context.Context) { g.follow(g.e.Background()) })
	}
	return nil
}

func (g *zkDocs) follow(ctx context.Context) {
	for tries := 1; ; {
		changed := g.e.NewLatch()
		names, err := g.c.ChildrenW(ctx, g.o.Dir, changed)
		if errors.Is(err, zk.ErrNoNode) {
			var stat zk.Stat
			if stat, err = g.c.ExistsW(ctx, g.o.Dir, changed); err == nil && stat.Exists() {
				continue // it has come meanwhile
			}
		}
		if err != nil {
			if !g.passing(err) {
				return
			}
			_ = docs.Pause(ctx, g.e, tries)
			tries++
			continue
		}
		tries = 1
		g.o.Show(names)
		_ = changed.Wait(ctx)
	}
}
