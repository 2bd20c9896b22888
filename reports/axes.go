package reports

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
)

// clientTicks labels an axis of numbers of clients: each of them if they are
// few, else powers of two.
func clientTicks(ns []int) plot.Ticker {
	const few = 12
	if len(ns) > few || len(ns) == 0 {
		ns = nil
		for n := 1; n <= 1<<16; n *= 2 {
			ns = append(ns, n)
		}
	}
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		var ts []plot.Tick
		last := 0.0
		for _, n := range ns {
			x := float64(n)
			if x < lo || x > hi {
				continue
			}
			t := plot.Tick{Value: x}
			// Labels nearer than this would touch.
			if x >= last*1.12 {
				t.Label, last = strconv.Itoa(n), x
			}
			ts = append(ts, t)
		}
		return ts
	})
}

// decadeTicks labels powers of ten; on an axis of less than two decades also
// twice and five times them.
func decadeTicks() plot.Ticker {
	return plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		var ts []plot.Tick
		for e := math.Floor(math.Log10(lo)); ; e++ {
			for d := 1; d <= 9; d++ {
				v := float64(d) * math.Pow(10, e)
				if v > hi*(1+1e-9) {
					return ts
				}
				if v < lo*(1-1e-9) {
					continue
				}
				t := plot.Tick{Value: v}
				if d == 1 || hi < 100*lo && (d == 2 || d == 5) {
					t.Label = grouped(v)
				}
				ts = append(ts, t)
			}
		}
	})
}

// grouped writes 10000 as 10,000.
func grouped(v float64) string {
	if v < 1 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	b := []byte(strconv.FormatFloat(math.Round(v), 'f', 0, 64))
	for i := len(b) - 3; i > 0; i -= 3 {
		b = slices.Insert(b, i, ',')
	}
	return string(b)
}

// span is the range of an axis with room on both sides; without values it is
// one decade.
func span(vs []float64, room float64) (lo, hi float64) {
	if len(vs) == 0 {
		return 1, 10
	}
	lo, hi = slices.Min(vs), slices.Max(vs)
	if hi < 2*lo {
		hi = 2 * lo
	}
	return lo / room, hi * room
}
