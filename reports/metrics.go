package reports

import (
	"fmt"
	"io"
	"slices"

	"zoosim/scenarios"
)

// metricNames are those of the scenarios, and behind them, in order, any that
// only the variants name.
func metricNames(r *scenarios.CompareReport) []string {
	names := scenarios.MetricNames()
	for _, v := range r.Variants {
		for _, n := range sortedKeys(v.Metrics) {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	return names
}

// metricsTable shows means with their 95 % confidence intervals, a row a
// metric: there are more metrics than readers have columns.
func metricsTable(r *scenarios.CompareReport) table {
	t := table{Head: []string{"metric"}}
	for _, v := range r.Variants {
		t.Head = append(t.Head, short(r.Family, v.Variant))
	}
	for _, name := range metricNames(r) {
		row := []cell{plain(name)}
		for _, v := range r.Variants {
			row = append(row, right(meanText(v, name)))
		}
		t.add(row...)
	}
	return t
}

func meanText(v scenarios.VariantReport, name string) string {
	m, ok := v.Metrics[name]
	if !ok {
		return "-"
	}
	i, ok := v.Intervals[name]
	if !ok || i[0] == i[1] {
		return num(m)
	}
	return num(m) + " " + interval(i[0], i[1], num)
}

// paired is the difference of a variant's metric to the baseline's.
func paired(r *scenarios.CompareReport, variant, metric string) (scenarios.PairedReport, bool) {
	for _, p := range r.Paired {
		if p.Variant == variant && p.Metric == metric {
			return p, true
		}
	}
	return scenarios.PairedReport{}, false
}

// pairedTable shows the differences to the baseline on the same seeds. One
// whose interval leaves out 0 is marked.
func pairedTable(r *scenarios.CompareReport) table {
	t := table{Head: []string{"metric"}}
	for _, v := range r.Variants {
		if v.Variant != r.Baseline {
			t.Head = append(t.Head, short(r.Family, v.Variant))
		}
	}
	for _, name := range metricNames(r) {
		row := []cell{plain(name)}
		for _, v := range r.Variants {
			if v.Variant == r.Baseline {
				continue
			}
			c := right("-")
			if p, ok := paired(r, v.Variant, name); ok {
				c.Text = pairedText(p)
				if differs(p) {
					c.Class = "differs"
				}
			}
			row = append(row, c)
		}
		t.add(row...)
	}
	return t
}

func differs(p scenarios.PairedReport) bool { return p.Low > 0 || p.High < 0 }

func pairedText(p scenarios.PairedReport) string {
	s := signed(p.Mean)
	if p.Low != p.High {
		s += " " + interval(p.Low, p.High, signed)
	}
	if differs(p) {
		s += " *"
	}
	return s
}

// metricsMarkdown writes metrics.md.
func metricsMarkdown(w io.Writer, r *scenarios.CompareReport) {
	fmt.Fprintf(w, "# Metrics\n\n%s\n\n%s\n\n", markdownText(compareTitle(r)), metricsNote)
	t := metricsTable(r)
	t.markdown(w)
	if len(r.Paired) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Differences to %s\n\n%s\n\n", markdownText(r.Baseline), pairedNote)
	t = pairedTable(r)
	t.markdown(w)
}

const (
	metricsNote = "Means over the seeds without faults, with 95 % confidence intervals. Times are virtual."
	pairedNote  = "Mean differences on the same seeds, with 95 % confidence intervals; * marks those that leave out 0."
)

// metricsCSV is metrics.csv: a row a variant and metric.
func metricsCSV(r *scenarios.CompareReport) table {
	t := table{Head: []string{
		"variant", "metric", "mean", "low", "high", "baseline", "difference", "differenceLow", "differenceHigh",
	}}
	for _, v := range r.Variants {
		for _, name := range metricNames(r) {
			m, ok := v.Metrics[name]
			if !ok {
				continue
			}
			row := []cell{plain(v.Variant), plain(name), plain(exact(m)), {}, {}, plain(r.Baseline), {}, {}, {}}
			if i, ok := v.Intervals[name]; ok {
				row[3], row[4] = plain(exact(i[0])), plain(exact(i[1]))
			}
			if p, ok := paired(r, v.Variant, name); ok {
				row[6], row[7], row[8] = plain(exact(p.Mean)), plain(exact(p.Low)), plain(exact(p.High))
			}
			t.add(row...)
		}
	}
	return t
}
