package reports

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"zoosim/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(name, got, 0o644))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "%s; go test ./reports -update rewrites it", name)
}

func rendered(render func(w io.Writer)) []byte {
	var b bytes.Buffer
	render(&b)
	return b.Bytes()
}

func TestGoldenFolder(t *testing.T) {
	fs, err := compareFiles(sampleCompare(), sampleSweep(1, 2, 4, 8), sampleManifest())
	require.NoError(t, err)
	seen := 0
	for _, f := range fs {
		switch filepath.Ext(f.name) {
		case ".txt", ".md", ".csv":
			golden(t, f.name, f.data)
			seen++
		}
		if f.name == "manifest.json" {
			golden(t, f.name, f.data)
		}
	}
	require.Equal(t, 9, seen)
}

func TestGoldenTerminal(t *testing.T) {
	golden(t, "terminal-compare.txt", rendered(func(w io.Writer) { CompareText(w, sampleCompare()) }))
	golden(t, "terminal-compare-full.txt", rendered(func(w io.Writer) { CompareText(w, fullCompare()) }))
	golden(t, "terminal-sweep.txt", rendered(func(w io.Writer) { SweepText(w, sampleSweep(1, 2, 4, 8, 16, 32, 64, 128, 256)) }))
	golden(t, "terminal-run.txt", rendered(func(w io.Writer) { RunText(w, sampleRun()) }))
}

// TestTerminalWidth keeps the tables of a comparison of the usual size within
// the width of a terminal, and every text printable.
func TestTerminalWidth(t *testing.T) {
	text := string(rendered(func(w io.Writer) { CompareText(w, fullCompare()) }))
	for l := range strings.Lines(text) {
		if !strings.Contains(l, "zoosim replay") {
			require.LessOrEqual(t, utf8.RuneCountInString(l), terminalWidth+1, l)
		}
	}
	for _, b := range [][]byte{
		rendered(func(w io.Writer) { CompareText(w, sampleCompare()) }),
		rendered(func(w io.Writer) { RunText(w, sampleRun()) }),
	} {
		require.True(t, utf8.Valid(b))
		require.NotContains(t, string(b), "\x1b")
		require.NotContains(t, string(b), "\x00")
		require.NotContains(t, string(b), "\u202e")
	}
}

// TestTerminalFindings is about one line a finding that ends with the command
// that replays it, however long the reason.
func TestTerminalFindings(t *testing.T) {
	r := sampleCompare()
	r.Findings[0].Why = strings.Repeat("very long ", 100)
	ls := findingLines(r)
	require.Len(t, ls, 3)
	require.Regexp(t, `^found   seed002:L1  exclusion  crash      very long .*\.\.\.  zoosim replay '/somewhere/out dir/replays/seed002-crash-exclusion.json'$`, ls[0])
	require.Regexp(t, `^missed  gozk:G2     progress   expiry     not in 3000 runs: sleeps`, ls[2])
}

func TestTerminalOfAnEmptyReport(t *testing.T) {
	for _, render := range []func(w io.Writer){
		func(w io.Writer) { CompareText(w, &scenarios.CompareReport{Family: "lock"}) },
		func(w io.Writer) { SweepText(w, &scenarios.SweepReport{Family: "lock"}) },
		func(w io.Writer) { RunText(w, &scenarios.RunReport{Variant: "lock/zkdocs"}) },
	} {
		require.Contains(t, string(rendered(render)), "lock")
	}
}
