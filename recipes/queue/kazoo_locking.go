package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zoosim/recipes/internal/kazoo"
	"zoosim/recipes/zk"
)

// The directories of kazoo.recipe.queue.LockingQueue.
const (
	kazooTaken   = "/taken"
	kazooEntries = "/entries"
)

// errNotConsumed stands for a consume that returned false.
var errNotConsumed = errors.New("queue: the lock on the item is not held (consume returned False)")

// kazooLocking is kazoo.recipe.queue.LockingQueue: an item is locked by an
// ephemeral znode, and consume deletes both in one transaction. The callback
// of the watches lists and locks by itself.
type kazooLocking struct {
	c       zk.Client
	e       zk.Env
	path    string
	id      string
	ensured bool

	processing string // id of processing_element, "" for none
	value      []byte
}

func newKazooLocking(_ context.Context, c zk.Client, e zk.Env, dir string) (Queue, error) {
	return &kazooLocking{c: c, e: e, path: dir, id: e.GUID()}, nil
}

func (q *kazooLocking) ensure(ctx context.Context) error {
	return kazooEnsure(ctx, q.c, &q.ensured, q.path+kazooTaken, q.path+kazooEntries)
}

// Put implements [Queue].
func (q *kazooLocking) Put(ctx context.Context, data []byte) error {
	return q.PutPriority(ctx, data, kazooPriority)
}

// PutPriority implements [Prioritized] (put).
func (q *kazooLocking) PutPriority(ctx context.Context, data []byte, priority int) error {
	if err := q.ensure(ctx); err != nil {
		return err
	}
	_, err := q.c.Create(ctx, fmt.Sprintf("%s/entry-%03d-", q.path+kazooEntries, priority), data, zk.PersistentSequential)
	return err
}

// Take implements [Queue] (get).
func (q *kazooLocking) Take(ctx context.Context) ([]byte, error) {
	data, _, err := q.get(ctx, kazoo.NoLimit)
	return data, err
}

// TakeTimeout implements [Timed] (get with a timeout).
func (q *kazooLocking) TakeTimeout(ctx context.Context, limit time.Duration) ([]byte, bool, error) {
	return q.get(ctx, limit)
}

func (q *kazooLocking) get(ctx context.Context, timeout zk.Duration) ([]byte, bool, error) {
	if err := q.ensure(ctx); err != nil {
		return nil, false, err
	}
	if q.processing != "" {
		return q.value, true, nil
	}
	return q.inner(ctx, timeout)
}

// kazooGet is what one call of _inner_get shares with its callback.
type kazooGet struct {
	q        *kazooLocking
	flag     zk.Latch
	lock     zk.Mutex
	canceled bool
	watcher  zk.Watcher
	id       string
	value    []byte
}

// inner is _inner_get.
func (q *kazooLocking) inner(ctx context.Context, timeout zk.Duration) ([]byte, bool, error) {
	g := &kazooGet{q: q, flag: q.e.NewLatch(), lock: q.e.NewMutex()}
	g.watcher = q.e.NewWatcher(func(ev zk.Event) {
		if ev.Type == zk.EventNodeChildrenChanged {
			_ = g.check(q.e.Background()) // an exception in a callback is logged
		}
	})
	if err := g.check(ctx); err != nil {
		return nil, false, err
	}
	err := g.wait(ctx, timeout)
	g.lock.Lock()
	defer g.lock.Unlock()
	g.canceled = true
	if g.id == "" {
		return nil, false, err
	}
	q.processing, q.value = g.id, g.value
	return g.value, true, nil
}

// wait is flag.wait(timeout).
func (g *kazooGet) wait(ctx context.Context, timeout zk.Duration) error {
	if timeout == kazoo.NoLimit {
		return g.flag.Wait(ctx)
	}
	timed, cancel := g.q.e.WithTimeout(ctx, timeout)
	err := g.flag.Wait(timed)
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// check is check_for_updates.
func (g *kazooGet) check(ctx context.Context) error {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.canceled || g.flag.IsOpen() {
		return nil
	}
	values, err := g.children(ctx, kazooEntries)
	if err != nil {
		return err
	}
	taken, err := g.children(ctx, kazooTaken)
	if err != nil {
		return err
	}
	available := slices.DeleteFunc(values, func(id string) bool { return slices.Contains(taken, id) })
	slices.Sort(available)
	if len(available) == 0 {
		return nil
	}
	ok, err := g.take(ctx, available[0]) // the others wait for the next event
	if ok {
		g.flag.Open()
	}
	return err
}

func (g *kazooGet) children(ctx context.Context, dir string) (names []string, err error) {
	_, err = g.retry(ctx, func() (bool, error) {
		names, err = g.q.c.ChildrenW(ctx, g.q.path+dir, g.watcher)
		return true, err
	})
	return names, err
}

func (g *kazooGet) retry(ctx context.Context, f func() (bool, error)) (bool, error) {
	return kazoo.Retry{Env: g.q.e, Deadline: kazoo.NoLimit}.Call(ctx, f)
}

// take is _take: lock, then read.
func (g *kazooGet) take(ctx context.Context, id string) (bool, error) {
	q := g.q
	lock := q.path + kazooTaken + "/" + id
	_, err := q.c.Create(ctx, lock, []byte(q.id), zk.Ephemeral)
	if errors.Is(err, zk.ErrNodeExists) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var data []byte
	_, err = g.retry(ctx, func() (bool, error) {
		var err error
		data, _, err = q.c.Get(ctx, q.path+kazooEntries+"/"+id)
		return true, err
	})
	if errors.Is(err, zk.ErrNoNode) { // consumed meanwhile
		return false, q.c.Delete(ctx, lock, zk.AnyVersion)
	}
	if err != nil {
		return false, err
	}
	g.id, g.value = id, data
	return true, nil
}

// Ack implements [Acker] (consume): sync and read the lock, then delete entry
// and lock in one transaction.
func (q *kazooLocking) Ack(ctx context.Context) error {
	if q.processing == "" {
		return errNotConsumed
	}
	lock := q.path + kazooTaken + "/" + q.processing
	if err := q.c.Sync(ctx, lock); err != nil {
		return err
	}
	owner, _, err := q.c.Get(ctx, lock)
	if err != nil {
		return err
	}
	if string(owner) != q.id {
		return errNotConsumed
	}
	_, err = q.c.Multi(ctx,
		zk.DeleteOp(q.path+kazooEntries+"/"+q.processing, zk.AnyVersion),
		zk.DeleteOp(lock, zk.AnyVersion))
	// The results of a transaction are not looked at; one whose connection was
	// lost raises.
	if err != nil && (errors.Is(err, zk.ErrConnectionLoss) || errors.Is(err, zk.ErrSessionExpired) || errors.Is(err, zk.ErrInterrupted)) {
		return err
	}
	q.processing, q.value = "", nil
	return nil
}
