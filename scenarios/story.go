package scenarios

import (
	"fmt"
	"strings"
	"time"

	"zoosim/checker"
	"zoosim/faults"
	"zoosim/sim"
	"zoosim/zkmodel"
)

// Story tells a run up to the moment at which a property failed.
//
// Znodes below the lock's directory are called n0, n1, ... in order of their
// creation. A line is one transition, as the counts of a counterexample have
// it: a client takes a message, or a timer that resumes it, and runs to its
// next wait; the server serves a request; a fault; an expiry. What is none
// (connects, closes, a fault that has not changed anything yet, and what a
// client does when something else came between) has no number.
type Story struct {
	Title string
	Lines []StoryLine
	// Verdict is what failed, and how.
	Verdict string
	// Transitions counts the numbered lines, Steps the recipe requests that the
	// server applied (none that makes the directory), the watch events that it
	// sent, and the time limits and session events that ended a recipe's wait.
	Transitions, Steps int

	untimed bool
	onStore bool
	clients int
	znodes  int // below the lock's directory so far
}

// StoryLine is one line of a story.
type StoryLine struct {
	N     int // number of the transition, 0 for none
	At    time.Duration
	Actor string // a client, "server" or "store", "fault" or "resource"
	Text  string
	arrow arrow
}

// arrow is what a line is in a sequence diagram: a message with notes, or,
// where from is empty, one note.
type arrow struct {
	from, to string
	style    string
	text     string   // of the message
	notes    []string // what the line adds to it
}

// String is the line without its number.
func (l *StoryLine) String() string { return l.Actor + ": " + l.Text }

// Text is the story as lines of text.
func (s *Story) Text() []string {
	lines := []string{
		s.Title,
		plural(s.Transitions, "transition") + ", " + plural(s.Steps, "step"),
		"",
	}
	for i := range s.Lines {
		l := &s.Lines[i]
		number := ""
		if l.N > 0 {
			number = fmt.Sprint(l.N)
		}
		at := ""
		if !s.untimed {
			at = fmt.Sprintf("%10.4fs  ", l.At.Seconds())
		}
		lines = append(lines, fmt.Sprintf("%4s %s%s", number, at, l))
	}
	return append(lines, "", s.Verdict)
}

// Tell makes the run of a counterexample and tells it. v is its variant.
func Tell(v Variant, s Scenario, tape sim.Tape, p checker.Property) (*Story, error) {
	w, err := newWitness(v, s)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return w.tell(sim.NewReplay(tape), p), nil
}

// tell makes a run of the witness's scenario and tells it.
func (w *witness) tell(st sim.Strategy, p checker.Property) *Story {
	w.watch(p, false)
	w.Record(true)
	w.teller = &teller{}
	out := w.watchRun(st)
	story := &w.teller.story
	w.Record(false)
	w.teller = nil
	story.Steps, story.untimed = w.steps, w.Runner.s.Untimed
	story.Title = storyTitle(&w.Runner.s, w.plan.String())
	story.Verdict = "nothing fails"
	for _, x := range out.Results {
		if x.Property == p {
			story.Verdict = fmt.Sprintf("%s: %s", p, x.Verdict)
			if x.Why != "" {
				story.Verdict += ": " + x.Why
			}
		}
	}
	return story
}

// storyTitle says what a run is about.
func storyTitle(s *Scenario, plan string) string {
	t := fmt.Sprintf("%s, %s, %s each, %s", s.Variant, plural(s.Clients, "client"), plural(s.Ops, "acquire"), s.Mode)
	if s.Servers > 1 {
		t += ", " + plural(s.Servers, "server")
	}
	if s.ServerMutant != zkmodel.NoMutant {
		t += ", server mutant " + s.ServerMutant.String()
	}
	if s.Untimed && s.Faults != (faults.Budget{}) {
		return t + ", at most the faults " + s.Faults.String()
	}
	if plan == "" {
		return t + ", no faults"
	}
	return t + ", faults " + strings.ReplaceAll(plan, " ", ", ")
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
