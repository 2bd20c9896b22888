package conform

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"zoosim/zkmodel"
)

// parseScript reads what Script.String writes.
func parseScript(t require.TestingT, text string) Script {
	var s Script
	var head, body string
	flush := func() {
		if head == "" {
			return
		}
		f := strings.Fields(head)
		var args []Arg
		for _, w := range f[1:] {
			key, val, ok := strings.Cut(w, "=")
			a := Arg{Key: key}
			if ok {
				a.Vals = []string{val}
			}
			args = append(args, a)
		}
		step, err := ParseStep(f[0], args, body)
		require.NoError(t, err)
		s = append(s, step)
	}
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains([]Verb{VerbConnect, VerbDo, VerbDrop, VerbExpire, VerbWait}, Verb(word)) {
			flush()
			head, body = line, ""
		} else {
			body += line
		}
	}
	flush()
	return s
}

// A script is what its text says: the same bytes go out.
func TestScriptsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scripts().Draw(t, "script")
		again := parseScript(t, s.String())
		require.Equal(t, s.String(), again.String())
		want, err := Run(NewModelArm(ModelOptions{Server: modelOptions(testConfig())}), "/r", s)
		require.NoError(t, err)
		got, err := Run(NewModelArm(ModelOptions{Server: modelOptions(testConfig())}), "/r", again)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// So are the fields that no random script has.
func TestRareFieldsReadBack(t *testing.T) {
	for _, line := range []string{
		"create /a fill=1000 xid=-8", "setData /a fill=101", "exists /a big=100 xid=7",
		"multi ; create /a fill=200 ; delete /b xid=3", "create hex=00ff xid=5", "ping xid=5",
	} {
		o, err := ParseOp(line)
		require.NoError(t, err)
		require.Equal(t, line, o.String())
	}
	s := parseScript(t, "connect a timeout=2000 session=b wrong seen=-3 old null\n")
	require.Equal(t, "connect a timeout=2000 session=b wrong seen=-3 old null\n", s.String())
}

// Random scripts are long enough, use what they are meant to use, and never
// kill the real server.
func TestScriptsCover(t *testing.T) {
	used := map[string]int{}
	for seed := range 300 {
		s := scriptOf(seed)
		ops := 0
		for i := range s {
			used[string(s[i].Verb)]++
			ops += len(s[i].Ops)
			if s[i].Session != "" {
				used["attach"]++
			}
			if len(s[i].Ops) > 1 {
				used["batch"]++
			}
			for j := range s[i].Ops {
				require.False(t, deadly(&s[i].Ops[j]))
				used[opName(s[i].Ops[j].Request.Op)]++
			}
		}
		require.GreaterOrEqual(t, ops, minOps)
	}
	want := []string{"connect", "do", "drop", "expire", "attach", "batch"}
	for _, op := range opNames {
		if op != zkmodel.OpCreateSession {
			want = append(want, op.String())
		}
	}
	for _, w := range want {
		require.NotZero(t, used[w], w)
	}
}

func TestErrorsInScriptsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense /a":          `unknown request "nonsense"`,
		"create /a nope=3":     `unknown field "nope"`,
		"create /a acl=31":     "is not perms:scheme:id",
		"multi ; creat /a":     `unknown request "creat"`,
		`create "/a`:           "invalid syntax",
		"create /a acl=x:y:z":  "invalid syntax",
		"exists /a hex=0":      "odd length",
		"multi ; create /a ; ": "no request",
	} {
		_, err := ParseOp(text)
		require.ErrorContains(t, err, want, text)
	}
	_, err := ParseStep("jump", []Arg{{Key: "a"}}, "")
	require.ErrorContains(t, err, "allowed: connect")
	_, err = ParseStep("do", nil, "")
	require.ErrorContains(t, err, "no connection")
	_, err = ParseStep("connect", []Arg{{Key: "a"}, {Key: "tiemout"}}, "")
	require.ErrorContains(t, err, "unknown argument tiemout")
	for line, want := range map[string]string{
		"": "no child of the root", "/a/b creates=1": "no child of the root", "/a creates=x": "invalid syntax",
		"/a version=2147483648": "out of range", "/a age=1": `unknown field "age"; allowed: creates, version`,
	} {
		_, err := ParseZnode(line)
		require.ErrorContains(t, err, want, line)
	}
}

// A planted difference is found, and shrinks to the requests that show it.
func TestPlantedDifferenceShrinks(t *testing.T) {
	differs := func(s Script) bool {
		arms := [2][][]string{}
		for i, o := range []ModelOptions{{}, {Response: plant}} {
			o.Server = modelOptions(testConfig())
			var err error
			arms[i], err = Run(NewModelArm(o), "/r", s)
			require.NoError(t, err)
		}
		for i := range s {
			if !slices.Equal(arms[0][i], arms[1][i]) {
				return true
			}
		}
		return false
	}
	for seed := range 200 {
		if s := scriptOf(seed); differs(s) {
			s = Shrink(s, 2000, differs)
			ops := 0
			for i := range s {
				ops += len(s[i].Ops)
			}
			require.LessOrEqual(t, ops, 2, "a create and a setData:\n%s", s)
			require.LessOrEqual(t, len(s), 4, "%s", s)
			return
		}
	}
	require.Fail(t, "no script shows the planted difference")
}

// The golden scripts fail on a model with a planted difference.
func TestGoldenScriptsCanFail(t *testing.T) {
	s := parseScript(t, "connect a timeout=2000\ndo a\ncreate /x\nsetData /x\n")
	m, err := Run(NewModelArm(ModelOptions{Response: plant}), "/r", s)
	require.NoError(t, err)
	require.Contains(t, m[1][1], "v=2")
}
