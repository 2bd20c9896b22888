package reports

import "zoosim/scenarios"

// WriteSweep writes the report folder of a sweep into dir, which exists:
// herd, fanout and requests as SVG and PNG (log-log plots over the number of
// clients), points.csv with every field of the points, sweep.json,
// manifest.json and index.html.
//
// Variants whose points coincide share a line of a plot. A value of 0 has no
// place on a logarithmic axis; it stands in points.csv alone.
func WriteSweep(dir string, r *scenarios.SweepReport, m Manifest) error {
	fs, err := sweepFiles(r, m)
	if err != nil {
		return err
	}
	return fs.write(dir)
}

func sweepFiles(r *scenarios.SweepReport, m Manifest) (files, error) {
	var fs files
	curves, err := fs.addCurves(r)
	if err != nil {
		return nil, err
	}
	if err := fs.addJSON("manifest.json", &m); err != nil {
		return nil, err
	}
	page, err := sweepPage(r, curves, m)
	if err != nil {
		return nil, err
	}
	fs.add("index.html", page)
	return fs, nil
}
