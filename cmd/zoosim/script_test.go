package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zoosim": main})
}

// TestScripts runs the scripts of testdata/script. Beside testscript's own
// commands they have:
//
//	status N ARG...           runs ARG... and checks its exit status
//	oneline                   the last command wrote one line to standard error and nothing to standard output
//	json FILE PATH [VALUE]    FILE (or stdout) is one JSON value, and PATH leads to something, or to VALUE
//	fields FILE PATH NAME...  the object there has these fields
//	jsonenv VAR FILE PATH     sets VAR to the value there
//	same DIR DIR              two folders hold the same files, byte for byte
//	portable DIR              no file in a folder names this machine, none is a temporary one
//	replace OLD NEW FILE      replaces the one occurrence of OLD
//	await FILE                waits until FILE is there
//	changed FILE FILE         waits until the first is other than the second
//	samejson FILE FILE KEY... two objects are the same but for the keys named
//
// A PATH is a list of keys and indices with points between, as
// verdicts.0.level; id=x selects the first element of a list whose field id
// is x; a single point is the whole value.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":   cmdStatus,
			"oneline":  cmdOneLine,
			"json":     cmdJSON,
			"fields":   cmdFields,
			"jsonenv":  cmdJSONEnv,
			"same":     cmdSame,
			"portable": cmdPortable,
			"replace":  cmdReplace,
			"await":    cmdAwait,
			"changed":  cmdChanged,
			"samejson": cmdSameJSON,
		},
	})
}

func usage(ts *testscript.TestScript, ok bool, form string) {
	if !ok {
		ts.Fatalf("usage: %s", form)
	}
}

func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) >= 2, "status N ARG...")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var ee *exec.ExitError
		if !errors.As(err, &ee) {
			ts.Fatalf("%v", err)
		}
		got = ee.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func cmdOneLine(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 0, "oneline")
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output: %q", out)
	}
	if text := ts.ReadFile("stderr"); strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "zoosim: ") {
		ts.Fatalf("standard error: %q", text)
	}
}

// readJSON reads a file of one JSON value and follows a path in it.
func readJSON(ts *testscript.TestScript, file, path string) any {
	d := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		ts.Fatalf("%s: more than one JSON value", file)
	}
	v, err := follow(v, path)
	if err != nil {
		ts.Fatalf("%s: %s: %v", file, path, err)
	}
	return v
}

func follow(v any, path string) (any, error) {
	for _, key := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		switch x := v.(type) {
		case map[string]any:
			var ok bool
			if v, ok = x[key]; !ok {
				return nil, fmt.Errorf("no %q", key)
			}
		case []any:
			i := indexOf(x, key)
			if i < 0 {
				return nil, fmt.Errorf("no element %q of %d", key, len(x))
			}
			v = x[i]
		default:
			return nil, fmt.Errorf("%v has no %q", v, key)
		}
	}
	return v, nil
}

// indexOf is the index that a key stands for, -1 if there is none.
func indexOf(list []any, key string) int {
	name, value, ok := strings.Cut(key, "=")
	if !ok {
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(list) {
			return i
		}
		return -1
	}
	for i, e := range list {
		if m, ok := e.(map[string]any); ok && fmt.Sprint(m[name]) == value {
			return i
		}
	}
	return -1
}

// jsonText is a value as scripts write it: strings bare, the rest as JSON.
func jsonText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 3 || len(args) == 2 && !neg, "[!] json FILE PATH [VALUE]")
	got := jsonText(readJSON(ts, args[0], args[1]))
	if len(args) == 3 && (got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s", args[0], args[1], got)
	}
}

func cmdFields(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) > 2, "fields FILE PATH NAME...")
	m, ok := readJSON(ts, args[0], args[1]).(map[string]any)
	if !ok {
		ts.Fatalf("%s: %s is no object", args[0], args[1])
	}
	for _, name := range args[2:] {
		if _, ok := m[name]; !ok {
			ts.Fatalf("%s: %s has no field %q", args[0], args[1], name)
		}
	}
}

func cmdJSONEnv(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "jsonenv VAR FILE PATH")
	ts.Setenv(args[0], jsonText(readJSON(ts, args[1], args[2])))
}

// readFolder reads every file below a folder, by name within it.
func readFolder(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err == nil {
			files[filepath.ToSlash(rel)], err = os.ReadFile(path)
		}
		return err
	})
	return files, err
}

// folderDiff says where two folders differ, "" if they do not.
func folderDiff(a, b map[string][]byte) string {
	for name, data := range a {
		other, ok := b[name]
		switch {
		case !ok:
			return name + " is in the first alone"
		case !bytes.Equal(data, other):
			return name + " differs"
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			return name + " is in the second alone"
		}
	}
	return ""
}

func cmdSame(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 2, "[!] same DIR DIR")
	a, err := readFolder(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := readFolder(ts.MkAbs(args[1]))
	ts.Check(err)
	if len(a) == 0 {
		ts.Fatalf("%s is empty", args[0])
	}
	if d := folderDiff(a, b); (d == "") == neg {
		ts.Fatalf("%s and %s: %s", args[0], args[1], d)
	}
}

func cmdPortable(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) == 1, "[!] portable DIR")
	files, err := readFolder(ts.MkAbs(args[0]))
	ts.Check(err)
	here, err := os.Getwd()
	ts.Check(err)
	d := impurity(files, ts.Getenv("WORK"), here)
	if (d == "") == neg {
		ts.Fatalf("%s: %s", args[0], d)
	}
}

// impurity says which file is a temporary one or holds one of the paths, ""
// if none does.
func impurity(files map[string][]byte, paths ...string) string {
	for name, data := range files {
		if strings.HasPrefix(filepath.Base(name), ".") {
			return name + " is a temporary file"
		}
		for _, p := range paths {
			if bytes.Contains(data, []byte(p)) {
				return name + " names a path of this machine"
			}
		}
	}
	return ""
}

func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 3, "replace OLD NEW FILE")
	text := ts.ReadFile(args[2])
	if n := strings.Count(text, args[0]); n != 1 {
		ts.Fatalf("%s holds %q %d times", args[2], args[0], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o644))
}

// The script commands can fail.
func TestScriptCommandsCanFail(t *testing.T) {
	a := map[string][]byte{"x": []byte("1"), "d/y": []byte("2")}
	require.Empty(t, folderDiff(a, map[string][]byte{"x": []byte("1"), "d/y": []byte("2")}))
	require.Equal(t, "x differs", folderDiff(map[string][]byte{"x": []byte("1")}, map[string][]byte{"x": []byte("2")}))
	require.Equal(t, "x is in the first alone", folderDiff(map[string][]byte{"x": nil}, nil))
	require.Equal(t, "x is in the second alone", folderDiff(nil, map[string][]byte{"x": nil}))

	require.Empty(t, impurity(a, "/somewhere"))
	require.Equal(t, "d/.tmp-1 is a temporary file", impurity(map[string][]byte{"d/.tmp-1": nil}))
	require.Equal(t, "x names a path of this machine", impurity(map[string][]byte{"x": []byte("in /somewhere else")}, "/somewhere"))

	require.Equal(t, "{\n  \"a\": 1\n}", withoutKeys("{\n  \"b\": 2,\n  \"a\": 1\n}", []string{"b"}))

	list := []any{map[string]any{"id": "a"}, map[string]any{"id": "b", "n": "2"}}
	v, err := follow(map[string]any{"l": list}, "l.id=b.n")
	require.NoError(t, err)
	require.Equal(t, "2", v)
	for _, path := range []string{"x", "l.2", "l.-1", "l.id=c", "l.0.id.x", "l.0.n"} {
		_, err := follow(map[string]any{"l": list}, path)
		require.Error(t, err, path)
	}
}

// An interrupted command says so and decides nothing.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, command := range []string{"compare", "sweep"} {
		var stdout, stderr bytes.Buffer
		out := filepath.Join(t.TempDir(), "out")
		require.Equal(t, exitUnknown, run(ctx, []string{command, "lock", "--out", out}, &stdout, &stderr))
		require.Empty(t, stdout.String())
		require.Equal(t, "zoosim: interrupted; nothing was decided\n", stderr.String())
	}
}

// cmdAwait waits until a file is there.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 1, "await FILE")
	await(ts, args[0]+" has not come", func() bool {
		_, err := os.Stat(ts.MkAbs(args[0]))
		return err == nil
	})
}

// cmdChanged waits until a file is other than it was.
func cmdChanged(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, !neg && len(args) == 2, "changed FILE FILE")
	was := ts.ReadFile(args[1])
	await(ts, args[0]+" has not changed", func() bool {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && string(b) != was
	})
}

// await waits a minute at most.
func await(ts *testscript.TestScript, otherwise string, what func() bool) {
	for range 6000 {
		if what() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s", otherwise)
}

// cmdSameJSON compares the text of two objects, without the lines of some keys.
func cmdSameJSON(ts *testscript.TestScript, neg bool, args []string) {
	usage(ts, len(args) >= 2, "[!] samejson FILE FILE KEY...")
	a, b := withoutKeys(ts.ReadFile(args[0]), args[2:]), withoutKeys(ts.ReadFile(args[1]), args[2:])
	if (a == b) == neg {
		ts.Fatalf("%s:\n%s\n%s:\n%s", args[0], a, args[1], b)
	}
}

// withoutKeys leaves out the lines of keys of an indented JSON text.
func withoutKeys(text string, keys []string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(line, fmt.Sprintf("  %q: ", k)) })
	}), "\n")
}
