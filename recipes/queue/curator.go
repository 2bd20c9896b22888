package queue

import (
	"context"
	"errors"
	"slices"
	"strings"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// curatorItem is DistributedQueue.QUEUE_ITEM_NAME.
const curatorItem = "queue-"

// curatorQueue is Curator's DistributedQueue with the defaults of its builder:
// no bound, no refresh within a batch, the consumer called in the queue's own
// thread. With a lock path an item is locked, consumed, then deleted: at least
// once. Without one it is deleted, then consumed. Faults by the ids of the
// measurements:
//
//   - curator:C7 without a lock path, a delete repeated after a lost reply finds
//     nothing, which is taken for another consumer's doing: the item is lost;
//   - curator:C8 a create repeated after a lost reply makes a second item;
//   - CURATOR-605 with a lock path, a consumer whose session ends goes on.
//
// The original calls its consumer; here the consumer is whoever calls Take. A
// call of the consumer lasts until Ack with a lock path and else until it has
// taken the item over; the queue's thread, busy until then, waits for the next
// Take before it goes on.
type curatorQueue struct {
	f       *curator.Framework
	dir     string
	lockDir string // "" without a lock path
	cache   *curator.ChildrenCache

	monitor zk.Mutex
	started bool
	asked   bool // a Take waits
	item    []byte
	ready   bool // item is for the Take that waits
	busy    bool // the consumer has not dealt with the last item
}

func newCurator(locked bool) func(context.Context, zk.Client, zk.Env, string) (Queue, error) {
	return func(_ context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
		q := &curatorQueue{f: curatorFramework(c, e), dir: dir, monitor: e.NewMutex()}
		if locked {
			q.dir, q.lockDir = dir+"/queue", dir+"/locks"
			return &curatorLockedQueue{q}, nil
		}
		return q, nil
	}
}

// curatorLockedQueue is the queue with a lock path.
type curatorLockedQueue struct{ *curatorQueue }

// makeDirs is the first part of start.
func (q *curatorQueue) makeDirs(ctx context.Context) error {
	for _, dir := range []string{q.dir, q.lockDir} {
		if dir == "" {
			continue
		}
		if _, err := q.f.Create(ctx, dir, nil, zk.Persistent); err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	return nil
}

// Put implements [Queue]: put, with the create in the background, then flush.
func (q *curatorQueue) Put(ctx context.Context, data []byte) error {
	if err := q.begin(ctx, false); err != nil {
		return err
	}
	_, err := q.f.Create(ctx, q.dir+"/"+curatorItem, data, zk.PersistentSequential) // C8
	return err
}

// begin is start; a producer has no loop.
func (q *curatorQueue) begin(ctx context.Context, consumer bool) error {
	if !q.started {
		if err := q.makeDirs(ctx); err != nil {
			return err
		}
		q.started = true
	}
	if consumer && q.cache == nil {
		q.cache = curator.NewChildrenCache(q.f, q.dir)
		q.cache.Start()
		q.f.Env.Go("curator-queue", func(context.Context) { q.runLoop(q.f.Env.Background()) })
	}
	return nil
}

// Take implements [Queue].
func (q *curatorQueue) Take(ctx context.Context) ([]byte, error) {
	if err := q.begin(ctx, true); err != nil {
		return nil, err
	}
	q.monitor.Lock()
	defer q.monitor.Unlock()
	q.asked = true
	q.monitor.NotifyAll()
	for !q.ready {
		if err := q.monitor.Wait(ctx); err != nil && !q.ready {
			q.asked = false
			return nil, err
		}
	}
	q.ready = false
	return q.item, nil
}

// Ack implements [Acker]: the consumer returns.
func (q *curatorLockedQueue) Ack(context.Context) error {
	q.monitor.Lock()
	q.busy = false
	q.monitor.NotifyAll()
	q.monitor.Unlock()
	return nil
}

// runLoop is the queue's thread. What goes wrong with an item is logged by the
// original; the item is left until the listing changes.
func (q *curatorQueue) runLoop(ctx context.Context) {
	version := -1
	for {
		var names []string
		names, version = q.cache.Next(ctx, version)
		slices.Sort(names)
		for _, name := range names {
			if !strings.HasPrefix(name, curatorItem) {
				continue
			}
			q.awaitTake(ctx)
			if q.lockDir != "" {
				_ = q.processWithLock(ctx, name)
			} else {
				_ = q.process(ctx, name)
			}
		}
	}
}

// awaitTake waits until the consumer is free.
func (q *curatorQueue) awaitTake(ctx context.Context) {
	q.monitor.Lock()
	for !q.asked {
		_ = q.monitor.Wait(ctx)
	}
	q.monitor.Unlock()
}

// consume calls the consumer with an item.
func (q *curatorQueue) consume(ctx context.Context, data []byte) {
	q.monitor.Lock()
	q.item, q.ready, q.asked = data, true, false
	q.busy = q.lockDir != ""
	q.monitor.NotifyAll()
	for q.busy {
		_ = q.monitor.Wait(ctx)
	}
	q.monitor.Unlock()
}

// process is processNormally: read, delete in the version that was read,
// consume. An item that is gone is another consumer's (C7).
func (q *curatorQueue) process(ctx context.Context, name string) error {
	path := q.dir + "/" + name
	data, stat, err := q.f.Get(ctx, path)
	if err != nil {
		return err
	}
	if err := q.f.DeleteVersion(ctx, path, stat.Version()); err != nil {
		return err
	}
	q.consume(ctx, data)
	return nil
}

// processWithLock is processWithLockSafety: lock, read, consume, delete,
// unlock.
func (q *curatorQueue) processWithLock(ctx context.Context, name string) error {
	lock := q.lockDir + "/" + name
	if _, err := q.f.Create(ctx, lock, nil, zk.Ephemeral); err != nil {
		return err
	}
	data, _, err := q.f.Get(ctx, q.dir+"/"+name)
	if err == nil {
		q.consume(ctx, data)
		err = q.f.Delete(ctx, q.dir+"/"+name)
	}
	return errors.Join(err, q.f.DeleteGuaranteed(ctx, lock))
}
