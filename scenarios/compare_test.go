package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
)

func TestCompareMeetsTheExpectationTable(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "replays"), 0o755))
	o := CompareOptions{Findings: true, Dir: dir}
	if raceEnabled {
		o.Seeds = 30
	}
	rep, err := Compare(context.Background(), o)
	require.NoError(t, err)
	require.Empty(t, rep.Unexpected)
	require.Len(t, rep.Findings, len(lockFindings())+len(seedLockFindings())+len(storeFindings()))
	requireFindings(t, rep, dir)
	for _, v := range rep.Variants {
		for _, c := range v.Verdicts {
			require.Equal(t, c.Failures > 0, c.Replay != "", "every failure names a replay file")
		}
	}
}

// requireFindings wants every known fault found, and its replay file to show it
// again.
func requireFindings(t *testing.T, rep *CompareReport, dir string) {
	for _, f := range rep.Findings {
		require.True(t, f.Found, f.ID)
		r, err := ReadReplay(filepath.Join(dir, filepath.FromSlash(f.Replay)))
		require.NoError(t, err, f.ID)
		one, err := Replay(r)
		require.NoError(t, err, f.ID)
		require.True(t, one.Same, f.ID)
		require.NoError(t, one.Misfit, f.ID)
		require.Equal(t, f.Hash, one.Report.Hash, f.ID)
		for _, v := range one.Report.Verdicts {
			if v.Property == f.Property {
				require.Equal(t, checker.Failed, v.Verdict, f.ID)
				require.Equal(t, f.Why, v.Why, f.ID)
			}
		}
	}
}
