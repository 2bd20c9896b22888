package gozk

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSeq(t *testing.T) {
	for path, want := range map[string]int{
		"/l/_c_0a-lock-0000000042":  42,
		"/l/_c_0a-lock--2147483648": -2147483648,
		"0a__lock__0000000007":      7,
		"0000000007":                7,
	} {
		n, err := ParseSeq(path)
		require.NoError(t, err, path)
		require.Equal(t, want, n, path)
	}
	for _, path := range []string{"foreign", "lock-", "lock-x", ""} {
		_, err := ParseSeq(path)
		require.Error(t, err, path)
	}
}
