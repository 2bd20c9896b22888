package reports

import (
	"slices"

	"zoosim/scenarios"
)

// quantity is something that is drawn over the number of clients.
type quantity struct {
	file  string // name of the plots, without ending
	title string
	axis  string
	value func(p scenarios.SweepPoint) float64
	forms []form // drawn behind
}

// quantities lists what a sweep draws.
func quantities() []quantity {
	return []quantity{
		{
			"herd", "Watch notifications", "notifications in all",
			func(p scenarios.SweepPoint) float64 { return p.Notifications },
			[]form{formQueue, formNode, formChildren},
		},
		{
			"fanout", "Largest fan-out", "most notifications of one release",
			func(p scenarios.SweepPoint) float64 { return p.MaxFanOut },
			[]form{formOne, formQueue},
		},
		{
			"requests", "Requests", "requests in all",
			func(p scenarios.SweepPoint) float64 { return p.RequestTotal }, nil,
		},
	}
}

// series is one line of a plot: the variants whose points coincide.
type series struct {
	variants []string
	points   []point
	form     string // closed form, "" if none fits
}

// pointsOf are the points of one variant, by the number of clients.
func pointsOf(r *scenarios.SweepReport, variant string, value func(scenarios.SweepPoint) float64) []point {
	var ps []point
	for _, p := range r.Points {
		if p.Variant == variant {
			ps = append(ps, point{float64(p.Clients), value(p)})
		}
	}
	slices.SortStableFunc(ps, func(a, b point) int { return int(a.n - b.n) })
	return ps
}

// variantsOf are the variants of a sweep, as they appear.
func variantsOf(r *scenarios.SweepReport) []string {
	var vs []string
	for _, p := range r.Points {
		if !slices.Contains(vs, p.Variant) {
			vs = append(vs, p.Variant)
		}
	}
	return vs
}

// clientsOf are the numbers of clients of a sweep, in order.
func clientsOf(r *scenarios.SweepReport) []int {
	var ns []int
	for _, p := range r.Points {
		ns = append(ns, p.Clients)
	}
	slices.Sort(ns)
	return slices.Compact(ns)
}

// seriesOf groups the variants whose points coincide, steepest line first.
func seriesOf(r *scenarios.SweepReport, q quantity) []series {
	var ss []series
	for _, v := range variantsOf(r) {
		ps := pointsOf(r, v, q.value)
		i := slices.IndexFunc(ss, func(s series) bool { return slices.Equal(s.points, ps) })
		if i < 0 {
			i = len(ss)
			ss = append(ss, series{points: ps, form: closedForm(ps)})
		}
		ss[i].variants = append(ss[i].variants, short(r.Family, v))
	}
	slices.SortStableFunc(ss, func(a, b series) int {
		switch x, y := a.last(), b.last(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return ss
}

func (s series) last() float64 { return s.points[len(s.points)-1].v }

// drawn are the points that a log-log plot can show.
func (s series) drawn() []point {
	var ps []point
	for _, p := range s.points {
		if p.n > 0 && p.v > 0 {
			ps = append(ps, p)
		}
	}
	return ps
}

// label is the entry in the legend, in lines of at most width runes where
// names allow it.
func (s series) label(width int) []string {
	words := slices.Clone(s.variants)
	for i := range words {
		words[i] = clean(words[i])
		if i < len(words)-1 {
			words[i] += ","
		} else if len(s.drawn()) == 0 {
			words[i] += ": nothing above 0"
		} else if s.form != "" {
			words[i] += ": " + s.form
		}
	}
	lines := []string{words[0]}
	for _, w := range words[1:] {
		if l := &lines[len(lines)-1]; len(*l)+1+len(w) <= width {
			*l += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// slopeText is a variant's slope, "-" if there is none.
func slopeText(r *scenarios.SweepReport, variant string) string {
	if s, ok := r.Slopes[variant]; ok {
		return num(s)
	}
	return "-"
}
