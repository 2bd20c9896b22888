package lock

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"zoosim/recipes/internal/curator"
	"zoosim/recipes/zk"
)

// seed003Timeout is the session timeout that seed 003 asks for.
const seed003Timeout = 10 * time.Second

// The runtime exceptions of seed 003.
var (
	errNoLockNodes  = errors.New("lock: no lock nodes (seed003: RuntimeException)")
	errNodeMissing  = errors.New("lock: own node is not in the list (seed003: RuntimeException)")
	errNumberFormat = errors.New("lock: java.lang.NumberFormatException")
)

// seed003 is the class ZookeeperUtils of seed 003 over a Curator client with
// RetryNTimes(3, 5000), step by step with its faults:
//
//   - T1 a predecessor that goes before the tree cache has read it is never
//     reported as removed;
//   - T2 its removal is taken for the lock, without a look at the list;
//   - T3 one CountDownLatch(1) for the object's whole life;
//   - T4 a create without protection under a client that retries;
//   - T5 the tree cache lives on in a new session, the znode does not;
//   - T6 the holder listens to no session event;
//   - T7 a release that is not guaranteed;
//   - T8 the tree cache is never closed;
//   - T9 the number is what stands between the first and second "-", compared
//     by a subtraction of ints;
//   - T10 no limit to the wait.
type seed003 struct {
	f     *curator.Framework
	dir   string
	temp  string // tempOuPath: the znode of the acquire under way
	held  string // ouPath: the znode of the lock
	latch zk.Latch
}

func newSeed003(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	f := &curator.Framework{ZK: c, Env: e, Retry: curator.RetryPolicy{Retries: 3, Sleep: 5 * time.Second}}
	return &seed003{f: f, dir: dir, latch: e.NewLatch()}, nil
}

// Acquire implements [Lock]: getLock, the create (T4), then toWaitLock.
func (l *seed003) Acquire(ctx context.Context) error {
	path, err := l.f.Create(ctx, l.dir+"/lock-", []byte("init"), zk.EphemeralSequential)
	if err != nil {
		return err
	}
	l.temp = path
	return l.toWaitLock(ctx)
}

// toWaitLock lists, sorts, and unless the own znode is the first has the one
// in front mirrored by a tree cache whose report of a removal opens the latch
// (T1, T2). An open latch stays open (T3). The original cuts the directory
// off by its length, 6, that of "/lock/".
func (l *seed003) toWaitLock(ctx context.Context) error {
	names, err := l.f.Children2(ctx, l.dir)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return errNoLockNodes
	}
	if err := seed003Sort(names); err != nil {
		return err
	}
	switch index := slices.Index(names, l.temp[len(l.dir)+1:]); index {
	case -1:
		return errNodeMissing
	case 0:
		l.latch.Open()
	default:
		curator.NewTreeCache(l.f, l.dir+"/"+names[index-1], l.childEvent).Start() // never closed (T8)
	}
	if err := l.latch.Wait(ctx); err != nil { // T10
		return err
	}
	l.held = l.temp
	return nil
}

// childEvent is the tree cache's listener.
func (l *seed003) childEvent(ev curator.TreeEvent, _ string) {
	if ev == curator.NodeRemoved {
		l.latch.Open()
	}
}

// Release implements [Lock] (releaseLock): a delete in a retry loop (T7).
func (l *seed003) Release(ctx context.Context) error {
	return l.f.Delete(ctx, l.held)
}

// seed003Sort sorts by the number behind the first "-" (T9). Java calls the
// comparator, and so parses, only where there are two elements or more.
func seed003Sort(names []string) error {
	if len(names) < 2 {
		return nil
	}
	for _, name := range names {
		if _, err := seed003Number(name); err != nil {
			return err
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, _ := seed003Number(a)
		y, _ := seed003Number(b)
		return int(x - y) // wraps, as the original's ints do
	})
	return nil
}

// seed003Number is Integer.parseInt(name.split("-")[1]).
func seed003Number(name string) (int32, error) {
	_, rest, found := strings.Cut(name, "-")
	if !found {
		return 0, errIndexOutOfBounds
	}
	digits, _, _ := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0, errNumberFormat
	}
	return int32(n), nil
}
