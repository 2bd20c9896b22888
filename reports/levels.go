package reports

import (
	"fmt"
	"io"
	"strings"

	"zoosim/checker"
	"zoosim/scenarios"
)

// levels are the levels of the three verdicts, in the order of their marks.
func levels() []checker.Level {
	return []checker.Level{checker.LevelService, checker.LevelBelief, checker.LevelFenced}
}

// at is the verdict at a level.
func at(l scenarios.Levels, level checker.Level) checker.Verdict {
	switch level {
	case checker.LevelService:
		return l.Service
	case checker.LevelBelief:
		return l.Belief
	}
	return l.Fenced
}

// levelMark is the short form of a verdict.
func levelMark(v checker.Verdict) string {
	switch v {
	case checker.Pass:
		return "+"
	case checker.Failed:
		return "x"
	case checker.Unknown:
		return "?"
	}
	return "."
}

// levelMarks are the three verdicts that were found, in three marks, and with
// ! if one of them is not what is promised.
func levelMarks(c *scenarios.ClassLevels) string {
	s, bad := "", ""
	for _, l := range levels() {
		found, promised := at(c.Levels, l), at(c.Expected.Levels, l)
		s += levelMark(found)
		if found == checker.Failed && promised != checker.Failed && !c.Expected.May(l) {
			bad = "!"
		}
	}
	return s + bad
}

// promiseMarks are the three verdicts that are promised.
func promiseMarks(p *scenarios.Promise) string {
	s := ""
	for _, l := range levels() {
		if p.May(l) {
			s += "~"
		} else {
			s += levelMark(at(p.Levels, l))
		}
	}
	return s
}

// levelLegend explains the marks.
func levelLegend() [2]string {
	return [2]string{
		"three marks: service (the server keeps its guarantees), belief (beliefs do not clash), fenced (tokens protect)",
		"+ pass  x fail  ? not decided  ~ pass, a failure is possible and seldom met  . n/a  ! not as promised",
	}
}

// levelTable is what was found and what is promised: two rows a variant, a
// column a fault class.
func levelTable(r *scenarios.CompareReport) table {
	t := table{Head: append([]string{"variant"}, classesOf(r)...), split: true}
	for i := range r.Variants {
		v := &r.Variants[i]
		found := []cell{plain(short(r.Family, v.Variant))}
		promised := []cell{plain("- promised")}
		for _, class := range classesOf(r) {
			f, p := plain("-"), plain("-")
			for k := range v.Levels {
				if c := &v.Levels[k]; c.Faults == class {
					f, p = plain(levelMarks(c)), plain(promiseMarks(&c.Expected))
					p.Title = strings.Join(c.Expected.Why, "; ")
				}
			}
			found, promised = append(found, f), append(promised, p)
		}
		t.add(found...)
		t.add(promised...)
	}
	return t
}

// levelsTitle stands over the table.
const levelsTitle = "The three verdicts, found and promised"

// levelsOverview writes the table and its legend.
func levelsOverview(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "\n%s\n\n", levelsTitle)
	t := levelTable(r)
	t.text(w)
	fmt.Fprintln(w)
	for _, l := range levelLegend() {
		fmt.Fprintln(w, l)
	}
}

// PromiseText writes the table of what variants promise: a row a variant, a
// column a fault class, and what is behind each failure.
func PromiseText(w io.Writer, names []string, promises [][]scenarios.Promise) {
	t := table{Head: []string{"variant"}, split: true}
	for i := range promises {
		row := []cell{plain(names[i])}
		for k := range promises[i] {
			if i == 0 {
				t.Head = append(t.Head, promises[i][k].Faults)
			}
			row = append(row, plain(promiseMarks(&promises[i][k])))
		}
		t.add(row...)
	}
	t.text(w)
	for _, l := range levelLegend() {
		fmt.Fprintln(w, l)
	}
}

// levelsText says the three verdicts and the fault class in one line.
func levelsText(l scenarios.Levels, class string) string {
	words := make([]string, 0, 3)
	for _, level := range levels() {
		v := at(l, level)
		if v == "" {
			v = checker.NotApplicable
		}
		words = append(words, string(level)+" "+verdictWord(v))
	}
	if class == "" {
		class = scenarios.NoFaults
	}
	return strings.Join(words, ", ") + "; fault class " + clean(class)
}
