package curator

import (
	"context"
	"errors"
	"slices"

	"zoosim/recipes/zk"
)

// The names of InterProcessSemaphoreV2: its directories and its znodes.
const (
	semaphoreLocks  = "/locks"
	semaphoreLeases = "/leases"
	leaseName       = "lease-"
)

// SemaphoreDirs are the directories below that of a semaphore.
func SemaphoreDirs() []string { return []string{semaphoreLocks, semaphoreLeases} }

// Semaphore is an InterProcessSemaphoreV2: a mutex, whose holder makes a lease
// and waits until there are no more leases than allowed. Known faults:
//
//   - curator:C4 several leases are taken one by one, and the mutex is given back
//     in between: two acquires can each hold a part and wait for ever;
//   - a lease that was got is forgotten when the release of the mutex fails
//     behind it;
//   - after a new session a lease of the old one, if the server still shows it,
//     is taken for the own (as CURATOR-604).
type Semaphore struct {
	f       *Framework
	lock    *Mutex
	leases  string // the directory of the leases
	max     int
	monitor zk.Mutex // of the object, held from the listing to the wait
	watcher zk.Watcher
}

// NewSemaphore makes a semaphore of that many leases on the directory dir.
func NewSemaphore(f *Framework, dir string, leases int) *Semaphore {
	s := &Semaphore{
		f: f, lock: NewMutex(f, dir+semaphoreLocks), leases: dir + semaphoreLeases, max: leases,
		monitor: f.Env.NewMutex(),
	}
	s.watcher = f.Env.NewWatcher(s.notify)
	return s
}

// notify is the one watcher of the object: any event wakes who waits.
func (s *Semaphore) notify(zk.Event) {
	s.monitor.Lock()
	s.monitor.NotifyAll()
	s.monitor.Unlock()
}

// errMissing is RETRY_DUE_TO_MISSING_NODE.
var errMissing = errors.New("curator: sequential path not found, possible session loss")

// Acquire is acquire(qty, time, unit): the paths of the leases, or none if the
// time ran out. What it has got is returned if it does not get all.
func (s *Semaphore) Acquire(ctx context.Context, qty int, limit zk.Duration) (leases []string, err error) {
	w := wait{left: limit, since: s.f.Env.Now()}
	defer func() {
		if len(leases) < qty {
			s.ReturnAll(leases)
			leases = nil
		}
	}()
	for len(leases) < qty {
		lease := ""
		for retries := 0; lease == ""; {
			lease, err = s.acquireOne(ctx, w)
			switch {
			case err == nil && lease == "":
				return leases, nil
			case errors.Is(err, errMissing):
				if !s.f.allow(ctx, &retries, &err) {
					return leases, err
				}
			case err != nil:
				return leases, err
			}
		}
		leases = append(leases, lease)
	}
	return leases, nil
}

// acquireOne is internalAcquire1Lease: nothing if the time ran out.
func (s *Semaphore) acquireOne(ctx context.Context, w wait) (lease string, err error) {
	if s.f.ZK.State() == zk.Closed {
		return "", nil
	}
	if w.left == Forever {
		err = s.lock.Acquire(ctx)
	} else {
		var held bool
		if held, err = s.lock.AcquireWithin(ctx, s.left(w)); err == nil && !held {
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}
	watched := false
	own, err := s.f.CreateProtected(ctx, s.leases, leaseName, nil, zk.EphemeralSequential)
	got := false
	if err == nil {
		got, err = s.await(ctx, own, w, &watched)
	}
	if !got && own != "" {
		s.ReturnAll([]string{own})
	}
	if watched {
		s.f.RemoveWatchesLater(s.leases, s.watcher)
	}
	if released := s.lock.Release(ctx); released != nil {
		return "", released // and the lease, if it was got, is nobody's any more
	}
	if !got {
		return "", err
	}
	return own, nil
}

// left is getThisWaitMs.
func (s *Semaphore) left(w wait) zk.Duration { return max(w.left-(s.f.Env.Now()-w.since), 0) }

// await lists with a watch and waits, all under the monitor, until the own
// lease is among the allowed; false if the time ran out.
func (s *Semaphore) await(ctx context.Context, own string, w wait, watched *bool) (bool, error) {
	s.monitor.Lock()
	defer s.monitor.Unlock()
	for {
		names, _, err := s.f.Children2W(ctx, s.leases, s.watcher)
		if err != nil {
			return false, err
		}
		*watched = true
		switch {
		case !slices.Contains(names, own[len(s.leases)+1:]):
			return false, errMissing
		case len(names) <= s.max:
			return true, nil
		case w.left == Forever:
			err = s.monitor.Wait(ctx)
		default:
			left := s.left(w)
			if left <= 0 {
				return false, nil
			}
			err = s.f.waitWithin(ctx, s.monitor, left)
		}
		if err != nil {
			return false, err
		}
	}
}

// Return is Lease.close(): a guaranteed delete, to which a lease that is gone
// is no error.
func (s *Semaphore) Return(ctx context.Context, lease string) error {
	err := s.f.DeleteGuaranteed(ctx, lease)
	if errors.Is(err, zk.ErrNoNode) {
		return nil
	}
	return err
}

// ReturnAll is returnAll(leases), which logs what goes wrong.
func (s *Semaphore) ReturnAll(leases []string) {
	for _, lease := range leases {
		_ = s.Return(s.f.Env.Background(), lease)
	}
}
