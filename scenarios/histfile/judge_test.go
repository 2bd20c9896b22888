package histfile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"zoosim/checker"
	"zoosim/scenarios/histfile"
)

// fileOf is a history of testdata/MODEL.txtar, named after its verdict.
type fileOf struct {
	model, why, name string
	verdict          checker.Verdict
	form             histfile.Form
	data             []byte
}

// filesOf reads the histories of testdata.
func filesOf(t testing.TB) []fileOf {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	var all []fileOf
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		head := map[string]string{}
		for line := range strings.Lines(string(archive.Comment)) {
			key, value, _ := strings.Cut(line, ":")
			head[key] = strings.TrimSpace(value)
		}
		for _, f := range archive.Files {
			form, err := histfile.FormOf(f.Name)
			require.NoError(t, err)
			verdict, _, _ := strings.Cut(f.Name, ".")
			all = append(all, fileOf{
				model: head["model"], why: head["why"], name: filepath.Base(path) + "/" + f.Name,
				verdict: checker.Verdict(verdict), form: form, data: f.Data,
			})
		}
	}
	return all
}

// Every model has a good and a bad history in each form, and both forms of a
// history are the same operations.
func TestOwnHistories(t *testing.T) {
	files := filesOf(t)
	require.Len(t, files, 4*len(checker.Models()))
	for i, f := range files {
		h, err := histfile.Parse(f.data, f.form, f.model)
		require.NoError(t, err, f.name)
		require.True(t, h.Lines, f.name)
		r := histfile.Judge(h, checker.DecideOptions{})
		require.Equal(t, f.verdict, r.Verdict, "%s: %s", f.name, r.Why)
		if f.verdict == checker.Failed {
			require.Equal(t, f.why, r.Why, f.name)
		} else {
			require.Empty(t, r.Why, f.name)
		}
		if i%2 == 1 {
			twin, err := histfile.Parse(files[i-1].data, files[i-1].form, f.model)
			require.NoError(t, err, f.name)
			require.Equal(t, twin.Operations, h.Operations, f.name)
		}
	}
}

// What is written is read as the same operations, in either form.
func TestWriteRoundTrip(t *testing.T) {
	for _, f := range filesOf(t) {
		h, err := histfile.Parse(f.data, f.form, f.model)
		require.NoError(t, err, f.name)
		for _, form := range []histfile.Form{histfile.EDN, histfile.JSONLines} {
			var out bytes.Buffer
			require.NoError(t, histfile.Write(&out, form, h))
			again, err := histfile.Parse(out.Bytes(), form, f.model)
			require.NoError(t, err, "%s:\n%s", f.name, out.String())
			require.Equal(t, f.verdict, histfile.Judge(again, checker.DecideOptions{}).Verdict, f.name)
			require.Len(t, again.Operations, len(h.Operations))
			for i := range h.Operations {
				want, got := h.Operations[i], again.Operations[i]
				// Places differ where events of the nemesis were left out.
				want.Call, want.Return, got.Call, got.Return = 0, 0, 0, 0
				if want.Outcome != checker.OutcomeFailed {
					require.Equal(t, want, got, "%s: operation %d of\n%s", f.name, i, out.String())
				}
			}
			var twice bytes.Buffer
			require.NoError(t, histfile.Write(&twice, form, again))
			require.Equal(t, out.String(), twice.String(), f.name)
		}
	}
}

// sharedHistories is the folder of recorded histories of real systems, looked
// for beside the module and above.
func sharedHistories(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	for {
		up := filepath.Dir(dir)
		for _, place := range []string{"histories", "shared/histories"} {
			found := filepath.Join(up, filepath.FromSlash(place))
			if _, err := os.Stat(filepath.Join(found, "README.md")); err == nil {
				return found
			}
		}
		if up == dir {
			t.Skip("no folder shared/histories beside or above the module: recorded histories are not judged")
		}
		dir = up
	}
}

// The recorded histories of real systems get their known verdicts, each within
// ten seconds.
func TestSharedHistories(t *testing.T) {
	root := sharedHistories(t)
	judged := 0
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".edn" {
			return err
		}
		rel, err := filepath.Rel(root, path)
		require.NoError(t, err)
		rel = filepath.ToSlash(rel)
		model, _, _ := strings.Cut(rel, "/")
		if strings.HasSuffix(rel, "rethink-fail-minimal.edn") {
			model += ":nil"
		}
		want := checker.Pass
		if strings.Contains(rel, "bad") {
			want = checker.Failed
		}
		start := time.Now()
		h, err := histfile.Read(path, model)
		require.NoError(t, err)
		r := histfile.Judge(h, checker.DecideOptions{})
		took := time.Since(start)
		require.Equal(t, want, r.Verdict, "%s: %s", rel, r.Why)
		require.Less(t, took, 10*time.Second, rel)
		t.Logf("%-50s %-15s %-4s %4d operations %v", rel, r.Model, r.Verdict, r.Operations, took.Round(time.Millisecond))
		checkRewritten(t, h, want, model)
		judged++
		return nil
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, judged, 17)
}

// checkRewritten judges the history once more after it was written.
func checkRewritten(t *testing.T, h *histfile.History, want checker.Verdict, model string) {
	t.Helper()
	for _, form := range []histfile.Form{histfile.EDN, histfile.JSONLines} {
		var out bytes.Buffer
		require.NoError(t, histfile.Write(&out, form, h))
		again, err := histfile.Parse(out.Bytes(), form, model)
		require.NoError(t, err)
		require.Equal(t, want, histfile.Judge(again, checker.DecideOptions{NoEvidence: true}).Verdict)
	}
}

// BenchmarkShared reads and judges the largest of the recorded lock histories.
func BenchmarkShared(b *testing.B) {
	path := filepath.Join(sharedHistories(b), "mutex", "etcd-bad.edn")
	operations := 0
	for b.Loop() {
		h, err := histfile.Read(path, "mutex")
		require.NoError(b, err)
		require.Equal(b, checker.Failed, histfile.Judge(h, checker.DecideOptions{}).Verdict)
		operations += len(h.Operations)
	}
	b.ReportMetric(float64(operations)/b.Elapsed().Seconds(), "operations/s")
}
