package reports

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/scenarios"
)

func TestClean(t *testing.T) {
	require.Equal(t, "a b  c\ufffd[0m", clean(" a\nb\t\u00a0c\x1b[0m\r\n"))
	require.Equal(t, "\ufffd", clean("\xff"))
	require.Equal(t, "N²-N+1", clean("N²-N+1"))
}

func TestNum(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -2.5: "-2.5", 0.12345: "0.123", 12.3456: "12.35", 1234.56: "1234.6",
		1000: "1000", 0.0001: "0", -0.0001: "0", math.Inf(1): "-",
	} {
		require.Equal(t, want, num(v), "%v", v)
	}
	require.Equal(t, "-", num(math.NaN()))
	require.Equal(t, "+3", signed(3))
}

func TestShellWord(t *testing.T) {
	for s, want := range map[string]string{
		"a/b-c_1.json": "a/b-c_1.json", "a b": "'a b'", "it's": `'it'\''s'`, "-x": "'-x'", "": "''", "$(x)": "'$(x)'",
	} {
		require.Equal(t, want, shellWord(s))
	}
}

func TestFileLink(t *testing.T) {
	require.Equal(t, "./javascript:alert%281%29", fileLink("javascript:alert(1)"))
	require.Equal(t, "replays/a%3Fb%23c.json", fileLink("replays/a?b#c.json"))
}

func TestMarkdownText(t *testing.T) {
	require.Equal(t, `a\|b &lt;i&gt; \*x\* \[y\] \_z`, markdownText("a|b <i> *x* [y] _z"))
}

func TestElide(t *testing.T) {
	require.Equal(t, "ÄÖÜ", elide("ÄÖÜ", 3))
	require.Equal(t, "abc...", elide("abc defghi", 7))
}

func TestSizesOfASearch(t *testing.T) {
	for want, z := range map[string]scenarios.Sizes{
		"3 clients":                               {Clients: 3},
		"3 clients (1 writer, 2 readers)":         {Clients: 3, Writers: 1, Readers: 2},
		"3 clients, 1 lease":                      {Clients: 3, Leases: 1, Permits: 1},
		"3 clients, 2 leases, 2 for each acquire": {Clients: 3, Leases: 2, Permits: 2},
		"1 client, stock 4":                       {Clients: 1, Stock: 4},
	} {
		require.Equal(t, want, sizesText(&scenarios.BoundsReport{Sizes: z}))
	}
	require.Equal(t, "3 clients, 5 servers", sizesText(&scenarios.BoundsReport{Sizes: scenarios.Sizes{Clients: 3}, Servers: 5}))
}
