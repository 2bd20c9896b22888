package group

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/internal/kazoo"
	"zoosim/recipes/zk"
)

// kazooPartyNode is Party._NODE_NAME.
const kazooPartyNode = "__party__"

// kazooParty is kazoo.recipe.party.Party. By reading:
//
//   - participating outlives the session: nobody joins again;
//   - a znode that is there already is taken for the own one, also if it is of
//     a session about to end;
//   - the list is put together from a listing and a read of each znode, and may
//     have been the members' at no moment.
type kazooParty struct {
	c             zk.Client
	e             zk.Env
	path          string
	createPath    string
	data          []byte
	ensured       bool
	participating bool
}

func newKazooParty(_ context.Context, c zk.Client, e zk.Env, o Options) (Group, error) {
	return &kazooParty{
		c: c, e: e, path: o.Dir, createPath: o.Dir + "/" + e.GUID() + kazooPartyNode, data: []byte(o.Name),
	}, nil
}

func (p *kazooParty) retry(ctx context.Context, f func() error) error {
	_, err := kazoo.Retry{Env: p.e, Deadline: kazoo.NoLimit}.Call(ctx, func() (bool, error) { return true, f() })
	return err
}

// ensureParent is _ensure_parent.
func (p *kazooParty) ensureParent(ctx context.Context) error {
	if p.ensured {
		return nil
	}
	if err := kazoo.EnsurePath(ctx, p.c, p.path); err != nil {
		return err
	}
	p.ensured = true
	return nil
}

// Join implements [Group] (join).
func (p *kazooParty) Join(ctx context.Context) error {
	return p.retry(ctx, func() error {
		if err := p.ensureParent(ctx); err != nil {
			return err
		}
		_, err := p.c.Create(ctx, p.createPath, p.data, zk.Ephemeral)
		if err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
		p.participating = true
		return nil
	})
}

// Leave implements [Group] (leave).
func (p *kazooParty) Leave(ctx context.Context) error {
	p.participating = false
	return p.retry(ctx, func() error {
		err := p.c.Delete(ctx, p.createPath, zk.AnyVersion)
		if errors.Is(err, zk.ErrNoNode) {
			return nil
		}
		return err
	})
}

// Members implements [Lister] (__iter__).
func (p *kazooParty) Members(ctx context.Context) ([]string, error) {
	if err := p.ensureParent(ctx); err != nil {
		return nil, err
	}
	var names []string
	err := p.retry(ctx, func() (err error) {
		names, err = p.c.Children(ctx, p.path)
		return err
	})
	if err != nil {
		return nil, err
	}
	var members []string
	for _, name := range names {
		if !strings.Contains(name, kazooPartyNode) {
			continue
		}
		var data []byte
		err := p.retry(ctx, func() (err error) {
			data, _, err = p.c.Get(ctx, p.path+"/"+name)
			return err
		})
		switch {
		case err == nil:
			members = append(members, string(data))
		case !errors.Is(err, zk.ErrNoNode):
			return nil, err
		}
	}
	return members, nil
}
