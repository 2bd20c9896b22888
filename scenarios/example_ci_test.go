package scenarios_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
	"zoosim/scenarios"
)

// hasty is a lock with a mistake: when the znode in front of its own is gone,
// it does not list again but takes the lock for granted. A careless one waits
// for that znode even if it was not there any more.
type hasty struct {
	c        zk.Client
	e        zk.Env
	dir, own string
	careless bool
}

func newHasty(_ context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
	return &hasty{c: c, e: e, dir: dir}, nil
}

func newCareless(_ context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
	return &hasty{c: c, e: e, dir: dir, careless: true}, nil
}

func (l *hasty) Acquire(ctx context.Context) (err error) {
	if l.own, err = l.c.Create(ctx, l.dir+"/n-", nil, zk.EphemeralSequential); err != nil {
		return err
	}
	names, err := l.c.Children(ctx, l.dir)
	if err != nil {
		return err
	}
	slices.Sort(names)
	i := slices.Index(names, strings.TrimPrefix(l.own, l.dir+"/"))
	if i <= 0 {
		return nil
	}
	gone := l.e.NewLatch()
	if stat, err := l.c.ExistsW(ctx, l.dir+"/"+names[i-1], gone); err != nil || !stat.Exists() && !l.careless {
		return err
	}
	return gone.Wait(ctx)
}

func (l *hasty) Release(ctx context.Context) error { return l.c.Delete(ctx, l.own, zk.AnyVersion) }

// printer is a test that prints what it is told.
type printer struct{ rapid.TB }

func (printer) Helper()      {}
func (printer) Name() string { return "TestHasty" }
func (printer) Failed() bool { return false }
func (printer) FailNow()     {}

func (printer) Logf(string, ...any) {}

func (printer) Errorf(format string, args ...any) {
	for _, line := range strings.Split(fmt.Sprintf(format, args...), "\n") {
		fmt.Println(strings.TrimSpace(line))
	}
}

// A test of a lock of one's own: Check fails it with the story of the shortest
// counterexample and the line that makes that run again. In a real test t is
// the *testing.T.
func ExampleCheck() {
	defer elsewhere()()
	var t printer
	scenarios.Check(t, newHasty, scenarios.CheckOptions{
		Faults: "crash=1", Properties: []checker.Property{checker.Exclusion},
	})
	// Output:
	// TestHasty, 3 clients, 1 acquire each, blocking, faults crash:B@req1
	// 14 transitions, 7 steps
	//
	// 0.0004s  A: is connected with session 1, acquires the lock (blocking)
	// 0.0004s  B: is connected with session 2, acquires the lock (blocking)
	// 0.0004s  C: is connected with session 3, acquires the lock (blocking)
	// 1     0.0004s  fault: B crashes
	// 2     0.0006s  server: create of A, /lock/n0 created
	// 3     0.0006s  server: create of B, /lock/n1 created
	// 4     0.0006s  server: create of C, /lock/n2 created
	// 5     0.0008s  A: receives create -> /lock/n0
	// 6     0.0008s  C: receives create -> /lock/n2
	// 7     0.0010s  server: getChildren(/lock) of A
	// 8     0.0010s  server: getChildren(/lock) of C
	// 9     0.0012s  A: receives getChildren -> [n1 n0 n2], is GRANTED the lock
	// 10     0.0012s  C: receives getChildren -> [n1 n0 n2]
	// 11     0.0014s  server: exists(/lock/n1, watch) of C
	// 12     0.0016s  C: receives exists -> OK
	// 13     8.0000s  server: session of B expired, /lock/n1 deleted, event NodeDeleted(/lock/n1) to C
	// 14     8.0002s  C: receives event NodeDeleted(/lock/n1), is GRANTED the lock
	//
	// exclusion: fail: C was granted the lock at 8.000s while A held it since 0.001s
	//
	// reproduce: ZOOSIM_REPLAY=testdata/zoosim/TestHasty-exclusion.json go test -run '^TestHasty$'
}

// elsewhere goes to a folder in which files may be left, until the returned
// function is called.
func elsewhere() func() {
	here, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "check")
	if err != nil {
		panic(err)
	}
	if err := os.Chdir(dir); err != nil {
		panic(err)
	}
	return func() {
		_ = os.Chdir(here)
		_ = os.RemoveAll(dir)
	}
}

// rapid draws the workload and every choice of the run, and shrinks them.
func ExampleCheckRun() {
	_ = flag.Set("rapid.nofailfile", "true")
	stories := 0
	t := counter{stories: &stories}
	rapid.Check(t, func(t *rapid.T) {
		o := scenarios.CheckOptions{
			Clients: rapid.IntRange(1, 4).Draw(t, "clients"), Ops: rapid.IntRange(1, 2).Draw(t, "acquires"),
			Mode: scenarios.ModeBlocking, Faults: "none",
		}
		scenarios.CheckRun(t, newCareless, o, func(label string, n int) int {
			return rapid.IntRange(0, n-1).Draw(t, label)
		})
	})
	fmt.Println("caught:", stories > 0)
	// Output:
	// caught: true
}

// counter is a test that counts how often it fails.
type counter struct {
	printer
	stories *int
}

func (c counter) Errorf(string, ...any) { *c.stories++ }
