package checker

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ensembleServicePreface is what every stream of an ensemble begins with: A is
// connected to server 1, B to server 2.
const ensembleServicePreface = `
@1 0.000 open s1 z1
@2 0.000 open s1 z1
@1 0.000 attach c0 A s1
@1 0.000 open s2 z2
@2 0.000 open s2 z2
@2 0.000 attach c1 B s2
`

// judgeEnsemble judges a text stream: lines as those of a single server (see
// parseService), each with its server in front, and
//
//	@1 TIME pass ZXID SESSION       a transaction failed
//	@1 TIME installed ZXID          the server took a whole state over
//	@1 TIME seen CLIENT SESSION ZXID  a client received a reply
func judgeEnsemble(t testing.TB, text string) Result {
	t.Helper()
	var s EnsembleService
	s.Reset(3)
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		require.Len(t, f[0], 2, line)
		server := int(f[0][1] - '1')
		line = strings.Join(f[1:], " ")
		switch f[2] {
		case "installed":
			e := parseService(t, f[1]+" end s9 "+f[3])[0]
			s.Installed(server, e.Zxid, e.At)
		case "seen":
			e := parseService(t, f[1]+" end "+f[4]+" "+f[5])[0]
			s.Seen(int32(f[3][0]-'A'), e.Session, e.Zxid, e.At)
		case "pass":
			e := parseService(t, f[1]+" end "+f[4]+" "+f[3])[0]
			e.Kind = ServicePass
			s.Observe(server, &e)
		default:
			e := parseService(t, line)[0]
			s.Observe(server, &e)
		}
	}
	return s.Finish()
}

func TestEnsembleServiceTellsBadStreamsFromGoodOnes(t *testing.T) {
	content, err := os.ReadFile("testdata/service/ensemble.txt")
	require.NoError(t, err)
	cases := strings.Split("\n"+string(content), "\ncase: ")[1:]
	require.NotEmpty(t, cases)
	for _, text := range cases {
		head, body, ok := strings.Cut(text, "\n--\n")
		require.True(t, ok, text)
		what, why, _ := strings.Cut(head, "\nwhy: ")
		t.Run(what, func(t *testing.T) {
			bad, good := ensembleServicePreface, ensembleServicePreface
			for line := range strings.Lines(body) {
				if line[0] != '+' {
					bad += line[1:]
				}
				if line[0] != '-' {
					good += line[1:]
				}
			}
			r := judgeEnsemble(t, good)
			require.Equal(t, Result{Property: ServiceGuarantees, Level: LevelService, Verdict: Pass, Client: -1}, r)
			r = judgeEnsemble(t, bad)
			require.Equal(t, Failed, r.Verdict)
			require.Equal(t, why, r.Why)
			require.Equal(t, LevelService, r.Level)
		})
	}
}

// What every server has applied is not kept.
func TestEnsembleServiceForgetsWhatAllHave(t *testing.T) {
	var s EnsembleService
	s.Reset(3)
	for z := int64(1); z < 10_000; z++ {
		for i := range 3 {
			s.Observe(i, &ServiceEvent{Kind: ServicePass, Zxid: z})
		}
	}
	require.False(t, s.Failed())
	require.Less(t, len(s.agreed), 1000)
}

// What is not kept any more is counted all the same: a server that lags, and
// one that takes a state over, go on where they are.
func TestEnsembleServiceAfterForgetting(t *testing.T) {
	var s EnsembleService
	s.Reset(3)
	const all = 1000
	for z := int64(1); z <= all; z++ {
		for i := range 3 {
			s.Observe(i, &ServiceEvent{Kind: ServicePass, Zxid: z})
		}
	}
	require.Positive(t, s.dropped)
	s.Observe(0, &ServiceEvent{Kind: ServicePass, Zxid: all + 1})
	s.Observe(0, &ServiceEvent{Kind: ServiceOpen, Session: 7, Zxid: all + 2})
	s.Observe(0, &ServiceEvent{Kind: ServicePass, Zxid: all + 3})
	// The session comes to a server before the transaction that opened it.
	s.Observe(1, &ServiceEvent{Kind: ServiceAttach, Session: 7, Client: 2})
	require.False(t, s.Failed(), s.Finish().Why)
	s.Installed(2, all+2, 0)
	require.Equal(t, []int{all + 3, all, all + 2}, s.at)
	require.False(t, s.Failed(), s.Finish().Why)
	s.Observe(2, &ServiceEvent{Kind: ServicePass, Zxid: all + 4})
	require.Contains(t, s.Finish().Why, "agreement: server 3 applied a failed request as zxid 1004, where another server had applied a failed request as zxid 1003")
}
