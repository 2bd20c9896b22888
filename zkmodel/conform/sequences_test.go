package conform

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
)

var (
	sequences = flag.Int("sequences", 0, "how many random scripts TestSequences compares with the real server")
	firstSeed = flag.Int("first", 1, "the seed of the first random script")
	found     = flag.String("found", filepath.Join("..", "..", "bin", "found"), "the folder for scripts that show a difference")
	planted   = flag.Bool("planted", false, "plant a difference in the model, which TestSequences has to find")
)

// verdict is the line that a run of TestSequences ends with.
var verdict string

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if verdict != "" {
		fmt.Println(verdict)
	}
	os.Exit(code)
}

// plant counts a version too many in the Stats of setData, at some.
func plant(r *zkmodel.Response) {
	if r.Op == zkmodel.OpSetData && r.Err == zkmodel.OK && r.Stat.Version%3 == 2 {
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
	real, err := StartServer(ServerConfig{Tick: testTick, ContainerCheck: time.Hour, TTLNodes: true})
	if errors.Is(err, ErrNoServer) && os.Getenv("CI") == "" {
		verdict = "conform: skipped, " + err.Error()
		t.Skip(verdict)
	}
	require.NoError(t, err)
	defer real.Close()
	p := &pair{real: real, plant: *planted}
	unexplained, again := 0, 0
	for seed := *firstSeed; seed < *firstSeed+*sequences; seed++ {
		s := scriptOf(seed)
		how, err := p.compare(rootOf(seed), s)
		if how == "" && err == nil {
			continue
		}
		again++
		if _, ok := p.differs(rootOf(seed), s); !ok {
			continue
		}
		unexplained++
		if unexplained <= 5 {
			p.report(t, seed, s)
		} else {
			t.Errorf("seed %d differs", seed)
		}
	}
	t.Logf("seeds %d to %d in %v; %d scripts ran twice", *firstSeed, *firstSeed+*sequences-1, time.Since(start).Round(time.Second), again)
	verdict = fmt.Sprintf("conform: %d sequences, %d unexplained", *sequences, unexplained)
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

// report shrinks a script that differs, keeps it and fails the test.
func (p *pair) report(t *testing.T, seed int, s Script) {
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
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(goldenText(s)), 0o644))
	t.Errorf("seed %d differs; %s shows it:\n%s\n%s", seed, path, s, how)
}

// goldenText is a script as a golden file that is not recorded yet.
func goldenText(s Script) string {
	var b strings.Builder
	for i := range s {
		b.WriteString(s[i].String() + "\n----\n\n")
	}
	return b.String()
}
