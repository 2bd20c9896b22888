package reports

import (
	"slices"
	"strconv"

	"zoosim/scenarios"
)

// curve is a drawn quantity.
type curve struct {
	quantity
	svg []byte
}

// addCurves adds the plots of a sweep, its points and its result.
func (fs *files) addCurves(r *scenarios.SweepReport) ([]curve, error) {
	points := pointsTable(r)
	fs.addText("points.csv", points.csv)
	out := *r
	out.Out = here
	if err := fs.addJSON("sweep.json", &out); err != nil {
		return nil, err
	}
	var cs []curve
	for _, q := range quantities() {
		svg, png, err := drawPlot(r, q)
		if err != nil {
			return nil, err
		}
		fs.add(q.file+".svg", svg)
		fs.add(q.file+".png", png)
		cs = append(cs, curve{q, svg})
	}
	return cs, nil
}

// requestTypes are the types of requests in a sweep, in order.
func requestTypes(r *scenarios.SweepReport) []string {
	var ts []string
	for _, p := range r.Points {
		ts = append(ts, sortedKeys(p.Requests)...)
	}
	slices.Sort(ts)
	return slices.Compact(ts)
}

// pointsTable is points.csv: every field, a column a type of request.
func pointsTable(r *scenarios.SweepReport) table {
	types := requestTypes(r)
	t := table{Head: []string{
		"variant", "clients", "writers", "readers", "notifications", "maxFanOut",
		"wastedWakeups", "listingBytes", "waitMedianMS", "waitP95MS", "waitP99MS", "requestTotal",
	}}
	for _, k := range types {
		t.Head = append(t.Head, "requests."+k)
	}
	for _, p := range r.Points {
		row := []cell{
			plain(p.Variant), plain(strconv.Itoa(p.Clients)), plain(strconv.Itoa(p.Writers)), plain(strconv.Itoa(p.Readers)),
		}
		for _, v := range []float64{
			p.Notifications, p.MaxFanOut, p.WastedWakeups, p.ListingBytes,
			p.WaitMedianMS, p.WaitP95MS, p.WaitP99MS, p.RequestTotal,
		} {
			row = append(row, plain(exact(v)))
		}
		for _, k := range types {
			row = append(row, plain(exact(p.Requests[k])))
		}
		t.add(row...)
	}
	return t
}

// clientColumns are the numbers of clients that a table has room for: powers
// of two and the end if there are many.
func clientColumns(r *scenarios.SweepReport) []int {
	const room = 10
	ns := clientsOf(r)
	if len(ns) <= room {
		return ns
	}
	var few []int
	for i, n := range ns {
		if n&(n-1) == 0 || i == len(ns)-1 {
			few = append(few, n)
		}
	}
	if len(few) > room {
		few = few[len(few)-room:]
	}
	return few
}

// quantityTable shows a quantity: a row a variant, a column a number of
// clients. The slopes are those of notifications.
func quantityTable(r *scenarios.SweepReport, q quantity) table {
	ns := clientColumns(r)
	t := table{Head: []string{"variant"}}
	for _, n := range ns {
		t.Head = append(t.Head, strconv.Itoa(n))
	}
	t.Head = append(t.Head, "closed form")
	slopes := q.file == quantities()[0].file
	if slopes {
		t.Head = append(t.Head, "slope")
	}
	for _, v := range variantsOf(r) {
		ps := pointsOf(r, v, q.value)
		row := []cell{plain(short(r.Family, v))}
		for _, n := range ns {
			c := right("-")
			if i := slices.IndexFunc(ps, func(p point) bool { return p.n == float64(n) }); i >= 0 {
				c.Text = num(ps[i].v)
			}
			row = append(row, c)
		}
		row = append(row, plain(orDash(closedForm(ps))))
		if slopes {
			row = append(row, right(slopeText(r, v)))
		}
		t.add(row...)
	}
	return t
}
