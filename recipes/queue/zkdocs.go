package queue

import (
	"context"
	"errors"
	"slices"
	"time"

	"zoosim/recipes/internal/docs"
	"zoosim/recipes/zk"
)

// zkDocsMarker begins the name of an item.
const zkDocsMarker = "queue-"

// zkDocs is the queue of ZooKeeper's documentation. A take works through its
// listing and lists again, with a watch, when that is exhausted. The text makes
// items ephemeral, so that they go with their producer; here that is an option
// and else they are persistent.
//
// Where the text is silent: a read is repeated over a lost connection and in a
// new session, since items outlive both. Neither a create nor a delete is: its
// caller learns that the outcome is not known, so that no item comes twice.
type zkDocs struct {
	c    zk.Client
	e    zk.Env
	dir  string
	mode zk.CreateMode
	list []string // of the last listing, what has not been tried
}

func newZKDocs(mode zk.CreateMode) func(context.Context, zk.Client, zk.Env, string) (Queue, error) {
	return func(_ context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
		return &zkDocs{c: c, e: e, dir: dir, mode: mode}, nil
	}
}

// Put implements [Queue].
func (q *zkDocs) Put(ctx context.Context, data []byte) error {
	_, err := q.c.Create(ctx, q.dir+"/"+zkDocsMarker, data, q.mode)
	return err
}

// Take implements [Queue].
func (q *zkDocs) Take(ctx context.Context) ([]byte, error) {
	data, _, err := q.take(ctx, true)
	return data, err
}

// TakeTimeout implements [Timed].
func (q *zkDocs) TakeTimeout(ctx context.Context, limit time.Duration) ([]byte, bool, error) {
	timed, cancel := q.e.WithTimeout(ctx, limit)
	defer cancel()
	data, ok, err := q.take(timed, true)
	ok, err = docs.TimedOut(ctx, ok, err)
	return data, ok, err
}

// TryTake implements [Try].
func (q *zkDocs) TryTake(ctx context.Context) ([]byte, bool, error) {
	return q.take(ctx, false)
}

func (q *zkDocs) take(ctx context.Context, wait bool) ([]byte, bool, error) {
	for {
		if len(q.list) == 0 {
			gone := q.e.NewLatch()
			if err := q.relist(ctx, gone, wait); err != nil {
				return nil, false, err
			}
			if len(q.list) == 0 {
				if !wait {
					return nil, false, nil
				}
				if err := gone.Wait(ctx); err != nil {
					return nil, false, err
				}
				continue
			}
		}
		path := q.dir + "/" + q.list[0]
		data, err := q.get(ctx, path)
		if err == nil {
			err = q.c.Delete(ctx, path, zk.AnyVersion)
		}
		if err != nil && !errors.Is(err, zk.ErrNoNode) {
			return nil, false, err
		}
		q.list = q.list[1:]
		if err == nil {
			return data, true, nil
		}
	}
}

// relist lists the items in their order, and leaves a watch if the caller will
// wait for a change.
func (q *zkDocs) relist(ctx context.Context, gone zk.Latch, wait bool) error {
	for tries := 0; ; {
		var names []string
		var err error
		if wait {
			names, err = q.c.ChildrenW(ctx, q.dir, gone)
		} else {
			names, err = q.c.Children(ctx, q.dir)
		}
		if err == nil {
			q.list = inOrder(names)
			return nil
		}
		if !q.again(ctx, &tries, &err) {
			return err
		}
	}
}

func (q *zkDocs) get(ctx context.Context, path string) ([]byte, error) {
	for tries := 0; ; {
		data, _, err := q.c.Get(ctx, path)
		if err == nil || !q.again(ctx, &tries, &err) {
			return data, err
		}
	}
}

// again decides whether a read is repeated. In a new session it may be.
func (q *zkDocs) again(ctx context.Context, tries *int, err *error) bool {
	if errors.Is(*err, zk.ErrSessionExpired) && q.c.State() != zk.Closed {
		*err = zk.ErrConnectionLoss
	}
	return docs.Again(ctx, q.e, tries, err)
}

// inOrder keeps the items of a listing, in the order of their numbers, which
// survives a wrap of the counter.
func inOrder(names []string) []string {
	items := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, ok := docs.Sequence(name, zkDocsMarker)
		return !ok
	})
	slices.SortFunc(items, func(a, b string) int {
		x, _ := docs.Sequence(a, zkDocsMarker)
		y, _ := docs.Sequence(b, zkDocsMarker)
		switch {
		case x == y:
			return 0
		case docs.Before(x, y):
			return -1
		}
		return 1
	})
	return items
}
