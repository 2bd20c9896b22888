package lock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGoPrevious(t *testing.T) {
	for _, c := range []struct {
		names  []string
		seq    int
		prev   string
		lowest bool
	}{
		{[]string{"_c_a-lock-0000000003"}, 3, "", true},
		{[]string{"_c_b-lock-0000000009", "_c_a-lock-0000000001", "_c_c-lock-0000000004"}, 9, "_c_c-lock-0000000004", false},
		{[]string{"_c_b-lock-0000000009", "_c_a-lock-0000000001"}, 1, "", true},
		// Behind a negative number the search finds nothing to watch.
		{[]string{"_c_a-lock--2147483648", "_c_b-lock--2147483647"}, -2147483647, "", false},
	} {
		prev, lowest, err := previous(c.names, c.seq)
		require.NoError(t, err)
		require.Equal(t, c.prev, prev)
		require.Equal(t, c.lowest, lowest)
	}
	_, _, err := previous([]string{"_c_a-lock-0000000001", "foreign"}, 1)
	require.Error(t, err) // gozk:G3
}
