package kazoo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContender(t *testing.T) {
	names := []string{"__lock__", "__rlock__"}
	for _, c := range []struct {
		name, seq string
	}{
		{"0a__lock__0000000042", "0000000042"},
		{"0a__rlock__0000000042", "0000000042"},
		{"0a__lock__-2147483648", "-2147483648"},
		{"__lock__0000000042", "0000000042"},
		{"0a__lock__-000000005", ""}, // nine digits behind the sign
		{"0a__lock__000000042", ""},
		{"0a__lock__x000000042", ""},
		{"0a__wlock__0000000042", ""},
		{"0000000042", ""},
		{"foreign", ""},
		{"", ""},
	} {
		seq, ok := contender(c.name, names)
		require.Equal(t, c.seq, seq, c.name)
		require.Equal(t, c.seq != "", ok, c.name)
	}
}
