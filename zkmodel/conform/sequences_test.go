package conform

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zoosim/zkmodel"
)

var (
	sequences = flag.Int("sequences", 0, "how many random scripts TestSequences compares with the real server")
	firstSeed = flag.Int("first", 1, "the seed of the first random script")
	found     = flag.String("found", filepath.Join("..", "..", "bin", "found"), "the folder for scripts that show a difference")
	workers   = flag.Int("workers", 2, "how many real servers TestSequences uses side by side")
	planted   = flag.Bool("planted", false, "plant a difference in the model, which TestSequences has to find")
)

// verdict is the line that a run of TestSequences ends with, summary the one in
// front of it.
var summary, verdict string

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if verdict != "" {
		fmt.Println(summary)
		fmt.Println(verdict)
	}
	os.Exit(code)
}

// plant counts a version too many in the Stats of setData, at odd ones.
func plant(r *zkmodel.Response) {
	if r.Op == zkmodel.OpSetData && r.Err == zkmodel.OK && r.Stat.Version%2 == 1 {
		r.Stat.Version++
	}
}

// pair is the two arms.
type pair struct {
	real  *RealServer
	plant bool
	runs  int
}

func (p *pair) modelArm() *ModelArm {
	o := ModelOptions{Server: modelOptions(testConfig())}
	if p.plant {
		o.Response = plant
	}
	return NewModelArm(o)
}

// compare runs a script on both arms and says how they differ; "" if they do
// not.
func (p *pair) compare(root string, s Script) (string, error) {
	p.runs++
	root = fmt.Sprintf("%s-%d", root, p.runs)
	l := NewLiveArm(p.real.Addr, testTick)
	defer l.Close()
	want, err := Run(l, root, s)
	if err != nil {
		return "", fmt.Errorf("real server: %w", err)
	}
	got, err := Run(p.modelArm(), root, s)
	if err != nil {
		return "", fmt.Errorf("model: %w", err)
	}
	for i := range s {
		if !slices.Equal(want[i], got[i]) {
			return fmt.Sprintf("step %d\n%s\nreal server:\n  %s\nmodel:\n  %s", i+1, s[i].String(),
				strings.Join(want[i], "\n  "), strings.Join(got[i], "\n  ")), nil
		}
	}
	return "", nil
}

// differs is compare for a script that showed a difference once: what a busy
// machine causes does not come again.
func (p *pair) differs(root string, s Script) (string, bool) {
	how, err := p.compare(root, s)
	if err != nil {
		// What it left behind expires first.
		time.Sleep(25 * testTick)
		how, err = p.compare(root, s)
	}
	if err != nil {
		time.Sleep(25 * testTick)
		return err.Error(), true
	}
	return how, how != ""
}

// TestSequences compares random scripts on the two arms: make
// conform-sequences. What differs is shrunk and written to the folder -found; moved to
// testdata and recorded (go test -run Golden -rewrite), it stays.
func TestSequences(t *testing.T) {
	if *sequences == 0 {
		t.Skip("skipped: -sequences is 0 (make conform-sequences)")
	}
	start := time.Now()
	var wg sync.WaitGroup
	f := newFinder(t)
	for w := range *workers {
		p := &pair{real: newFleet(t).get(testConfig()), plant: *planted}
		wg.Go(func() {
			for seed := *firstSeed + w; seed < *firstSeed+*sequences; seed += *workers {
				f.try(p, seed)
			}
		})
	}
	wg.Wait()
	f.fail()
	summary = fmt.Sprintf("seeds %d to %d in %v, %d of them twice", *firstSeed, *firstSeed+*sequences-1,
		time.Since(start).Round(time.Second), f.again)
	verdict = fmt.Sprintf("conform: %d sequences, %d unexplained", *sequences, len(f.shown))
}

// finder collects the scripts that differ.
type finder struct {
	t     *testing.T
	mu    sync.Mutex
	again int            // scripts that ran twice
	shown map[int]string // by seed, with what differs
}

func newFinder(t *testing.T) *finder { return &finder{t: t, shown: map[int]string{}} }

// maxShrunk is how many scripts that differ are shrunk.
const maxShrunk = 5

// try compares the script of a seed on both arms.
func (f *finder) try(p *pair, seed int) {
	s := scriptOf(seed)
	if how, err := p.compare(rootOf(seed), s); how == "" && err == nil {
		return
	}
	how, differs := p.differs(rootOf(seed), s)
	f.mu.Lock()
	f.again++
	shrink := len(f.shown) < maxShrunk
	if differs {
		f.shown[seed] = how
	}
	f.mu.Unlock()
	if !differs || !shrink {
		return
	}
	how, err := p.report(seed, s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.shown[seed] = how; err != nil {
		f.shown[seed] += err.Error()
	}
}

// fail fails the test with all that was found.
func (f *finder) fail() {
	for _, seed := range slices.Sorted(maps.Keys(f.shown)) {
		f.t.Errorf("seed %d differs\n%s", seed, f.shown[seed])
	}
}

// A planted difference in the model is found against the real server too.
func TestSequencesFindPlanted(t *testing.T) {
	if *sequences == 0 {
		t.Skip("skipped: -sequences is 0 (make conform-sequences)")
	}
	p := &pair{real: newFleet(t).get(testConfig()), plant: true}
	for seed := range 50 {
		if how, err := p.compare(fmt.Sprintf("/planted%d", seed), scriptOf(seed)); err == nil && how != "" {
			return
		}
	}
	t.Error("50 scripts do not show the planted difference")
}

// report shrinks a script that differs and keeps it.
func (p *pair) report(seed int, s Script) (string, error) {
	root := rootOf(seed)
	s = Shrink(s, 300, func(s Script) bool {
		_, ok := p.differs(root, s)
		return ok
	})
	how, ok := p.differs(root, s)
	if !ok {
		how = "not any more"
	}
	path := filepath.Join(*found, fmt.Sprintf("seed%d.txt", seed))
	if err := os.MkdirAll(*found, 0o755); err != nil {
		return how, err
	}
	return fmt.Sprintf("%s shows it:\n%s\n%s", path, s, how), os.WriteFile(path, []byte(goldenText(s)), 0o644)
}

// goldenText is a script as a golden file that is not recorded yet.
func goldenText(s Script) string {
	var b strings.Builder
	for i := range s {
		b.WriteString(s[i].String() + "\n----\n\n")
	}
	return b.String()
}
