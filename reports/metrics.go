package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

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
			row = append(row, meanCell(v, name))
		}
		t.add(row...)
	}
	return t
}

// meanCell shows a mean, with its interval unless that is the mean alone.
func meanCell(v scenarios.VariantReport, name string) cell {
	m, ok := v.Metrics[name]
	if !ok {
		return right("-")
	}
	c := right(num(m))
	if i, ok := v.Intervals[name]; ok && i[0] != i[1] {
		c.Sub = interval(i[0], i[1], num)
	}
	return c
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
				c = pairedCell(p)
			}
			row = append(row, c)
		}
		t.add(row...)
	}
	return t
}

// pairedCell shows a difference with its interval.
func pairedCell(p scenarios.PairedReport) cell {
	c := right(signed(p.Mean))
	if p.Low != p.High {
		c.Sub = interval(p.Low, p.High, signed)
	}
	if p.Low > 0 || p.High < 0 {
		c.Class = "differs"
		c.Sub = strings.TrimSpace(c.Sub + " *")
	}
	return c
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
