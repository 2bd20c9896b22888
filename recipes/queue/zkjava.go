package queue

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"zoosim/recipes/zk"
)

// zkJavaPrefix is DistributedQueue.prefix, that of Curator's simple queue too.
const zkJavaPrefix = "qn-"

// zkJava is the class DistributedQueue of zookeeper-recipes. Its faults by the
// ids of the measurements:
//
//   - zkjava:Z3 a take whose delete was applied and whose reply was lost throws,
//     and the item is gone;
//   - zkjava:Z4 an offer whose reply was lost throws, and the item is there;
//   - zkjava:Z5 the directory is created unguarded: of two that do, one throws.
type zkJava struct {
	c   zk.Client
	e   zk.Env
	dir string
}

func newZKJava(_ context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
	return &zkJava{c: c, e: e, dir: dir}, nil
}

// Put implements [Queue] (offer).
func (q *zkJava) Put(ctx context.Context, data []byte) error {
	for {
		_, err := q.c.Create(ctx, q.dir+"/"+zkJavaPrefix, data, zk.PersistentSequential)
		if !errors.Is(err, zk.ErrNoNode) {
			return err
		}
		if err := q.makeDir(ctx); err != nil { // Z5
			return err
		}
	}
}

func (q *zkJava) makeDir(ctx context.Context) error {
	_, err := q.c.Create(ctx, q.dir, []byte{}, zk.Persistent)
	return err
}

// Take implements [Queue] (take): each round has a latch of its own, opened by
// any event.
func (q *zkJava) Take(ctx context.Context) ([]byte, error) {
	for {
		watcher := q.e.NewLatch()
		names, err := q.c.ChildrenW(ctx, q.dir, watcher)
		if errors.Is(err, zk.ErrNoNode) {
			if err := q.makeDir(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		items := zkJavaOrder(names)
		if len(items) == 0 {
			if err := watcher.Wait(ctx); err != nil {
				return nil, err
			}
			continue
		}
		if data, ok, err := q.first(ctx, items); ok || err != nil {
			return data, err
		}
	}
}

// TryTake implements [Try] (poll, that is remove without its exception).
func (q *zkJava) TryTake(ctx context.Context) ([]byte, bool, error) {
	for {
		names, err := q.c.Children(ctx, q.dir)
		if errors.Is(err, zk.ErrNoNode) {
			return nil, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		items := zkJavaOrder(names)
		if len(items) == 0 {
			return nil, false, nil
		}
		if data, ok, err := q.first(ctx, items); ok || err != nil {
			return data, ok, err
		}
	}
}

// first takes the first of the items that is still there.
func (q *zkJava) first(ctx context.Context, items []string) ([]byte, bool, error) {
	for _, name := range items {
		path := q.dir + "/" + name
		data, _, err := q.c.Get(ctx, path)
		if err == nil {
			err = q.c.Delete(ctx, path, zk.AnyVersion) // Z3
		}
		if err == nil {
			return data, true, nil
		}
		if !errors.Is(err, zk.ErrNoNode) {
			return nil, false, err
		}
	}
	return nil, false, nil
}

// zkJavaOrder is orderedChildren: a TreeMap by number, other names left out.
func zkJavaOrder(names []string) []string {
	type item struct {
		number int64
		name   string
	}
	var items []item
	for _, name := range names {
		suffix, ok := strings.CutPrefix(name, zkJavaPrefix)
		if !ok {
			continue
		}
		if n, err := strconv.ParseInt(suffix, 10, 64); err == nil {
			items = append(items, item{n, name})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.number, b.number) })
	sorted := make([]string, len(items))
	for i, x := range items {
		sorted[i] = x.name
	}
	return sorted
}
