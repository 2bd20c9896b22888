package queue

import (
	"context"
	"errors"
	"slices"
	"time"

	"zoosim/recipes/zk"
)

// seed002Timeout is the session timeout that the seed asks for.
const seed002Timeout = 5 * time.Second

// seed002 is the class DistributedQueue of seed 002, step by step with its
// faults:
//
//   - Q1 items are ephemeral and go with their producer;
//   - Q2 the listing, with its watch, is made outside the monitor in which the
//     consumer waits;
//   - Q3 the item is deleted before the caller has it;
//   - Q4 enqueue is not idempotent: repeated after a lost reply it makes two
//     items;
//   - Q5 a waiter is deaf to session events;
//   - Q6 every consumer watches the queue and goes for its head;
//   - Q7 the order is that of text, minus signs included;
//   - Q8 exists and create of the root race.
type seed002 struct {
	c       zk.Client
	root    string
	monitor zk.Mutex
	watcher zk.Watcher // the object itself, in the original
}

// newSeed002 is the constructor. The object is the handle's default watcher,
// too.
func newSeed002(ctx context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
	q := &seed002{c: c, root: dir, monitor: e.NewMutex()}
	q.watcher = e.NewWatcher(q.process)
	c.AddListener(q.watcher)
	stat, err := c.Exists(ctx, dir)
	if err != nil {
		return nil, err
	}
	if !stat.Exists() { // Q8
		if _, err := c.Create(ctx, dir, []byte{}, zk.Persistent); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// Put implements [Queue] (enqueue).
func (q *seed002) Put(ctx context.Context, data []byte) error {
	_, err := q.c.Create(ctx, q.root+"/item_", data, zk.EphemeralSequential) // Q1
	return err
}

// Take implements [Queue] (dequeue).
func (q *seed002) Take(ctx context.Context) ([]byte, error) {
	for {
		names, err := q.c.ChildrenW(ctx, q.root, q.watcher)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			q.monitor.Lock() // the item, and its notification, may have come by now (Q2)
			err := q.monitor.Wait(ctx)
			q.monitor.Unlock()
			if err != nil {
				return nil, err
			}
			continue
		}
		slices.Sort(names) // as text (Q7)
		path := q.root + "/" + names[0]
		data, _, err := q.c.Get(ctx, path)
		if err == nil {
			err = q.c.Delete(ctx, path, zk.AnyVersion) // Q3
		}
		if err == nil {
			return data, nil
		}
		if !errors.Is(err, zk.ErrNoNode) {
			return nil, err
		}
	}
}

// process is the callback of the handle and of every watch. It heeds changes
// of the children alone (Q5).
func (q *seed002) process(ev zk.Event) {
	if ev.Type == zk.EventNodeChildrenChanged {
		q.monitor.Lock()
		q.monitor.NotifyAll()
		q.monitor.Unlock()
	}
}
