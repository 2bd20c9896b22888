package reports

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// addReferences adds the closed forms, thin and dashed, with their names
// right of the last number of clients.
func addReferences(p *plot.Plot, q quantity, ss []series) error {
	lo, hi := math.Inf(1), 2.0
	for _, s := range ss {
		for _, pt := range s.points {
			lo, hi = min(lo, pt.n), max(hi, pt.n)
		}
	}
	lo = min(max(lo, 1), hi/2)
	for _, f := range q.forms {
		l := &plotter.Line{XYs: f.curve(lo, hi)}
		l.Color, l.Width, l.Dashes = grey, 0.7, []vg.Length{4, 3}
		p.Add(l)
	}
	marks := endMarks(q.forms, hi)
	if len(marks.XYs) == 0 {
		return nil
	}
	names, err := plotter.NewLabels(marks)
	if err != nil {
		return err
	}
	for i := range names.TextStyle {
		sans(&names.TextStyle[i], 10)
		names.TextStyle[i].Color, names.TextStyle[i].YAlign = grey, text.YCenter
	}
	names.Offset = vg.Point{X: 10}
	p.Add(names)
	return nil
}

// curve is the form between two numbers of clients, as far as it is 1 or
// more.
func (f form) curve(lo, hi float64) plotter.XYs {
	// Through whole numbers alone the curve would have corners at its foot.
	const steps = 80
	var xys plotter.XYs
	for i := range steps + 1 {
		n := lo * math.Pow(hi/lo, float64(i)/steps)
		if v := f.at(n); v >= 1-1e-9 {
			xys = append(xys, plotter.XY{X: n, Y: v})
		}
	}
	return xys
}

// endMarks are the names of forms where they end. Forms that meet there share
// a name.
func endMarks(fs []form, n float64) plotter.XYLabels {
	var m plotter.XYLabels
	for _, f := range fs {
		v, last := f.at(n), len(m.XYs)-1
		if last >= 0 && v == m.XYs[last].Y {
			m.Labels[last] += ", " + f.name
			continue
		}
		m.XYs = append(m.XYs, plotter.XY{X: n, Y: v})
		m.Labels = append(m.Labels, f.name)
	}
	return m
}
