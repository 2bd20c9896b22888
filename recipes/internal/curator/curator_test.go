package curator

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/recipes/zk"
)

func TestProtectedPath(t *testing.T) {
	path, prefix := protectedPath("/locks/a", "0f-1e", "lock-")
	require.Equal(t, "/locks/a/_c_0f-1e-lock-", path)
	require.Equal(t, "_c_0f-1e-", prefix)
	names := []string{"_c_0f-1-lock-0000000001", "_c_0f-1e-lock-0000000002", "_c_0f-1e-lock-0000000003"}
	require.Equal(t, names[1], findPrefix(names, prefix))
	require.Empty(t, findPrefix(names[:1], prefix))
}

func TestSuffix(t *testing.T) {
	for name, want := range map[string]string{
		"_c_0f-lock-0000000042":  "0000000042",
		"_c_0f-lock--2147483648": "-2147483648",
		"_c_0f-lock--000000005":  "-000000005",
		"lock-0lock-0000":        "0000",
		"lock-":                  "",
		"lock-7":                 "7",
		"foreign":                "foreign",
		"":                       "",
	} {
		require.Equal(t, want, Suffix(name, "lock-"), name)
	}
}

func TestStandard(t *testing.T) {
	drive := Standard("lock-")
	for _, c := range []struct {
		names []string
		own   string
		watch string
		held  bool
	}{
		{[]string{"_c_b-lock-0000000001"}, "_c_b-lock-0000000001", "", true},
		{[]string{"_c_a-lock-0000000002", "_c_b-lock-0000000001"}, "_c_b-lock-0000000001", "", true},
		{[]string{"_c_z-lock-0000000007", "_c_a-lock-0000000009", "_c_b-lock-0000000001"}, "_c_a-lock-0000000009", "_c_z-lock-0000000007", false},
		// Text order: a number behind the wrap comes first.
		{[]string{"_c_a-lock-2147483647", "_c_b-lock--2147483648"}, "_c_b-lock--2147483648", "", true},
		// A foreign child takes part with its whole name.
		{[]string{"_c_a-lock-0000000001", "!x"}, "_c_a-lock-0000000001", "!x", false},
		{[]string{"_c_a-lock-0000000001", "x"}, "_c_a-lock-0000000001", "", true},
	} {
		watch, held, err := drive(c.names, c.own)
		require.NoError(t, err)
		require.Equal(t, c.watch, watch, c.own)
		require.Equal(t, c.held, held, c.own)
	}
	_, held, err := drive([]string{"_c_a-lock-0000000002"}, "_c_b-lock-0000000001")
	require.ErrorIs(t, err, zk.ErrNoNode)
	require.False(t, held)
}

func TestRetryPolicyDelay(t *testing.T) {
	n := RetryPolicy{Retries: 3, Sleep: time.Second}
	require.Equal(t, []zk.Duration{time.Second, time.Second}, []zk.Duration{n.delay(0), n.delay(2)})
	n.Doubling = true
	require.Equal(t, []zk.Duration{time.Second, 4 * time.Second}, []zk.Duration{n.delay(0), n.delay(2)})
}
