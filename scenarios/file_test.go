package scenarios

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/faults"
	"zoosim/zkmodel"
)

// full is a scenario file with every field.
const full = `# The release whose reply is lost, under load.
variant: lock/curator
clients: 4
writers: 0
readers: 0
producers: 0
consumers: 0
members: 0
observers: 0
leases: 0
permits: 0
stock: 0
bare: false
counter: 12
documentedWrap: true
foreign: true
downgrade: true
samePut: true
itemBytes: 0
renew: true
usage: crossed
ops: 3
attempts: 2
mode: timed
limit: 2s
hold: 250ms
arrivals: together
sessionTimeout: 9s
tick: 1s
servers: 5
faults:
  crash: 1
  cut-reply: 2
plan:
  - cut-reply:B@req3
  - pause:D@1.5s+12s   # the last client
untimed: false
sessionsOpen: false
moves: 7
core: 3
serverMutant: event-twice
serial: false
`

func TestParseEveryField(t *testing.T) {
	s, err := Parse("s.yaml", []byte(full))
	require.NoError(t, err)
	want := Scenario{
		Variant: "lock/curator", Clients: 4, Counter: 12, DocumentedWrap: true, Foreign: true, Downgrade: true, SamePut: true, Renew: true, Usage: UseCrossed, Ops: 3, Attempts: 2, Mode: ModeTimed, Limit: 2 * time.Second,
		Hold: 250 * time.Millisecond, FixedHold: true, Arrivals: ArriveTogether,
		SessionTimeout: 9 * time.Second, Tick: time.Second, Servers: 5, Moves: 7, Core: 3, ServerMutant: zkmodel.EventTwice,
		Faults: faults.Budget{faults.Crash: 1, faults.CutReply: 2},
		Plan: faults.Plan{
			{Kind: faults.CutReply, Client: 1, Request: 3},
			{Kind: faults.Pause, Client: 3, Time: 1500 * time.Millisecond, For: 12 * time.Second},
		},
	}
	require.Equal(t, want, s)
	for _, f := range fields() {
		require.Contains(t, full, "\n"+f.name+":", "the file has every field")
	}
}

// Whatever a scenario holds can be set in a file.
func TestEveryFieldOfAScenarioCanBeWritten(t *testing.T) {
	known := map[string]bool{"fixedHold": true} // set by hold
	for _, f := range fields() {
		known[f.name] = true
	}
	typ := reflect.TypeFor[Scenario]()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		require.True(t, known[strings.ToLower(name[:1])+name[1:]], name)
	}
}

func TestParseOtherForms(t *testing.T) {
	with := func(change func(*Scenario)) Scenario {
		s := Default("lock/zkdocs")
		change(&s)
		return s
	}
	for _, c := range []struct {
		yaml string
		want Scenario
	}{
		{"variant: lock/zkdocs", Default("lock/zkdocs")},
		{"\xef\xbb\xbf%YAML 1.2\n---\n'variant': \"lock/zkdocs\"\r\n...\n", Default("lock/zkdocs")},
		{"{variant: lock/zkdocs, clients: 1}\n---\n", with(func(s *Scenario) { s.Clients = 1 })},
		{"hold: 0\nvariant: lock/zkdocs\n", with(func(s *Scenario) { s.FixedHold = true })},
		{"variant: lock/zkdocs\nserial: true\nfaults: {}\nplan: []\n", with(func(s *Scenario) { s.Serial = true })},
		{"variant: lock/zkdocs\nfaults: {cut: 0, crash: 99}\n", with(func(s *Scenario) { s.Faults[faults.Crash] = 99 })},
		{"variant: lock/zkdocs\nplan: ['crash:C@step4']\n", with(func(s *Scenario) {
			s.Plan = faults.Plan{{Kind: faults.Crash, Client: 2, Step: 4}}
		})},
	} {
		s, err := Parse("s.yaml", []byte(c.yaml))
		require.NoError(t, err, c.yaml)
		require.Equal(t, c.want.Plan.String(), s.Plan.String(), c.yaml)
		s.Plan, c.want.Plan = nil, nil
		require.Equal(t, c.want, s, c.yaml)
	}
}

const allFields = "variant, clients, writers, readers, producers, consumers, members, observers, leases, permits, stock, bare, counter, documentedWrap, foreign, downgrade, samePut, itemBytes, renew, usage, ops, attempts, mode, limit, hold, arrivals, sessionTimeout, tick, servers, faults, plan, untimed, sessionsOpen, moves, core, serverMutant, serial"

const allKinds = "crash, restart, pause, expiry, resession, cut-request, cut-reply, cut, partition, delay-event, interrupt, leader-crash, lag"

// badFile is the text of a scenario file and what is wrong with it. Those
// that begin with + stand behind a line that sets the variant.
type badFile struct{ yaml, want string }

func badShapes() []badFile {
	const noYAML, yamlAllowed = ": no YAML: ", "; allowed: a mapping of fields, indented with blanks"
	empty := ": the file is empty; allowed fields: " + allFields
	return []badFile{
		{"", empty},
		{"\n\n", empty},
		{"# nothing but a comment\n", empty},
		{"---\n", empty},
		{"- variant: lock/zkdocs\n", ":1: a list is no mapping of fields; allowed fields: " + allFields},
		{"# a word\nlock/zkdocs\n", `:2: "lock/zkdocs" is no mapping of fields; allowed fields: ` + allFields},
		{"+---\nvariant: lock/zkdocs\n", ":3: a second document begins; allowed: 1"},
		{"+\tclients: 3\n", ":2" + noYAML + `found character '\t' that cannot start any token` + yamlAllowed},
		{"+faults:\n\tcrash: 1\n", ":3" + noYAML + `found character '\t' that cannot start any token` + yamlAllowed},
		{"+plan: [x\n", ":2" + noYAML + "sequence end token ']' not found" + yamlAllowed},
		{"variant: \"lock\n", ":1" + noYAML + "could not find end character of double-quoted text" + yamlAllowed},
		{"+clients: 3: 4\n", ":2" + noYAML + "mapping value is not allowed in this context" + yamlAllowed},

		{"clients: 3\n", ": variant: the file does not set it; allowed: " + variantNames()},
		{"+client: 3\n", ":2: client: unknown field; allowed: " + allFields},
		{"+Clients: 3\n", ":2: Clients: unknown field; allowed: " + allFields},
		{"+\"cli\\nents\": 3\n", `:2: "cli\nents": unknown field; allowed: ` + allFields},
		{"+'': 3\n", `:2: "": unknown field; allowed: ` + allFields},
		{"+<<: {clients: 3}\n", ":2: <<: unknown field; allowed: " + allFields},
		{"+ops: 3\nvariant: lock/kazoo\n", ":3: variant: set twice, first in line 1; allowed: once"},
		{"+ops: 3\nops: 3\n", ":3: ops: set twice, first in line 2; allowed: once"},
	}
}

func badValues() []badFile {
	const (
		clients, ops = "; allowed: 1 to 256", "; allowed: 1 to 1000"
		limit, modes = "; allowed: a duration such as 5s; 0s draws it", "; allowed: blocking, timed, try, mixed"
		serial       = "; allowed: false, or true without faults and plan"
	)
	return []badFile{
		{"variant: lock/nope\n", `:1: variant: unknown variant "lock/nope"; allowed: ` + variantNames()},
		{"variant: [lock/zkdocs]\n", ":1: variant: a list is not a text; allowed: a name that 'zoosim list' shows"},
		{"variant: &v lock/zkdocs\n", ":1: variant: an anchor, an alias or a tag is not a text; allowed: a name that 'zoosim list' shows"},
		{"+clients: 0\n", ":2: clients: 0 clients" + clients},
		{"+ops: 2\n\nclients: 257\n", ":4: clients: 257 clients" + clients},
		{"+clients: many\n", `:2: clients: "many" is not a whole number` + clients},
		{"+sessionsOpen: true\n", ":2: sessionsOpen: true in a timed run; allowed: true in an untimed one"},
		{"+core: 4\n", ":2: core: 4; allowed: 0 to 3"},
		{"+serverMutant: evil\n", `:2: serverMutant: unknown mutant "evil"; allowed: none, ` + mutantNames()},
		{"+clients: 3.0\n", `:2: clients: "3.0" is not a whole number` + clients},
		{"+clients: 010\n", `:2: clients: "010" is not a whole number` + clients},
		{"+clients: 99999999999999999999\n", `:2: clients: "99999999999999999999" is not a whole number` + clients},
		{"+clients:\n", ":2: clients: no value is not a whole number" + clients},
		{"+clients:\n  a: 1\n", ":3: clients: a mapping is not a whole number" + clients},
		{"+ops: 1001\n", ":2: ops: 1001 operations" + ops},
		{"+ops: -1\n", ":2: ops: -1 operations" + ops},
		{"+writers: 1\n", ":2: writers: a lock has none; allowed: 0"},
		{"+readers: 2\n", ":2: readers: a lock has none; allowed: 0"},
		{"+producers: many\n", `:2: producers: "many" is not a whole number; allowed: 0 to 256`},
		{"+consumers: -1\n", ":2: consumers: -1; allowed: 0 to 256"},
		{"+members: 1\n", ":2: members: a lock has none; allowed: 0"},
		{"+observers: 1\n", ":2: observers: a lock has none; allowed: 0"},
		{"+renew: maybe\n", `:2: renew: "maybe" is not true or false; allowed: true, false`},
		{"+leases: 1\n", ":2: leases: 1; allowed: 0 to 0"},
		{"+stock: 1\n", ":2: stock: 1; allowed: 0 to 0"},
		{"+permits: 1\n", ":2: permits: 1; allowed: 0 to 0"},
		{"+bare: maybe\n", `:2: bare: "maybe" is not true or false; allowed: true, false`},
		{"+bare: true\ncounter: 1\n", ":2: bare: a directory that is missing has no counter; allowed: false"},
		{"+counter: -1\n", ":2: counter: -1; allowed: 0 to 2147483647"},
		{"+documentedWrap: maybe\n", `:2: documentedWrap: "maybe" is not true or false; allowed: true, false`},
		{"+foreign: maybe\n", `:2: foreign: "maybe" is not true or false; allowed: true, false`},
		{"+downgrade: maybe\n", `:2: downgrade: "maybe" is not true or false; allowed: true, false`},
		{"+itemBytes: 3", `:2: itemBytes: a lock has no items; allowed: 0`},
		{"+samePut: maybe\n", `:2: samePut: "maybe" is not true or false; allowed: true, false`},
		{"+usage: odd\n", `:2: usage: unknown usage "odd"; allowed: plain, nested, crossed, throwing, purged`},
		{"+usage: nested\nserial: true\n", ":2: usage: nested; allowed but for locks in timed runs that are not serial: plain"},
		{"+attempts: 0\n", ":2: attempts: 0 attempts; allowed: 1 to 9"},
		{"+mode: fast\n", `:2: mode: unknown mode "fast"` + modes},
		{"+mode: ~\n", ":2: mode: no value is not a text" + modes},
		{"+limit: 5\n", `:2: limit: "5" is not a duration` + limit},
		{"+limit: soon\n", `:2: limit: "soon" is not a duration` + limit},
		{"+limit: [5s]\n", ":2: limit: a list is not a duration" + limit},
		{"+limit: -1s\n", ":2: limit: -1s; allowed: 0s to 1h0m0s"},
		{"+hold: 2h\n", ":2: hold: 2h0m0s; allowed: 0s to 1h0m0s"},
		{"+hold:\n", ":2: hold: no value is not a duration; allowed: a duration such as 4s"},
		{"+arrivals: never\n", `:2: arrivals: unknown arrivals "never"; allowed: drawn, together`},
		{"+sessionTimeout: 0s\n", ":2: sessionTimeout: 0s; allowed: 1ms to 1h0m0s"},
		{"+tick: 2m\n", ":2: tick: 2m0s; allowed: 1ms to 1m0s"},
		{"+servers: 2\n", ":2: servers: 2 servers; allowed: 1, 3, 5"},
		{"+servers: three\n", `:2: servers: "three" is not a whole number; allowed: 1, 3, 5`},
		{"+servers: 3\nuntimed: true\nfaults: {lag: 1}\n", ":4: faults: lag: 1; allowed in an untimed run on 3 servers: 0, since messages between servers wait there as long as they like"},
		{"+faults: {leader-crash: 1}\n", ":2: faults: leader-crash: a standalone server; allowed with 3 or 5 servers"},
		{"+plan: ['lag:A@1s+2s']\n", ":2: plan[0]: lag:A@1s+2s: a standalone server; allowed with 3 or 5 servers"},
		{"+untimed: maybe\n", `:2: untimed: "maybe" is not true or false; allowed: true, false`},
		{"+untimed: true\nserial: true\n", ":2: untimed: the standard workload is timed; allowed: true, false"},
		{"+untimed: true\nplan: ['crash:A@1s']\n", ":2: untimed: faults of an untimed run come from the budget, not from a plan; allowed: true, false"},
		{"+sessionsOpen: maybe\n", `:2: sessionsOpen: "maybe" is not true or false; allowed: false, or true in an untimed run`},
		{"+moves: -1\n", ":2: moves: -1; allowed: 0 or more"},
		{"+serial: maybe\n", `:2: serial: "maybe" is not true or false` + serial},
		{"+serial: yes\n", `:2: serial: "yes" is not true or false` + serial},
		{"+serial: true\nfaults: {crash: 1}\n", ":2: serial: the standard workload has no faults" + serial},
		{"+plan: ['crash:A@1s']\nserial: true\n", ":3: serial: the standard workload has no faults" + serial},
	}
}

func badFaults() []badFile {
	const (
		mapping = "; allowed: a mapping of kinds to the most of each, as {crash: 1, cut-reply: 2}"
		list    = "; allowed: a list of faults, as [cut-reply:B@req3, pause:A@1.5s+12s]"
		form    = "; want kind:client@when[+length], as cut-reply:B@req3 or pause:A@1.5s+12s"
	)
	return []badFile{
		{"+faults: crash=1\n", `:2: faults: "crash=1" is not a mapping` + mapping},
		{"+faults: [crash]\n", ":2: faults: a list is not a mapping" + mapping},
		{"+faults:\n", ":2: faults: no value is not a mapping" + mapping},
		{"+faults:\n  crash: 1\n  boom: 1\n", `:4: faults: unknown fault "boom"; allowed: ` + allKinds},
		{"+faults: {crash: 1,\n boom: 1}\n", `:3: faults: unknown fault "boom"; allowed: ` + allKinds},
		{"+faults:\n  cut: 1\n  crash: x\n", `:4: faults.crash: "x" is not a whole number; allowed: 0 to 99`},
		{"+faults:\n  crash:\n", ":3: faults.crash: no value is not a whole number; allowed: 0 to 99"},
		{"+faults:\n  crash: 100\n", ":3: faults.crash: 100 faults; allowed: 0 to 99"},
		{"+faults:\n  crash: -1\n", ":3: faults.crash: -1 faults; allowed: 0 to 99"},
		{"+faults:\n  crash: 1\n  cut: 1\n  crash: 1\n", ":5: faults.crash: set twice, first in line 3; allowed: once"},

		{"+plan: crash:A@1s\n", `:2: plan: "crash:A@1s" is not a list` + list},
		{"+plan: {crash: 1}\n", ":2: plan: a mapping is not a list" + list},
		{"+plan:\n", ":2: plan: no value is not a list" + list},
		{"+plan:\n  - crash:A@1s\n  - boom:A@1s\n", `:4: plan[1]: fault "boom:A@1s": unknown fault "boom"; allowed: ` + allKinds},
		{"+plan:\n  - crash\n", `:3: plan[0]: fault "crash": no client` + form},
		{
			"+plan:\n  - crash:A@soon\n",
			`:3: plan[0]: fault "crash:A@soon": moment "soon"; allowed: stepK or reqN with a number from 1, or a duration from 0s, as 1.5s` + form,
		},
		{"+plan:\n  -\n", ":3: plan[0]: no value is not a text; allowed: a fault, as cut-reply:B@req3"},
		{"+plan:\n  - crash: A\n", ":3: plan[0]: a mapping is not a text; allowed: a fault, as cut-reply:B@req3"},
		{"+plan:\n  - crash:C@1s\n  - crash:D@1s\n", ":4: plan[1]: crash:D@1s: no such client; allowed: 0 to 2"},
		{"+plan: ['cut:A@1s',\n  'cut:B@1s']\nclients: 1\n", ":3: plan[1]: cut:B@1s: no such client; allowed: 0 to 0"},
	}
}

func TestParseErrors(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range append(append(badShapes(), badValues()...), badFaults()...) {
		yaml := c.yaml
		if rest, ok := strings.CutPrefix(yaml, "+"); ok {
			yaml = "variant: lock/zkdocs\n" + rest
		}
		s, err := Parse("s.yaml", []byte(yaml))
		require.EqualError(t, err, "s.yaml"+c.want, yaml)
		require.Equal(t, Scenario{}, s)
		var in *InputError
		require.ErrorAs(t, err, &in)
		require.Equal(t, "s.yaml", in.File)
		require.Contains(t, in.Msg, "; ", "what is allowed stands behind what is wrong")
		seen[in.Field] = true
	}
	for _, f := range fields() {
		require.True(t, seen[f.name], "%s is in the table", f.name)
	}
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.yaml")
	_, err := ReadFile(name)
	require.EqualError(t, err, "s.yaml: no such file or directory")
	require.ErrorIs(t, err, os.ErrNotExist)

	require.NoError(t, os.WriteFile(name, []byte("variant: lock/zkdocs\nclients: 0\n"), 0o600))
	_, err = ReadFile(name)
	require.EqualError(t, err, "s.yaml:2: clients: 0 clients; allowed: 1 to 256", "no path of the machine")

	require.NoError(t, os.WriteFile(name, []byte(full), 0o600))
	s, err := ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "lock/curator", s.Variant)
}

// FuzzParse: whatever a file holds, Parse returns a scenario that is valid,
// or an error of one line that names the file.
func FuzzParse(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("{variant: lock/zkdocs, faults: {crash: 1}, plan: [crash:A@1s]}\n"))
	f.Add([]byte("variant: &a lock/zkdocs\nmode: *a\n<<: !!int 4\n---\n"))
	f.Add([]byte("? [a, b]\n: |\n  text\n? 'x\"y'\n: >-\n  more\n"))
	f.Add([]byte("plan:\n\t- \xff\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Parse("s.yaml", b)
		if err == nil {
			require.NoError(t, s.Validate())
			return
		}
		var in *InputError
		require.True(t, errors.As(err, &in))
		require.Equal(t, "s.yaml", in.File)
		require.NotContains(t, err.Error(), "\n")
	})
}
