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

// The text format of operations, one a line:
//
//	CALL RETURN CLIENT KIND [INPUT...] [= OUTPUT] [!]
//
// CALL and RETURN are in seconds, RETURN ? for an operation of unknown outcome,
// CLIENT a letter. Inputs are numbers (In, then In2), a path, or o= (owner; the
// client if it is not told) v= (version) eph= (session) term= data= seq, and
// r:KEY=VALUE w:KEY=VALUE for the accesses of a transaction. @NAME is the
// object. An output is a number, yes, no, empty, full, nothing, a path, or v=
// code= text=. A ! marks an operation that failed.

// parseOperations reads operations, whose stamps are milliseconds.
func parseOperations(t testing.TB, text string) []Operation {
	t.Helper()
	var ops []Operation
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 0 {
			ops = append(ops, parseOperation(t, fields))
		}
	}
	return ops
}

func parseOperation(t testing.TB, fields []string) Operation {
	t.Helper()
	require.GreaterOrEqual(t, len(fields), 4, "%v", fields)
	op := Operation{Client: int32(fields[2][0] - 'A')}
	op.Call, op.CallAt = parseStamp(t, fields[0])
	if fields[1] == "?" {
		op.Outcome = OutcomeUnknown
	} else {
		op.Return, op.ReturnAt = parseStamp(t, fields[1])
	}
	for k := OpKind(1); k < opKinds; k++ {
		if k.String() == fields[3] {
			op.Kind = k
		}
	}
	require.NotZero(t, op.Kind, "%v", fields)
	switch op.Kind {
	case OpAcquire, OpRelease, OpAcquireRead, OpAcquireWrite, OpReleaseRead, OpReleaseWrite, OpLose:
		op.In = int64(op.Client) + 1
	case OpAdd, OpSet, OpGet, OpExists, OpChildren:
		op.Out = None // unless it is told
	}
	numbers := []*int64{&op.In, &op.In2}
	if op.Kind <= OpLose {
		numbers = numbers[1:]
	}
	output := false
	for _, field := range fields[4:] {
		switch {
		case field == "!":
			op.Outcome = OutcomeFailed
		case field == "=":
			output = true
		case field[0] == '@':
			op.Object = field[1:]
		case output:
			op.told(t, field)
		default:
			numbers = op.given(t, field, numbers)
		}
	}
	return op
}

func parseStamp(t testing.TB, text string) (int64, time.Duration) {
	t.Helper()
	at, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	stamp := int64(at*1000 + 0.5)
	return stamp, time.Duration(stamp) * time.Millisecond
}

func parseNumber(t testing.TB, text string) int64 {
	t.Helper()
	if text == "nothing" {
		return None
	}
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}

// given reads an input.
func (o *Operation) given(t testing.TB, field string, numbers []*int64) []*int64 {
	t.Helper()
	if field[0] == '/' {
		o.Key = field
		return numbers
	}
	key, value, pair := strings.Cut(field, "=")
	switch {
	case field == "seq":
		o.In2 = 1
	case !pair:
		require.NotEmpty(t, numbers, field)
		*numbers[0] = parseNumber(t, field)
		return numbers[1:]
	case key == "o" || key == "v" || key == "eph":
		o.In = parseNumber(t, value)
	case key == "term":
		o.In2 = parseNumber(t, value)
	case key == "data":
		o.Data = value
	default:
		require.Contains(t, []string{"r", "w"}, key[:1], field)
		o.Accesses = append(o.Accesses, Access{Key: key[2:], Write: key[0] == 'w', Value: parseNumber(t, value)})
	}
	return numbers
}

// told reads an output.
func (o *Operation) told(t testing.TB, field string) {
	t.Helper()
	key, value, pair := strings.Cut(field, "=")
	switch {
	case field[0] == '/':
		o.Result = field
	case field == "yes":
		o.Out = 1
	case field == "no":
		o.Out = 0
	case field == "empty" || field == "full":
		o.Out = None
	case !pair:
		o.Out = parseNumber(t, field)
	case key == "v":
		o.Out = parseNumber(t, value)
	case key == "code":
		o.Out2 = parseNumber(t, value)
	case key == "text":
		o.Result = value
	default:
		require.Fail(t, "unknown output", field)
	}
}

// modelCase is a bad history and its good twin, from a file under
// testdata/model, in the form of the files under testdata/lock:
//
//	case: what happens
//	model: the model's name, if it is not the file's
//	why: the whole sentence about the bad one
//	how: what decides the bad one
//	--
//	  a line of both
//	- a line of the bad history alone
//	+ a line of the good one alone
type modelCase struct {
	name, model, why string
	how              How
	bad, good        []Operation
}

// readModelCases reads the cases of testdata/model/BASE.txt.
func readModelCases(t testing.TB, base string) []modelCase {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "model", base+".txt"))
	require.NoError(t, err)
	var cases []modelCase
	for _, text := range strings.Split("\n"+string(content), "\ncase: ")[1:] {
		head, body, ok := strings.Cut(text, "\n--\n")
		require.True(t, ok, text)
		lines := strings.Split(head, "\n")
		c := modelCase{name: lines[0], model: base}
		for _, line := range lines[1:] {
			key, value, _ := strings.Cut(line, ": ")
			switch key {
			case "model":
				c.model = value
			case "why":
				c.why = value
			case "how":
				c.how = How(value)
			default:
				require.Fail(t, "unknown key", line)
			}
		}
		bad, good := twins(body)
		c.bad, c.good = parseOperations(t, bad), parseOperations(t, good)
		cases = append(cases, c)
	}
	return cases
}

// twins takes apart the lines of a bad history and its good twin.
func twins(body string) (bad, good string) {
	var b, g strings.Builder
	for line := range strings.Lines(body) {
		if line[0] != '+' {
			b.WriteString(line[1:])
		}
		if line[0] != '-' {
			g.WriteString(line[1:])
		}
	}
	return b.String(), g.String()
}
