package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
)

// notes is a test that keeps what it is told.
type notes struct {
	name         string
	errors, logs []string
}

func (n *notes) Helper()      {}
func (n *notes) Name() string { return n.name }
func (n *notes) Logf(format string, args ...any) {
	n.logs = append(n.logs, fmt.Sprintf(format, args...))
}

func (n *notes) Errorf(format string, args ...any) {
	n.errors = append(n.errors, fmt.Sprintf(format, args...))
}

// recipeOf is a variant's constructor as a recipe of the user's own.
func recipeOf(t *testing.T, variant string) (Recipe, lock.Variant) {
	v, ok := lock.ByName(variant)
	require.True(t, ok)
	return v.New, v
}

func TestCheckPassesCorrectRecipes(t *testing.T) {
	for _, v := range lock.Variants() {
		if v.Correct {
			n := &notes{name: t.Name()}
			Check(n, v.New, CheckOptions{Promises: v, Runs: 500})
			require.Empty(t, n.errors, v.Name)
		}
	}
}

// A failure names its file; the file makes the test fail again, and no more
// once the recipe is repaired.
func TestCheckFailsAndReplays(t *testing.T) {
	broken, v := recipeOf(t, "lock/zkjava")
	dir := filepath.ToSlash(t.TempDir())
	o := CheckOptions{Promises: v, Runs: 500, Properties: []checker.Property{checker.Progress}, Faults: "none", Dir: dir}
	n := &notes{name: "TestMine/of locks"}
	Check(n, broken, o)
	require.Len(t, n.errors, 1)
	text := n.errors[0]
	require.Contains(t, text, "TestMine/of locks, 2 clients, 1 acquire each, blocking, no faults\n")
	require.Contains(t, text, "server: delete(/lock/n0) of A, /lock/n0 deleted")
	require.Contains(t, text, "progress: fail: B waits for the lock")
	file := dir + "/TestMine-of_locks-progress.json"
	lines := strings.Split(text, "\n")
	require.Equal(t, "reproduce: ZOOSIM_REPLAY="+file+" go test -run '^TestMine$/^of locks$'", lines[len(lines)-1])

	t.Setenv(ReplayEnv, filepath.FromSlash(file))
	again := &notes{name: n.name}
	Check(again, broken, o)
	require.Len(t, again.errors, 1)
	require.Equal(t, text, again.errors[0]+"\n\n"+lines[len(lines)-1], "the same story")

	repaired, _ := recipeOf(t, "lock/zkdocs")
	fixed := &notes{name: n.name}
	Check(fixed, repaired, o)
	require.Empty(t, fixed.errors)
	require.Len(t, fixed.logs, 1)
	require.Contains(t, fixed.logs[0], "is stale: ")
	require.Contains(t, fixed.logs[0], "progress: pass, the file says that it fails: B waits")

	other := &notes{name: "TestOther"}
	Check(other, broken, o)
	require.Len(t, other.errors, 1)
	require.Contains(t, other.errors[0], `variant: "TestMine/of locks"; this test is "TestOther"`)

	t.Setenv(ReplayEnv, filepath.Join(dir, "missing.json"))
	missing := &notes{name: n.name}
	Check(missing, broken, o)
	require.Len(t, missing.errors, 1)
}

// One run that breaks several properties is told once.
func TestCheckTellsARunOnce(t *testing.T) {
	broken, v := recipeOf(t, "lock/seed002")
	n := &notes{name: t.Name()}
	Check(n, broken, CheckOptions{Promises: v, Runs: 200, Faults: "none", Dir: t.TempDir()})
	require.Len(t, n.errors, 1, "exclusion, linearizable and fifo fail in one run")
	require.Contains(t, n.errors[0], "exclusion: fail")
}

func TestCheckOfWhatCannotBeChecked(t *testing.T) {
	good, _ := recipeOf(t, "lock/zkdocs")
	for _, c := range []struct {
		r    Recipe
		o    CheckOptions
		want string
	}{
		{nil, CheckOptions{}, "zoosim: no recipe"},
		{good, CheckOptions{Faults: "boom"}, `zoosim: fault budget "boom": unknown fault "boom"; allowed: `},
		{good, CheckOptions{Clients: -1}, "zoosim: clients: -1 clients; allowed: 1 to 256"},
		{good, CheckOptions{Mode: "fast"}, "zoosim: mode: unknown mode"},
		{good, CheckOptions{Strategy: "luck"}, "zoosim: unknown strategy"},
	} {
		n := &notes{name: "TestMine"}
		Check(n, c.r, c.o)
		require.Len(t, n.errors, 1, c.want)
		require.True(t, strings.HasPrefix(n.errors[0], c.want), n.errors[0])
	}
	n := &notes{name: "TestMine"}
	Check(n, unsteady().New, CheckOptions{Faults: "none"})
	require.Len(t, n.errors, 1)
	require.Contains(t, n.errors[0], "is not deterministic")
}

// A recipe that cannot even be made fails, as one that panics.
func TestCheckOfRecipesThatBreak(t *testing.T) {
	refuses := func(context.Context, zk.Client, zk.Env, string) (lock.Lock, error) { return nil, errors.New("no") }
	panics := func(context.Context, zk.Client, zk.Env, string) (lock.Lock, error) { panic("oops") }
	for _, r := range []Recipe{refuses, panics} {
		n := &notes{name: "TestMine"}
		Check(n, r, CheckOptions{Runs: 50, Faults: "none", Dir: t.TempDir()})
		require.NotEmpty(t, n.errors)
		require.Contains(t, n.errors[0], "spurious-error: fail")
	}
}

// What a lock can do besides is found out.
func TestCheckFindsOutWhatALockIs(t *testing.T) {
	for _, want := range lock.Variants() {
		got := want
		got.Timed, got.Try, got.Tokens = !want.Timed, !want.Try, !want.Tokens
		require.NoError(t, probeLock(&got))
		require.Equal(t, want.Timed, got.Timed, want.Name)
		require.Equal(t, want.Try, got.Try, want.Name)
		require.Equal(t, want.Tokens, got.Tokens, want.Name)
	}
}

func TestCheckRun(t *testing.T) {
	broken, v := recipeOf(t, "lock/zkjava")
	benign := func(string, int) int { return 0 }
	o := CheckOptions{Promises: v, Clients: 2, Ops: 1, Mode: ModeBlocking, Faults: "none"}
	n := &notes{name: "TestMine"}
	CheckRun(n, broken, o, benign)
	require.Len(t, n.errors, 1)
	require.Contains(t, n.errors[0], "progress: fail: B waits")
	o.Properties = []checker.Property{checker.Exclusion}
	n = &notes{name: "TestMine"}
	CheckRun(n, broken, o, benign)
	require.Empty(t, n.errors)
	good, _ := recipeOf(t, "lock/zkdocs")
	CheckRun(n, good, CheckOptions{}, benign)
	require.Empty(t, n.errors)
	CheckRun(n, nil, CheckOptions{}, benign)
	require.Len(t, n.errors, 1)
}

func TestNewRunnerForErrors(t *testing.T) {
	v, _ := lock.ByName("lock/zkdocs")
	s := Default("mine/lock")
	v.Name = s.Variant
	_, err := NewRunnerFor(OfLock(v), s)
	require.NoError(t, err)
	s.Ops = 0
	_, err = NewRunnerFor(OfLock(v), s)
	require.EqualError(t, err, "ops: 0 operations; allowed: 1 to 1000")
	v.New = nil
	_, err = NewRunnerFor(OfLock(v), s)
	require.EqualError(t, err, `variant: "mine/lock" has no function New`)
}

// outside is a test in a module of its own: a broken recipe, and its test.
const outside = `package mine

import (
	"context"
	"testing"

	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
	"zoosim/scenarios"
)

type naive struct {
	c    zk.Client
	e    zk.Env
	path string
}

func newNaive(_ context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
	return &naive{c, e, dir + "/lock"}, nil
}

func (l *naive) Acquire(ctx context.Context) error {
	for {
		if _, err := l.c.Create(ctx, l.path, nil, zk.Ephemeral); err != zk.ErrNodeExists {
			return err
		}
		gone := l.e.NewLatch()
		if _, err := l.c.ExistsW(ctx, l.path, gone); err != nil {
			return err
		}
		if err := gone.Wait(ctx); err != nil { // also if it has gone already
			return err
		}
	}
}

func (l *naive) Release(ctx context.Context) error { return l.c.Delete(ctx, l.path, zk.AnyVersion) }

func TestNaive(t *testing.T) { scenarios.Check(t, newNaive, scenarios.CheckOptions{Faults: "none"}) }
`

// A module outside this one catches its broken recipe with a test of less than
// 40 lines.
func TestCheckFromAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	require.Less(t, strings.Count(outside, "\n"), 40+4, "the recipe is in it")
	here, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	sum, err := os.ReadFile(filepath.Join(here, "go.sum"))
	require.NoError(t, err)
	version, err := os.ReadFile(filepath.Join(here, "go.mod"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(version), "\n\n") // behind the module line: go version and requirements
	mod := "module mine.example/lock\n\n" + rest + "\nrequire zoosim v0.0.0\n\nreplace zoosim => " + here + "\n"
	for name, text := range map[string]string{"go.mod": mod, "go.sum": string(sum), "naive_test.go": outside} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.Command("go", "test", "-count=1", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	require.Error(t, err, "the test fails")
	text := string(out)
	require.Contains(t, text, "--- FAIL: TestNaive")
	require.Contains(t, text, "TestNaive, 2 clients, 1 acquire each, blocking, no faults")
	require.Contains(t, text, "progress: fail: ")
	require.Contains(t, text, "reproduce: ZOOSIM_REPLAY=testdata/zoosim/TestNaive-progress.json go test -run '^TestNaive$'")

	cmd = exec.Command("go", "test", "-count=1", "-run", "^TestNaive$", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", ReplayEnv+"=testdata/zoosim/TestNaive-progress.json")
	again, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(again), "progress: fail: ")
}
