package reports

import (
	"fmt"
	"io"
	"strconv"

	"zoosim/checker"
	"zoosim/scenarios"
)

// verdictsText writes verdicts.txt: the overview, a matrix a variant, and
// what is behind each failure.
func verdictsText(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "%s\n\n", compareTitle(r))
	o := overview(r)
	o.text(w)
	fmt.Fprintln(w)
	overviewLegend(w)
	levelsOverview(w, r)
	for _, v := range r.Variants {
		fmt.Fprintf(w, "\n%s\n\n", variantTitle(v))
		t := newMatrix(v, classesOf(r)).table()
		t.text(w)
	}
	fmt.Fprintln(w)
	l := wordLegend()
	l.text(w)
	if f := failures(r); len(f.Rows) > 0 {
		fmt.Fprint(w, "\nFailed or not decided\n\n")
		f.text(w)
	}
	fmt.Fprint(w, "\nDifferent from the expectation table\n\n")
	unexpectedLines(w, r, "%s\n", "nothing\n", clean)
}

// verdictsMarkdown writes verdicts.md, the same.
func verdictsMarkdown(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "# Verdicts\n\n%s\n\n", markdownText(compareTitle(r)))
	o := overview(r)
	o.markdown(w)
	fmt.Fprintf(w, "\n%s\n", markdownText(propertyLegend()))
	for _, l := range markLegend() {
		fmt.Fprintf(w, "\n%s\n", markdownText(l))
	}
	fmt.Fprintf(w, "\n## %s\n\n", levelsTitle)
	l := levelTable(r)
	l.markdown(w)
	for _, line := range levelLegend() {
		fmt.Fprintf(w, "\n%s\n", markdownText(line))
	}
	for _, v := range r.Variants {
		fmt.Fprintf(w, "\n## %s\n\n", markdownText(variantTitle(v)))
		t := newMatrix(v, classesOf(r)).table()
		t.markdown(w)
	}
	fmt.Fprint(w, "\n## Legend\n\n")
	l = wordLegend()
	l.markdown(w)
	if f := failures(r); len(f.Rows) > 0 {
		fmt.Fprint(w, "\n## Failed or not decided\n\n")
		f.markdown(w)
	}
	fmt.Fprint(w, "\n## Different from the expectation table\n\n")
	unexpectedLines(w, r, "- %s\n", "Nothing.\n", markdownText)
}

func variantTitle(v scenarios.VariantReport) string {
	if v.Correct {
		return clean(v.Variant) + " (correct)"
	}
	return clean(v.Variant) + " (has known faults)"
}

// unexpectedLines writes the report's lines, escaped, in a format, or another
// text if there are none.
func unexpectedLines(w io.Writer, r *scenarios.CompareReport, format, none string, escape func(string) string) {
	for _, u := range r.Unexpected {
		fmt.Fprintf(w, format, escape(u))
	}
	if len(r.Unexpected) == 0 {
		fmt.Fprint(w, none)
	}
}

// failures lists what failed or was not decided, and why.
func failures(r *scenarios.CompareReport) table {
	t := table{Head: []string{"variant", "faults", "property", "verdict", "runs", "replay", "why"}}
	for _, v := range r.Variants {
		for i := range v.Verdicts {
			c := &v.Verdicts[i]
			if c.Verdict != checker.Failed && c.Verdict != checker.Unknown {
				continue
			}
			s := standingOf(c)
			t.add(plain(short(r.Family, v.Variant)), plain(c.Faults), plain(string(c.Property)),
				cell{Text: s.word(), Class: s.class()}, plain(counts(c)),
				cell{Text: orDash(c.Replay), Link: fileLink(c.Replay)}, plain(c.Why))
		}
	}
	return t
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// verdictsTable is verdicts.csv: a row a variant, class and property.
func verdictsTable(r *scenarios.CompareReport) table {
	t := table{Head: []string{
		"variant", "correct", "faults", "property", "level", "verdict", "expected",
		"runs", "vacuous", "failures", "seed", "replay", "why",
	}}
	for _, v := range r.Variants {
		for _, c := range v.Verdicts {
			t.add(plain(v.Variant), plain(strconv.FormatBool(v.Correct)), plain(c.Faults),
				plain(string(c.Property)), plain(string(c.Level)), plain(string(c.Verdict)), plain(string(c.Expected)),
				plain(strconv.Itoa(c.Runs)), plain(strconv.Itoa(c.Vacuous)), plain(strconv.Itoa(c.Failures)),
				plain(strconv.FormatUint(c.Seed, 10)), plain(c.Replay), plain(c.Why))
		}
	}
	return t
}
