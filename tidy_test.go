// Package tidy_test keeps the house rules that no compiler keeps: which
// package may import which, and what has no place on the simulated side.
package tidy_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// arrows says what each package may import of this module; a trailing * stands
// for every package below. A package that is not named here fails the test.
var arrows = map[string][]string{
	"sim":                      {},
	"sim/explore":              {"sim"},
	"zkmodel":                  {},
	"zkmodel/wire":             {"zkmodel"},
	"zkmodel/serverloop":       {"zkmodel", "zkmodel/wire"},
	"zkmodel/front":            {"zkmodel", "zkmodel/wire", "zkmodel/serverloop"},
	"zkmodel/conform":          {"zkmodel", "zkmodel/wire", "zkmodel/serverloop"},
	"zkmodel/conform/clients":  {"zkmodel", "zkmodel/wire"},
	"faults":                   {},
	"stores":                   {},
	"checker":                  {},
	"recipes/zk":               {},
	"recipes/internal/curator": {"recipes/zk", "recipes/internal/*"},
	"recipes/internal/gozk":    {"recipes/zk", "recipes/internal/*"},
	"recipes/internal/kazoo":   {"recipes/zk", "recipes/internal/*"},
	"recipes/internal/zkjava":  {"recipes/zk", "recipes/internal/*"},
	"recipes/internal/docs":    {"recipes/zk", "recipes/internal/*"},
	"recipes/lock":             {"recipes/zk", "recipes/internal/*"},
	"recipes/queue":            {"recipes/zk", "recipes/internal/*"},
	"recipes/rwlock":           {"recipes/zk", "recipes/internal/*"},
	"recipes/cache":            {"recipes/zk", "recipes/internal/*"},
	"recipes/election":         {"recipes/zk", "recipes/internal/*"},
	"recipes/group":            {"recipes/zk", "recipes/internal/*"},
	"recipes/semaphore":        {"recipes/zk", "recipes/internal/*"},
	"scenarios/simzk":          {"sim", "zkmodel", "zkmodel/wire", "faults", "stores", "recipes/zk"},
	"scenarios/livezk":         {"recipes/zk"},
	"scenarios/servicetap":     {"zkmodel", "checker"},
	"scenarios":                {"sim", "sim/explore", "zkmodel", "faults", "checker", "recipes/*", "scenarios/simzk", "scenarios/livezk", "scenarios/servicetap"},
	"scenarios/histfile":       {"checker"},
	"reports":                  {"scenarios", "checker"},
	"cmd/zoosim":               {"scenarios", "scenarios/histfile", "reports", "checker", "faults", "recipes/*", "zkmodel/front"},
}

// stdOnly lists the packages that import the standard library alone.
var stdOnly = []string{"sim", "zkmodel", "stores", "faults", "recipes"}

// simulated lists the packages on the simulated side.
var simulated = []string{"sim", "zkmodel", "stores", "faults", "checker", "recipes", "scenarios/simzk", "scenarios/servicetap"}

// rim lists the packages below those of the two lists above that are no part of
// what they hold: real time and sockets live there.
var rim = []string{"zkmodel/front", "zkmodel/conform/clients"}

// exempt names the places on the simulated side that may do what the others
// may not, and why.
var exempt = map[string]string{
	"sim/coro.go":                   "the helper that unwinds the tasks left at the end of a run",
	"zkmodel/conform/livearm.go":    "talks to the real ZooKeeper",
	"zkmodel/conform/liveserver.go": "starts the real ZooKeeper",
}

// source is one file of the module.
type source struct {
	path string // with slashes
	pkg  string // its folder
	test bool
	file *ast.File
}

func sources(t *testing.T) ([]source, *token.FileSet) {
	fset := token.NewFileSet()
	var all []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || path == "tidy_test.go" {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		all = append(all, source{path, filepath.ToSlash(filepath.Dir(path)), strings.HasSuffix(path, "_test.go"), f})
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all, fset
}

func allowed(list []string, pkg string) bool {
	for _, a := range list {
		if a == pkg || strings.HasSuffix(a, "*") && strings.HasPrefix(pkg, a[:len(a)-1]) {
			return true
		}
	}
	return false
}

func within(list []string, pkg string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return pkg == p || strings.HasPrefix(pkg, p+"/") })
}

// importFault says what is wrong with an import, "" if nothing is.
func importFault(pkg, path string) string {
	own, ours := strings.CutPrefix(path, "zoosim/")
	switch {
	case ours && !allowed(arrows[pkg], own):
		return pkg + " may not import " + own
	case !ours && strings.Contains(path, ".") && within(stdOnly, pkg) && !within(rim, pkg):
		return pkg + " may import the standard library alone, not " + path
	}
	return ""
}

func TestImportsGoDownward(t *testing.T) {
	all, _ := sources(t)
	for _, s := range all {
		if s.test {
			continue
		}
		_, known := arrows[s.pkg]
		require.True(t, known, "%s: package %s has no row in the table of imports", s.path, s.pkg)
		for _, im := range s.file.Imports {
			path, err := strconv.Unquote(im.Path.Value)
			require.NoError(t, err)
			require.Empty(t, importFault(s.pkg, path), s.path)
		}
	}
}

// forbidden lists the functions that the simulated side may not use, by
// package.
var forbidden = map[string][]string{
	"time":    {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"},
	"context": {"WithTimeout", "WithDeadline", "WithCancel", "WithTimeoutCause", "WithDeadlineCause", "WithCancelCause", "AfterFunc"},
}

// sideFaults lists what has no place on the simulated side.
func sideFaults(f *ast.File, fset *token.FileSet) []string {
	var bad []string
	report := func(n ast.Node, what string) {
		bad = append(bad, fset.Position(n.Pos()).String()+": "+what)
	}
	names := map[string]string{} // local name -> import path
	for _, im := range f.Imports {
		path, _ := strconv.Unquote(im.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if im.Name != nil {
			name = im.Name.Name
		}
		names[name] = path
		if path == "math/rand" || path == "math/rand/v2" || path == "crypto/rand" {
			report(im, "random numbers come from the tape")
		}
	}
	maps := mapNames(f)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			report(n, "go statement")
		case *ast.SelectStmt:
			if len(n.Body.List) > 1 {
				report(n, "select over several cases")
			}
		case *ast.RangeStmt:
			if isMap(n.X, maps) {
				report(n, "ranges over a map")
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && slices.Contains(forbidden[names[x.Name]], n.Sel.Name) {
				report(n, x.Name+"."+n.Sel.Name)
			}
		}
		return true
	})
	return bad
}

// mapNames collects the names that are declared with a map type anywhere in
// the file: variables, fields, parameters.
func mapNames(f *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if _, ok := n.Type.(*ast.MapType); ok {
				for _, id := range n.Names {
					names[id.Name] = true
				}
			}
		case *ast.ValueSpec:
			_, typed := n.Type.(*ast.MapType)
			for i, id := range n.Names {
				if typed || i < len(n.Values) && isMap(n.Values[i], nil) {
					names[id.Name] = true
				}
			}
		case *ast.AssignStmt:
			for i, l := range n.Lhs {
				if id, ok := l.(*ast.Ident); ok && i < len(n.Rhs) && isMap(n.Rhs[i], nil) {
					names[id.Name] = true
				}
			}
		}
		return true
	})
	return names
}

// isMap reports whether an expression is a map as far as syntax shows it.
func isMap(e ast.Expr, names map[string]bool) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		_, ok := e.Type.(*ast.MapType)
		return ok
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "make" && len(e.Args) > 0 {
			_, ok := e.Args[0].(*ast.MapType)
			return ok
		}
	case *ast.Ident:
		return names[e.Name]
	case *ast.SelectorExpr:
		return names[e.Sel.Name]
	}
	return false
}

func TestTheSimulatedSideIsDeterministic(t *testing.T) {
	all, fset := sources(t)
	seen := map[string]bool{}
	for _, s := range all {
		if s.test || !within(simulated, s.pkg) || within(rim, s.pkg) {
			continue
		}
		if _, ok := exempt[s.path]; ok {
			seen[s.path] = true
			continue
		}
		require.Empty(t, sideFaults(s.file, fset), s.path)
	}
	for path := range exempt {
		require.True(t, seen[path], "%s is exempt and does not exist", path)
	}
}

// The planted faults that prove that the rules can fail.
func TestRulesCanFail(t *testing.T) {
	require.NotEmpty(t, importFault("sim", "zoosim/zkmodel"))
	require.NotEmpty(t, importFault("checker", "zoosim/sim"))
	require.NotEmpty(t, importFault("recipes/lock", "zoosim/checker"))
	require.NotEmpty(t, importFault("zkmodel", "github.com/stretchr/testify"))
	require.Empty(t, importFault("recipes/lock", "zoosim/recipes/internal/curator"))
	for what, code := range map[string]string{
		"time.Now":                   `import "time"; func f() { _ = time.Now() }`,
		"context.WithTimeout":        `import c "context"; func f() { _, _ = c.WithTimeout(nil, 0) }`,
		"random numbers":             `import "math/rand/v2"; var _ = rand.N[int]`,
		"go statement":               `func f() { go f() }`,
		"select over several":        `func f(a, b chan int) { select { case <-a: case <-b: } }`,
		"ranges over a map":          `func f() { m := map[int]int{}; for range m {} }`,
		"ranges over a map (field)":  `type t struct{ m map[int]int }; func f(x t) { for range x.m {} }`,
		"ranges over a map (make)":   `func f() { m := make(map[int]int); for range m {} }`,
		"ranges over a map (global)": `var m map[int]int; func f() { for range m {} }`,
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "planted.go", "package p; "+code, 0)
		require.NoError(t, err, what)
		require.Len(t, sideFaults(f, fset), 1, what)
	}
}

func TestEveryPackageBeginsWithDoc(t *testing.T) {
	all, _ := sources(t)
	for _, s := range all {
		if s.test || s.pkg == "cmd/zoosim" {
			continue
		}
		_, err := os.Stat(filepath.FromSlash(s.pkg + "/doc.go"))
		require.NoError(t, err, "%s has no doc.go", s.pkg)
	}
}

// Nothing that was made on one machine may name it.
func TestNoMachinePaths(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == ".git" {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil // a work tree's pointer
		}
		if d.IsDir() && path == "bin" {
			return filepath.SkipDir // what make build made
		}
		if d.IsDir() || path == "tidy_test.go" || strings.HasSuffix(path, ".png") {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, p := range []string{"/wor" + "k/", "/roo" + "t/", "/hom" + "e/"} {
			require.NotContains(t, string(b), p, path)
		}
		return nil
	})
	require.NoError(t, err)
}
