package queue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorSimple is Curator's SimpleDistributedQueue: the queue of
// zookeeper-recipes on a client that retries. Faults by the ids of the
// measurements:
//
//   - curator:C6 a delete repeated after a lost reply finds nothing, which is
//     taken for another consumer's doing: the item is lost, without an error;
//   - curator:C8 a create repeated after a lost reply makes a second item.
type curatorSimple struct {
	f       *curator.Framework
	e       zk.Env
	dir     string
	ensured bool // the directory, by ensureContainers
}

// curatorFramework is the client with the retry policy of the measurements.
func curatorFramework(c zk.Client, e zk.Env) *curator.Framework {
	return &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: time.Second}}
}

func newCuratorSimple(_ context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
	return &curatorSimple{f: curatorFramework(c, e), e: e, dir: dir}, nil
}

// Put implements [Queue] (offer).
func (q *curatorSimple) Put(ctx context.Context, data []byte) error {
	_, err := q.f.Create(ctx, q.dir+"/"+zkJavaPrefix, data, zk.PersistentSequential) // C8
	return err
}

// Take implements [Queue] (take).
func (q *curatorSimple) Take(ctx context.Context) ([]byte, error) {
	data, _, err := q.poll(ctx, curator.Forever)
	return data, err
}

// TakeTimeout implements [Timed] (poll with a time limit).
func (q *curatorSimple) TakeTimeout(ctx context.Context, limit time.Duration) ([]byte, bool, error) {
	return q.poll(ctx, limit)
}

// TryTake implements [Try] (poll without one).
func (q *curatorSimple) TryTake(ctx context.Context) ([]byte, bool, error) {
	if err := q.ensurePath(ctx); err != nil {
		return nil, false, err
	}
	names, err := q.f.Children2(ctx, q.dir)
	if errors.Is(err, zk.ErrNoNode) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return q.first(ctx, names)
}

// poll is internalPoll.
func (q *curatorSimple) poll(ctx context.Context, limit zk.Duration) ([]byte, bool, error) {
	start := q.e.Now()
	for {
		if err := q.ensurePath(ctx); err != nil {
			return nil, false, err
		}
		latch := q.e.NewLatch()
		names, _, err := q.f.Children2W(ctx, q.dir, latch)
		if errors.Is(err, zk.ErrNoNode) { // the parent container has lapsed
			q.ensured = false
			continue
		}
		if err != nil {
			return nil, false, err
		}
		if data, ok, err := q.first(ctx, names); ok || err != nil {
			return data, ok, err
		}
		if limit == curator.Forever {
			if err := latch.Wait(ctx); err != nil {
				return nil, false, err
			}
			continue
		}
		left := limit - (q.e.Now() - start)
		if left <= 0 {
			return nil, false, nil
		}
		timed, cancel := q.e.WithTimeout(ctx, left)
		err = latch.Wait(timed)
		cancel()
		if err != nil && (!errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil) {
			return nil, false, err
		}
	}
}

// first is internalElement with removeIt: the first item, in the order of
// text, that is still there.
func (q *curatorSimple) first(ctx context.Context, names []string) ([]byte, bool, error) {
	slices.Sort(names)
	for _, name := range names {
		if !strings.HasPrefix(name, zkJavaPrefix) {
			continue
		}
		path := q.dir + "/" + name
		data, _, err := q.f.Get(ctx, path)
		if err == nil {
			err = q.f.Delete(ctx, path)
		}
		if err == nil {
			return data, true, nil
		}
		if !errors.Is(err, zk.ErrNoNode) { // C6
			return nil, false, err
		}
	}
	return nil, false, nil
}

// ensurePath makes the directory at the first use (ensureContainers).
func (q *curatorSimple) ensurePath(ctx context.Context) error {
	if q.ensured {
		return nil
	}
	if err := q.f.Mkdirs(ctx, q.dir); err != nil {
		return err
	}
	q.ensured = true
	return nil
}
