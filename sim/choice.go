package sim

import "fmt"

// Label says what a choice is about; it makes tapes readable and a stale
// replay file detectable.
type Label string

// The kernel's labels. Apps and workloads add their own.
const (
	LabelLatency Label = "latency" // of a message
	LabelWake    Label = "wake"    // delay of a ready task
	LabelDraw    Label = "draw"    // a process asked for a number
	LabelMove    Label = "move"    // which transition is next (untimed mode)
	LabelResume  Label = "resume"  // whether a due timer waits for what has arrived
)

// Strategy fills the choices of runs.
type Strategy interface {
	// Begin prepares for a run.
	Begin()
	// Choose picks an alternative in [0, n), n >= 2; 0 is the most benign.
	Choose(label Label, n int) int
	// End closes the run that Begin opened; hash is that of its trace.
	End(hash uint64)
}

// Choice is one entry of a tape.
type Choice struct {
	Label Label
	N     int // number of alternatives
	V     int // the one taken
}

// Tape is the list of all choices of a run, in order.
type Tape []Choice

// Random is the strategy that draws every choice uniformly from a seed. Runs
// that begin with the same seed are equal.
type Random struct {
	seed, state uint64
}

// NewRandom returns a Random for the given seed.
func NewRandom(seed uint64) *Random {
	r := &Random{}
	r.Seed(seed)
	return r
}

// Seed sets the seed of the runs that follow.
func (r *Random) Seed(seed uint64) { r.seed = seed }

// Begin implements [Strategy].
func (r *Random) Begin() {
	var h Hash
	h.Uint64(r.seed)
	r.state = h.Sum()
}

// Choose implements [Strategy] with a splitmix64 step (Steele, Lea and Flood,
// "Fast splittable pseudorandom number generators", 2014).
func (r *Random) Choose(_ Label, n int) int {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	z ^= z >> 31
	return int((z >> 32) * uint64(n) >> 32)
}

// End implements [Strategy].
func (r *Random) End(uint64) {}

// Replay is the strategy that takes its choices from a tape. Past the end of
// the tape it takes alternative 0. Where the run asks for something else than
// the tape holds, Err says what no longer fits, and the run goes on with
// alternative 0.
type Replay struct {
	tape Tape
	pos  int
	err  error
}

// NewReplay returns a Replay of the given tape.
func NewReplay(tape Tape) *Replay { return &Replay{tape: tape} }

// Begin implements [Strategy].
func (r *Replay) Begin() { r.pos, r.err = 0, nil }

// Choose implements [Strategy].
func (r *Replay) Choose(label Label, n int) int {
	if r.err != nil || r.pos >= len(r.tape) {
		return 0
	}
	c := r.tape[r.pos]
	if c.Label != label || c.N != n {
		r.err = fmt.Errorf("choice %d: the tape holds %q of %d alternatives, the run asks for %q of %d",
			r.pos, c.Label, c.N, label, n)
		return 0
	}
	r.pos++
	return c.V
}

// End implements [Strategy].
func (r *Replay) End(uint64) {
	if r.err == nil && r.pos < len(r.tape) {
		r.err = fmt.Errorf("the run made %d choices, the tape holds %d", r.pos, len(r.tape))
	}
}

// Err says what did not fit, nil if the whole tape did.
func (r *Replay) Err() error { return r.err }

// Recorder is a wrapper that writes the choices of another strategy on a
// tape.
type Recorder struct {
	Strategy
	tape Tape
}

// NewRecorder wraps s.
func NewRecorder(s Strategy) *Recorder { return &Recorder{Strategy: s} }

// Begin implements [Strategy].
func (r *Recorder) Begin() {
	r.tape = r.tape[:0]
	r.Strategy.Begin()
}

// Choose implements [Strategy].
func (r *Recorder) Choose(label Label, n int) int {
	v := r.Strategy.Choose(label, n)
	r.tape = append(r.tape, Choice{label, n, v})
	return v
}

// Tape returns a copy of the choices since Begin.
func (r *Recorder) Tape() Tape { return append(Tape(nil), r.tape...) }
