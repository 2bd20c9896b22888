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

// The text format of histories, one event a line:
//
//	TIME CLIENT KIND [NUMBER] [key=value...]
//
// TIME is in seconds, CLIENT a letter, or - for none, NUMBER the operation of
// what has one. Values are waited=2.5s limit=5s mode=timed|try token= zxid=
// session= n= path= text= (to the end of the line), first (first in line), and
// of queues item= prio= left=1. A # begins a comment.

// kindWords are the kinds as they are written in histories.
var kindWords = map[string]Kind{
	"invoke": Invoke, "grant": Grant, "refuse": Refuse, "fail": Fail,
	"release": ReleaseInvoke, "released": ReleaseReturn, "lost": Lost, "panic": Panic, "done": Done,
	"crash": Crash, "restart": Restart, "pause": Pause, "resume": Resume, "fault": Fault,
	"down": Down, "up": Up,
	"session-end": SessionEnd, "create": TicketCreate, "delete": TicketDelete,
	"notify": Notify, "request": Request, "listing": Listing,
	"write-accepted": WriteAccepted, "write-refused": WriteRefused,
	"quiescent": Quiescent, "horizon": Horizon, "cut-off": CutOff,
	"put": Put, "put-end": PutEnd, "item-create": ItemCreate, "item-delete": ItemDelete,
	"item-lock": ItemLock, "item-unlock": ItemUnlock,
	"set": SetChange, "ask": ViewAsk, "answer": ViewAnswer, "show": ViewShow, "follow": ViewOpen, "hide": ViewHide,
}

func parseHistory(t testing.TB, text string) []Event {
	t.Helper()
	var history []Event
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 0 {
			history = append(history, parseEvent(t, fields))
		}
	}
	return history
}

func parseEvent(t testing.TB, fields []string) Event {
	t.Helper()
	require.GreaterOrEqual(t, len(fields), 3, "%v", fields)
	at, err := strconv.ParseFloat(fields[0], 64)
	require.NoError(t, err, "%v", fields)
	kind, ok := kindWords[fields[2]]
	require.True(t, ok, "%v", fields)
	e := Event{At: time.Duration(at*1000+0.5) * time.Millisecond, Kind: kind, Client: -1}
	if fields[1] != "-" {
		e.Client = int32(fields[1][0] - 'A')
	}
	for i, field := range fields[3:] {
		key, value, pair := strings.Cut(field, "=")
		if key == "text" {
			e.Text = strings.TrimPrefix(strings.Join(fields[3+i:], " "), "text=")
			return e
		}
		if !pair && key != "first" {
			key, value = "op", field
		}
		e.set(t, key, value)
	}
	return e
}

func (e *Event) set(t testing.TB, key, value string) {
	t.Helper()
	var err error
	var number int64
	switch key {
	case "waited":
		e.Waited, err = time.ParseDuration(value)
	case "limit":
		e.Limit, err = time.ParseDuration(value)
	case "mode":
		e.Mode = map[string]Mode{"timed": TimedMode, "try": TryMode}[value]
		require.NotZero(t, e.Mode, value)
	case "path":
		e.Text = value
	case "first":
		e.FirstInLine = true
	default:
		number, err = strconv.ParseInt(value, 10, 64)
	}
	require.NoError(t, err, "%s=%s", key, value)
	switch key {
	case "op":
		e.Op = int32(number)
	case "token", "zxid", "session", "prio", "left", "told", "xid":
		e.Arg = number
	case "n", "item":
		e.N = number
	case "waited", "limit", "mode", "path", "first":
	default:
		require.Fail(t, "unknown key", key)
	}
}

// lockCase is a bad history and its good twin, from a file under
// testdata/lock:
//
//	case: what happens
//	config: fifo tokens fan-out=1 reentrant stops-at-disconnect slack=1s waiter-bound=9s core=2
//	fails: the properties that fail, in the bad history
//	why: the whole sentence about the file's property
//	--
//	  a line of both
//	- a line of the bad history alone
//	+ a line of the good one alone
type lockCase struct {
	name      string
	cfg       LockConfig
	fails     []Property
	why       string
	bad, good []Event
}

// readLockCases reads the cases of testdata/lock/PROPERTY.txt.
func readLockCases(t testing.TB, p Property) []lockCase {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "lock", string(p)+".txt"))
	require.NoError(t, err)
	var cases []lockCase
	for _, text := range strings.Split("\n"+string(content), "\ncase: ")[1:] {
		head, body, ok := strings.Cut(text, "\n--\n")
		require.True(t, ok, text)
		cases = append(cases, parseLockCase(t, strings.Split(head, "\n"), body))
	}
	return cases
}

func parseLockCase(t testing.TB, head []string, body string) lockCase {
	t.Helper()
	c := lockCase{name: head[0]}
	c.cfg.Clients = 4
	for _, line := range head[1:] {
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "config":
			c.cfg = parseLockConfig(t, strings.Fields(value))
		case "fails":
			for _, p := range strings.Fields(value) {
				c.fails = append(c.fails, Property(p))
			}
		case "why":
			c.why = value
		default:
			require.Fail(t, "unknown key", line)
		}
	}
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
	c.bad, c.good = parseHistory(t, bad.String()), parseHistory(t, good.String())
	return c
}

func parseLockConfig(t testing.TB, words []string) LockConfig {
	t.Helper()
	cfg := LockConfig{Clients: 4}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		var err error
		switch key {
		case "fifo":
			cfg.FIFO = true
		case "tokens":
			cfg.Tokens = true
		case "reentrant":
			cfg.Reentrant = true
		case "stops-at-disconnect":
			cfg.StopsAtDisconnect = true
		case "fan-out":
			cfg.MaxFanOut, err = strconv.Atoi(value)
		case "waiter-bound":
			cfg.WaiterBound, err = time.ParseDuration(value)
		case "core":
			cfg.Core, err = strconv.Atoi(value)
		case "tickets":
			cfg.Tickets, err = strconv.Atoi(value)
		case "slack":
			cfg.DeadlineSlack, err = time.ParseDuration(value)
		default:
			require.Fail(t, "unknown word", word)
		}
		require.NoError(t, err)
	}
	return cfg
}

func TestClientName(t *testing.T) {
	for _, c := range []struct {
		client int
		want   string
	}{{-1, "-"}, {0, "A"}, {25, "Z"}, {26, "A1"}, {51, "Z1"}, {52, "A2"}, {255, "V9"}} {
		require.Equal(t, c.want, ClientName(c.client))
	}
}

func TestParseHistory(t *testing.T) {
	got := parseHistory(t, `
		0.000 - quiescent # the end
		1.234 B invoke 3 mode=timed limit=5s
		2.000 C fail 0 waited=1.5s text=zk: node does not exist
		2.500 A write-refused token=7 first
		2.750 A delete zxid=7 n=2 path=/lock/x
	`)
	require.Equal(t, []Event{
		{Kind: Quiescent, Client: -1},
		{At: 1234 * time.Millisecond, Kind: Invoke, Client: 1, Op: 3, Mode: TimedMode, Limit: 5 * time.Second},
		{At: 2 * time.Second, Kind: Fail, Client: 2, Waited: 1500 * time.Millisecond, Text: "zk: node does not exist"},
		{At: 2500 * time.Millisecond, Kind: WriteRefused, Client: 0, Arg: 7, FirstInLine: true},
		{At: 2750 * time.Millisecond, Kind: TicketDelete, Client: 0, Arg: 7, N: 2, Text: "/lock/x"},
	}, got)
}
