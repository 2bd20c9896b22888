package reports

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"zoosim/checker"
	"zoosim/scenarios"
)

// terminalWidth is the width that the terminal's texts keep where names and
// paths allow it.
const terminalWidth = 120

// CompareText writes what a terminal shows after a comparison: the overview
// of the verdicts, the findings, what differs from the expectation table, and
// where the report folder is.
func CompareText(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "%s\n\n", compareTitle(r))
	o := overview(r)
	o.text(w)
	fmt.Fprintln(w)
	overviewLegend(w)
	levelsOverview(w, r)
	if len(r.Findings) > 0 {
		fmt.Fprintf(w, "\n%s\n", findingsTitle(r))
		for _, l := range findingLines(r) {
			fmt.Fprintln(w, l)
		}
	}
	fmt.Fprintln(w)
	unexpectedLines(w, r, "unexpected  %s\n", "every result is as the expectation table says\n", clean)
	for _, l := range unexpectedReplays(r, r.Out) {
		fmt.Fprintf(w, "unexpected  %s\n", l)
	}
	reportFolder(w, r.Out)
}

// findingLines writes a line a finding. The reason is cut where the line
// would not fit, the command that replays it never.
func findingLines(r *scenarios.CompareReport) []string {
	t := table{}
	for _, f := range r.Findings {
		t.add(plain(foundWord(f.Found)), plain(f.ID), plain(string(f.Property)), plain(f.Faults))
	}
	t.Head = make([]string, 4)
	var b strings.Builder
	t.text(&b)
	starts := strings.Split(b.String(), "\n")[1:]
	lines := make([]string, len(r.Findings))
	const least = 40 // runes of a reason that are always shown
	for i, f := range r.Findings {
		reason, end := clean(f.Why), clean(replayLine(r.Out, f.Replay))
		if !f.Found {
			reason, end = fmt.Sprintf("not in %s: %s", count(f.Runs, "run"), clean(f.Title)), ""
		} else if end != "" {
			end = "  " + end
		}
		start := padTo(starts[i], starts) + "  "
		room := terminalWidth - utf8.RuneCountInString(start) - utf8.RuneCountInString(end)
		lines[i] = strings.TrimRight(start+elide(reason, max(room, least))+end, " ")
	}
	return lines
}

// padTo widens a line to the widest of them.
func padTo(s string, of []string) string {
	width := 0
	for _, o := range of {
		width = max(width, utf8.RuneCountInString(o))
	}
	return fmt.Sprintf("%-*s", width, s)
}

func reportFolder(w io.Writer, dir string) {
	if dir != "" {
		fmt.Fprintf(w, "report: %s\n", clean(dir))
	}
}

// SweepText writes what a terminal shows after a sweep: the numbers of each
// quantity, and where the report folder is.
func SweepText(w io.Writer, r *scenarios.SweepReport) {
	fmt.Fprintf(w, "%s\n", sweepTitle(r))
	for _, q := range quantities() {
		fmt.Fprintf(w, "\n%s\n", q.axis)
		t := quantityTable(r, q)
		t.text(w)
	}
	if r.Out != "" {
		fmt.Fprintln(w)
	}
	reportFolder(w, r.Out)
}

// RunText writes what a terminal shows after a run: the verdicts, what was
// planned to go wrong and what it changed, the metrics, and the line that
// replays it.
func RunText(w io.Writer, r *scenarios.RunReport) {
	fmt.Fprintf(w, "%s, seed %d: %s, %s ms of virtual time, hash %s\n\n",
		clean(r.Variant), r.Seed, count(r.Transitions, "transition"), num(r.VirtualMS), clean(r.Hash))
	t := table{Head: []string{"property", "level", "verdict", "why"}}
	for _, v := range r.Verdicts {
		t.add(plain(string(v.Property)), plain(string(v.Level)), plain(verdictWord(v.Verdict)), plain(v.Why))
	}
	t.text(w)
	fmt.Fprintf(w, "\n%s\n", levelsText(r.Levels, r.Class))
	faultLines(w, r)
	m := r.Metrics
	fmt.Fprintf(w, "%s, %s; %s, at most %d a release, %d wasted; %s\n",
		count(int(m.Acquisitions), "acquisition"), count(int(m.Releases), "release"),
		count(int(m.Notifications), "notification"), m.MaxFanOut, m.WastedWakeups, count(int(m.Overtakes), "overtake"))
	fmt.Fprintf(w, "starvation: one acquire overtaken %d times at most, longest wait %s ms, %s ms unserved\n",
		m.MaxOvertaken, num(m.WaitMaxMS), num(m.WaitUnservedMS))
	fmt.Fprintf(w, "requests:%s; %d bytes of listings\n", requestWords(m.Requests), m.ListingBytes)
	fmt.Fprintf(w, "waits: median %s ms, p95 %s ms, p99 %s ms\n", num(m.WaitMedianMS), num(m.WaitP95MS), num(m.WaitP99MS))
	fmt.Fprintf(w, "%s left below the lock's directory\n", count(r.Nodes, "znode"))
	if r.Replay != "" {
		fmt.Fprintln(w, clean(replayLine("", r.Replay)))
	}
}

// verdictWord makes a failure stand out.
func verdictWord(v checker.Verdict) string {
	if v == checker.Failed {
		return "FAIL"
	}
	return string(v)
}

// faultLines says what was planned to go wrong and what it changed.
func faultLines(w io.Writer, r *scenarios.RunReport) {
	if len(r.Plan) > 0 {
		fmt.Fprintf(w, "plan: %s\n", clean(strings.Join(r.Plan, ", ")))
	}
	for _, f := range r.Faults {
		fmt.Fprintf(w, "%s: struck %d, changed something %d\n", clean(f.Kind), f.Struck, f.Bitten)
	}
	if r.Vacuous {
		fmt.Fprintln(w, "vacuous: no fault changed anything")
	}
}

func requestWords(requests map[string]int64) string {
	s, total := "", int64(0)
	for _, k := range sortedKeys(requests) {
		s += " " + clean(k) + " " + strconv.FormatInt(requests[k], 10)
		total += requests[k]
	}
	if s == "" {
		return " none"
	}
	return " " + strconv.FormatInt(total, 10) + " in all," + s
}
