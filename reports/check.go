package reports

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"zoosim/checker"
	"zoosim/scenarios"
)

// CheckText writes what a terminal shows after a search: the verdict on each
// property, the known faults that were met, and for each counterexample its
// size and the line that replays it.
func CheckText(w io.Writer, r *scenarios.CheckReport) {
	fmt.Fprintln(w, checkTitle(r))
	fmt.Fprintf(w, "within: %s\n", clean(boundsText(&r.Bounds)))
	if r.Bounds.NoCheckpoints != "" {
		fmt.Fprintf(w, "without some checkpoints: %s\n", clean(r.Bounds.NoCheckpoints))
	}
	if r.Bounds.NoSymmetry != "" {
		fmt.Fprintf(w, "without symmetry: %s\n", clean(r.Bounds.NoSymmetry))
	}
	fmt.Fprintln(w)
	t := table{Head: []string{"property", "level", "verdict", "runs failed", "why"}}
	for _, v := range r.Verdicts {
		failed := "-"
		if v.Verdict != checker.NotApplicable {
			failed = strconv.Itoa(v.Failures)
		}
		t.add(plain(string(v.Property)), plain(string(v.Level)), plain(verdictWord(v.Verdict)), right(failed), plain(v.Why))
	}
	t.text(w)
	fmt.Fprintf(w, "\n%s\n", levelsText(r.Levels, r.Class))
	for i := range r.Violations {
		v := &r.Violations[i]
		fmt.Fprintf(w, "%s fails with %s\n", v.Property, sizeText(v))
		if v.Replay != "" {
			fmt.Fprintf(w, "  %s\n", clean(replayLine(r.Out, v.Replay)))
		}
	}
	if len(r.Livelock) > 0 {
		fmt.Fprintln(w, "livelock suspected; this goes on for ever:")
		for _, line := range r.Livelock {
			fmt.Fprintf(w, "  %s\n", clean(line))
		}
	}
	metFindings(w, r)
	if len(r.Marks) > 0 {
		fmt.Fprintf(w, "%d of %s hit\n", hitMarks(r), count(len(r.Marks), "mark"))
	}
	if r.Interrupted {
		fmt.Fprintln(w, "interrupted: this is what was known")
	}
}

func checkTitle(r *scenarios.CheckReport) string {
	what := count(r.Runs, "run")
	if r.States > 0 {
		what = count(r.States, "state")
	}
	switch {
	case r.Complete:
		what += ", complete"
	case r.States > 0:
		what += fmt.Sprintf(", NOT complete: %d known and not expanded, %d paths cut short", r.Bounds.CutStates, r.Bounds.CutDepth)
	}
	return fmt.Sprintf("%s, strategy %s: %s", clean(r.Variant), clean(r.Strategy), what)
}

// boundsText says on one line within which bounds a search was made.
func boundsText(b *scenarios.BoundsReport) string {
	s := fmt.Sprintf("%s, %s each, mode %s, limit %s, hold %s, faults %s, first seed %d",
		sizesText(b), count(b.Ops, "acquire"), b.Mode, b.Limit, b.Hold, b.Faults, b.Seed)
	if b.Reductions != "" {
		s += ", reductions " + b.Reductions
	}
	if b.Runs > 0 && b.Reductions != "" {
		s += ", at most " + count(b.Runs, "state")
	} else if b.Runs > 0 {
		s += ", at most " + count(b.Runs, "run")
	}
	if b.Budget != "0s" {
		s += ", at most " + b.Budget
	}
	return s
}

// sizesText says how many there are of all that a search is about.
func sizesText(b *scenarios.BoundsReport) string {
	some := func(list ...string) []string {
		return slices.DeleteFunc(list, func(s string) bool { return strings.HasPrefix(s, "0 ") })
	}
	all := []string{count(b.Clients, "client")}
	roles := some(count(b.Writers, "writer"), count(b.Readers, "reader"), count(b.Producers, "producer"), count(b.Consumers, "consumer"),
		count(b.Members, "member"), count(b.Observers, "observer"))
	if len(roles) > 0 {
		all[0] += " (" + strings.Join(roles, ", ") + ")"
	}
	all = append(all, some(count(b.Servers, "server"), count(b.Leases, "lease"))...)
	if b.Permits > 1 {
		all = append(all, fmt.Sprintf("%d for each acquire", b.Permits))
	}
	if b.Stock > 0 {
		all = append(all, fmt.Sprintf("stock %d", b.Stock))
	}
	return strings.Join(all, ", ")
}

// sizeText is the size of a counterexample.
func sizeText(v *scenarios.ViolationReport) string {
	with := "no faults"
	if len(v.Faults) > 0 {
		with = clean(strings.Join(v.Faults, ", "))
	}
	return fmt.Sprintf("%s, %s: %s, %s", count(v.Clients, "client"), with, count(v.Transitions, "transition"), count(v.Steps, "step"))
}

// metFindings tells which known faults were met.
func metFindings(w io.Writer, r *scenarios.CheckReport) {
	for i := range r.Findings {
		f := &r.Findings[i]
		if !f.Found {
			fmt.Fprintf(w, "known fault %s was not met: %s\n", clean(f.ID), clean(f.Title))
			continue
		}
		fmt.Fprintf(w, "known fault %s met: %s\n  %s\n", clean(f.ID), clean(f.Title), sizeText(&f.ViolationReport))
		if f.Replay != "" {
			fmt.Fprintf(w, "  %s\n", clean(replayLine(r.Out, f.Replay)))
		}
	}
}

func hitMarks(r *scenarios.CheckReport) int {
	n := 0
	for _, name := range sortedKeys(r.Marks) {
		if r.Marks[name] > 0 {
			n++
		}
	}
	return n
}
