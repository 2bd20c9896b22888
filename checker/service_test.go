package checker

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// judgeService runs the validators over a stream.
func judgeService(s *Service, stream []ServiceEvent) Result {
	s.Reset()
	for i := range stream {
		s.Observe(&stream[i])
	}
	return s.Finish()
}

// goodService is the result on a stream that breaks nothing.
var goodService = Result{Property: ServiceGuarantees, Level: LevelService, Verdict: Pass, Client: -1}

func TestServiceRefusesBadStreams(t *testing.T) {
	for guarantee, file := range guaranteeNames {
		cases := readServiceCases(t, file)
		require.GreaterOrEqual(t, len(cases), 4, file)
		for _, c := range cases {
			t.Run(file+"/"+c.name, func(t *testing.T) {
				var s Service
				r := judgeService(&s, c.bad)
				require.Equal(t, c.why, r.Why)
				require.Equal(t, uint32(1)<<guarantee, s.broken, "exactly one guarantee is broken")
				require.Equal(t, file+": ", r.Why[:len(file)+2])
				require.Equal(t, Failed, r.Verdict)
				require.Equal(t, ServiceGuarantees, r.Property)
				require.Equal(t, LevelService, r.Level)
				require.True(t, s.Failed())
				if r.Client >= 0 {
					require.Contains(t, r.Why, ClientName(int(r.Client)))
				}
				require.Equal(t, r, s.Finish())
			})
		}
	}
}

func TestServiceAcceptsGoodTwins(t *testing.T) {
	for _, file := range guaranteeNames {
		for _, c := range readServiceCases(t, file) {
			t.Run(file+"/"+c.name, func(t *testing.T) {
				var s Service
				require.Equal(t, goodService, judgeService(&s, c.good))
				require.False(t, s.Failed())
			})
		}
	}
}

// What the real server was measured to do breaks nothing. Each case names the
// section of the measurements and the fact.
func TestServiceAcceptsWhatWasMeasured(t *testing.T) {
	sections := map[string]int{}
	for _, c := range readServiceCases(t, "measured") {
		_, err := strconv.Atoi(c.name[:1])
		require.NoError(t, err, c.name)
		sections[c.name[:1]]++
		t.Run(c.name, func(t *testing.T) {
			var s Service
			require.Equal(t, goodService, judgeService(&s, c.good))
		})
	}
	for _, section := range []string{"2", "5", "6"} {
		require.GreaterOrEqual(t, sections[section], 10, section)
	}
}

func TestServiceIsUsedAgain(t *testing.T) {
	var used, fresh Service
	for _, file := range guaranteeNames {
		for _, c := range readServiceCases(t, file) {
			require.Equal(t, judgeService(&fresh, c.bad), judgeService(&used, c.bad), c.name)
			require.Equal(t, goodService, judgeService(&used, c.good), c.name)
			fresh = Service{}
		}
	}
}

// Only the first event that breaks a guarantee is told.
func TestServiceStopsAtTheFirst(t *testing.T) {
	c := readServiceCases(t, "event-cause")[0]
	var s Service
	want := judgeService(&s, c.bad)
	more := parseService(t, `
		9.000 c0 ! NodeDeleted /elsewhere
		9.000 z1 delete /elsewhere s9
	`)
	require.Equal(t, want, judgeService(&s, append(c.bad, more...)))
}

// What makes no sense may be judged in any way, but stops nobody.
func TestServiceBearsNonsense(t *testing.T) {
	var s Service
	paths := []string{"", "/", "/a", "/a/b", "/a/b/c", "/a/", "//", "foo", "/zookeeper", "/zookeeper/quota", "/a-0000000001"}
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		path := func() string { return paths[r.IntN(len(paths))] }
		s.Reset()
		for range 60 {
			e := ServiceEvent{
				Kind: ServiceKind(r.IntN(11)), Cause: ServiceCause(r.IntN(4)), Watch: r.IntN(2) == 0,
				Sequential: r.IntN(4) == 0, Conn: r.Int32N(4) - 1, Client: r.Int32N(3) - 1, Xid: r.Int32N(3) - 2,
				Op:  []int32{1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 14, 18, 100, 101, 106, -11, 77}[r.IntN(17)],
				Err: []int32{0, 0, 0, -101, -103, -108, -110, -111, -8}[r.IntN(9)], Type: r.Int32N(6), Flags: r.Int32N(5),
				Version: r.Int32N(3) - 1, Changes: r.Int32N(3), Session: r.Int64N(4), Zxid: r.Int64N(30), Owner: r.Int64N(2),
				Path: path(),
			}
			if r.IntN(3) == 0 {
				e.Stat = &ServiceStat{Czxid: r.Int64N(9), EphemeralOwner: r.Int64N(3), Cversion: r.Int32N(9)}
				e.Children, e.Data = []string{path()}, []byte(path())
			}
			if e.Op == wireSetWatches {
				e.Watches = &ServiceWatchSet{Data: []string{path()}, Exist: []string{path()}, Child: []string{path()}, Recursive: []string{path()}}
			}
			s.Observe(&e)
			s.broken = 0 // go on
		}
		s.Finish()
	}
}

func TestServicePlant(t *testing.T) {
	for _, c := range []struct{ name, stream, why string }{
		{"the parents of a planted znode stand too", `
			0.000 plant /a/b cz=2 mz=2 pz=2
			0.100 c0 > 1 exists /a
			0.100 c0 < 1 z2
			0.200 c0 > 2 getChildren /a
			0.200 c0 < 2 z2 children=b
		`, ""},
		{"a planted znode may be planted anew", `
			0.000 plant /a cz=2 mz=2 pz=2
			0.000 plant /a cz=2 mz=2 pz=2 cv=14 v=3
			0.100 c0 > 1 exists /a
			0.100 c0 < 1 z2 cz=2 mz=2 pz=2 cv=14 v=3
			0.200 z3 create /a/n-0000000007 s1 sequential
		`, ""},
		{"zxids go on from those of planted znodes", `
			0.000 plant /a cz=2 mz=9 pz=2
			0.100 z9 create /b s1
		`, "write-order: a transaction of A was applied at 0.100s as zxid 9 after zxid 9"},
		{"data are planted", `
			0.000 plant /a cz=2 mz=2 pz=2 data=x
			0.100 c0 > 1 getData /a
			0.100 c0 < 1 z2 data=y
		`, "read-state: the reply to getData(/a) showed A zxid 2 at 0.100s and data that the znode did not have"},
		{"a planted ephemeral znode goes with its session", `
			0.000 plant /a cz=2 mz=2 pz=2 owner=s2
			0.100 end s2 z3 expiry
		`, "ephemeral: a znode of session 0x2 of B, /a, outlived it: it was over at 0.100s with zxid 3"},
		{"a planted ephemeral znode of a session that is not known", `
			0.000 plant /a cz=2 mz=2 pz=2 owner=s9
			0.100 z3 delete /a s2 expiry
		`, "ephemeral: the znode /a of session 0x9 went at 0.100s with the end of session 0x2 of B"},
		{"no path, no znode", "0.000 plant foo cz=2", ""},
	} {
		var s Service
		require.Equal(t, c.why, judgeService(&s, parseService(t, servicePreface+c.stream)).Why, c.name)
	}
}

// A change of the server's own names nobody.
func TestServiceNamesNobody(t *testing.T) {
	var s Service
	r := judgeService(&s, parseService(t, "0.100 z3 delete /a s0"))
	require.Equal(t, "write-order: delete(/a) was applied at 0.100s as zxid 3 although it was not there", r.Why)
	require.Equal(t, int32(-1), r.Client)
	r = judgeService(&s, parseService(t, `
		0.100 open s7 z3
		0.200 z3 create /a s7
	`))
	require.Equal(t, "write-order: a transaction was applied at 0.200s as zxid 3 after zxid 3", r.Why)
	require.Equal(t, int32(-1), r.Client)
}

func TestWireNames(t *testing.T) {
	for word, op := range serviceOps {
		if word == "unknown" {
			word = "request of type 99"
		}
		require.Equal(t, word, wireOpName(op))
	}
	for word, event := range serviceTypes {
		require.Equal(t, word, wireTypeName(event))
	}
	require.Equal(t, "event of type 9", wireTypeName(9))
	for _, word := range []string{"OK", "NoNode", "BadVersion", "NodeExists", "NotEmpty", "NoChildrenForEphemerals"} {
		require.Equal(t, word, wireErrName(serviceCodes[word]))
	}
	require.Equal(t, "code -8", wireErrName(-8))
}
