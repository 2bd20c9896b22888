package reports

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"zoosim/scenarios"
)

//go:embed templates/*.html
var templateFiles embed.FS

// templates reads the templates of the pages. They are well-formed XML, so
// that a page can be checked by a strict reader.
func templates() (*template.Template, error) {
	return template.New("").ParseFS(templateFiles, "templates/*.html")
}

// comparison is what the page of a comparison shows.
type comparison struct {
	Title      string
	Subtitle   string
	Unexpected []string
	// Shown are the lines that replay what is unexpected, Replays those of
	// the findings.
	Shown      []string
	Overview   table
	Letters    string
	Marks      [2]string
	LevelTitle string
	Levels     table
	LevelMarks [2]string
	Found      string
	Findings   table
	Replays    []string
	Matrices   []section
	Words      table
	Failures   table
	Metrics    table
	MetricNote string
	Baseline   string
	Paired     table
	PairedNote string
	Sweep      *sweepView
	Files      []cell
	Manifest   table
}

// section is a table with a title.
type section struct {
	ID    string
	Title string
	Table table
}

// sweepView is what a page shows of a sweep.
type sweepView struct {
	Title    string
	Subtitle string
	Curves   []curveView
	Files    []cell
	Manifest table
}

// curveView is one plot and its numbers.
type curveView struct {
	Title string
	SVG   template.HTML
	Table table
}

// comparePage is index.html of a comparison.
func comparePage(r *scenarios.CompareReport, sweep *scenarios.SweepReport, curves []curve, m Manifest) ([]byte, error) {
	v := comparison{
		Title: "Comparison: " + clean(r.Family), Subtitle: compareTitle(r),
		Overview: overview(r), Letters: propertyLegend(), Marks: markLegend(),
		LevelTitle: levelsTitle, Levels: levelTable(r), LevelMarks: levelLegend(),
		Found: findingsTitle(r), Findings: findingsTable(r), Replays: replayLines(r, here), Shown: unexpectedReplays(r, here),
		Words: wordLegend(), Failures: failures(r),
		Metrics: metricsTable(r), MetricNote: metricsNote, PairedNote: pairedNote,
		Manifest: m.table(),
		Files: fileCells("verdicts.txt", "verdicts.md", "verdicts.csv", "findings.txt", "findings.md", "findings.csv",
			"metrics.md", "metrics.csv", "result.json", "manifest.json"),
	}
	for _, u := range r.Unexpected {
		v.Unexpected = append(v.Unexpected, clean(u))
	}
	if len(r.Paired) > 0 {
		v.Baseline, v.Paired = clean(r.Baseline), pairedTable(r)
	}
	for i, variant := range r.Variants {
		id := sectionID(variant.Variant)
		v.Overview.Rows[i][0].Link = "#" + id
		v.Matrices = append(v.Matrices, section{id, variantTitle(variant), newMatrix(variant, classesOf(r)).table()})
	}
	if sweep != nil {
		s := newSweepView(sweep, curves)
		v.Sweep = &s
		v.Files = append(v.Files, s.Files...)
	}
	return render("compare.html", v)
}

// sweepPage is index.html of a sweep.
func sweepPage(r *scenarios.SweepReport, curves []curve, m Manifest) ([]byte, error) {
	v := newSweepView(r, curves)
	v.Files = append(v.Files, fileCells("manifest.json")...)
	v.Manifest = m.table()
	return render("sweep.html", v)
}

func newSweepView(r *scenarios.SweepReport, curves []curve) sweepView {
	v := sweepView{
		Title: "Sweep: " + clean(r.Family), Subtitle: sweepTitle(r),
		Files: fileCells("points.csv", "sweep.json"),
	}
	for _, c := range curves {
		v.Curves = append(v.Curves, curveView{c.title, inlineSVG(c.svg), quantityTable(r, c.quantity)})
		v.Files = append(v.Files, fileCells(c.file+".svg", c.file+".png")...)
	}
	return v
}

// inlineSVG is a plot without the prologue of its file. The plot's texts are
// escaped by the package that wrote it.
func inlineSVG(svg []byte) template.HTML {
	i := max(bytes.Index(svg, []byte("<svg")), 0)
	return template.HTML(svg[i:])
}

// sectionID is a name for the address of a section.
func sectionID(variant string) string {
	return "variant-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, variant)
}

func fileCells(names ...string) []cell {
	cs := make([]cell, len(names))
	for i, n := range names {
		cs[i] = cell{Text: n, Link: fileLink(n)}
	}
	return cs
}

func render(name string, v any) ([]byte, error) {
	t, err := templates()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b.Bytes(), nil
}
