package rwlock

import (
	"context"
	"slices"
	"strings"

	"zoosim/recipes/zk"
)

// The names of seed 000's znodes; the text gives none.
const (
	seed000Read  = "read-"
	seed000Write = "write-"
)

// seed000 is the read-write lock of seed 000 as its text says, over the plain
// Java client: create an ephemeral sequential znode; if its number is the
// smallest of all the lock is held; else a reader watches the last smaller
// writer's znode and a writer the last smaller reader's, and has the lock when
// that is gone. Faults:
//
//   - R1 a writer waits for no writer: with no reader in front there is nothing
//     to watch, and it waits for ever;
//   - R2 two writers watch the same reader, and both enter when it goes;
//   - R3 a reader enters on a deletion without looking again;
//   - R4 a reader behind readers alone is not the smallest and has nothing to
//     watch: it waits for ever;
//   - R10 the text does not say what to do when the znode to watch is gone.
type seed000 struct {
	c         zk.Client
	e         zk.Env
	dir       string
	name      string // of the own kind of znodes
	waitsFor  string // the kind that is watched
	own       string
	watched   string
	gone      zk.Latch
	whenEvent zk.Watcher
}

func newSeed000(_ context.Context, c zk.Client, e zk.Env, dir string) (Lock, error) {
	side := func(name, waitsFor string) Side {
		s := &seed000{c: c, e: e, dir: dir, name: name, waitsFor: waitsFor}
		s.whenEvent = e.NewWatcher(s.process)
		return s
	}
	return &sides{side(seed000Read, seed000Write), side(seed000Write, seed000Read)}, nil
}

// Acquire implements [Side].
func (s *seed000) Acquire(ctx context.Context) error {
	path, err := s.c.Create(ctx, s.dir+"/"+s.name, nil, zk.EphemeralSequential)
	if err != nil {
		return err
	}
	s.own = path
	names, err := s.c.Children(ctx, s.dir)
	if err != nil {
		return err
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(seed000Number(a), seed000Number(b)) })
	at := slices.Index(names, path[len(s.dir)+1:])
	if at == 0 {
		return nil
	}
	s.gone = s.e.NewLatch()
	for i := at - 1; i >= 0; i-- {
		if strings.HasPrefix(names[i], s.waitsFor) {
			s.watched = s.dir + "/" + names[i]
			if _, err := s.c.ExistsW(ctx, s.watched, s.whenEvent); err != nil { // R10
				return err
			}
			break
		}
	}
	return s.gone.Wait(ctx) // R1, R4: perhaps for nothing; R2, R3: nobody looks again
}

// process is the callback of the watch.
func (s *seed000) process(ev zk.Event) {
	if ev.Type == zk.EventNodeDeleted && ev.Path == s.watched {
		s.gone.Open()
	}
}

// seed000Number is the number of a znode, as text.
func seed000Number(name string) string {
	_, number, _ := strings.Cut(name, "-")
	return number
}

// Release implements [Side].
func (s *seed000) Release(ctx context.Context) error {
	if s.own == "" {
		return ErrNotOwner
	}
	if err := s.c.Delete(ctx, s.own, zk.AnyVersion); err != nil {
		return err
	}
	s.own = ""
	return nil
}
