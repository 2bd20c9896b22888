package lock

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSeed003Sort(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		err         error
	}{
		{names: []string{"lock-0000000010", "lock-0000000009"}, want: []string{"lock-0000000009", "lock-0000000010"}},
		{names: []string{"foreign"}, want: []string{"foreign"}}, // one element is never compared
		{names: []string{"foreign", "lock-0000000001"}, err: errIndexOutOfBounds},
		{names: []string{"lock--2147483648", "lock-2147483647"}, err: errNumberFormat},
		{names: []string{"_c_0a-lock-0000000001", "lock-0000000001"}, err: errNumberFormat},
	} {
		err := seed003Sort(c.names)
		require.ErrorIs(t, err, c.err)
		if c.err == nil {
			require.Equal(t, c.want, c.names)
		}
	}
}
