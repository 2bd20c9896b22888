package scenarios

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
)

// What a shrunk counterexample says of itself is in its file.
func TestReplayFileTellsTheStory(t *testing.T) {
	x := Findings()[0]
	f := shrinkFirst(t, x.Scenario, x.goal(), 0)
	file := f.shrunk.File(7)
	file.Commit = "0123abc+changes"
	name := filepath.Join(t.TempDir(), "x.json")
	require.NoError(t, file.Write(name))
	back, err := ReadReplay(name)
	require.NoError(t, err)
	require.Equal(t, file, back)
	require.Equal(t, string(x.Property), back.Property)
	require.Equal(t, f.shrunk.Result.Why, back.Why)
	require.Equal(t, f.shrunk.Story.Text(), back.Story)
	story, err := back.Tell()
	require.NoError(t, err)
	require.Equal(t, f.shrunk.Story, story)

	back.Scenario.Variant = "lock/nope"
	_, err = back.Tell()
	require.Error(t, err)
}

// Files from before there were stories are read as they were.
func TestReplayFileWithoutStory(t *testing.T) {
	dir := t.TempDir()
	f := &ReplayFile{Scenario: Default("lock/zkdocs")}
	name := filepath.Join(dir, "x.json")
	require.NoError(t, f.Write(name))
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	var m map[string]any
	require.NoError(t, json.Unmarshal(b, &m))
	require.NotContains(t, m, "story")
	require.NotContains(t, m, "commit")
	back, err := ReadReplay(name)
	require.NoError(t, err)
	require.Empty(t, back.Story)
	require.Empty(t, back.Commit)
}

// A file that does not fit any more says how.
func TestStaleReplays(t *testing.T) {
	x := Findings()[1]
	shrunk := shrinkFirst(t, x.Scenario, x.goal(), 0).shrunk
	replayed := func(change func(f *ReplayFile)) []string {
		f := shrunk.File(0)
		f.Commit = "0123abc"
		change(f)
		one, err := Replay(f)
		require.NoError(t, err)
		return one.Stale
	}
	require.Empty(t, replayed(func(*ReplayFile) {}), "nothing is said of a file that fits, whichever commit wrote it")

	lines := replayed(func(f *ReplayFile) { f.Hash++ })
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "the trace hash is "+FormatHash(shrunk.Hash)+", the file says "+FormatHash(shrunk.Hash+1))
	require.Contains(t, lines[1], "the file was written by commit 0123abc")

	lines = replayed(func(f *ReplayFile) { f.Why = "A and B" })
	require.Len(t, lines, 2)
	require.Contains(t, lines[0], "exclusion fails otherwise: ")
	require.Contains(t, lines[0], "; the file says: A and B")

	lines = replayed(func(f *ReplayFile) { f.Scenario.Hold = 0 })
	require.Contains(t, lines[len(lines)-2], "exclusion: pass, the file says that it fails: ")

	lines = replayed(func(f *ReplayFile) { f.Property = string(checker.Leak) })
	require.Contains(t, lines[0], "leak: ")
}
