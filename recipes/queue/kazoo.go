package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zoosim/recipes/internal/kazoo"
	"zoosim/recipes/zk"
)

// kazooPriority is the priority of a put that gives none.
const kazooPriority = 100

// kazooQueue is kazoo.recipe.queue.Queue. Faults by the ids of the
// measurements:
//
//   - kazoo:K2 a delete whose reply was lost is repeated with the whole get,
//     which finds the znode gone and takes the next item: the first is lost;
//   - kazoo:K3 the listing is kept from get to get, and an item of higher
//     priority that came meanwhile waits.
type kazooQueue struct {
	c        zk.Client
	e        zk.Env
	path     string
	ensured  bool
	children []string
}

func newKazoo(_ context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
	return &kazooQueue{c: c, e: e, path: dir}, nil
}

// kazooEnsure is _ensure_paths.
func kazooEnsure(ctx context.Context, c zk.Client, done *bool, paths ...string) error {
	if *done {
		return nil
	}
	for _, path := range paths {
		if err := kazoo.EnsurePath(ctx, c, path); err != nil {
			return err
		}
	}
	*done = true
	return nil
}

// Put implements [Queue].
func (q *kazooQueue) Put(ctx context.Context, data []byte) error {
	return q.PutPriority(ctx, data, kazooPriority)
}

// PutPriority implements [Prioritized] (put). It is not retried.
func (q *kazooQueue) PutPriority(ctx context.Context, data []byte, priority int) error {
	if err := kazooEnsure(ctx, q.c, &q.ensured, q.path); err != nil {
		return err
	}
	_, err := q.c.Create(ctx, fmt.Sprintf("%s/entry-%03d-", q.path, priority), data, zk.PersistentSequential)
	return err
}

// Take implements [Queue]. The original never waits for an item.
func (q *kazooQueue) Take(ctx context.Context) ([]byte, error) {
	data, _, err := q.TryTake(ctx)
	return data, err
}

// TryTake implements [Try] (get).
func (q *kazooQueue) TryTake(ctx context.Context) ([]byte, bool, error) {
	if err := kazooEnsure(ctx, q.c, &q.ensured, q.path); err != nil {
		return nil, false, err
	}
	var data []byte
	ok, err := q.retry(ctx, func() (ok bool, err error) {
		data, ok, err = q.inner(ctx)
		return ok, err
	})
	return data, ok, err
}

func (q *kazooQueue) retry(ctx context.Context, f func() (bool, error)) (bool, error) {
	return kazoo.Retry{Env: q.e, Deadline: kazoo.NoLimit}.Call(ctx, f)
}

// inner is _inner_get.
func (q *kazooQueue) inner(ctx context.Context) ([]byte, bool, error) {
	if len(q.children) == 0 { // K3
		_, err := q.retry(ctx, func() (bool, error) {
			names, err := q.c.Children(ctx, q.path)
			q.children = names
			return true, err
		})
		if err != nil {
			return nil, false, err
		}
		slices.Sort(q.children)
	}
	if len(q.children) == 0 {
		return nil, false, nil
	}
	path := q.path + "/" + q.children[0]
	data, _, err := q.c.Get(ctx, path)
	if err == nil {
		err = q.c.Delete(ctx, path, zk.AnyVersion) // K2
	}
	if errors.Is(err, zk.ErrNoNode) {
		q.children = q.children[1:]
		return nil, false, kazoo.ErrForceRetry
	}
	if err != nil {
		return nil, false, err
	}
	q.children = q.children[1:]
	return data, true, nil
}
