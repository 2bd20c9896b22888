package scenarios

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// toldCase is a run without any choice but 0 that is told.
type toldCase struct {
	name     string
	variant  string
	clients  int
	mode     Mode
	hold     time.Duration
	plan     string
	property checker.Property
}

func toldCases() []toldCase {
	cs := []toldCase{
		{"zkdocs", "lock/zkdocs", 2, ModeBlocking, 0, "", checker.Exclusion},
		{"curator-timed", "lock/curator", 2, ModeTimed, 7 * time.Second, "", checker.Deadline},
		{"herd-node", "lock/herd-node", 2, ModeBlocking, time.Second, "", checker.Exclusion},
		{"fenced-pause", "lock/fenced", 2, ModeBlocking, time.Second, "pause:A@req2+15s", checker.Exclusion},
		{"seed002-L2", "lock/seed002", 2, ModeBlocking, 7 * time.Second, "", checker.Exclusion},
		{"seed003-T2", "lock/seed003", 3, ModeBlocking, 15 * time.Second, "crash:B@req1", checker.Exclusion},
		{"zkjava-Z1", "lock/zkjava", 1, ModeBlocking, 0, "cut-reply:A@req3", checker.Progress},
		{"zkjava-Z2", "lock/zkjava", 2, ModeBlocking, 0, "", checker.Progress},
	}
	for _, k := range faults.Kinds() {
		plan := k.String() + ":A@req2"
		switch k {
		case faults.Pause, faults.Partition, faults.Restart, faults.LeaderCrash, faults.Lag:
			plan += "+8s"
		case faults.DelayEvent:
			plan = "delay-event:B@req1+3s"
		case faults.Interrupt:
			plan = "interrupt:B@100ms"
		}
		cs = append(cs, toldCase{"curator-" + k.String(), "lock/curator", 2, ModeBlocking, time.Second, plan, checker.Progress})
	}
	return cs
}

func (c *toldCase) scenario(t *testing.T) Scenario {
	s := Default(c.variant)
	s.Clients, s.Ops, s.Mode, s.Arrivals = c.clients, 1, c.mode, ArriveTogether
	s.Hold, s.FixedHold, s.Limit = c.hold, true, 5*time.Second
	if strings.HasPrefix(c.plan, "leader-crash") || strings.HasPrefix(c.plan, "lag") {
		s.Servers = 3
	}
	for _, x := range strings.Fields(c.plan) {
		f, err := faults.ParseFault(x)
		require.NoError(t, err)
		s.Plan = append(s.Plan, f)
	}
	return s
}

// golden compares text with a file below testdata, or rewrites it.
func golden(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), text, name)
}

func TestStories(t *testing.T) {
	for _, c := range toldCases() {
		v, _ := ByName(c.variant)
		s, err := Tell(v, c.scenario(t), nil, c.property)
		require.NoError(t, err)
		golden(t, "story/"+c.name+".txt", strings.Join(s.Text(), "\n")+"\n")
		golden(t, "story/"+c.name+".mmd", strings.Join(s.Mermaid(), "\n")+"\n")
	}
}

// A story that is told to its end has a numbered line for each transition of
// the run.
func TestStoryCountsAsTheRunDoes(t *testing.T) {
	var all []Scenario
	for _, v := range Variants("lock") {
		all = append(all, noisy(v.Name), noisyEnsemble(v.Name))
	}
	for _, s := range all {
		v, _ := ByName(s.Variant)
		r := newRunner(t, s)
		w, err := newWitness(v, s)
		require.NoError(t, err)
		for seed := range uint64(60) {
			out := r.Run(sim.NewRandom(seed))
			story := w.tell(sim.NewRandom(seed), "")
			require.Equal(t, out.Transitions, story.Transitions, "%s seed %d\n%s", v.Name, seed, strings.Join(story.Text(), "\n"))
			n := 0
			for i := range story.Lines {
				l := &story.Lines[i]
				require.NotEmpty(t, l.Text, "%s seed %d line %d of %s", v.Name, seed, i, l.Actor)
				require.NotContains(t, l.Text, "000000", "names are short")
				if l.N > 0 {
					n++
					require.Equal(t, n, l.N)
				}
				if i > 0 {
					require.GreaterOrEqual(t, l.At, story.Lines[i-1].At)
				}
			}
			require.Equal(t, story.Transitions, n)
		}
		w.Close()
	}
}

// The story of a failure ends where the property fails.
func TestStoryEndsAtTheFailure(t *testing.T) {
	t.Parallel()
	for _, x := range Findings() {
		f := shrinkFirst(t, x.Scenario, x.goal(), 0)
		story, err := Tell(f.variant, f.shrunk.Scenario, f.shrunk.Tape, x.Property)
		require.NoError(t, err)
		require.Equal(t, f.shrunk.Story, story, x.ID)
		last := story.Lines[len(story.Lines)-1]
		if !atTheEnd(x.Property) {
			require.Equal(t, f.shrunk.Result.At, last.At, x.ID)
			actors := []string{checker.ClientName(int(f.shrunk.Result.Client))}
			if f.variant.Family() == "queue" || x.Property == checker.FanOut {
				actors = append(actors, actorServer) // what becomes of a znode
			}
			require.Contains(t, actors, last.Actor, x.ID)
		}
		require.Contains(t, story.Verdict, f.shrunk.Result.Why)
	}
}

func TestTitleOfAStory(t *testing.T) {
	s := Default("lock/zkdocs")
	s.Clients, s.Ops, s.Mode = 2, 1, ModeBlocking
	require.Equal(t, "lock/zkdocs, 2 clients, 1 acquire each, blocking, no faults", storyTitle(&s, ""))
	require.Equal(t, "lock/zkdocs, 2 clients, 1 acquire each, blocking, faults crash:A@1s, cut:B@2s", storyTitle(&s, "crash:A@1s cut:B@2s"))
	s.Untimed, s.Servers = true, 3
	require.Equal(t, "lock/zkdocs, 2 clients, 1 acquire each, blocking, 3 servers, no faults", storyTitle(&s, ""))
	s.Faults[faults.LeaderCrash] = 1
	require.Equal(t, "lock/zkdocs, 2 clients, 1 acquire each, blocking, 3 servers, at most the faults leader-crash=1", storyTitle(&s, ""))
}

// An untimed run is told as well, without times.
func TestStoryOfAnUntimedRun(t *testing.T) {
	s := Default("lock/seed003")
	s.Clients, s.Ops, s.Mode, s.Arrivals, s.Untimed = 2, 1, ModeBlocking, ArriveTogether, true
	s.FixedHold = true
	r := newRunner(t, s)
	for seed := uint64(0); ; seed++ {
		rec := sim.NewRecorder(sim.NewRandom(seed))
		goal, out := Goal{Property: checker.Progress}, r.Run(rec)
		if _, ok := goal.reached(r.History(), &out); !ok {
			continue
		}
		story, err := Tell(r.variant, s, rec.Tape(), checker.Progress)
		require.NoError(t, err)
		require.Equal(t, out.Transitions, story.Transitions, strings.Join(story.Text(), "\n"))
		for _, line := range story.Text()[3:] {
			require.NotRegexp(t, `^ *\d* +\d+\.\d+s`, line)
		}
		return
	}
}

func ExampleStory() {
	s := Default("lock/seed002")
	s.Clients, s.Ops, s.Mode, s.Arrivals = 1, 1, ModeBlocking, ArriveTogether
	s.FixedHold = true
	v, _ := ByName(s.Variant)
	story, err := Tell(v, s, nil, checker.Progress)
	if err != nil {
		panic(err)
	}
	for _, line := range story.Text() {
		fmt.Println(strings.TrimSpace(line))
	}
	// Output:
	// lock/seed002, 1 client, 1 acquire each, blocking, no faults
	// 8 transitions, 3 steps
	//
	// 0.0004s  A: is connected with session 1, acquires the lock (blocking)
	// 1     0.0006s  server: exists(/lock) of A
	// 2     0.0008s  A: receives exists -> OK
	// 3     0.0010s  server: create of A, /lock/n0 created
	// 4     0.0012s  A: receives create -> /lock/n0
	// 5     0.0014s  server: getChildren(/lock) of A
	// 6     0.0016s  A: receives getChildren -> [n0], is GRANTED the lock, releases the lock
	// 7     0.0018s  server: delete(/lock/n0) of A, /lock/n0 deleted
	// 8     0.0020s  A: receives delete -> OK
	// 0.0022s  server: session of A closed
	// 0.0024s  A: is disconnected, has released the lock, is done
	//
	// progress: pass
}
