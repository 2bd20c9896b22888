package checker

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The text format of service streams, one event a line, times in seconds:
//
//	TIME open SESSION ZXID                    a session was opened
//	TIME end SESSION ZXID [close|expiry]      it ended
//	TIME attach CONN CLIENT SESSION [seen=]   a connection was bound
//	TIME detach CONN                          it is over
//	TIME plant PATH [cz= mz= ...] [data=]     a znode stands
//	TIME ZXID OP PATH SESSION [close|expiry] [owner=SESSION] [sequential] [data=]
//	TIME CONN > XID OP [PATH] [watch] [version=] [flags=] [changes=] [rel= data= exist= child= persistent= recursive=]
//	TIME CONN < XID ZXID [CODE] [path=] [cz= mz= pz= v= cv= av= owner= kids= len=] [children=a,b] [data=]
//	TIME CONN ! TYPE PATH                     a watch event
//
// Sessions are s1, s2, connections c0, c1, zxids z1, z2. A # begins a comment.

// servicePreface is what every stream begins with.
const servicePreface = `
0.000 open s1 z1
0.000 attach c0 A s1
0.000 open s2 z2
0.000 attach c1 B s2
`

var serviceOps = map[string]int32{
	"create": wireCreate, "delete": wireDelete, "exists": wireExists, "getData": wireGetData,
	"setData": wireSetData, "getACL": wireGetACL, "setACL": wireSetACL, "getChildren": wireGetChildren,
	"sync": wireSync, "ping": wirePing, "getChildren2": wireGetChildren2, "check": wireCheck,
	"multi": wireMulti, "create2": wireCreate2, "removeWatches": wireRemoveWatches,
	"createContainer": wireCreateContainer, "createTTL": wireCreateTTL, "auth": wireAuth,
	"setWatches": wireSetWatches, "setWatches2": wireSetWatches2, "addWatch": wireAddWatch,
	"closeSession": wireCloseSession, "unknown": 99,
}

var serviceTypes = map[string]int32{
	"NodeCreated": wireNodeCreated, "NodeDeleted": wireNodeDeleted,
	"NodeDataChanged": wireNodeDataChanged, "NodeChildrenChanged": wireNodeChildrenChanged,
}

var serviceCodes = map[string]int32{
	"OK": 0, "NoNode": wireNoNode, "BadVersion": wireBadVersion, "NodeExists": wireNodeExists, "NotEmpty": wireNotEmpty,
	"NoChildrenForEphemerals": wireNoChildrenForEphemerals, "BadArguments": -8, "Unimplemented": -6,
	"SessionExpired": -112, "NoAuth": -102, "MarshallingError": -5, "NoWatcher": -121, "InvalidACL": -114,
}

func parseService(t testing.TB, text string) []ServiceEvent {
	t.Helper()
	var stream []ServiceEvent
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 0 {
			require.GreaterOrEqual(t, len(fields), 3, line)
			at, err := strconv.ParseFloat(fields[0], 64)
			require.NoError(t, err, line)
			e := ServiceEvent{At: time.Duration(at*1000+0.5) * time.Millisecond, Client: -1, Version: -1}
			rest := e.parseHead(t, fields[1:])
			for _, word := range rest {
				e.parseWord(t, word)
			}
			stream = append(stream, e)
		}
	}
	return stream
}

// numbered reads s1, c0 or z5.
func numbered(t testing.TB, letter byte, word string) int64 {
	t.Helper()
	require.Equal(t, letter, word[0], word)
	n, err := strconv.ParseInt(word[1:], 10, 64)
	require.NoError(t, err, word)
	return n
}

func (e *ServiceEvent) parseHead(t testing.TB, f []string) (rest []string) {
	t.Helper()
	known := func(m map[string]int32, word string) int32 {
		n, ok := m[word]
		require.True(t, ok, word)
		return n
	}
	switch f[0] {
	case "open", "end":
		e.Kind = ServiceOpen
		if f[0] == "end" {
			e.Kind = ServiceEnd
		}
		e.Session, e.Zxid = numbered(t, 's', f[1]), numbered(t, 'z', f[2])
		return f[3:]
	case "attach":
		e.Kind, e.Conn = ServiceAttach, int32(numbered(t, 'c', f[1]))
		e.Client, e.Session = int32(f[2][0]-'A'), numbered(t, 's', f[3])
		return f[4:]
	case "detach":
		e.Kind, e.Conn = ServiceDetach, int32(numbered(t, 'c', f[1]))
		return nil
	case "plant":
		e.Kind, e.Path = ServicePlant, f[1]
		return f[2:]
	}
	if f[0][0] == 'z' {
		e.Kind, e.Zxid, e.Op, e.Path = ServiceApply, numbered(t, 'z', f[0]), known(serviceOps, f[1]), f[2]
		e.Session = numbered(t, 's', f[3])
		return f[4:]
	}
	e.Conn = int32(numbered(t, 'c', f[0]))
	switch f[1] {
	case "!":
		e.Kind, e.Type, e.Path = ServiceNotify, known(serviceTypes, f[2]), f[3]
		return nil
	case ">":
		e.Kind, e.Op = ServiceRequest, known(serviceOps, f[3])
		if e.Op == wireSetWatches || e.Op == wireSetWatches2 {
			e.Watches = new(ServiceWatchSet)
		}
		rest = f[4:]
		if len(rest) > 0 && (rest[0][0] == '/' || rest[0] == "foo") {
			e.Path, rest = rest[0], rest[1:]
		}
	default:
		require.Equal(t, "<", f[1])
		e.Kind, e.Zxid = ServiceReply, numbered(t, 'z', f[3])
		rest = f[4:]
	}
	xid, err := strconv.ParseInt(f[2], 10, 32)
	require.NoError(t, err, f)
	e.Xid = int32(xid)
	return rest
}

func (e *ServiceEvent) parseWord(t testing.TB, word string) {
	t.Helper()
	key, value, pair := strings.Cut(word, "=")
	code, isCode := serviceCodes[word]
	switch {
	case key == "watch":
		e.Watch = true
	case key == "sequential":
		e.Sequential = true
	case key == "close":
		e.Cause = ServiceByClose
	case key == "expiry":
		e.Cause = ServiceByExpiry
	case isCode:
		e.Err = code
	case !pair:
		require.Fail(t, "unknown word", word)
	case key == "path":
		e.Path = value
	case key == "children":
		e.Children = strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
	case e.Watches != nil:
		e.Watches.parse(t, key, value)
	case key == "data":
		e.Data = []byte(value)
	case key == "owner" && e.Kind == ServiceApply:
		e.Owner = numbered(t, 's', value)
	default:
		e.parseNumber(t, key, value)
	}
}

func (e *ServiceEvent) parseNumber(t testing.TB, key, value string) {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimLeft(value, "sz"), 10, 64)
	require.NoError(t, err, "%s=%s", key, value)
	switch key {
	case "seen":
		e.Zxid = n
		return
	case "version":
		e.Version = int32(n)
		return
	case "flags":
		e.Flags = int32(n)
		return
	case "changes":
		e.Changes = int32(n)
		return
	}
	if e.Stat == nil {
		e.Stat = new(ServiceStat)
	}
	switch s := e.Stat; key {
	case "cz":
		s.Czxid = n
	case "mz":
		s.Mzxid = n
	case "pz":
		s.Pzxid = n
	case "v":
		s.Version = int32(n)
	case "cv":
		s.Cversion = int32(n)
	case "av":
		s.Aversion = int32(n)
	case "owner":
		s.EphemeralOwner = n
	case "kids":
		s.NumChildren = int32(n)
	case "len":
		s.DataLength = int32(n)
	default:
		require.Fail(t, "unknown key", key)
	}
}

func (w *ServiceWatchSet) parse(t testing.TB, key, value string) {
	t.Helper()
	if key == "rel" {
		w.RelativeZxid = numbered(t, 'z', value)
		return
	}
	lists := map[string]*[]string{
		"data": &w.Data, "exist": &w.Exist, "child": &w.Child,
		"persistent": &w.Persistent, "recursive": &w.Recursive,
	}
	require.Contains(t, lists, key)
	*lists[key] = strings.Split(value, ",")
}

// serviceCase is a bad stream and its good twin, or a good one alone, from a
// file under testdata/service:
//
//	case: what happens
//	why: the whole sentence, in the bad stream
//	--
//	  a line of both
//	- a line of the bad stream alone
//	+ a line of the good one alone
type serviceCase struct {
	name      string
	why       string
	bad, good []ServiceEvent
}

// readServiceCases reads the cases of a file.
func readServiceCases(t testing.TB, file string) []serviceCase {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "service", file+".txt"))
	require.NoError(t, err)
	var cases []serviceCase
	for _, text := range strings.Split("\n"+string(content), "\ncase: ")[1:] {
		head, body, ok := strings.Cut(text, "\n--\n")
		require.True(t, ok, text)
		what, why, _ := strings.Cut(head, "\nwhy: ")
		var bad, good strings.Builder
		for line := range strings.Lines(body) {
			mark := line[0]
			if mark != '+' {
				bad.WriteString(line[1:])
			}
			if mark != '-' {
				good.WriteString(line[1:])
			}
		}
		cases = append(cases, serviceCase{
			name: what, why: why,
			bad:  parseService(t, servicePreface+bad.String()),
			good: parseService(t, servicePreface+good.String()),
		})
	}
	return cases
}
