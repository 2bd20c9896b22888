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

// The text format of the events of queues, barriers and views, one a line:
//
//	TIME CLIENT WORD [ITEM] [prio=N]
//	TIME CLIENT WORD
//	TIME CLIENT WORD [MEMBER...]
//
// TIME is in seconds, CLIENT a letter, or - for none. A # begins a comment.
// Read-write locks and semaphores have the events of locks.

var queueWords = map[string]QueueEventKind{
	"put": PutInvoke, "acked": PutReturn, "unacked": PutFail,
	"take": TakeInvoke, "took": TakeReturn, "ended": TakeEnd,
	"stored": ItemStored, "removed": ItemRemoved, "hidden": ItemHidden, "shown": ItemShown,
	"fault": QueueFault, "crash": QueueCrash, "end": QueueEnd, "cut-off": QueueCutOff,
}

var barrierWords = map[string]BarrierEventKind{
	"enter": EnterInvoke, "entered": EnterReturn, "gave-up": EnterFail,
	"leave": LeaveInvoke, "left": LeaveReturn, "leave-failed": LeaveFail,
	"gone": BarrierGone, "ready": ReadySet,
	"close": GateClosed, "open": GateOpened, "wait": WaitInvoke, "waited": WaitReturn, "wait-failed": WaitFail,
}

var viewWords = map[string]ViewEventKind{
	"set": SetChanged, "request": ViewRequest, "shows": ViewShown,
	"up": ViewUp, "down": ViewDown, "closed": ViewClosed, "end": ViewEnd, "cut-off": ViewCutOff,
}

// familyLine is a line of such a history.
type familyLine struct {
	at     time.Duration
	client int32
	word   string
	rest   []string
}

func parseFamily(t testing.TB, text string) []familyLine {
	t.Helper()
	var list []familyLine
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		require.GreaterOrEqual(t, len(fields), 3, line)
		_, at := parseStamp(t, fields[0])
		l := familyLine{at: at, client: -1, word: fields[2], rest: fields[3:]}
		if fields[1] != "-" {
			l.client = int32(fields[1][0] - 'A')
		}
		list = append(list, l)
	}
	return list
}

func parseQueueEvents(t testing.TB, text string) []QueueEvent {
	t.Helper()
	var events []QueueEvent
	for _, l := range parseFamily(t, text) {
		e := QueueEvent{At: l.at, Client: l.client, Kind: queueWords[l.word]}
		require.NotZero(t, e.Kind, l.word)
		for _, field := range l.rest {
			if value, ok := strings.CutPrefix(field, "prio="); ok {
				e.Priority = parseNumber(t, value)
			} else {
				e.Item = parseNumber(t, field)
			}
		}
		events = append(events, e)
	}
	return events
}

func parseBarrierEvents(t testing.TB, text string) []BarrierEvent {
	t.Helper()
	var events []BarrierEvent
	for _, l := range parseFamily(t, text) {
		require.NotZero(t, barrierWords[l.word], l.word)
		events = append(events, BarrierEvent{At: l.at, Client: l.client, Kind: barrierWords[l.word]})
	}
	return events
}

func parseViewEvents(t testing.TB, text string) []ViewEvent {
	t.Helper()
	var events []ViewEvent
	for _, l := range parseFamily(t, text) {
		require.NotZero(t, viewWords[l.word], l.word)
		events = append(events, ViewEvent{At: l.at, Client: l.client, Kind: viewWords[l.word], Members: l.rest})
	}
	return events
}

// familyCase is a bad history and its good twin, from a file under
// testdata/family, in the form of the files under testdata/lock. The files
// queue and shared are histories of whole families, in which several
// properties may fail; why is the sentence of the first of them.
type familyCase struct {
	name      string
	config    map[string]string
	fails     []Property
	why       string
	bad, good string
}

// readFamilyCases reads the cases of testdata/family/BASE.txt.
func readFamilyCases(t testing.TB, base string) []familyCase {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "family", base+".txt"))
	require.NoError(t, err)
	var cases []familyCase
	for _, text := range strings.Split("\n"+string(content), "\ncase: ")[1:] {
		head, body, ok := strings.Cut(text, "\n--\n")
		require.True(t, ok, text)
		lines := strings.Split(head, "\n")
		c := familyCase{name: lines[0], config: map[string]string{}}
		for _, line := range lines[1:] {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "config":
				for _, word := range strings.Fields(value) {
					k, v, _ := strings.Cut(word, "=")
					c.config[k] = v
				}
			case "why":
				c.why = value
			case "fails":
				for _, p := range strings.Fields(value) {
					c.fails = append(c.fails, Property(p))
				}
			default:
				require.Fail(t, "unknown key", line)
			}
		}
		c.bad, c.good = twins(body)
		cases = append(cases, c)
	}
	require.GreaterOrEqual(t, len(cases), 4, base)
	return cases
}

// number is a number of the configuration.
func (c *familyCase) number(t testing.TB, key string) int {
	t.Helper()
	n, err := strconv.Atoi(c.config[key])
	require.NoError(t, err, key)
	return n
}

// has is true if the configuration has the word.
func (c *familyCase) has(key string) bool {
	_, ok := c.config[key]
	return ok
}
