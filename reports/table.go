package reports

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// cell is one cell of a table.
type cell struct {
	Text string
	// Sub goes with the text, in HTML in a line of its own.
	Sub string
	// Class is the class of the cell in HTML, Title what appears when the
	// pointer rests on it.
	Class, Title string
	// Link is an address, shown in HTML and Markdown.
	Link string
	// Right sets the text to the right, as numbers are.
	Right bool
}

func plain(s string) cell { return cell{Text: s} }

func right(s string) cell { return cell{Text: s, Right: true} }

// full is the cell's text in one line.
func (c cell) full() string {
	if c.Sub == "" {
		return c.Text
	}
	return c.Text + " " + c.Sub
}

// table is written as text, Markdown, CSV and, by a template, HTML. Every row
// has as many cells as the head.
type table struct {
	Head []string
	Rows [][]cell
	// split breaks the titles of columns at their first hyphen in text.
	split bool
}

// add adds a row. Texts are made fit for a cell here and nowhere else.
func (t *table) add(cells ...cell) {
	for i := range cells {
		c := &cells[i]
		c.Text, c.Sub, c.Title = clean(c.Text), clean(c.Sub), clean(c.Title)
	}
	t.Rows = append(t.Rows, cells)
}

// text writes the table in columns.
func (t *table) text(w io.Writer) {
	upper, head := t.headLines()
	width := make([]int, len(t.Head))
	for i := range width {
		width[i] = max(utf8.RuneCountInString(upper[i]), utf8.RuneCountInString(head[i]))
		for _, row := range t.Rows {
			width[i] = max(width[i], utf8.RuneCountInString(row[i].full()))
		}
	}
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(cells []cell) {
		words := make([]string, len(cells))
		for i, c := range cells {
			words[i] = c.full()
			if c.Right {
				words[i] = fmt.Sprintf("%*s", width[i], words[i])
			}
		}
		fmt.Fprintln(tw, strings.Join(words, "\t"))
	}
	if t.split && strings.Join(upper, "") != "" {
		line(t.headCells(upper))
	}
	line(t.headCells(head))
	for _, row := range t.Rows {
		line(row)
	}
	_ = tw.Flush()
	for l := range strings.Lines(b.String()) {
		fmt.Fprintln(w, strings.TrimRight(l, " \n"))
	}
}

// headLines are the titles of the columns in two lines.
func (t *table) headLines() (upper, lower []string) {
	upper, lower = make([]string, len(t.Head)), make([]string, len(t.Head))
	for i, h := range t.Head {
		lower[i] = h
		if a, b, ok := strings.Cut(h, "-"); ok && t.split {
			upper[i], lower[i] = a+"-", b
		}
	}
	return upper, lower
}

// headCells sets titles to the side on which their columns stand.
func (t *table) headCells(titles []string) []cell {
	cells := make([]cell, len(titles))
	for i, h := range titles {
		cells[i] = cell{Text: h, Right: t.rightColumn(i)}
	}
	return cells
}

func (t *table) rightColumn(i int) bool { return len(t.Rows) > 0 && t.Rows[0][i].Right }

// HeadCells are the titles of the columns.
func (t table) HeadCells() []cell { return t.headCells(t.Head) }

// markdown writes the table as Markdown.
func (t *table) markdown(w io.Writer) {
	line := func(words []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(words, " | ")) }
	head, rule := make([]string, len(t.Head)), make([]string, len(t.Head))
	for i, h := range t.Head {
		head[i], rule[i] = markdownText(h), "---"
		if t.rightColumn(i) {
			rule[i] = "---:"
		}
	}
	line(head)
	line(rule)
	for _, row := range t.Rows {
		words := make([]string, len(row))
		for i, c := range row {
			words[i] = markdownText(c.full())
			if c.Link != "" && c.Text != "" {
				words[i] = "[" + words[i] + "](<" + c.Link + ">)"
			}
		}
		line(words)
	}
}

// csv writes the table as CSV.
func (t *table) csv(w io.Writer) {
	cw := csv.NewWriter(w)
	_ = cw.Write(t.Head)
	for _, row := range t.Rows {
		words := make([]string, len(row))
		for i, c := range row {
			words[i] = c.full()
		}
		_ = cw.Write(words)
	}
	cw.Flush()
}

// markdownText escapes what Markdown, or HTML within it, would read as markup.
func markdownText(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`,
		"&", "&amp;", "<", "&lt;", ">", "&gt;",
	).Replace(clean(s))
}
