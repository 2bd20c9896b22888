package reports

import (
	"io"

	"zoosim/scenarios"
)

// WriteCompare writes the report folder of a comparison into dir, which
// exists and may hold the replay files already: verdicts, findings and
// metrics as text, Markdown and CSV, result.json, manifest.json, index.html
// and, unless sweep is nil, the plots and points of [WriteSweep].
//
// A replay file whose name leads out of dir is an error, and so is a number
// that JSON cannot hold; then nothing is written.
func WriteCompare(dir string, r *scenarios.CompareReport, sweep *scenarios.SweepReport, m Manifest) error {
	fs, err := compareFiles(r, sweep, m)
	if err != nil {
		return err
	}
	return fs.write(dir)
}

func compareFiles(r *scenarios.CompareReport, sweep *scenarios.SweepReport, m Manifest) (files, error) {
	if err := checkReplays(r); err != nil {
		return nil, err
	}
	var fs files
	text := func(name string, render func(io.Writer, *scenarios.CompareReport)) {
		fs.addText(name, func(w io.Writer) { render(w, r) })
	}
	csv := func(name string, t table) { fs.addText(name, t.csv) }

	text("verdicts.txt", verdictsText)
	text("verdicts.md", verdictsMarkdown)
	csv("verdicts.csv", verdictsTable(r))
	text("findings.txt", findingsText)
	text("findings.md", findingsMarkdown)
	csv("findings.csv", findingsCSV(r))
	text("metrics.md", metricsMarkdown)
	csv("metrics.csv", metricsCSV(r))
	var curves []curve
	if sweep != nil {
		var err error
		if curves, err = fs.addCurves(sweep); err != nil {
			return nil, err
		}
	}
	out := *r
	out.Out = here
	if err := fs.addJSON("result.json", &out); err != nil {
		return nil, err
	}
	if err := fs.addJSON("manifest.json", &m); err != nil {
		return nil, err
	}
	page, err := comparePage(r, sweep, curves, m)
	if err != nil {
		return nil, err
	}
	fs.add("index.html", page)
	return fs, nil
}

func checkReplays(r *scenarios.CompareReport) error {
	for _, f := range r.Findings {
		if err := checkReplay(f.ID, f.Replay); err != nil {
			return err
		}
	}
	for _, v := range r.Variants {
		for _, c := range v.Verdicts {
			if err := checkReplay(v.Variant, c.Replay); err != nil {
				return err
			}
		}
	}
	return nil
}
