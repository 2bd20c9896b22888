package reports

import (
	"bytes"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"zoosim/scenarios"
)

// The sizes of plots.
const (
	plotWidth   = 9 * vg.Inch
	plotHeight  = 5.2 * vg.Inch
	plotMargin  = 10 * vg.Length(1)
	legendLine  = 15 * vg.Length(1) // height of a line of the legend
	legendRunes = 110               // runes that fit into one
	axisTitle   = 18 * vg.Length(1) // width of the title of the vertical axis
	pngDPI      = 120
)

// palette are colours that readers with any colour vision can tell apart
// (Okabe and Ito, Color Universal Design).
var palette = []color.Color{
	color.RGBA{0xD5, 0x5E, 0x00, 0xFF},
	color.RGBA{0x00, 0x72, 0xB2, 0xFF},
	color.RGBA{0x00, 0x9E, 0x73, 0xFF},
	color.RGBA{0xCC, 0x79, 0xA7, 0xFF},
	color.RGBA{0x56, 0xB4, 0xE9, 0xFF},
	color.RGBA{0xE6, 0x9F, 0x00, 0xFF},
	color.RGBA{0x40, 0x40, 0x40, 0xFF},
}

var (
	grey      = color.RGBA{0x80, 0x80, 0x80, 0xFF}
	lightGrey = color.RGBA{0xE4, 0xE4, 0xE4, 0xFF}
)

// glyphs are the markers, dashes the lines, of successive series.
var (
	glyphs = []draw.GlyphDrawer{
		draw.CircleGlyph{},
		draw.BoxGlyph{},
		draw.TriangleGlyph{},
		draw.RingGlyph{},
		draw.SquareGlyph{},
		draw.PyramidGlyph{},
		draw.CrossGlyph{},
		draw.PlusGlyph{},
	}
	dashes = [][]vg.Length{nil, {7, 3}, {2, 2}, {9, 3, 2, 3}}
)

// drawPlot draws a quantity of a sweep.
func drawPlot(r *scenarios.SweepReport, q quantity) (svg, png []byte, err error) {
	ss := seriesOf(r, q)
	p, legend, lines, err := newPlot(r, q, ss)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", q.file, err)
	}
	height := plotHeight + vg.Length(lines)*legendLine + 2*plotMargin
	paint := func(c vg.CanvasSizer) {
		dc := draw.New(c)
		dc.SetColor(color.White)
		dc.Fill(dc.Rectangle.Path())
		foot := vg.Length(lines)*legendLine + plotMargin
		area := draw.Crop(dc, plotMargin+axisTitle, -plotMargin, foot+plotMargin, -plotMargin)
		p.Draw(area)
		// The plot's own title of this axis would reserve room as if it stood
		// at the middle of a linear axis.
		sty := p.X.Label.TextStyle
		sty.Rotation, sty.XAlign, sty.YAlign = math.Pi/2, text.XCenter, text.YTop
		data := p.DataCanvas(area)
		dc.FillText(sty, vg.Point{X: plotMargin, Y: data.Center().Y}, q.axis)
		legend.Draw(draw.Crop(dc, 5*plotMargin, -plotMargin, plotMargin, foot-height))
	}

	img := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(plotWidth, height), vgimg.UseDPI(pngDPI))}
	paint(img)
	var pb, sb bytes.Buffer
	if _, err := img.WriteTo(&pb); err != nil {
		return nil, nil, fmt.Errorf("%s.png: %w", q.file, err)
	}
	vec := vgsvg.New(plotWidth, height)
	paint(vec)
	if _, err := vec.WriteTo(&sb); err != nil {
		return nil, nil, fmt.Errorf("%s.svg: %w", q.file, err)
	}
	return portableFonts(sb.Bytes()), pb.Bytes(), nil
}

// portableFonts names fonts of the same widths for readers without the
// Liberation fonts.
func portableFonts(svg []byte) []byte {
	return bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;font-variant:none;"),
		[]byte("font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
}

// newPlot makes the plot, its legend and the number of the legend's lines.
// The legend stands below the plot, so that it covers nothing.
func newPlot(r *scenarios.SweepReport, q quantity, ss []series) (*plot.Plot, plot.Legend, int, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %s", q.title, sweepTitle(r))
	p.Title.Padding = plotMargin
	p.X.Label.Text = "clients N"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = clientTicks(clientsOf(r)), decadeTicks()
	sans(&p.Title.TextStyle, 13)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		sans(&a.Label.TextStyle, 12)
		sans(&a.Tick.Label, 10)
		a.Padding = 0
	}

	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = lightGrey, lightGrey
	p.Add(grid)
	if err := addReferences(p, q, ss); err != nil {
		return nil, plot.Legend{}, 0, err
	}
	legend := plot.NewLegend()
	legend.Left, legend.Top = true, true
	legend.ThumbnailWidth = 36
	sans(&legend.TextStyle, 11)
	legend.Padding = legendLine - legend.TextStyle.Height("x")
	lines := 0
	for i, s := range ss {
		thumbs, err := addSeries(p, i, s)
		if err != nil {
			return nil, plot.Legend{}, 0, err
		}
		for j, l := range s.label(legendRunes) {
			if j > 0 {
				thumbs = nil
			}
			legend.Add(l, thumbs...)
			lines++
		}
	}
	setRange(p, ss)
	return p, legend, lines, nil
}

func sans(s *text.Style, size font.Length) {
	s.Font.Variant, s.Font.Size = "Sans", size
}

// addSeries adds one line. Later ones have smaller markers, so that the
// earlier ones show where lines cross.
func addSeries(p *plot.Plot, i int, s series) ([]plot.Thumbnailer, error) {
	xys := plotter.XYs{}
	for _, pt := range s.drawn() {
		xys = append(xys, plotter.XY{X: pt.n, Y: pt.v})
	}
	l := &plotter.Line{XYs: xys}
	l.Color, l.Width, l.Dashes = palette[i%len(palette)], 1.6, dashes[i%len(dashes)]
	m := &plotter.Scatter{XYs: xys}
	m.Color, m.Shape = l.Color, glyphs[i%len(glyphs)]
	m.Radius = max(6-0.9*vg.Length(i), 2.6)
	if len(xys) > 0 {
		p.Add(l, m)
	}
	return []plot.Thumbnailer{l, m}, nil
}

// setRange leaves room around the points and closed forms.
func setRange(p *plot.Plot, ss []series) {
	var xs, ys []float64
	for _, s := range ss {
		for _, pt := range s.drawn() {
			xs, ys = append(xs, pt.n), append(ys, pt.v)
		}
	}
	if len(ys) > 0 && !math.IsInf(p.Y.Max, 0) {
		ys = append(ys, max(p.Y.Max, ys[0]))
	}
	p.X.Min, p.X.Max = span(xs, 1.04)
	p.Y.Min, p.Y.Max = span(ys, 1.25)
}
