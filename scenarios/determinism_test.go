package scenarios

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/sim"
)

// hashes runs n seeds of every variant, spread over the variants, with faults
// of every kind, and returns the trace hashes.
func hashes(n int) ([]uint64, error) {
	var out []uint64
	vs := Variants("lock")
	for i := range vs {
		s := Default(vs[i].Name)
		s.Faults = everyFault()
		r, err := NewRunner(s)
		if err != nil {
			return nil, err
		}
		for seed := i; seed < n; seed += len(vs) {
			out = append(out, r.Run(sim.NewRandom(uint64(seed))).Hash)
		}
		r.Close()
	}
	return out, nil
}

const childVar = "ZOOSIM_HASHES"

// TestHashesChild is the other process of TestSameHashesInEveryProcess.
func TestHashesChild(t *testing.T) {
	if os.Getenv(childVar) == "" {
		t.Skip("runs as a child of TestSameHashesInEveryProcess")
	}
	hs, err := hashes(seedsOfDeterminism())
	require.NoError(t, err)
	for _, h := range hs {
		fmt.Printf("hash %s\n", FormatHash(h))
	}
}

func seedsOfDeterminism() int {
	if raceEnabled {
		return 100
	}
	return 1000
}

func TestSameHashesInEveryProcess(t *testing.T) {
	n := seedsOfDeterminism()
	hs, err := hashes(n)
	require.NoError(t, err)
	require.Len(t, hs, n)
	seen := map[uint64]bool{}
	for _, h := range hs {
		require.False(t, seen[h], "different seeds give different traces")
		seen[h] = true
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, procs := range []string{"1", "2"} {
		cmd := exec.Command(self, "-test.run", "^TestHashesChild$", "-test.v")
		cmd.Env = append(os.Environ(), childVar+"=1", "GOMAXPROCS="+procs)
		b, err := cmd.Output()
		require.NoError(t, err)
		var got []string
		for _, line := range strings.Split(string(b), "\n") {
			if h, ok := strings.CutPrefix(line, "hash "); ok {
				got = append(got, h)
			}
		}
		require.Len(t, got, n)
		for i, h := range hs {
			require.Equal(t, FormatHash(h), got[i], "GOMAXPROCS=%s, run %d", procs, i)
		}
	}
}
