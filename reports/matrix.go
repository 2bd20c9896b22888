package reports

import (
	"fmt"
	"slices"

	"zoosim/checker"
	"zoosim/scenarios"
)

// matrix holds the verdicts on one variant: a row a property, a column a
// fault class.
type matrix struct {
	variant    scenarios.VariantReport
	classes    []string
	properties []checker.Property
}

// newMatrix orders properties as the checker does, others behind them. The
// classes are those of the report.
func newMatrix(v scenarios.VariantReport, classes []string) matrix {
	m := matrix{variant: v, classes: classes}
	for _, p := range scenarios.AllProperties() {
		if slices.ContainsFunc(v.Verdicts, func(c scenarios.ClassVerdict) bool { return c.Property == p }) {
			m.properties = append(m.properties, p)
		}
	}
	for _, c := range v.Verdicts {
		if !slices.Contains(m.properties, c.Property) {
			m.properties = append(m.properties, c.Property)
		}
	}
	return m
}

// classesOf are the classes of a report and any that only verdicts name.
func classesOf(r *scenarios.CompareReport) []string {
	cs := slices.Clone(r.Classes)
	for _, v := range r.Variants {
		for _, c := range v.Verdicts {
			if !slices.Contains(cs, c.Faults) {
				cs = append(cs, c.Faults)
			}
		}
	}
	return cs
}

// at is the verdict on a property under a class, nil if there is none.
func (m matrix) at(p checker.Property, class string) *scenarios.ClassVerdict {
	for i := range m.variant.Verdicts {
		if v := &m.variant.Verdicts[i]; v.Property == p && v.Faults == class {
			return v
		}
	}
	return nil
}

// table shows the matrix in words.
func (m matrix) table() table {
	t := table{Head: append([]string{"property"}, m.classes...), split: true}
	for _, p := range m.properties {
		row := []cell{plain(string(p))}
		for _, class := range m.classes {
			v := m.at(p, class)
			s := standingOf(v)
			c := cell{Text: s.word(), Class: s.class(), Title: s.meaning()}
			if v != nil {
				c.Link, c.Title = fileLink(v.Replay), why(v)
			}
			row = append(row, c)
		}
		t.add(row...)
	}
	return t
}

// why says in one line what is behind a verdict.
func why(v *scenarios.ClassVerdict) string {
	s := counts(v)
	if v.Vacuous > 0 {
		s += fmt.Sprintf(", in %d no fault changed anything", v.Vacuous)
	}
	if v.Expected != "" && v.Expected != v.Verdict {
		s += "; expected " + string(v.Expected)
	}
	if v.Why != "" {
		s = v.Why + " (" + s + ")"
	}
	return s
}

// marks is the short form of all verdicts under a class.
func (m matrix) marks(class string) (text string, worst standing) {
	judged := notJudged
	for _, p := range m.properties {
		s := standingOf(m.at(p, class))
		text += s.mark(p)
		if worst = max(worst, s); s == passed || s == vacuous {
			judged = max(judged, s)
		}
	}
	switch {
	case text != "":
		return text, worst
	case judged == passed:
		return "ok", passed
	case judged == vacuous:
		return "vac", vacuous
	}
	return "-", notJudged
}

// overview is the table of all variants: a row a variant, a column a fault
// class, in each cell the properties that failed.
func overview(r *scenarios.CompareReport) table {
	classes := classesOf(r)
	t := table{Head: append([]string{"variant"}, classes...), split: true}
	for _, v := range r.Variants {
		m := newMatrix(v, classes)
		row := []cell{plain(short(r.Family, v.Variant))}
		for _, class := range classes {
			text, s := m.marks(class)
			row = append(row, cell{Text: text, Class: s.class()})
		}
		t.add(row...)
	}
	return t
}
