package zkjava

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZNodeNameOrder(t *testing.T) {
	inOrder := []string{
		"/l/x-9-0000000001",
		"/l/x-1-0000000002",
		"/l/x-2-0000000002", // same number: by prefix
		"/l/x-1-0000000010",
		"/l/x-foreign",       // no number: behind all numbers, by prefix
		"/l/x-1--2147483648", // without its sign no int
		"/l/zz",
	}
	got := slices.Clone(inOrder)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int { return ParseZNodeName(a).Compare(ParseZNodeName(b)) })
	require.Equal(t, inOrder, got)
}

func TestZNodeNameLosesTheSign(t *testing.T) {
	require.Negative(t, ParseZNodeName("x-1-0000000004").Compare(ParseZNodeName("x-1--000000005")))
}

// A bare name and the path of the same znode: the path counts as smaller
// (zkjava:Z1).
func TestZNodeNamePathBeforeBareName(t *testing.T) {
	path, bare := ParseZNodeName("/l/x-1-0000000000"), ParseZNodeName("x-1-0000000000")
	require.Negative(t, path.Compare(bare))
	require.Zero(t, path.Compare(path))
}
