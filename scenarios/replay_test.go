package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"zoosim/faults"
	"zoosim/recipes/zk"
	"zoosim/sim"
)

// drawScenario draws a scenario that is valid.
func drawScenario(t *rapid.T) Scenario {
	ms := func(label string, least, most int64) time.Duration {
		return time.Duration(rapid.Int64Range(least, most).Draw(t, label)) * time.Millisecond
	}
	s := Default(rapid.SampledFrom(Variants("lock")).Draw(t, "variant").Name)
	s.Clients = rapid.IntRange(1, MaxClients).Draw(t, "clients")
	s.Ops = rapid.IntRange(1, MaxOps).Draw(t, "ops")
	s.Attempts = rapid.IntRange(1, 9).Draw(t, "attempts")
	s.Mode = rapid.SampledFrom(Modes()).Draw(t, "mode")
	s.Limit = ms("limit", 0, 3_600_000)
	s.Hold = ms("hold", 0, 3_600_000)
	s.FixedHold = rapid.Bool().Draw(t, "fixed hold")
	s.Arrivals = rapid.SampledFrom([]Arrivals{ArriveDrawn, ArriveTogether}).Draw(t, "arrivals")
	s.SessionTimeout = ms("session timeout", 1, 3_600_000)
	s.Tick = ms("tick", 1, 60_000)
	if v, _ := ByName(s.Variant); v.Store == zk.StoreNone {
		s.Servers = rapid.SampledFrom([]int{1, 3, 5}).Draw(t, "servers")
	}
	s.Serial = rapid.Bool().Draw(t, "serial")
	if s.Serial {
		return s
	}
	g := faults.Generator{Clients: s.Clients}
	for _, k := range faults.Kinds() {
		if s.Servers > 1 || !k.OfEnsemble() {
			s.Faults[k] = rapid.IntRange(0, maxFaults).Draw(t, k.String())
			g.Budget[k] = 1
		}
	}
	s.Plan = g.Draw(nil, func(label string, n int) int { return rapid.IntRange(0, n-1).Draw(t, label) })
	return s
}

func drawTape(t *rapid.T) sim.Tape {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sim.Choice {
		c := sim.Choice{
			Label: sim.Label(rapid.SampledFrom([]string{"latency", "wake", "cut", "", "two words", "ß<\"&\\"}).Draw(t, "label")),
			N:     rapid.IntRange(2, 300).Draw(t, "n"),
		}
		c.V = rapid.IntRange(0, c.N-1).Draw(t, "v")
		return c
	}), 0, 50).Draw(t, "tape")
}

func TestReplayFileRoundTrip(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		f := &ReplayFile{
			Scenario: drawScenario(t), Seed: rapid.Uint64().Draw(t, "seed"), Hash: rapid.Uint64().Draw(t, "hash"),
			Property: rapid.SampledFrom([]string{"", "exclusion"}).Draw(t, "property"),
			Why:      rapid.SampledFrom([]string{"", "A and B hold the lock: <\"é\n>"}).Draw(t, "why"),
			Tape:     drawTape(t),
		}
		name := filepath.Join(dir, "x.json")
		require.NoError(t, f.Write(name))
		back, err := ReadReplay(name)
		require.NoError(t, err)
		require.Equal(t, f.Scenario.Plan.String(), back.Scenario.Plan.String())
		require.Len(t, back.Tape, len(f.Tape))
		if len(f.Tape) == 0 {
			f.Tape = back.Tape
		}
		if len(f.Scenario.Plan) == 0 {
			f.Scenario.Plan = back.Scenario.Plan
		}
		require.Equal(t, f, back)
	})
}

// saved makes one run and returns what its replay file holds.
func saved(t *testing.T, s Scenario, seed uint64) (*One, *ReplayFile) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "replays"), 0o755))
	one, err := RunOnce(s, seed, dir)
	require.NoError(t, err)
	f, err := ReadReplay(filepath.Join(dir, filepath.FromSlash(one.Report.Replay)))
	require.NoError(t, err)
	return one, f
}

// noisy is a scenario in which much is chosen.
func noisy(variant string) Scenario {
	s := Default(variant)
	for _, k := range faults.Kinds() {
		if !k.OfEnsemble() {
			s.Faults[k] = 1
		}
	}
	return s
}

// noisyEnsemble is noisy on three servers.
func noisyEnsemble(variant string) Scenario {
	s := noisy(variant)
	switch v, _ := ByName(variant); v.Store {
	case zk.StoreDatabase:
		return s // there is one server
	case zk.StoreNone:
		s.Servers = 3
	}
	s.Faults[faults.LeaderCrash], s.Faults[faults.Lag] = 1, 1
	return s
}

func TestReplayRepeatsTheRun(t *testing.T) {
	for _, v := range Variants("lock") {
		for seed := range uint64(5) {
			s := noisy(v.Name)
			if seed > 2 {
				s = noisyEnsemble(v.Name)
			}
			one, f := saved(t, s, seed)
			require.Equal(t, seed, f.Seed)
			require.Equal(t, fmt.Sprintf("replays/%s-%d.json", shortName(v.Name), seed), one.Report.Replay)
			for range 2 {
				again, err := Replay(f)
				require.NoError(t, err)
				require.True(t, again.Same, "%s seed %d", v.Name, seed)
				require.NoError(t, again.Misfit, "%s seed %d", v.Name, seed)
				again.Report.Replay = one.Report.Replay
				require.Equal(t, one, again, "%s seed %d", v.Name, seed)
			}
		}
	}
}

// The file names the first property that failed, and how.
func TestReplayFileNamesTheFailure(t *testing.T) {
	failed := 0
	for seed := range uint64(30) {
		one, f := saved(t, noisy("lock/seed002"), seed)
		want, why := "", ""
		for _, v := range one.Report.Verdicts {
			if v.Verdict == "fail" && want == "" {
				want, why = string(v.Property), v.Why
				failed++
			}
		}
		require.Equal(t, want, f.Property)
		require.Equal(t, why, f.Why)
	}
	require.Positive(t, failed, "some run has failed")
}

func TestChangedTapeDoesNotFit(t *testing.T) {
	_, f := saved(t, noisy("lock/curator"), 3)
	n := len(f.Tape)
	require.Greater(t, n, 20)
	change := func(edit func(*ReplayFile)) *One {
		g := *f
		g.Tape = append(sim.Tape(nil), f.Tape...)
		edit(&g)
		one, err := Replay(&g)
		require.NoError(t, err)
		require.False(t, one.Same)
		return one
	}
	for _, i := range []int{0, 1, 7, n - 1} {
		c := f.Tape[i]
		one := change(func(g *ReplayFile) { g.Tape[i].Label = "coin" })
		require.EqualError(t, one.Misfit, fmt.Sprintf(
			"choice %d: the tape holds %q of %d alternatives, the run asks for %q of %d", i, "coin", c.N, c.Label, c.N))
		one = change(func(g *ReplayFile) { g.Tape[i].N++ })
		require.EqualError(t, one.Misfit, fmt.Sprintf(
			"choice %d: the tape holds %q of %d alternatives, the run asks for %q of %d", i, c.Label, c.N+1, c.Label, c.N))
	}
	one := change(func(g *ReplayFile) { g.Tape = append(g.Tape, sim.Choice{Label: "coin", N: 2}) })
	require.EqualError(t, one.Misfit, fmt.Sprintf("the run made %d choices, the tape holds %d", n, n+1))

	one = change(func(g *ReplayFile) { g.Hash++ })
	require.NoError(t, one.Misfit, "all choices fit, and the run is another one")
}

// A replay of another scenario does not pass for the saved one.
func TestReplayOfAnotherScenario(t *testing.T) {
	_, f := saved(t, noisy("lock/curator"), 3)
	f.Scenario.Variant = "lock/kazoo"
	one, err := Replay(f)
	require.NoError(t, err)
	require.False(t, one.Same)

	f.Scenario.Variant = "lock/nope"
	_, err = Replay(f)
	var fe *FieldError
	require.ErrorAs(t, err, &fe)
	require.Equal(t, "variant", fe.Field)
}

// damaged writes a replay file with one change to its JSON and reads it.
func damaged(t *testing.T, change func(file, scenario map[string]any)) error {
	s := Default("lock/zkdocs")
	s.Plan = faults.Plan{{Kind: faults.Crash, Time: time.Second}}
	f := ReplayFile{Scenario: s, Tape: sim.Tape{{Label: "wake", N: 2, V: 1}, {Label: "cut", N: 3, V: 0}}}
	name := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, f.Write(name))
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(b, &m))
	change(m, m["scenario"].(map[string]any))
	b, err = json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(name, b, 0o600))
	_, err = ReadReplay(name)
	return err
}

func TestReadReplayErrors(t *testing.T) {
	require.NoError(t, damaged(t, func(map[string]any, map[string]any) {}), "nothing is changed")
	top := func(field string, v any) error {
		return damaged(t, func(f, _ map[string]any) { f[field] = v })
	}
	inner := func(field string, v any) error {
		return damaged(t, func(_, s map[string]any) { s[field] = v })
	}
	for _, c := range []struct {
		err         error
		field, want string
	}{
		{top("format", "tape"), "format", `format: "tape"; allowed: "zoosim-replay"`},
		{top("format", ""), "format", `format: ""; allowed: "zoosim-replay"`},
		{top("version", 2), "version", "version: 2; this zoosim reads version 1"},
		{top("hash", "xyz"), "hash", `hash: "xyz" is no hexadecimal number of 64 bits`},
		{top("hash", ""), "hash", `hash: "" is no hexadecimal number of 64 bits`},
		{top("hash", "12345678901234567"), "hash", `hash: "12345678901234567" is no hexadecimal number of 64 bits`},
		{top("choices", "0:2:1 1:3"), "choices", `choices: entry 1: "1:3" is no label:alternatives:choice`},
		{top("choices", "0:2:2"), "choices", `choices: entry 0: "0:2:2" is no label:alternatives:choice`},
		{top("choices", "0:1:0"), "choices", `choices: entry 0: "0:1:0" is no label:alternatives:choice`},
		{top("choices", "0:2:-1"), "choices", `choices: entry 0: "0:2:-1" is no label:alternatives:choice`},
		{top("choices", "2:2:0"), "choices", `choices: entry 0: "2:2:0" is no label:alternatives:choice`},
		{top("choices", "wake"), "choices", `choices: entry 0: "wake" is no label:alternatives:choice`},
		{inner("limit", "5"), "scenario.limit", `scenario.limit: "5" is not a duration`},
		{inner("hold", ""), "scenario.hold", `scenario.hold: "" is not a duration`},
		{inner("sessionTimeout", "x"), "scenario.sessionTimeout", `scenario.sessionTimeout: "x" is not a duration`},
		{inner("tick", "x"), "scenario.tick", `scenario.tick: "x" is not a duration`},
		{inner("faults", "boom"), "scenario.faults", `scenario.faults: fault budget "boom": unknown fault "boom"; allowed: ` + allKinds},
		{inner("plan", []string{"boom:A@1s"}), "scenario.plan", `scenario.plan: fault "boom:A@1s": unknown fault "boom"; allowed: ` + allKinds},
		{inner("servers", 2), "scenario", "scenario: servers: 2 servers; allowed: 1, 3, 5"},
		{inner("faults", "lag=1"), "scenario", "scenario: faults: lag: a standalone server; allowed with 3 or 5 servers"},
		{inner("clients", 0), "scenario", "scenario: clients: 0 clients; allowed: 1 to 256"},
		{inner("mode", "fast"), "scenario", `scenario: mode: unknown mode "fast"; allowed: blocking, timed, try, mixed`},
		{inner("variant", "lock/nope"), "scenario", `scenario: variant: unknown variant "lock/nope"; allowed: ` + variantNames()},
	} {
		var in *InputError
		require.ErrorAs(t, c.err, &in, c.want)
		require.Equal(t, "x.json", in.File)
		require.Equal(t, c.field, in.Field)
		require.EqualError(t, c.err, "x.json: "+c.want)
	}
	for field, err := range map[string]error{"colour": top("colour", 1), "weather": inner("weather", 1), "seed": top("seed", -1)} {
		var in *InputError
		require.ErrorAs(t, err, &in)
		require.True(t, strings.HasPrefix(err.Error(), "x.json: no replay file: "), err)
		require.Contains(t, err.Error(), field)
	}
}

func TestReadReplayOfNoReplayFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.json")
	_, err := ReadReplay(name)
	require.ErrorIs(t, err, os.ErrNotExist)
	for _, text := range []string{"", "{", "variant: lock/zkdocs\n", "[]", "\xff\x00", `{"format": 1}`} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := ReadReplay(name)
		var in *InputError
		require.ErrorAs(t, err, &in, text)
		require.Equal(t, "x.json", in.File)
		require.True(t, strings.HasPrefix(err.Error(), "x.json: no replay file: "), err)
	}
	for _, text := range []string{"{}", "null"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		_, err := ReadReplay(name)
		require.EqualError(t, err, `x.json: format: ""; allowed: "zoosim-replay"`)
	}
}

// namesIn lists what a folder holds.
func namesIn(t *testing.T, dir string) []string {
	list, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := []string{}
	for _, e := range list {
		out = append(out, e.Name())
	}
	return out
}

func TestWriteLeavesNothingElse(t *testing.T) {
	dir := t.TempDir()
	f := &ReplayFile{Scenario: Default("lock/zkdocs"), Tape: sim.Tape{{Label: "wake", N: 2, V: 1}}}
	name := filepath.Join(dir, "x.json")
	require.NoError(t, f.Write(name))
	first, err := os.ReadFile(name)
	require.NoError(t, err)
	f.Tape = nil
	require.NoError(t, f.Write(name), "in place of the old one")
	second, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Less(t, len(second), len(first))
	require.Equal(t, []string{"x.json"}, namesIn(t, dir))
	st, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o644), st.Mode())
}

func TestWriteWhereNothingCanBeWritten(t *testing.T) {
	f := &ReplayFile{Scenario: Default("lock/zkdocs")}
	dir := t.TempDir()
	require.Error(t, f.Write(filepath.Join(dir, "missing", "x.json")), "no folder")
	require.Empty(t, namesIn(t, dir))

	taken := filepath.Join(dir, "x.json")
	require.NoError(t, os.MkdirAll(filepath.Join(taken, "inside"), 0o755))
	require.Error(t, f.Write(taken), "the name is that of a folder")
	require.Equal(t, []string{"x.json"}, namesIn(t, dir), "the temporary file is gone")
	require.Equal(t, []string{"inside"}, namesIn(t, taken))

	if os.Geteuid() == 0 {
		return // no folder is closed to root
	}
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(closed, 0o555))
	require.Error(t, f.Write(filepath.Join(closed, "x.json")))
	require.Empty(t, namesIn(t, closed))
}
