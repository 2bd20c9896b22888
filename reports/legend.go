package reports

import (
	"fmt"
	"io"

	"zoosim/scenarios"
)

// propertyLegend explains the letters of the properties.
func propertyLegend() string {
	s := ""
	for i, l := range letters {
		if i > 0 {
			s += "  "
		}
		s += l.upper + " " + string(l.property)
	}
	return s
}

// markLegend explains the marks.
func markLegend() [2]string {
	return [2]string{
		"X fails as expected  X! fails, not expected  x expected to fail, did not  X? not decided",
		"ok nothing failed  vac no fault changed anything  - not judged",
	}
}

// overviewLegend writes what the marks of an overview mean.
func overviewLegend(w io.Writer) {
	fmt.Fprintln(w, propertyLegend())
	for _, l := range markLegend() {
		fmt.Fprintln(w, l)
	}
}

// wordLegend lists what the words of the verdict tables mean.
func wordLegend() table {
	t := table{Head: []string{"verdict", "meaning"}}
	for _, s := range standings() {
		t.add(cell{Text: s.word(), Class: s.class()}, plain(s.meaning()))
	}
	return t
}

// compareTitle says what was compared.
func compareTitle(r *scenarios.CompareReport) string {
	s := fmt.Sprintf("%s: %s, %s, %s, %s, %s each", r.Family, count(len(r.Variants), "variant"),
		classCount(len(classesOf(r))), seedRange(r.FirstSeed, r.Seeds), count(r.Clients, "client"), count(r.Ops, "operation"))
	if r.Mode != "" {
		s += ", mode " + string(r.Mode)
	}
	return clean(s)
}

func classCount(n int) string {
	if n == 1 {
		return "1 fault class"
	}
	return fmt.Sprintf("%d fault classes", n)
}

// sweepTitle says what was swept.
func sweepTitle(r *scenarios.SweepReport) string {
	return clean(fmt.Sprintf("%s: the standard workload, means over %s", r.Family, seedRange(r.FirstSeed, r.Seeds)))
}

// seedRange writes "seed 1" or "seeds 1-50".
func seedRange(first uint64, n int) string {
	if n <= 1 {
		return fmt.Sprintf("seed %d", first)
	}
	return fmt.Sprintf("seeds %d-%d", first, first+uint64(n)-1)
}
