package histfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"zoosim/scenarios/histfile"
)

// malformed is a text that is refused as a whole, with a line and what is
// wrong there.
type malformed struct {
	model, text string
	line        int
	msg         string
}

func requireMalformed(t *testing.T, form histfile.Form, cases []malformed) {
	t.Helper()
	for _, c := range cases {
		_, err := histfile.Parse([]byte(c.text), form, c.model)
		var le *histfile.LineError
		require.True(t, errors.As(err, &le), "%.100s: %v", c.text, err)
		require.Equal(t, c.line, le.Line, "%.100s: %v", c.text, err)
		require.Contains(t, le.Msg, c.msg, "%.100s", c.text)
		require.NotContains(t, le.Msg, "\n")
	}
}

// begin is a first event in EDN.
const begin = "[{:process 0, :type :invoke, :f :write, :value 1}\n"

func TestMalformedEDN(t *testing.T) {
	requireMalformed(t, histfile.EDN, []malformed{
		{"queue", "", 1, "holds no operation"},
		{"queue", "; nothing\n[]", 1, "holds no operation"},
		{"queue", "[{:process :nemesis, :type :info, :f :start}]", 1, "holds no operation"},
		{"cas-register", begin, 1, `a bracket that opens here is not closed by ']'`},
		{"cas-register", begin + "{:process 1, :type :invoke", 2, `not closed by '}'`},
		{"cas-register", begin + "{:process 1, :f \"re", 2, "a string that begins here does not end"},
		{"cas-register", begin + "\n(:process 1}]", 3, `'}', where the bracket of line 3 wants ')'`},
		{"cas-register", begin + "]]", 2, `']' closes nothing`},
		{"cas-register", begin + "]\n{}", 3, "something follows the end of the history"},
		{"cas-register", begin + " 17]", 2, "not a map"},
		{"cas-register", begin + " [{}]]", 2, "not a map"},
		{"cas-register", begin + " {:process}]", 2, "no EDN"},
		{"cas-register", begin + " {[1] 2, {3 4} 5}]", 2, "no process"},
		{"cas-register", strings.Repeat("[", 200000), 1, "nested deeper than 100"},
		{"cas-register", begin + "{:type :ok, :f :write}]", 2, "no process; allowed"},
		{"cas-register", begin + "{:process -1, :type :ok, :f :write}]", 2, "process -1; allowed"},
		{"cas-register", begin + "{:process 4294967296, :type :ok, :f :write}]", 2, "process 4294967296; allowed"},
		{"cas-register", begin + "{:process :p, :type :ok, :f :write}]", 2, "process :p; allowed"},
		{"cas-register", begin + "{:process 0, :type :okay, :f :write}]", 2, "type :okay; allowed: invoke, ok, fail, info"},
		{"cas-register", begin + "{:process 0, :type :ok}]", 2, "f nil; allowed"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :time 1.5}]", 2, "time 1.5; allowed"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :object 5}]", 2, "object 5; allowed"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :value sym}]", 2, "value: the symbol sym"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :value 99999999999999999999N}]", 2, "value: 99999999999999999999 is beyond 64 bits"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :value #{1}}]", 2, "value: no value; allowed"},
	})
}

// Events that do not fit together.
func TestMalformedOperations(t *testing.T) {
	requireMalformed(t, histfile.EDN, []malformed{
		{"cas-register", begin + "{:process 0, :type :invoke, :f :read}]", 2, "process 0 invokes read while its write of line 1 is open"},
		{"cas-register", begin + "{:process 1, :type :ok, :f :read}]", 2, "ok of process 1, which has no open operation"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :read}]", 2, "process 0 ends read, and its open operation of line 1 is write"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :value 2}]", 2, "write: 2, and line 1 tells 1"},
		{"cas-register", begin + "{:process 0, :type :ok, :f :write, :object \"x\"}]", 2, `object "x", and line 1 tells ""`},
		{
			"cas-register", begin + "{:process 0, :type :info, :f :write, :value 1}\n{:process 0, :type :invoke, :f :read}]", 3,
			"process 0 is used again after the info of line 2",
		},
	})
}

// What the model does not have.
func TestMalformedValues(t *testing.T) {
	requireMalformed(t, histfile.EDN, []malformed{
		{"mutex", begin + "]", 1, `f "write"; allowed for mutex: acquire, lose, release`},
		{"cas-register", "{:process 0, :type :invoke, :f :cas, :value 1}", 1, "cas: 1; allowed: [from to]"},
		{"cas-register", "{:process 0, :type :invoke, :f :cas, :value [1 [2]]}", 1, "cas: a list of 1; allowed: a number"},
		{"cas-register", "{:process 0, :type :invoke, :f :write, :value 9223372036854775807}", 1, "allowed: whole numbers from"},
		{
			"cas-register", "{:process 0, :type :invoke, :f :cas, :value [1 2]}\n{:process 0, :type :ok, :f :cas, :result 1}", 2,
			"cas: result 1; allowed: true, false",
		},
		{"queue", "{:process 0, :type :invoke, :f :enqueue, :value nil}", 1, "enqueue: nil; allowed: a value"},
		{"priority-queue", "{:process 0, :type :invoke, :f :enqueue, :value [1 :high]}", 1, "enqueue: priority :high; allowed"},
		{"semaphore:2", "{:process 0, :type :invoke, :f :acquire, :value 0}", 1, "acquire: 0; allowed: 1 to 65536 permits"},
		{"sale:2", "{:process 0, :type :invoke, :f :buy, :value 0}", 1, "buy: 0 pieces; allowed: 1 or more"},
		{"counter", "{:process 0, :type :invoke, :f :add, :value \"1\"}", 1, `add: "1"; allowed: a whole number`},
		{"election", "{:process 0, :type :invoke, :f :lead, :value [1 nil]}", 1, "lead: no candidate"},
		{"multi-register", "{:process 0, :type :invoke, :f :txn, :value [[:append :x 1]]}", 1, "txn: access 1: :append; allowed"},
		{"multi-register", "{:process 0, :type :invoke, :f :txn, :value nil}", 1, "txn: nil; allowed: a list of"},
		{
			"multi-register", "{:process 0, :type :invoke, :f :txn, :value [[:w :x 1]]}\n{:process 0, :type :ok, :f :txn, :value [[:w :x 2]]}", 2,
			"txn: access 1 differs from that of line 1",
		},
		{"znodes", "{:process 0, :type :invoke, :f :get, :value {:path \"q\"}}", 1, `get: path "q"; allowed`},
		{"znodes", "{:process 0, :type :invoke, :f :get, :value {:file \"/q\"}}", 1, `get: field "file"; allowed: path`},
		// Owners.
		{"mutex", "{:process 0, :type :invoke, :f :lose}", 1, "lose without an owner"},
		{"mutex", "{:process 0, :type :invoke, :f :acquire, :owner 0}", 1, "owner 0; allowed"},
		{
			"mutex", "{:process 0, :type :invoke, :f :acquire, :owner 1}\n{:process 1, :type :invoke, :f :acquire}", 2,
			"acquire without an owner, and line 1 tells one",
		},
	})
}

func TestMalformedJSONLines(t *testing.T) {
	const begin = `{"process":0,"type":"invoke","f":"write","value":1}` + "\n"
	requireMalformed(t, histfile.JSONLines, []malformed{
		{"cas-register", "", 1, "holds no operation"},
		{"cas-register", begin + "\n{\"process\":0,", 3, "no JSON: the line ends too early"},
		{"cas-register", begin + "{\"process\":0]", 2, "no JSON"},
		{"cas-register", begin + "nonsense", 2, "no JSON"},
		{"cas-register", begin + "[]", 2, "a list of 0; allowed: one object a line"},
		{"cas-register", begin + begin[:len(begin)-1] + begin, 2, "something follows the event"},
		{"cas-register", begin + `{"process":0,"process":1,"type":"ok","f":"write"}`, 2, `the field "process" is there twice`},
		{"cas-register", begin + `{"proces":0,"type":"ok","f":"write"}`, 2, `unknown field "proces"; allowed: process, type`},
		{"cas-register", begin + `{"Process":0,"type":"ok","f":"write"}`, 2, `unknown field "Process"`},
		{"cas-register", begin + `{"process":"0","type":"ok","f":"write"}`, 2, `process "0"; allowed`},
		{"cas-register", begin + `{"process":0.5,"type":"ok","f":"write"}`, 2, "process 0.5; allowed"},
		{"cas-register", begin + `{"process":0,"type":"ok","f":"write","value":99999999999999999999}`, 2, "99999999999999999999 is beyond 64 bits"},
		{"cas-register", begin + `{"process":0,"type":"ok","f":"write","value":1e999}`, 2, "1e999 is beyond 64 bits"},
		{"cas-register", begin + `{"process":0,"type":"ok","f":"write","value":` + strings.Repeat("[", 200000), 2, "nested deeper than 100"},
		{"cas-register", begin + `{"process":0,"type":"info","f":"write"}` + "\n" + begin, 3, "used again after the info of line 2"},
		{"cas-register", begin + begin, 2, "process 0 invokes write while its write of line 1 is open"},
	})
}

// Errors about content name the file, and none is judged by a wrong name.
func TestReadNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "h.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("\n{}\n"), 0o644))
	_, err := histfile.Read(path, "mutex")
	require.ErrorContains(t, err, path+":2: no process")
	_, err = histfile.Read(filepath.Join(dir, "h.txt"), "mutex")
	require.ErrorContains(t, err, "allowed: names that end in .edn, .jsonl or .ndjson")
	_, err = histfile.Read(filepath.Join(dir, "none.edn"), "mutex")
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = histfile.Read(path, "mutexes")
	require.ErrorContains(t, err, "no such model")
}

// No input makes a reader panic, and what it takes it can write and read again.
func FuzzParse(f *testing.F) {
	for _, h := range filesOf(f) {
		f.Add(h.data, h.model, h.form == histfile.EDN)
	}
	f.Fuzz(func(t *testing.T, data []byte, model string, isEDN bool) {
		form := histfile.JSONLines
		if isEDN {
			form = histfile.EDN
		}
		h, err := histfile.Parse(data, form, model)
		if err != nil {
			return
		}
		var out strings.Builder
		require.NoError(t, histfile.Write(&out, form, h))
		again, err := histfile.Parse([]byte(out.String()), form, model)
		require.NoError(t, err, out.String())
		require.Len(t, again.Operations, len(h.Operations))
	})
}
