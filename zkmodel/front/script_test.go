package front

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/zkmodel"
)

func TestParseRules(t *testing.T) {
	rules, err := ParseRules("f.yaml", []byte(`
# what goes wrong
faults:
  - {do: cut-reply, op: create, count: 3}
  - do: expiry
    session: 2
  - {do: partition, session: 1, for: 5s, op: getData, path: /q, by: 2}
`))
	require.NoError(t, err)
	require.Equal(t, []Rule{
		{Do: CutReply, Op: "create", Count: 3},
		{Do: Expiry, Session: 2},
		{Do: Partition, Session: 1, For: 5 * time.Second, Op: "getData", Path: "/q", By: 2},
	}, rules)
}

func TestBadScripts(t *testing.T) {
	const one = "faults:\n  - {do: cut}\n  - "
	for in, want := range map[string]string{
		"":                                       "f.yaml: no faults; allowed: faults: a list of {do, session, server, for, op, path, by, count}",
		"faults: []":                             "f.yaml: no faults; ",
		"faults:\n\t- x":                         "f.yaml:2: found character '\\t'",
		"fault: []":                              `f.yaml:1: unknown field "fault"`,
		one + "{do: cut, cont: 1}":               `f.yaml:3: unknown field "cont"`,
		one + "{do: cut, count: many}":           "f.yaml:3: ",
		one + "{do: harm}":                       `f.yaml:3: faults[1]: do: "harm"; allowed: cut-request, cut-reply, cut, partition, expiry, crash, leader-crash`,
		one + "{}":                               `f.yaml:3: faults[1]: do: ""; allowed:`,
		one + "{do: cut, count: -1}":             "f.yaml:3: faults[1]: count: -1; allowed: 1 and more",
		one + "{do: cut-reply, session: 1}":      "f.yaml:3: faults[1]: session: cut-reply strikes the request that it waits for; allowed: none (see by)",
		one + "{do: cut, session: -1}":           "f.yaml:3: faults[1]: session: -1; allowed:",
		one + "{do: cut, by: -1}":                "f.yaml:3: faults[1]: by: -1; allowed:",
		one + "{do: partition}":                  "f.yaml:3: faults[1]: for: 0s; allowed: a duration such as 5s",
		one + "{do: cut, for: 1s}":               "f.yaml:3: faults[1]: for: cut takes no time; allowed: none",
		one + "{do: crash, server: 0}":           "f.yaml:3: faults[1]: server: 0; allowed: the number of a server, 1 to ",
		one + "{do: crash, server: 1, for: -1s}": "f.yaml:3: faults[1]: for: -1s; allowed:",
		one + "{do: cut, server: 1}":             "f.yaml:3: faults[1]: server: cut names no server; allowed: none",
		one + "{do: cut, op: make}":              `f.yaml:3: faults[1]: op: "make"; allowed: connect, create, `,
		one + "{do: cut, path: a}":               `f.yaml:3: faults[1]: path: "a"; allowed: a path that begins with /`,
		strings.Repeat("#", maxScript+1):         "f.yaml: 1048577 bytes; allowed: 1048576",
	} {
		_, err := ParseRules("f.yaml", []byte(in))
		require.ErrorContains(t, err, want, in)
		require.NotContains(t, err.Error(), "\n", in)
	}
}

func TestWhatARuleWaitsFor(t *testing.T) {
	create := zkmodel.Request{Op: zkmodel.OpCreate, Path: "/a/b"}
	for _, c := range []struct {
		name string
		rule Rule
		q    zkmodel.Request
		want bool
	}{
		{"anything", Rule{}, create, true},
		{"but no ping", Rule{}, zkmodel.Request{Op: zkmodel.OpPing}, false},
		{"and no connect", Rule{}, zkmodel.Request{Op: zkmodel.OpConnect}, false},
		{"unless named", Rule{Op: "connect"}, zkmodel.Request{Op: zkmodel.OpConnect}, true},
		{"the type", Rule{Op: "create"}, create, true},
		{"its family", Rule{Op: "create"}, zkmodel.Request{Op: zkmodel.OpCreateTTL}, true},
		{"its family", Rule{Op: "getChildren"}, zkmodel.Request{Op: zkmodel.OpGetChildren2}, true},
		{"another type", Rule{Op: "delete"}, create, false},
		{"the session", Rule{By: 2}, create, true},
		{"another session", Rule{By: 1}, create, false},
		{"the path", Rule{Path: "/a/b"}, create, true},
		{"a path above", Rule{Path: "/a"}, create, true},
		{"the root", Rule{Path: "/"}, create, true},
		{"a path that begins alike", Rule{Path: "/a/"}, zkmodel.Request{Op: zkmodel.OpCreate, Path: "/ab"}, false},
		{"an address is no path", Rule{Op: "connect", Path: "/"}, zkmodel.Request{Op: zkmodel.OpConnect, Path: "/"}, false},
	} {
		require.Equal(t, c.want, c.rule.fits(&c.q, 2), c.name)
	}
}

func TestScriptsAreBounded(t *testing.T) {
	var s script
	require.NoError(t, s.add(cuts(maxRules), 1))
	require.ErrorContains(t, s.add(cuts(1), 1), "10001 rules; allowed: 10000")
}

func cuts(n int) []Rule {
	rules := make([]Rule, n)
	for i := range rules {
		rules[i].Do = Cut
	}
	return rules
}
