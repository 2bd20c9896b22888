package scenarios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A search that is interrupted again and again reports in the end what one
// reports that is not: nothing is counted twice, and the audit and the
// verification of the checkpoints see all that was ever learned.
func TestSearchGoesOn(t *testing.T) {
	for _, c := range []struct {
		variant, faults string
		ops             int
	}{
		{"lock/zkdocs", "crash=1", 3},
		{"lock/zkjava", "none", 3}, // its checkpoints are none
	} {
		s := small(t, c.variant, 2, c.ops, c.faults)
		want, err := Exhaustive(context.Background(), s, SearchOptions{Reductions: AllReductions()})
		require.NoError(t, err)
		o := SearchOptions{
			Reductions: AllReductions(), Workers: 2, Resume: filepath.Join(t.TempDir(), "search"), SaveEvery: time.Nanosecond,
		}
		for legs := 1; ; legs++ {
			ctx, cancel := context.WithCancel(context.Background())
			calls := 0
			o.Progress = func(int) {
				if calls++; calls == 40 {
					cancel()
				}
			}
			got, err := Exhaustive(ctx, s, o)
			require.NoError(t, err)
			if errors.Is(ctx.Err(), context.Canceled) && !got.Complete {
				require.FileExists(t, o.Resume)
				cancel()
				continue
			}
			cancel()
			require.NoFileExists(t, o.Resume)
			require.Greater(t, legs, 1, c.variant)
			require.Equal(t, want.States, got.States)
			require.Equal(t, want.Transitions, got.Transitions)
			require.Equal(t, want.Complete, got.Complete)
			require.Equal(t, want.NoCheckpoints, got.NoCheckpoints)
			require.Equal(t, want.Checkpoints.Classes, got.Checkpoints.Classes)
			require.Len(t, got.Verdicts, len(want.Verdicts))
			for i := range want.Verdicts {
				require.Equal(t, want.Verdicts[i].Verdict, got.Verdicts[i].Verdict, want.Verdicts[i].Property)
			}
			break
		}
	}
}

func TestSearchDoesNotGoOnFromElsewhere(t *testing.T) {
	s := small(t, "lock/zkdocs", 2, 3, "crash=1")
	name := filepath.Join(t.TempDir(), "search")
	o := SearchOptions{Reductions: AllReductions(), Resume: name, SaveEvery: time.Nanosecond}
	ctx, cancel := context.WithCancel(context.Background())
	o.Progress = func(int) { cancel() }
	_, err := Exhaustive(ctx, s, o)
	require.NoError(t, err)
	require.FileExists(t, name)

	o.Progress = nil
	other := s
	other.Clients = 3
	_, err = Exhaustive(context.Background(), other, o)
	require.ErrorContains(t, err, "another search was saved")
	require.FileExists(t, name)

	saved, err := os.ReadFile(name)
	require.NoError(t, err)
	for what, b := range map[string][]byte{
		"empty": {}, "cut short": saved[:len(saved)/2], "text": []byte("zoosim-search 1\n"),
	} {
		require.NoError(t, os.WriteFile(name, b, 0o600))
		_, err = Exhaustive(context.Background(), s, o)
		require.ErrorContains(t, err, name+": no saved search", what)
	}
}
