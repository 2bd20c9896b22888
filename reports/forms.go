package reports

import (
	"math"
	"strconv"
)

// point is a number of clients and a measured value.
type point struct{ n, v float64 }

// form is a closed form in the number of clients.
type form struct {
	name string
	at   func(n float64) float64
}

// The closed forms of notifications in all: a queue, in which each release
// wakes one waiter; a herd on one znode, in which release i wakes N-i; a herd
// on a list of children that is read again after each change.
var (
	formQueue    = form{"N-1", func(n float64) float64 { return n - 1 }}
	formNode     = form{"N(N-1)/2", func(n float64) float64 { return n * (n - 1) / 2 }}
	formChildren = form{"N²-N+1", func(n float64) float64 { return n*n - n + 1 }}
	formOne      = form{"1", func(float64) float64 { return 1 }}
)

// closedForm names the polynomial in N that the points lie on, "" if there is
// none. A single client has nobody to wait for, so that a form may hold for
// more clients alone; then the name says so.
func closedForm(ps []point) string {
	if s := fit(ps); s != "" || len(ps) == 0 || ps[0].n != 1 {
		return s
	}
	if s := fit(ps[1:]); s != "" {
		return s + " (N>1)"
	}
	return ""
}

// fit names the polynomial of degree 2 at most, with halves as coefficients,
// that the points lie on. It wants one point more than determines the
// polynomial, so that it can fail.
func fit(ps []point) string {
	fits := func(f func(float64) float64) bool {
		for _, p := range ps {
			if math.Abs(f(p.n)-p.v) > 1e-9*math.Max(1, math.Abs(p.v)) {
				return false
			}
		}
		return true
	}
	if len(ps) < 3 {
		return ""
	}
	for _, f := range []form{formQueue, formNode, formChildren} {
		if fits(f.at) {
			return f.name
		}
	}
	a, b, c := ps[0], ps[1], ps[2]
	if a.n == b.n || b.n == c.n || a.n == c.n {
		return ""
	}
	// Divided differences give c0 + c1 N + c2 N².
	ab, bc := (b.v-a.v)/(b.n-a.n), (c.v-b.v)/(c.n-b.n)
	c2 := halves((bc - ab) / (c.n - a.n))
	c1 := halves(ab - c2*(a.n+b.n))
	c0 := halves(a.v - a.n*(c1+c2*a.n))
	if c2 != 0 && len(ps) < 4 || !fits(func(n float64) float64 { return c0 + n*(c1+n*c2) }) {
		return ""
	}
	return polynomial(c2, c1, c0)
}

func halves(x float64) float64 { return math.Round(2*x) / 2 }

// polynomial writes one, as "5N-2" or "N²/2+3N/2".
func polynomial(c2, c1, c0 float64) string {
	s := ""
	for _, t := range []struct {
		c     float64
		power string
	}{{c2, "N²"}, {c1, "N"}, {c0, ""}} {
		if t.c == 0 {
			continue
		}
		if t.c < 0 {
			s += "-"
		} else if s != "" {
			s += "+"
		}
		num, half := math.Abs(t.c), ""
		if num != math.Trunc(num) {
			num, half = 2*num, "/2"
		}
		if num != 1 || t.power == "" {
			s += strconv.FormatFloat(num, 'f', -1, 64)
		}
		s += t.power + half
	}
	if s == "" {
		return "0"
	}
	return s
}
