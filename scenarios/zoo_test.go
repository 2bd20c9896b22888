package scenarios

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/sim/explore"
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

// stepModel has steps for its cost, where [model] has transitions.
type stepModel struct{ *model }

func (m stepModel) Cost(r *Runner) int { return r.world.Steps() }

// No run shows these faults in fewer steps than are said to be the least, in
// whatever order things happen, and there is one that takes no more.
func TestLeastSteps(t *testing.T) {
	for id, least := range leastSteps {
		f := findingOf(t, id)
		require.Greater(t, least, reportSteps[id]+3, "%s is sized well", id)
		s := f.Scenario
		s.SetClients(2)
		s.Arrivals, s.Attempts, s.Untimed, s.SessionsOpen, s.FixedHold = ArriveTogether, 1, true, true, true
		md := newModel(theVariant(t, s), s, 1<<10-1, Reductions{})
		res := explore.Shortest[*Runner, move](context.Background(), stepModel{md}, explore.Limits{}, 1<<propertyBit(t, md, f.Property))
		require.Len(t, res.Failures, 1, id)
		c, err := md.reexecute(res.Failures[0].Path, res.Failures[0].Bit)
		require.NoError(t, err)
		require.Equal(t, f.Property, c.Property)
		require.Equal(t, least, c.Steps, "%s: %s", id, c.Why)
		md.close()
	}
}

func findingOf(t *testing.T, id string) Finding {
	for _, f := range Findings() {
		if f.ID == id {
			return f
		}
	}
	require.Fail(t, "no such finding", id)
	return Finding{}
}

func propertyBit(t *testing.T, md *model, p checker.Property) int {
	bit := slices.Index(md.shadow.variant.Properties(), p)
	require.GreaterOrEqual(t, bit, 0)
	return bit
}
