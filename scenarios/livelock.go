package scenarios

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"zoosim/checker"
	"zoosim/sim"
)

// LivelockOptions are the settings of [FindLivelock]. The zero value is ready
// to use.
type LivelockOptions struct {
	// Walks is the number of walks; default 64. Seed is that of the first.
	Walks int
	Seed  uint64
	// Fair is the number of fair steps without the end of an operation after
	// which a livelock is suspected; default 1,500. A walk draws the length of
	// what comes before them, at most Before steps; default 200.
	Fair, Before int
	_            struct{}
}

// Livelock is a run that goes on for ever without an operation coming to its
// end: what happens in the block repeats, but for zxids, sequence numbers,
// GUIDs and times.
type Livelock struct {
	// Before counts the transitions before the fair ones, Steps all of them,
	// Period those of the block.
	Before, Steps, Period int
	// Block is one turn of what repeats, as a trace tells it.
	Block []string
	// Scenario and Tape repeat the run.
	Scenario Scenario
	Tape     sim.Tape
	Hash     uint64
}

// Why says it in a sentence.
func (l *Livelock) Why() string {
	return fmt.Sprintf("%d transitions repeat and no operation comes to its end", l.Period)
}

// FindLivelock looks for a livelock by walks in untimed mode: a random part, in
// which faults may strike, and a fair one without faults, in which whatever can
// happen and has waited longest happens next. It returns nil if no walk shows
// one; that is no proof.
func FindLivelock(ctx context.Context, v Variant, s Scenario, o LivelockOptions) (*Livelock, error) {
	s.Untimed, s.Moves = true, 0
	if err := s.validate(&v); err != nil {
		return nil, err
	}
	setDefault(&o.Walks, 64)
	setDefault(&o.Fair, 1500)
	setDefault(&o.Before, 200)
	r := makeRunner(v, s)
	defer r.Close()
	r.keepHistory = false
	w := walk{r: r, o: &o}
	for n := range o.Walks {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		w.random = sim.NewRandom(o.Seed + uint64(n))
		if l := w.run(); l != nil {
			return l, nil
		}
	}
	return nil, nil
}

func setDefault(p *int, v int) {
	if *p == 0 {
		*p = v
	}
}

// walk is one walk.
type walk struct {
	r      *Runner
	o      *LivelockOptions
	random *sim.Random

	before int // transitions that are drawn
	steps  int
	idle   int // fair steps since an operation ended
	ended  int // operations that have
	turns  []turn
	tape   sim.Tape
}

// turn is when something last happened.
type turn struct {
	what move
	at   int
}

// run makes a walk. One that shows a livelock is made again with a trace.
func (w *walk) run() *Livelock {
	if !w.carryOut() {
		return nil
	}
	r := w.r
	tape := append(sim.Tape(nil), w.tape...)
	s := r.s
	s.Moves = w.steps
	l := &Livelock{Before: w.before, Steps: w.steps, Scenario: s, Tape: tape}
	replay := makeRunner(r.variant, s)
	defer replay.Close()
	replay.Record(true)
	l.Hash = replay.Run(sim.NewReplay(tape)).Hash
	l.Period, l.Block = repeats(replay.Trace())
	if l.Period == 0 {
		return nil
	}
	return l
}

// carryOut reports whether the walk went on for o.Fair fair steps without the
// end of an operation.
func (w *walk) carryOut() bool {
	r := w.r
	w.random.Begin()
	w.steps, w.idle, w.turns, w.tape = 0, 0, w.turns[:0], w.tape[:0]
	w.before = w.random.Choose(sim.LabelMove, w.o.Before+1)
	r.beginUntimed(nil, nil)
	w.ended = r.operationsEnded
	r.finishUntimed(w.pick)
	return w.idle >= w.o.Fair
}

// pick selects the next transition.
func (w *walk) pick(all []move) int {
	if w.idle >= w.o.Fair || all[0].kind == moveEnd {
		return -1
	}
	at := 0
	if w.steps < w.before {
		if len(all) > 1 {
			at = w.random.Choose(sim.LabelMove, len(all))
		}
	} else {
		if w.r.operationsEnded != w.ended {
			w.idle, w.ended = 0, w.r.operationsEnded
		}
		w.idle++
		if at = w.fair(all); at < 0 {
			return -1
		}
	}
	w.steps++
	if len(all) > 1 {
		w.tape = append(w.tape, sim.Choice{Label: sim.LabelMove, N: len(all), V: at})
	}
	return at
}

// fair is the transition, no fault, that has waited longest for its turn.
func (w *walk) fair(all []move) int {
	best, last := -1, 0
	for i := range all {
		if all[i].kind == moveFault {
			continue
		}
		if at := w.turn(&all[i]).at; best < 0 || at < last {
			best, last = i, at
		}
	}
	if best >= 0 {
		w.turn(&all[best]).at = w.steps + 1
	}
	return best
}

// turn is when a transition of this kind last happened.
func (w *walk) turn(m *move) *turn {
	what := *m
	what.kernel = sim.Move{Kind: m.kernel.Kind, Proc: m.kernel.Proc, A: m.kernel.A, B: m.kernel.B}
	for i := range w.turns {
		if w.turns[i].what == what {
			return &w.turns[i]
		}
	}
	w.turns = append(w.turns, turn{what: what})
	return &w.turns[len(w.turns)-1]
}

// repeats looks for a block of transitions at the end of a trace that is there
// three times, but for numbers and GUIDs, which are renamed in the order in
// which they come. It returns how many transitions the shortest one has.
func repeats(trace []sim.Entry) (period int, block []string) {
	lines, short := make([]string, len(trace)), make([]string, len(trace))
	for i := range trace {
		lines[i] = trace[i].Text
		short[i] = listing.ReplaceAllStringFunc(lines[i], func(s string) string {
			return fmt.Sprintf("[%d names]", len(strings.Fields(s)))
		})
	}
	end := len(lines)
	for n := 1; 3*n <= end; n++ {
		last := renamed(short[end-n:])
		if renamed(short[end-2*n:end-n]) == last && renamed(short[end-3*n:end-2*n]) == last {
			from := end - n
			return trace[len(trace)-1].Step - trace[from-1].Step, lines[from:]
		}
	}
	return 0, nil
}

// nameLike is what may differ between two turns of what repeats.
var nameLike = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|0x[0-9a-f]+|[0-9]+`)

// listing is a list of names, whose order the server leaves open.
var listing = regexp.MustCompile(`\[[^\]\n]*\]`)

// renamed is a block with its numbers renamed; of a listing it tells the length.
func renamed(lines []string) string {
	names := map[string]string{}
	return nameLike.ReplaceAllStringFunc(strings.Join(lines, "\n"), func(s string) string {
		if names[s] == "" {
			names[s] = fmt.Sprint("#", len(names)+1)
		}
		return names[s]
	})
}

// endsOperation reports whether an event is the end of an operation.
func endsOperation(k checker.Kind) bool {
	switch k {
	case checker.Invoke, checker.ReleaseInvoke, checker.ViewShow, checker.ViewOpen, checker.ViewHide:
		return false
	}
	return true
}
