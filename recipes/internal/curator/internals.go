package curator

import (
	"context"
	"errors"
	"strings"

	"zoosim/recipes/zk"
)

// Driver decides from a listing whether the client whose znode is named own
// holds the lock, and if not, which child to wait for (interface
// LockInternalsDriver). It returns [zk.ErrNoNode] if own is not in the list.
type Driver func(names []string, own string) (watch string, held bool, err error)

// Standard is the driver of a mutex whose znodes are named ...lockName<number>
// (class StandardLockInternalsDriver with one lease): the child before own in
// the order of what follows lockName, compared as text. A child without
// lockName in its name takes part with its whole name.
func Standard(lockName string) Driver {
	return SortedBy(func(name string) string { return Suffix(name, lockName) })
}

// SortedBy is Standard with another order: that of what key makes of the names,
// compared as text.
func SortedBy(suffix func(name string) string) Driver {
	return func(names []string, own string) (string, bool, error) {
		mine := suffix(own)
		watch, closest, found := "", "", false
		for _, name := range names {
			if name == own {
				found = true
				continue
			}
			if key := suffix(name); key < mine && (watch == "" || key > closest) {
				watch, closest = name, key
			}
		}
		if !found {
			return "", false, zk.ErrNoNode
		}
		return watch, watch == "", nil
	}
}

// Suffix is what a child is sorted by: its name from behind the last
// occurrence of lockName on (StandardLockInternalsDriver.standardFixForSorting).
func Suffix(name, lockName string) string {
	if at := len(name) - 10; at >= len(lockName) && name[at-len(lockName):at] == lockName && numeric(name[at:]) {
		return name[at:] // so in all but odd names
	}
	if at := strings.LastIndex(name, lockName); at >= 0 {
		return name[at+len(lockName):]
	}
	return name
}

// numeric reports whether s cannot hold a lock name: it has no letter.
func numeric(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] > '9' {
			return false
		}
	}
	return true
}

// Forever as a limit makes [Internals.Attempt] wait without one.
const Forever zk.Duration = -1

// Internals takes a protected ephemeral sequential znode and waits for its
// turn (class LockInternals). Its monitor is held from before the watch is
// set until the wait, so that a wake-up cannot be lost in between.
type Internals struct {
	f       *Framework
	dir     string
	drive   Driver
	create  func(ctx context.Context) (string, error)
	monitor zk.Mutex
	watcher zk.Watcher
}

// NewInternals makes the loop of one lock object: znodes dir/_c_<uuid>-name.
func NewInternals(f *Framework, dir, name string, drive Driver) *Internals {
	in := &Internals{f: f, dir: dir, drive: drive, monitor: f.Env.NewMutex()}
	in.create = func(ctx context.Context) (string, error) {
		return f.CreateProtected(ctx, dir, name, nil, zk.EphemeralSequential)
	}
	in.watcher = f.Env.NewWatcher(in.notify)
	return in
}

// CreateBy has the znode made by another function (the driver's
// createsTheLock).
func (in *Internals) CreateBy(create func(ctx context.Context) (string, error)) { in.create = create }

// notify is the one watcher of the object: any event, session events too,
// wakes the waiter, which looks for itself.
func (in *Internals) notify(zk.Event) {
	in.monitor.Lock()
	in.monitor.NotifyAll()
	in.monitor.Unlock()
}

// Attempt tries to get the lock within limit and returns the path of the
// znode that holds it, or nothing if the time ran out (attemptLock). If the
// own znode is missing from a listing, as after the end of a session, the
// whole attempt starts again, as often as the retry policy allows.
func (in *Internals) Attempt(ctx context.Context, limit zk.Duration) (string, error) {
	w := wait{left: limit}
	if limit != Forever {
		w.since = in.f.Env.Now()
	}
	for retries := 0; ; {
		own, err := in.create(ctx)
		held := false
		if err == nil {
			held, err = in.loop(ctx, own, &w)
		}
		switch {
		case err == nil && held:
			return own, nil
		case err == nil:
			return "", nil
		case !errors.Is(err, zk.ErrNoNode) || !in.f.allow(ctx, &retries, &err):
			return "", err
		}
	}
}

// wait is the time that an attempt has left, as of since.
type wait struct {
	left  zk.Duration // Forever: no limit
	since zk.Duration
}

// loop lists and waits until own holds the lock or the time is over
// (internalLockLoop). It deletes own in every case but success.
//
// It never asks which session own belongs to: after a new session it takes an
// old session's znode, if the server still shows it, for its own
// (CURATOR-604, curator:C11).
func (in *Internals) loop(ctx context.Context, own string, w *wait) (bool, error) {
	ownName := own[len(in.dir)+1:]
	for {
		names, err := in.f.Children2(ctx, in.dir)
		var watch string
		var held bool
		if err == nil {
			watch, held, err = in.drive(names, ownName)
		}
		if held {
			return true, nil
		}
		over := false
		if err == nil {
			over, err = in.await(ctx, watch, w)
		}
		if err != nil {
			_ = in.deleteOwn(in.f.Env.Background(), own) // quietly: err goes to the caller
			return false, err
		}
		if over {
			return false, in.deleteOwn(ctx, own)
		}
	}
}

// await watches the child in front and waits for a notification, all under
// the monitor; over reports that no time is left. The read is a getData, which
// leaves no watch behind when the child is gone: then it returns at once.
func (in *Internals) await(ctx context.Context, watch string, w *wait) (over bool, err error) {
	in.monitor.Lock()
	defer in.monitor.Unlock()
	_, _, err = in.f.GetW(ctx, in.dir+"/"+watch, in.watcher)
	if err != nil {
		if errors.Is(err, zk.ErrNoNode) {
			err = nil
		}
		return false, err
	}
	if w.left == Forever {
		return false, in.monitor.Wait(ctx)
	}
	now := in.f.Env.Now()
	w.left -= now - w.since
	w.since = now
	if w.left <= 0 {
		return true, nil
	}
	return false, in.f.waitWithin(ctx, in.monitor, w.left)
}

// waitWithin waits for a notification for a time. That it is over is no error,
// as of Java's wait: there is one more look before the end.
func (f *Framework) waitWithin(ctx context.Context, monitor zk.Mutex, limit zk.Duration) error {
	timed, cancel := f.Env.WithTimeout(ctx, limit)
	err := monitor.Wait(timed)
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		err = nil
	}
	return err
}

// deleteOwn deletes the own znode for certain; that it is gone already is no
// error (deleteOurPath).
func (in *Internals) deleteOwn(ctx context.Context, own string) error {
	err := in.f.DeleteGuaranteed(ctx, own)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// Release deletes the znode that Attempt returned (releaseLock). It may
// return an error although the delete goes on in the background.
func (in *Internals) Release(ctx context.Context, own string) error {
	return in.deleteOwn(ctx, own)
}
