package conform

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fact is a row of testdata/FACTS.md.
type fact struct {
	number, text, scripts string
}

func readFacts(t *testing.T) []fact {
	b, err := os.ReadFile(filepath.Join("testdata", "FACTS.md"))
	require.NoError(t, err)
	var all []fact
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.TrimSpace(cells[0]) == "fact" || strings.HasPrefix(cells[0], "-") {
			continue
		}
		all = append(all, fact{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])})
	}
	return all
}

// Every fact has its scripts, and every script shows a fact.
func TestFactsHaveScripts(t *testing.T) {
	var scripts []string
	for _, dir := range []string{"testdata", filepath.Join("..", "testdata")} {
		require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			name, ok := strings.CutSuffix(filepath.ToSlash(path[len(dir):]), ".txt")
			if err == nil && ok && !d.IsDir() {
				scripts = append(scripts, strings.TrimPrefix(name, "/"))
			}
			return err
		}))
	}
	facts, named := readFacts(t), map[string]bool{}
	require.GreaterOrEqual(t, len(facts), 90)
	for i, f := range facts {
		section, _, ok := strings.Cut(f.number, ".")
		require.True(t, ok && slices.Contains([]string{"1", "2", "3", "4", "5", "6", "10"}, section), f.number)
		require.NotEmpty(t, f.text, f.number)
		require.False(t, slices.ContainsFunc(facts[:i], func(x fact) bool { return x.number == f.number }), "%s stands twice", f.number)
		if _, why, ok := strings.Cut(f.scripts, "none: "); ok {
			require.NotEmpty(t, why, f.number)
			continue
		}
		require.NotEmpty(t, f.scripts, "%s has no script", f.number)
		for _, name := range strings.Fields(f.scripts) {
			require.Contains(t, scripts, name, f.number)
			named[name] = true
		}
	}
	for _, name := range scripts {
		if !strings.HasPrefix(name, "ensemble/") {
			require.True(t, named[name], "%s shows no fact of the table", name)
		}
	}
}
