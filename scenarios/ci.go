package scenarios

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/recipes/lock"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// Recipe makes the lock of one process on the directory dir, an existing
// znode. It may send requests. Package recipes/zk says what recipe code may
// use.
type Recipe func(ctx context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error)

// TB is what [Check] needs of a test: *testing.T and *rapid.T have it.
type TB interface {
	Helper()
	Name() string
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
}

// CheckOptions are the settings of [Check]. The zero value is a good start.
type CheckOptions struct {
	// Promises says what the lock promises and what it stands on: Library,
	// FIFO, MaxFanOut, StopsAtDisconnect, Reentrant and so on, as in
	// [lock.Variants]. Name and New are not used; which of the interfaces
	// [lock.Timed], [lock.Try] and [lock.Tokened] it has is found out.
	Promises lock.Variant
	// Properties are those that must hold; default all that apply.
	Properties []checker.Property
	// Faults is the budget of a run, as "crash=1,cut-reply=2" or "none";
	// default [DefaultFaults].
	Faults string
	// Clients is the number of clients, default 3, Ops that of the acquires of
	// each, default 2; Mode is how they acquire, default mixed.
	Clients, Ops int
	Mode         Mode
	// Runs bounds the number of runs, Budget the time; default [DefaultRuns].
	Runs   int
	Budget time.Duration
	// Strategy is one of [Strategies]; default [DefaultStrategy].
	Strategy string
	// Seed is the first seed; Workers the number of workers, default one a
	// core.
	Seed    uint64
	Workers int
	// Dir is the folder for the replay files of failures; default
	// testdata/zoosim.
	Dir string
	_   struct{}
}

// ReplayEnv is the environment variable that has [Check] make the run of a
// replay file instead of a search.
const ReplayEnv = "ZOOSIM_REPLAY"

// defaultCheckDir is where replay files go.
const defaultCheckDir = "testdata/zoosim"

// Check searches the runs of a lock of the user's own for those in which a
// property fails, and fails the test for each of them with its story and the
// line that makes the run again.
//
//	func TestMyLock(t *testing.T) {
//		scenarios.Check(t, mine.NewLock, scenarios.CheckOptions{})
//	}
func Check(t TB, r Recipe, o CheckOptions) {
	t.Helper()
	v, s, err := o.resolve(t.Name(), r)
	if err != nil {
		t.Errorf("zoosim: %v", err)
		return
	}
	if name := os.Getenv(ReplayEnv); name != "" {
		checkReplay(t, v, name)
		return
	}
	rep, err := Explore(context.Background(), v, s, ExploreOptions{
		Strategy: o.Strategy, Runs: o.Runs, Budget: o.Budget, Seed: o.Seed, Workers: o.Workers,
	})
	if err != nil {
		t.Errorf("zoosim: %v", err)
		return
	}
	told := map[uint64]bool{}
	for i, x := range rep.Violations {
		c := rep.shrunk[i]
		if !o.judges(x.Property) || told[c.Hash] {
			continue
		}
		told[c.Hash] = true
		line, err := o.save(t.Name(), c)
		if err != nil {
			line = fmt.Sprintf("(no replay file was written: %v)", err)
		}
		t.Errorf("%s\n\nreproduce: %s", strings.Join(c.Story.Text(), "\n"), line)
	}
	for _, x := range rep.Verdicts {
		if x.Verdict == checker.Unknown && o.judges(x.Property) {
			t.Errorf("%s was not decided: %s", x.Property, x.Why)
		}
	}
}

// CheckRun makes one run, whose choices are those of choose: label says what a
// choice is about, n >= 2 is the number of alternatives, and 0 is the most
// benign. It fails the test with the story if a property fails. It is for
// tests that draw the workload themselves and shrink it, as rapid does.
func CheckRun(t TB, r Recipe, o CheckOptions, choose func(label string, n int) int) {
	t.Helper()
	v, s, err := o.resolve(t.Name(), r)
	if err != nil {
		t.Errorf("zoosim: %v", err)
		return
	}
	w, err := newWitness(v, s)
	if err != nil {
		t.Errorf("zoosim: %v", err)
		return
	}
	defer w.Close()
	rec := sim.NewRecorder(chooser(choose))
	w.watch("", false)
	out := w.watchRun(rec)
	for _, x := range out.Results {
		if x.Verdict == checker.Failed && o.judges(x.Property) {
			story := w.tell(sim.NewReplay(rec.Tape()), x.Property)
			t.Errorf("%s", strings.Join(story.Text(), "\n"))
			return
		}
	}
}

// chooser makes a function a strategy.
type chooser func(label string, n int) int

// Begin implements [sim.Strategy].
func (chooser) Begin() {}

// Choose implements [sim.Strategy].
func (f chooser) Choose(label sim.Label, n int) int { return f(string(label), n) }

// End implements [sim.Strategy].
func (chooser) End(uint64) {}

// resolve makes a variant and a scenario of the options.
func (o *CheckOptions) resolve(name string, r Recipe) (Variant, Scenario, error) {
	v := o.Promises
	v.Name, v.New = name, r
	s := Default(name)
	s.Faults = DefaultFaults()
	if o.Faults != "" {
		var err error
		if s.Faults, err = faults.ParseBudget(o.Faults); err != nil {
			return OfLock(v), s, err
		}
	}
	if o.Clients != 0 {
		s.Clients = o.Clients
	}
	if o.Ops != 0 {
		s.Ops = o.Ops
	}
	if o.Mode != "" {
		s.Mode = o.Mode
	}
	err := probeLock(&v)
	return OfLock(v), s, err
}

// probeLock finds out what else than a lock a recipe's locks are.
func probeLock(v *lock.Variant) error {
	if v.New == nil {
		return errors.New("no recipe")
	}
	probe := *v
	var got lock.Variant
	probe.New = func(ctx context.Context, c zk.Client, e zk.Env, dir string) (lock.Lock, error) {
		l, err := v.New(ctx, c, e, dir)
		_, got.Timed = l.(lock.Timed)
		_, got.Try = l.(lock.Try)
		_, got.Tokens = l.(lock.Tokened)
		return l, err
	}
	s := Default(v.Name)
	s.Clients, s.Ops, s.Mode = 1, 1, ModeBlocking
	r, err := NewRunnerFor(OfLock(probe), s)
	if err != nil {
		return err
	}
	defer r.Close()
	r.Run(sim.NewReplay(nil))
	v.Timed, v.Try, v.Tokens = got.Timed, got.Try, got.Tokens
	return nil
}

// judges reports whether a property must hold.
func (o *CheckOptions) judges(p checker.Property) bool {
	return len(o.Properties) == 0 || slices.Contains(o.Properties, p)
}

// save writes the replay file of a failure and returns the line that makes the
// run again.
func (o *CheckOptions) save(test string, c *Shrunk) (string, error) {
	dir := o.Dir
	if dir == "" {
		dir = defaultCheckDir
	}
	if err := os.MkdirAll(filepath.FromSlash(dir), 0o755); err != nil {
		return "", err
	}
	name := dir + "/" + strings.NewReplacer("/", "-", " ", "_").Replace(test) + "-" + string(c.Result.Property) + ".json"
	if err := c.File(c.from.Run.Seed).Write(filepath.FromSlash(name)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s=%s go test -run '%s'", ReplayEnv, name, testPattern(test)), nil
}

// testPattern is the pattern that selects one test.
func testPattern(test string) string {
	return "^" + strings.ReplaceAll(test, "/", "$/^") + "$"
}

// checkReplay makes the run of a replay file and fails the test if its
// property fails again, or if the file does not fit any more.
func checkReplay(t TB, v Variant, name string) {
	t.Helper()
	f, err := readReplay(name, func(s *Scenario) error {
		if s.Variant != v.Name {
			return fmt.Errorf("variant: %q; this test is %q", s.Variant, v.Name)
		}
		return validateFor(&v, s)
	})
	if err != nil {
		t.Errorf("zoosim: %v", err)
		return
	}
	w, err := newWitness(v, f.Scenario)
	if err != nil {
		t.Errorf("zoosim: %v", err)
		return
	}
	defer w.Close()
	st := sim.NewReplay(f.Tape)
	out := w.watchRun(st)
	stale := f.stale(&out, st.Err())
	story := w.tell(sim.NewReplay(f.Tape), checker.Property(f.Property))
	text := strings.Join(story.Text(), "\n")
	if len(stale) > 0 {
		text += "\n\n" + filepath.Base(name) + " is stale: " + strings.Join(stale, "; ")
	}
	for _, x := range out.Results {
		if string(x.Property) == f.Property && x.Verdict != checker.Failed {
			t.Logf("%s", text)
			return
		}
	}
	t.Errorf("%s", text)
}

// NewRunnerFor returns a runner for a scenario of a variant that need not be
// in the table of variants: a recipe of the user's own. The scenario's Variant
// becomes the variant's name.
func NewRunnerFor(v Variant, s Scenario) (*Runner, error) {
	if err := validateFor(&v, &s); err != nil {
		return nil, err
	}
	s.Variant = v.Name
	return makeRunner(v, s), nil
}

// validateFor is [Scenario.Validate] for a variant that is not in the table.
func validateFor(v *Variant, s *Scenario) error {
	if v.actor == nil {
		return fieldErr("variant", "%q has no function New", v.Name)
	}
	return s.validate(v)
}
