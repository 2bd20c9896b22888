package sim

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The table of edges is a map.
func TestEdgeTableIsAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type key struct {
			node       int32
			key, marks uint64
		}
		var table edgeTable
		want := map[key]int32{}
		few := rapid.Uint64Range(0, 5) // so that edges share all but one word
		for n := range int32(rapid.IntRange(1, 400).Draw(t, "edges")) {
			k := key{rapid.Int32Range(0, 40).Draw(t, "node"), few.Draw(t, "key"), few.Draw(t, "marks")}
			require.Equal(t, want[k], table.find(k.node, k.key, k.marks))
			if want[k] == 0 {
				table.add(memoEdge{k.key, k.marks, k.node, n + 1})
				want[k] = n + 1
			}
		}
		for k, to := range want {
			require.Equal(t, to, table.find(k.node, k.key, k.marks))
		}
		require.Equal(t, len(want), table.n)
	})
}
