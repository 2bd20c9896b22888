package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"zoosim/scenarios"
)

func pointsAt(f func(n float64) float64, ns ...float64) []point {
	var ps []point
	for _, n := range ns {
		ps = append(ps, point{n, f(n)})
	}
	return ps
}

func TestClosedForm(t *testing.T) {
	ns := []float64{1, 2, 4, 8}
	for want, f := range map[string]func(n float64) float64{
		"N-1":          formQueue.at,
		"N(N-1)/2":     formNode.at,
		"N²-N+1":       formChildren.at,
		"N":            func(n float64) float64 { return n },
		"8N-3":         func(n float64) float64 { return 8*n - 3 },
		"N²/2+3N/2-1":  func(n float64) float64 { return n*n/2 + 1.5*n - 1 },
		"1":            func(float64) float64 { return 1 },
		"1 (N>1)":      func(n float64) float64 { return min(1, n-1) },
		"0":            func(float64) float64 { return 0 },
		"-N²+2N":       func(n float64) float64 { return 2*n - n*n },
		"":             func(n float64) float64 { return n*n*n + 0.1 },
		"5N/2-2 (N>1)": func(n float64) float64 { return 2.5*n - 2 + max(0, 2-n) },
	} {
		require.Equal(t, want, closedForm(pointsAt(f, ns...)), want)
	}
	quadratic := func(n float64) float64 { return n*n + n }
	require.Empty(t, closedForm(nil))
	require.Empty(t, closedForm(pointsAt(quadratic, 1)))
	require.Empty(t, closedForm(pointsAt(quadratic, 2, 3, 4)), "three points lie on a parabola always")
	require.Equal(t, "N²+N", closedForm(pointsAt(quadratic, 2, 3, 4, 5)))
	require.Empty(t, closedForm(pointsAt(quadratic, 2, 2, 2, 2)))
}

// TestSeries groups the variants that coincide and loses none.
func TestSeries(t *testing.T) {
	r := sampleSweep(1, 2, 4, 8)
	ss := seriesOf(r, quantities()[0])
	var labels []string
	for _, s := range ss {
		labels = append(labels, s.label(200)...)
	}
	require.Equal(t, []string{
		"herd-children: N²-N+1", "herd-node: N(N-1)/2", "seed003",
		"zkdocs, curator, kazoo, gozk, zkjava, seed002, fenced: N-1",
	}, labels)
	require.Equal(t, []string{"zkdocs, curator,", "kazoo, gozk,", "zkjava, seed002,", "fenced: N-1"}, ss[3].label(18))
	require.Len(t, ss[3].points, 4)
	require.Len(t, ss[3].drawn(), 3, "zero has no place on a logarithmic axis")
	require.Equal(t, []string{"zkdocs: nothing above 0"}, series{variants: []string{"zkdocs"}, points: []point{{1, 0}}}.label(80))
}

// TestPlots draws sweeps of all sizes; each plot is a picture with its
// labels.
func TestPlots(t *testing.T) {
	for _, r := range []*scenarios.SweepReport{
		sampleSweep(1), sampleSweep(7, 37, 173), {Family: "lock"},
	} {
		for _, q := range quantities() {
			svg, pic, err := drawPlot(r, q)
			require.NoError(t, err)
			img, err := png.Decode(bytes.NewReader(pic))
			require.NoError(t, err)
			require.Equal(t, 1080, img.Bounds().Dx())
			text := svgText(t, svg)
			for _, label := range append([]string{"clients N", q.axis}, labelsOf(r, q)...) {
				require.Contains(t, text, label)
			}
			require.NotContains(t, string(svg), "NaN")
			require.NotContains(t, string(svg), "Inf")
		}
	}
}

func labelsOf(r *scenarios.SweepReport, q quantity) []string {
	var ls []string
	for _, s := range seriesOf(r, q) {
		ls = append(ls, s.label(legendRunes)...)
	}
	return ls
}

func svgText(t *testing.T, svg []byte) []string {
	t.Helper()
	var texts []string
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		require.NoError(t, err)
		if c, ok := tok.(xml.CharData); ok {
			texts = append(texts, string(c))
		}
	}
}

// TestLegendCoversNothing compares where the lines' labels stand with where
// the axis ends: all of the legend is below it.
func TestLegendCoversNothing(t *testing.T) {
	r := sampleSweep(1, 2, 4, 8)
	q := quantities()[0]
	svg, _, err := drawPlot(r, q)
	require.NoError(t, err)
	y := func(label string) float64 {
		m := regexp.MustCompile(`y="-([0-9.]+)"[^>]*>` + regexp.QuoteMeta(label) + `<`).FindSubmatch(svg)
		require.NotNil(t, m, label)
		v, err := strconv.ParseFloat(string(m[1]), 64)
		require.NoError(t, err)
		return v
	}
	for _, l := range labelsOf(r, q) {
		require.Less(t, y(l)+legendLine.Points(), y("clients N"), l)
		require.Positive(t, y(l))
	}
}

func TestTicks(t *testing.T) {
	labels := func(ts []plot.Tick) []string {
		var ls []string
		for _, x := range ts {
			if x.Label != "" {
				ls = append(ls, x.Label)
			}
		}
		return ls
	}
	require.Equal(t, []string{"1", "10", "100", "1,000", "10,000"}, labels(decadeTicks().Ticks(0.8, 70000)))
	require.Equal(t, []string{"1", "2", "5", "10"}, labels(decadeTicks().Ticks(0.8, 12)))
	require.Equal(t, []string{"7", "37", "173"}, labels(clientTicks([]int{7, 37, 173}).Ticks(6, 180)))
	require.Equal(t, []string{"100", "120"}, labels(clientTicks([]int{100, 101, 120}).Ticks(90, 130)))
	many := make([]int, 200)
	for i := range many {
		many[i] = i + 1
	}
	require.Equal(t, []string{"1", "2", "4", "8", "16", "32", "64", "128"}, labels(clientTicks(many).Ticks(0.9, 210)))
}

// TestClientColumns leaves out columns that a terminal has no room for.
func TestClientColumns(t *testing.T) {
	var ns []int
	for n := 1; n <= 100; n++ {
		ns = append(ns, n)
	}
	require.Equal(t, []int{1, 2, 4, 8, 16, 32, 64, 100}, clientColumns(sampleSweep(ns...)))
	require.Equal(t, []int{7, 37}, clientColumns(sampleSweep(37, 7)))
}
