package reports

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"zoosim/scenarios"
)

// findingsTable lists the known faults: found or not, and where.
func findingsTable(r *scenarios.CompareReport) table {
	t := table{Head: []string{"found", "id", "variant", "property", "faults", "runs", "seed", "replay", "title", "why"}}
	for _, f := range r.Findings {
		seed := "-"
		if f.Found {
			seed = strconv.FormatUint(f.Seed, 10)
		}
		t.add(cell{Text: foundWord(f.Found), Class: foundWord(f.Found)}, plain(f.ID), plain(short(r.Family, f.Variant)),
			plain(string(f.Property)), plain(f.Faults), right(strconv.Itoa(f.Runs)), right(seed),
			cell{Text: orDash(f.Replay), Link: fileLink(f.Replay)}, plain(f.Title), plain(orDash(f.Why)))
	}
	return t
}

// findingsCSV is the table with every field as it is.
func findingsCSV(r *scenarios.CompareReport) table {
	t := table{Head: []string{"id", "variant", "property", "faults", "found", "runs", "seed", "hash", "replay", "title", "why"}}
	for _, f := range r.Findings {
		t.add(plain(f.ID), plain(f.Variant), plain(string(f.Property)), plain(f.Faults),
			plain(strconv.FormatBool(f.Found)), plain(strconv.Itoa(f.Runs)), plain(strconv.FormatUint(f.Seed, 10)),
			plain(f.Hash), plain(f.Replay), plain(f.Title), plain(f.Why))
	}
	return t
}

func foundWord(found bool) string {
	if found {
		return "found"
	}
	return "missed"
}

// findingsTitle says how many known faults were found.
func findingsTitle(r *scenarios.CompareReport) string {
	n := 0
	for _, f := range r.Findings {
		if f.Found {
			n++
		}
	}
	return fmt.Sprintf("%d of %s found", n, count(len(r.Findings), "known fault"))
}

// replayLines are the lines that replay the findings of a report folder, in
// their order.
func replayLines(r *scenarios.CompareReport, dir string) []string {
	var ls []string
	for _, f := range r.Findings {
		if f.Found {
			ls = appendNew(ls, clean(replayLine(dir, f.Replay)))
		}
	}
	return ls
}

// unexpectedReplays are the lines that replay failures which are not expected
// and which no finding replays.
func unexpectedReplays(r *scenarios.CompareReport, dir string) []string {
	ls := replayLines(r, dir)
	known := len(ls)
	for _, v := range r.Variants {
		for i := range v.Verdicts {
			if c := &v.Verdicts[i]; standingOf(c) == failedUnexpected {
				ls = appendNew(ls, clean(replayLine(dir, c.Replay)))
			}
		}
	}
	return ls[known:]
}

// appendNew appends a line that is not empty and not there yet.
func appendNew(ls []string, l string) []string {
	if l == "" || slices.Contains(ls, l) {
		return ls
	}
	return append(ls, l)
}

// findingsText writes findings.txt.
func findingsText(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "%s\n\n", findingsTitle(r))
	t := findingsTable(r)
	t.text(w)
	if ls := replayLines(r, here); len(ls) > 0 {
		fmt.Fprint(w, "\nTo replay them, in this folder:\n\n")
		for _, l := range ls {
			fmt.Fprintf(w, "    %s\n", l)
		}
	}
}

// findingsMarkdown writes findings.md.
func findingsMarkdown(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "# Findings\n\n%s.\n\n", findingsTitle(r))
	t := findingsTable(r)
	t.markdown(w)
	if ls := replayLines(r, here); len(ls) > 0 {
		fmt.Fprint(w, "\nTo replay them, in this folder:\n\n")
		for _, l := range ls {
			fmt.Fprintf(w, "    %s\n", l)
		}
	}
}
