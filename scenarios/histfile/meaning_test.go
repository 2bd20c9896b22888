package histfile_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios/histfile"
)

// parse reads EDN without a fault.
func parse(t testing.TB, model, text string) *histfile.History {
	t.Helper()
	h, err := histfile.Parse([]byte(text), histfile.EDN, model)
	require.NoError(t, err)
	return h
}

// What is around the events does not matter, and places are lines only if each
// event has one of its own.
func TestLayout(t *testing.T) {
	const events = `{:process 0, :type :invoke, :f :write, :value 1}
{:type :ok :process 0
 :f :write :value 1 :error [1 {:a #{1 2}} sym \] "]"] :node "n1"}`
	want := parse(t, "cas-register", events)
	require.Len(t, want.Operations, 1)
	require.True(t, want.Lines)
	require.EqualValues(t, 1, want.Operations[0].Call)
	require.EqualValues(t, 2, want.Operations[0].Return)
	for _, text := range []string{"[" + events + "]", "(" + events + ") ; the end\n", events + "\n#_{:left :out}\n"} {
		require.Equal(t, want.Operations, parse(t, "cas-register", text).Operations, text)
	}
	tagged := parse(t, "cas-register", "#jepsen.history.Op"+events)
	require.Equal(t, want.Operations, tagged.Operations)
	oneLine := parse(t, "cas-register", "\n[{:process 0, :type :invoke, :f :write} {:process 0, :type :ok, :f :write, :value 1}]")
	require.False(t, oneLine.Lines)
	require.EqualValues(t, 1, oneLine.Operations[0].Call)
	require.EqualValues(t, 2, oneLine.Operations[0].Return)
	require.EqualValues(t, 1, oneLine.Operations[0].In, "the end tells what the invocation left open")
}

// Outcomes that are not known may have happened or not; failures did not.
func TestOutcomes(t *testing.T) {
	const write = "{:process 0, :type :invoke, :f :write, :value 1}\n"
	const read = "{:process 1, :type :invoke, :f :read}\n{:process 1, :type :ok, :f :read, :value %d}\n"
	for _, c := range []struct {
		end  string
		sees map[int]checker.Verdict
	}{
		{"{:process 0, :type :ok, :f :write}\n", map[int]checker.Verdict{0: checker.Failed, 1: checker.Pass}},
		{"{:process 0, :type :fail, :f :write}\n", map[int]checker.Verdict{0: checker.Pass, 1: checker.Failed}},
		{"{:process 0, :type :info, :f :write, :value #{:timed-out sym}}\n", map[int]checker.Verdict{0: checker.Pass, 1: checker.Pass}},
		{"", map[int]checker.Verdict{0: checker.Pass, 1: checker.Pass}},
	} {
		for value, want := range c.sees {
			h := parse(t, "cas-register", write+c.end+fmt.Sprintf(read, value))
			require.Equal(t, want, histfile.Judge(h, checker.DecideOptions{}).Verdict, "%s sees %d", c.end, value)
		}
	}
	// A read of nil tells nothing, one of :nothing does.
	const nilRead = write + "{:process 0, :type :ok, :f :write}\n{:process 1, :type :invoke, :f :read}\n{:process 1, :type :ok, :f :read, :value "
	require.Equal(t, checker.Pass, histfile.Judge(parse(t, "cas-register:nil", nilRead+"nil}"), checker.DecideOptions{}).Verdict)
	require.Equal(t, checker.Failed, histfile.Judge(parse(t, "cas-register:nil", nilRead+":nothing}"), checker.DecideOptions{}).Verdict)
}

// Objects are judged apart, and the one that fails is named.
func TestObjects(t *testing.T) {
	event := func(process int, typ, object string) string {
		return fmt.Sprintf("{:process %d, :type %s, :f :acquire, :object %q}\n", process, typ, object)
	}
	good := event(0, ":invoke", "a") + event(0, ":ok", "a") + event(1, ":invoke", "b") + event(1, ":ok", "b")
	require.Equal(t, checker.Pass, histfile.Judge(parse(t, "mutex", good), checker.DecideOptions{}).Verdict)
	bad := good + event(2, ":invoke", "b") + event(2, ":ok", "b")
	r := histfile.Judge(parse(t, "mutex", bad), checker.DecideOptions{})
	require.Equal(t, checker.Failed, r.Verdict)
	require.Equal(t, "object b: C was granted the lock at 6 while B held it since 4 "+
		"(B is process 1, C is process 2, moments are lines)", r.Why)
}

// Holds are anonymous unless owners are told: then only they release.
func TestOwners(t *testing.T) {
	text := func(owner string) string {
		return "{:process 0, :type :invoke, :f :acquire" + owner + "1}\n{:process 0, :type :ok, :f :acquire}\n" +
			"{:process 1, :type :invoke, :f :release" + owner + "2}\n{:process 1, :type :ok, :f :release}\n"
	}
	anonymous := histfile.Judge(parse(t, "mutex", text(", :index ")), checker.DecideOptions{})
	require.Equal(t, checker.Pass, anonymous.Verdict)
	owned := histfile.Judge(parse(t, "mutex", text(", :owner ")), checker.DecideOptions{})
	require.Equal(t, checker.Failed, owned.Verdict)

	// A release too many, and a grant too many where others released.
	extra := histfile.Judge(parse(t, "mutex", text(", :index ")+
		"{:process 2, :type :invoke, :f :release}\n{:process 2, :type :ok, :f :release}\n"), checker.DecideOptions{})
	require.Equal(t, checker.Failed, extra.Verdict)
	require.NotEmpty(t, extra.Why)
}

// Our own histories survive both forms: beliefs as owners, losses, clients that
// go on after an unknown outcome.
func TestOwnLockHistory(t *testing.T) {
	at := func(s int) time.Duration { return time.Duration(s) * time.Second }
	events := []checker.Event{
		{At: at(1), Kind: checker.Invoke, Client: 0},
		{At: at(2), Kind: checker.Grant, Client: 0},
		{At: at(3), Kind: checker.Lost, Client: 0},
		{At: at(4), Kind: checker.Invoke, Client: 1},
		{At: at(5), Kind: checker.Grant, Client: 1},
		{At: at(6), Kind: checker.ReleaseInvoke, Client: 1},
		{At: at(7), Kind: checker.ReleaseReturn, Client: 1},
		{At: at(8), Kind: checker.Invoke, Client: 0, Op: 1},
		{At: at(9), Kind: checker.Grant, Client: 0, Op: 1},
	}
	bad := append(events[:len(events):len(events)],
		checker.Event{At: at(10), Kind: checker.Invoke, Client: 1, Op: 1},
		checker.Event{At: at(11), Kind: checker.Grant, Client: 1, Op: 1})
	for want, history := range map[checker.Verdict][]checker.Event{checker.Pass: events, checker.Failed: bad} {
		ops := checker.LockOperations(history, checker.LinearizableOptions{})
		h, err := histfile.New("mutex", ops)
		require.NoError(t, err)
		for _, form := range []histfile.Form{histfile.EDN, histfile.JSONLines} {
			var out bytes.Buffer
			require.NoError(t, histfile.Write(&out, form, h))
			again, err := histfile.Parse(out.Bytes(), form, "mutex")
			require.NoError(t, err, out.String())
			require.Len(t, again.Operations, len(ops))
			for i := range ops {
				require.Equal(t, ops[i].In, again.Operations[i].In)
				require.Equal(t, ops[i].Outcome, again.Operations[i].Outcome)
				require.Equal(t, ops[i].Client, again.Operations[i].Client%2)
			}
			require.Equal(t, want, histfile.Judge(again, checker.DecideOptions{}).Verdict, out.String())
		}
	}
}

// A keyword and the string that looks like it are two values, and JSON lines
// do not mix them up.
func TestNames(t *testing.T) {
	const text = "{:process 0, :type :invoke, :f :write, :value :x}\n{:process 0, :type :ok, :f :write}\n" +
		"{:process 0, :type :invoke, :f :read}\n{:process 0, :type :ok, :f :read, :value %s}\n"
	for value, want := range map[string]string{
		`:x`: "", `"x"`: `"x"`, `":x"`: `":x"`, `1.5`: "1.5", `true`: "true", `1`: "1",
	} {
		h := parse(t, "cas-register", fmt.Sprintf(text, value))
		r := histfile.Judge(h, checker.DecideOptions{})
		if want == "" {
			require.Equal(t, checker.Pass, r.Verdict)
			continue
		}
		require.Contains(t, r.Why, "A read "+want+" at 4", value)
		err := histfile.Write(&bytes.Buffer{}, histfile.JSONLines, h)
		if value == `":x"` {
			require.ErrorContains(t, err, `the string ":x" would be a keyword`)
		} else {
			require.NoError(t, err)
		}
		require.NoError(t, histfile.Write(&bytes.Buffer{}, histfile.EDN, h))
	}
}

// A budget that is spent is unknown, and that is no pass.
func TestBudget(t *testing.T) {
	text := ""
	for p := range 14 {
		text += fmt.Sprintf("{:process %d, :type :invoke, :f :write, :value %d}\n", p, p)
	}
	for p := range 14 {
		text += fmt.Sprintf("{:process %d, :type :ok, :f :write, :value %d}\n", p, p)
	}
	text += "{:process 99, :type :invoke, :f :read}\n{:process 99, :type :ok, :f :read, :value 77}\n"
	r := histfile.Judge(parse(t, "cas-register", text), checker.DecideOptions{Steps: 10})
	require.Equal(t, checker.Unknown, r.Verdict)
	require.Contains(t, r.Why, "its steps were spent")
}

func ExampleJudge() {
	h, err := histfile.Parse([]byte(`
{:process 4, :type :invoke, :f :write, :value 2}
{:process 4, :type :ok,     :f :write, :value 2}
{:process 7, :type :invoke, :f :read}
{:process 7, :type :ok,     :f :read,  :value 3}
`), histfile.EDN, "cas-register")
	if err != nil {
		fmt.Println(err)
		return
	}
	r := histfile.Judge(h, checker.DecideOptions{})
	fmt.Println(r.Verdict, r.Operations)
	fmt.Println(r.Why)
	// Output:
	// fail 2
	// H read 3 at 5, and nobody had written it (H is process 7, moments are lines)
}
