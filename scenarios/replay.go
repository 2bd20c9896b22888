package scenarios

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// The format of replay files.
const (
	replayFormat  = "zoosim-replay"
	replayVersion = 1
)

// ReplayFile is a saved counterexample: a scenario, the choices of one run,
// and what they showed.
type ReplayFile struct {
	Scenario Scenario
	// Seed is the seed that the choices were first drawn from.
	Seed uint64
	// Property is the one that failed, Why how.
	Property string
	Why      string
	// Hash is the hash of the run's trace.
	Hash uint64
	Tape sim.Tape
	// Commit is that of the build that wrote the file, "" if it is not known.
	Commit string
	// Story tells the run, line by line; nil if it was not told.
	Story []string
}

// replayJSON is a ReplayFile as it is written. Choices are "label:n:v" with
// the label's index.
type replayJSON struct {
	Format   string       `json:"format"`
	Version  int          `json:"version"`
	Property string       `json:"property"`
	Why      string       `json:"why"`
	Seed     uint64       `json:"seed"`
	Hash     string       `json:"hash"`
	Scenario scenarioJSON `json:"scenario"`
	Labels   []string     `json:"labels"`
	Choices  string       `json:"choices"`
	Commit   string       `json:"commit,omitempty"`
	Story    []string     `json:"story,omitempty"`
}

// scenarioJSON is a scenario within a replay file.
type scenarioJSON struct {
	Variant string `json:"variant"`
	Sizes
	Bare           bool     `json:"bare,omitempty"`
	Counter        int      `json:"counter,omitempty"`
	DocumentedWrap bool     `json:"documentedWrap,omitempty"`
	Foreign        bool     `json:"foreign,omitempty"`
	Downgrade      bool     `json:"downgrade,omitempty"`
	SamePut        bool     `json:"samePut,omitempty"`
	ItemBytes      int      `json:"itemBytes,omitempty"`
	Renew          bool     `json:"renew,omitempty"`
	Usage          Usage    `json:"usage,omitempty"` // "" in files of plain usage
	Ops            int      `json:"ops"`
	Attempts       int      `json:"attempts"`
	Mode           Mode     `json:"mode"`
	Limit          string   `json:"limit"`
	Hold           string   `json:"hold"`
	FixedHold      bool     `json:"fixedHold"`
	Arrivals       Arrivals `json:"arrivals"`
	SessionTimeout string   `json:"sessionTimeout"`
	Tick           string   `json:"tick"`
	Servers        int      `json:"servers,omitempty"` // 0 in files of one server
	Faults         string   `json:"faults"`
	Plan           []string `json:"plan"`
	Serial         bool     `json:"serial"`
	Untimed        bool     `json:"untimed"`
	SessionsOpen   bool     `json:"sessionsOpen,omitempty"`
	Moves          int      `json:"moves"`
	Core           int      `json:"core,omitempty"`
	ServerMutant   string   `json:"serverMutant,omitempty"`
}

// FormatHash writes a trace hash as everywhere: 16 hexadecimal digits.
func FormatHash(h uint64) string { return fmt.Sprintf("%016x", h) }

// Write writes the file, by way of a temporary one.
func (f *ReplayFile) Write(name string) error {
	b, err := f.encode()
	if err != nil {
		return err
	}
	return WriteFile(name, b)
}

// WriteFile writes a file by way of a temporary one in the same directory, so
// that it is never half-written.
func WriteFile(name string, b []byte) error {
	t, err := os.CreateTemp(filepath.Dir(name), ".tmp-*")
	if err != nil {
		return err
	}
	_, err = t.Write(b)
	err = errors.Join(err, t.Chmod(0o644), t.Close())
	if err == nil {
		err = os.Rename(t.Name(), name)
	}
	if err != nil {
		_ = os.Remove(t.Name())
	}
	return err
}

func (f *ReplayFile) encode() ([]byte, error) {
	s := &f.Scenario
	j := replayJSON{
		Format: replayFormat, Version: replayVersion, Property: f.Property, Why: f.Why,
		Seed: f.Seed, Hash: FormatHash(f.Hash), Commit: f.Commit, Story: f.Story,
		Scenario: scenarioJSON{
			Variant: s.Variant, Sizes: s.sizes(), Bare: s.Bare, Counter: s.Counter, DocumentedWrap: s.DocumentedWrap,
			Foreign: s.Foreign, Downgrade: s.Downgrade, SamePut: s.SamePut, ItemBytes: s.ItemBytes, Renew: s.Renew,
			Ops: s.Ops, Attempts: s.Attempts, Mode: s.Mode,
			Limit: s.Limit.String(), Hold: s.Hold.String(), FixedHold: s.FixedHold, Arrivals: s.Arrivals,
			SessionTimeout: s.SessionTimeout.String(), Tick: s.Tick.String(), Servers: s.Servers,
			Faults: s.Faults.String(), Plan: []string{}, Serial: s.Serial, Untimed: s.Untimed, SessionsOpen: s.SessionsOpen,
			Moves: s.Moves,
			Core:  s.Core,
		},
		Labels: []string{},
	}
	if s.Usage != UsePlain {
		j.Scenario.Usage = s.Usage
	}
	if s.ServerMutant != zkmodel.NoMutant {
		j.Scenario.ServerMutant = s.ServerMutant.String()
	}
	for _, p := range s.Plan {
		j.Scenario.Plan = append(j.Scenario.Plan, p.String())
	}
	var b strings.Builder
	for i, c := range f.Tape {
		l := 0
		for l < len(j.Labels) && j.Labels[l] != string(c.Label) {
			l++
		}
		if l == len(j.Labels) {
			j.Labels = append(j.Labels, string(c.Label))
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%d:%d:%d", l, c.N, c.V)
	}
	j.Choices = b.String()
	out, err := json.MarshalIndent(&j, "", "  ")
	return append(out, '\n'), err
}

// ReadReplay reads a replay file. Every error of its contents is an
// [*InputError].
func ReadReplay(name string) (*ReplayFile, error) {
	return readReplay(name, (*Scenario).Validate)
}

// readReplay is ReadReplay; validate judges the scenario.
func readReplay(name string, validate func(*Scenario) error) (*ReplayFile, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	base := filepath.Base(name)
	fail := func(field, format string, args ...any) (*ReplayFile, error) {
		return nil, &InputError{base, 0, field, fmt.Sprintf(format, args...)}
	}
	var j replayJSON
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(&j); err != nil {
		return fail("", "no replay file: %v", err)
	}
	if d.More() {
		return fail("", "text behind the end of the replay")
	}
	if j.Format != replayFormat {
		return fail("format", "%q; allowed: %q", j.Format, replayFormat)
	}
	if j.Version != replayVersion {
		return fail("version", "%d; this zoosim reads version %d", j.Version, replayVersion)
	}
	f := &ReplayFile{Seed: j.Seed, Property: j.Property, Why: j.Why, Commit: j.Commit, Story: j.Story}
	if f.Hash, err = strconv.ParseUint(j.Hash, 16, 64); err != nil {
		return fail("hash", "%q is no hexadecimal number of 64 bits", j.Hash)
	}
	if field, err := j.Scenario.decode(&f.Scenario); err != nil {
		return fail("scenario."+field, "%v", err)
	}
	if err := validate(&f.Scenario); err != nil {
		return fail("scenario", "%v", err)
	}
	for i, word := range strings.Fields(j.Choices) {
		l, n, v, ok := parseChoice(word)
		if !ok || l >= len(j.Labels) || n < 2 || v < 0 || v >= n {
			return fail("choices", "entry %d: %q is no label:alternatives:choice", i, word)
		}
		f.Tape = append(f.Tape, sim.Choice{Label: sim.Label(j.Labels[l]), N: n, V: v})
	}
	return f, nil
}

// parseChoice reads "label:alternatives:choice".
func parseChoice(word string) (label, n, v int, ok bool) {
	parts := strings.Split(word, ":")
	if len(parts) != 3 {
		return 0, 0, 0, false
	}
	var x [3]int
	for i, p := range parts {
		k, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return 0, 0, 0, false
		}
		x[i] = int(k)
	}
	return x[0], x[1], x[2], true
}

// decode fills s and names the field at fault.
func (j *scenarioJSON) decode(s *Scenario) (string, error) {
	*s = Scenario{
		Variant: j.Variant, Bare: j.Bare, Counter: j.Counter, DocumentedWrap: j.DocumentedWrap, Foreign: j.Foreign,
		Downgrade: j.Downgrade, SamePut: j.SamePut, ItemBytes: j.ItemBytes, Renew: j.Renew, Usage: cmp.Or(j.Usage, UsePlain),
		Ops: j.Ops, Attempts: j.Attempts, Mode: j.Mode,
		FixedHold: j.FixedHold, Servers: max(j.Servers, 1), Arrivals: j.Arrivals, Serial: j.Serial, Untimed: j.Untimed, SessionsOpen: j.SessionsOpen,
		Moves: j.Moves,
		Core:  j.Core,
	}
	s.setSizes(j.Sizes)
	for _, d := range []struct {
		field, text string
		to          *time.Duration
	}{
		{"limit", j.Limit, &s.Limit},
		{"hold", j.Hold, &s.Hold},
		{"sessionTimeout", j.SessionTimeout, &s.SessionTimeout},
		{"tick", j.Tick, &s.Tick},
	} {
		v, err := time.ParseDuration(d.text)
		if err != nil {
			return d.field, fmt.Errorf("%q is not a duration", d.text)
		}
		*d.to = v
	}
	var err error
	if j.ServerMutant != "" {
		if s.ServerMutant, err = zkmodel.ParseMutant(j.ServerMutant); err != nil {
			return "serverMutant", err
		}
	}
	if s.Faults, err = faults.ParseBudget(j.Faults); err != nil {
		return "faults", err
	}
	for _, t := range j.Plan {
		p, err := faults.ParseFault(t)
		if err != nil {
			return "plan", err
		}
		s.Plan = append(s.Plan, p)
	}
	return "", nil
}

// TraceLine is one line of a run's trace.
type TraceLine struct {
	At   time.Duration // virtual time
	Step int           // number of the kernel's transition, from 1
	Text string
}

// traceLines is the text of the last run's trace.
func (r *Runner) traceLines() []TraceLine {
	var lines []TraceLine
	for _, e := range r.Trace() {
		lines = append(lines, TraceLine{e.At, e.Step, e.Text})
	}
	return lines
}

// One is what one run showed, with its trace.
type One struct {
	Report RunReport
	Trace  []TraceLine
	// Same reports, for a replay, that the trace hash is the saved one.
	Same bool
	// Misfit says, for a replay, which choice no longer fits; nil if all do.
	Misfit error
	// Stale says, for a replay, a line each, what is no longer as the file says:
	// the choices, the hash, the property that fails, and why; then which
	// commit wrote the file.
	Stale []string
	// Operations is what the clients did to the recipe's object, nil if its
	// family has no model for it.
	Operations *Operations
}

// RunOnce makes one run of a scenario with the choices of a seed. If dir is
// not empty, it writes a replay file to dir/replays.
func RunOnce(s Scenario, seed uint64, dir string) (*One, error) {
	r, err := NewRunner(s)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.Record(true)
	rec := sim.NewRecorder(sim.NewRandom(seed))
	out := r.Run(rec)
	one := &One{Report: r.report(seed, out), Trace: r.traceLines(), Same: true, Operations: r.operations()}
	if dir != "" {
		f := ReplayFile{Scenario: s, Seed: seed, Hash: out.Hash, Tape: rec.Tape()}
		for _, x := range out.Results {
			if x.Verdict == checker.Failed && f.Property == "" {
				f.Property, f.Why = string(x.Property), x.Why
			}
		}
		one.Report.Replay = path.Join("replays", fmt.Sprintf("%s-%d.json", shortName(s.Variant), seed))
		err = f.Write(filepath.Join(dir, filepath.FromSlash(one.Report.Replay)))
	}
	return one, err
}

// Replay re-executes a saved counterexample with real tasks and keeps its
// trace.
func Replay(f *ReplayFile) (*One, error) {
	r, err := NewRunner(f.Scenario)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.Record(true)
	st := sim.NewReplay(f.Tape)
	out := r.Run(st)
	return &One{
		Report: r.report(f.Seed, out), Trace: r.traceLines(),
		Same: out.Hash == f.Hash && st.Err() == nil, Misfit: st.Err(), Stale: f.stale(&out, st.Err()),
		Operations: r.operations(),
	}, nil
}

// Tell makes the file's run again and tells it up to the moment at which its
// property fails.
func (f *ReplayFile) Tell() (*Story, error) {
	v, ok := ByName(f.Scenario.Variant)
	if !ok {
		return nil, fieldErr("variant", "unknown variant %q; allowed: %s", f.Scenario.Variant, variantNames())
	}
	return Tell(v, f.Scenario, f.Tape, checker.Property(f.Property))
}

// stale says what a run of the file's choices shows otherwise than the file.
func (f *ReplayFile) stale(out *Outcome, misfit error) []string {
	var lines []string
	if misfit != nil {
		lines = append(lines, misfit.Error())
	}
	if out.Hash != f.Hash {
		lines = append(lines, fmt.Sprintf("the trace hash is %s, the file says %s", FormatHash(out.Hash), FormatHash(f.Hash)))
	}
	for _, x := range out.Results {
		if string(x.Property) != f.Property {
			continue
		}
		switch {
		case x.Verdict != checker.Failed:
			lines = append(lines, fmt.Sprintf("%s: %s, the file says that it fails: %s", x.Property, x.Verdict, f.Why))
		case x.Why != f.Why:
			lines = append(lines, fmt.Sprintf("%s fails otherwise: %s; the file says: %s", x.Property, x.Why, f.Why))
		}
	}
	if now := buildCommit(); len(lines) > 0 && f.Commit != "" && f.Commit != now {
		lines = append(lines, fmt.Sprintf("the file was written by commit %s, this is %s", f.Commit, cmp.Or(now, "not known")))
	}
	return lines
}

// buildCommit is the commit that this program was built from, with +changes if
// the tree had others; "" if it is not known.
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	commit, changes := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changes = "+changes"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + changes
}
