package reports

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios"
)

// folderOf reads a folder as a map from name to contents.
func folderOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	es, err := os.ReadDir(dir)
	require.NoError(t, err)
	m := map[string]string{}
	for _, e := range es {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		m[e.Name()] = string(b)
	}
	return m
}

// TestSameBytes writes every file twice, into folders of different names and
// from results that say so.
func TestSameBytes(t *testing.T) {
	write := func() map[string]string {
		dir := t.TempDir()
		r, s := sampleCompare(), sampleSweep(1, 2, 4, 8)
		r.Out, s.Out = dir, dir
		require.NoError(t, WriteCompare(dir, r, s, sampleManifest()))
		m := folderOf(t, dir)
		for name, text := range m {
			require.NotContains(t, text, dir, name)
		}
		return m
	}
	a, b := write(), write()
	require.Equal(t, []string{
		"fanout.png", "fanout.svg", "findings.csv", "findings.md", "findings.txt", "herd.png", "herd.svg", "index.html",
		"manifest.json", "metrics.csv", "metrics.md", "points.csv", "requests.png", "requests.svg", "result.json",
		"sweep.json", "verdicts.csv", "verdicts.md", "verdicts.txt",
	}, sortedKeys(a))
	for _, name := range sortedKeys(a) {
		require.True(t, a[name] == b[name], "%s differs", name)
		require.NotEmpty(t, a[name], name)
	}
}

func TestSweepFolder(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		require.NoError(t, WriteSweep(dir, sampleSweep(7, 37, 173), sampleManifest()))
	}
	m := folderOf(t, a)
	require.Equal(t, m, folderOf(t, b))
	require.Equal(t, []string{
		"fanout.png", "fanout.svg", "herd.png", "herd.svg", "index.html",
		"manifest.json", "points.csv", "requests.png", "requests.svg", "sweep.json",
	}, sortedKeys(m))
	var s scenarios.SweepReport
	require.NoError(t, json.Unmarshal([]byte(m["sweep.json"]), &s))
	want := sampleSweep(7, 37, 173)
	want.Out = "."
	require.Equal(t, *want, s)
}

// TestWithoutSweep leaves the curves out.
func TestWithoutSweep(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, WriteCompare(dir, sampleCompare(), nil, Manifest{}))
	m := folderOf(t, dir)
	require.NotContains(t, m, "herd.svg")
	require.NotContains(t, m["index.html"], "<svg")
}

func TestResultJSON(t *testing.T) {
	dir := t.TempDir()
	r := sampleCompare()
	r.Findings[1].Why = "plain" // JSON cannot hold broken UTF-8
	r.Findings[1].Title, r.Unexpected = "plain", []string{"plain"}
	newMatrix(r.Variants[2], r.Classes).at(checker.Leak, "cut-reply").Why = "plain\x1b"
	require.NoError(t, WriteCompare(dir, r, nil, Manifest{}))
	text := folderOf(t, dir)["result.json"]
	require.True(t, strings.HasSuffix(text, "}\n"))
	var got scenarios.CompareReport
	require.NoError(t, json.Unmarshal([]byte(text), &got))
	require.Equal(t, "/somewhere/out dir", r.Out, "the caller's report is left alone")
	r.Out = "."
	require.Equal(t, *r, got)
}

// TestHTML reads the pages with a strict reader: they are well-formed, and
// hostile texts stay texts.
func TestHTML(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, WriteCompare(dir, sampleCompare(), sampleSweep(1, 2, 4, 8), sampleManifest()))
	page := folderOf(t, dir)["index.html"]
	text, links, ids := readPage(t, page)
	require.Contains(t, text, clean(hostile))
	require.NotContains(t, page, "ZgotmplZ")
	require.Contains(t, text, "zoosim replay 'replays/gozk cut:reply.json'")
	require.Contains(t, links, "replays/gozk%20cut:reply.json")
	for _, l := range links {
		id, inPage := strings.CutPrefix(l, "#")
		require.False(t, inPage && !slices.Contains(ids, id), "no section %s", l)
		require.NotContains(t, l, "//", "a link that leaves the folder")
	}
	for name, md := range folderOf(t, dir) {
		if filepath.Ext(name) == ".md" {
			require.NotContains(t, md, "<script", name)
		}
	}
	for _, class := range []string{"pass", "fail", "unexpected", "notseen", "unknown", "vacuous", "na"} {
		require.Contains(t, page, `<td class="`+class+`"`)
	}

	b, err := sweepPage(sampleSweep(1, 2), []curve{{quantities()[0], []byte("<?xml?><svg></svg>")}}, sampleManifest())
	require.NoError(t, err)
	readPage(t, string(b))
}

// readPage reads a page as strict XML and returns its text, its links and its
// ids. Nothing in a page may run or be fetched.
func readPage(t *testing.T, page string) (text string, links, ids []string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return text, links, ids
		}
		require.NoError(t, err)
		switch e := tok.(type) {
		case xml.CharData:
			text += string(e)
		case xml.StartElement:
			require.NotContains(t, []string{"script", "link", "img", "iframe", "object"}, e.Name.Local)
			for _, a := range e.Attr {
				require.False(t, strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src", a.Name.Local)
				switch a.Name.Local {
				case "href":
					links = append(links, a.Value)
				case "id":
					ids = append(ids, a.Value)
				}
			}
		}
	}
}

// TestCSV reads the tables back.
func TestCSV(t *testing.T) {
	dir := t.TempDir()
	s := sampleSweep(1, 2, 4)
	require.NoError(t, WriteCompare(dir, sampleCompare(), nil, Manifest{}))
	m := folderOf(t, dir)
	points := pointsTable(s)
	m["points.csv"] = string(rendered(points.csv))
	read := func(name string) []map[string]string {
		rows, err := csv.NewReader(strings.NewReader(m[name])).ReadAll()
		require.NoError(t, err, name)
		var out []map[string]string
		for _, row := range rows[1:] {
			fields := map[string]string{}
			for i, h := range rows[0] {
				fields[h] = row[i]
			}
			out = append(out, fields)
		}
		return out
	}
	verdicts := read("verdicts.csv")
	require.Len(t, verdicts, 3*4*3)
	found := slices.IndexFunc(verdicts, func(r map[string]string) bool { return r["failures"] == "1" })
	require.Equal(t, map[string]string{
		"variant": "lock/gozk", "correct": "false", "faults": "cut-reply", "property": "leak", "level": "run",
		"verdict": "fail", "expected": "pass", "runs": "50", "vacuous": "0", "failures": "1", "seed": "4",
		"replay": "replays/gozk cut:reply.json", "why": clean(hostile),
	}, verdicts[found])
	require.Equal(t, clean(hostile), read("findings.csv")[1]["why"])
	require.Equal(t, "1234.5678", read("metrics.csv")[2]["mean"])
	rows := read("points.csv")
	require.Len(t, rows, len(s.Points))
	require.Equal(t, "0", rows[0]["notifications"], "zero has a place here")
	require.Equal(t, "3", rows[1]["requests.create"])
}

// TestRefused writes nothing when something cannot be written.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"/etc/x.json", "../x.json"} {
		r := sampleCompare()
		r.Findings[0].Replay = name
		require.ErrorContains(t, WriteCompare(dir, r, nil, Manifest{}), "seed002:L1")
		r = sampleCompare()
		r.Variants[0].Verdicts[0].Replay = name
		require.ErrorContains(t, WriteCompare(dir, r, nil, Manifest{}), "within the report folder")
	}
	s := sampleSweep(1, 2)
	s.Slopes["lock/zkdocs"] = math.NaN()
	require.ErrorContains(t, WriteSweep(dir, s, Manifest{}), "sweep.json")
	require.Empty(t, folderOf(t, dir))
	require.Error(t, WriteSweep(filepath.Join(dir, "missing"), sampleSweep(1), Manifest{}))
}
