package scenarios

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// zooJSON is a report as it is written, but for what may differ.
func zooJSON(t *testing.T, rep *ZooReport) string {
	for i := range rep.Entries {
		rep.Entries[i].WallMS = 0
	}
	rep.Out = ""
	b, err := json.Marshal(rep)
	require.NoError(t, err)
	return string(b)
}

// The zoo gives the same report and files with any number of workers.
func TestZooDoesNotDependOnWorkers(t *testing.T) {
	only := []string{"seed002:L1", "seed003:T2", "gozk:G4", "seed001:S1", "seed000:R7"}
	var reports []string
	var dirs []map[string]string
	for _, workers := range []int{1, 2} {
		dir := t.TempDir()
		rep, err := Zoo(context.Background(), ZooOptions{Only: only, Workers: workers, Dir: dir})
		require.NoError(t, err)
		require.Len(t, rep.Entries, len(only))
		require.Zero(t, rep.Unexpected)
		for _, e := range rep.Entries {
			require.Equal(t, e.Kind != ZooNone, e.Found, e.ID)
		}
		reports, dirs = append(reports, zooJSON(t, rep)), append(dirs, filesIn(t, dir))
	}
	require.Equal(t, reports[0], reports[1])
	require.Equal(t, dirs[0], dirs[1])
}

// A control that fails is not clean: here a variant that is called correct and
// is not.
func TestZooControlsCanFail(t *testing.T) {
	o := ZooOptions{Workers: 1, Runs: 300}
	v, _ := ByName("lock/zkjava")
	c, err := o.draw(context.Background(), v)
	require.NoError(t, err)
	require.False(t, c.Clean)
	require.Contains(t, c.Why, "progress: ")
	c, err = o.exhaust(context.Background(), v, 0)
	require.NoError(t, err)
	require.False(t, c.Clean)
	v, _ = ByName("lock/zkdocs")
	c, err = o.exhaust(context.Background(), v, 0)
	require.NoError(t, err)
	require.True(t, c.Clean, c.Why)
	require.True(t, c.Complete)
}
