package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/scenarios"
)

// zooPage is the page of the last full run; make zoo writes it.
const zooPage = "../../reports/gallery/zoo.md"

// The page in the repository has every entry and every correct variant, and
// nothing on it is other than it should be.
func TestZooPage(t *testing.T) {
	b, err := os.ReadFile(zooPage)
	require.NoError(t, err)
	page := string(b)
	require.NotContains(t, page, "NO |")
	ids := map[string]bool{}
	for _, e := range scenarios.ZooEntries() {
		require.Contains(t, page, "| "+e.ID+" | "+string(e.Kind)+" |", "make zoo writes the page anew")
		require.False(t, ids[e.ID], e.ID)
		ids[e.ID] = true
		require.NotEmpty(t, e.Title, e.ID)
		switch e.Kind {
		case scenarios.ZooNone:
			require.NotEmpty(t, e.Why, e.ID)
		default:
			require.NotEmpty(t, e.Source, e.ID)
			_, ok := scenarios.ByName(e.Variant)
			require.True(t, ok, e.ID)
		}
	}
	for _, v := range scenarios.Variants("") {
		if v.Correct {
			require.Contains(t, page, "\n| "+v.Name+" |", "make zoo writes the page anew")
		}
	}
}
