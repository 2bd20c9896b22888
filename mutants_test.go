package tidy_test

import (
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutantList names the mutants of the checker that its tests do not kill.
const mutantList = "checker/MUTANTS.md"

// mutantTypes are the types of mutants as gremlins names them, by the names in
// the list.
var mutantTypes = map[string]string{
	"boundary": "CONDITIONALS_BOUNDARY", "negation": "CONDITIONALS_NEGATION", "arithmetic": "ARITHMETIC_BASE",
	"step": "INCREMENT_DECREMENT", "sign": "INVERT_NEGATIVES",
}

// mutant is a mutant by what it changes, so that it is found again when lines
// have moved.
type mutant struct {
	file, function, expression string
	kind                       string // as gremlins names it, "" for any
}

// mutable is an expression or statement with an operator that gremlins may
// change.
type mutable struct {
	function, expression string // the expression on one line
	text                 bool   // of strings: no other operator would compile
}

// place is where an operator stands in the checker.
type place struct {
	file         string
	line, column int
}

// mutables are the operators of the checker. Texts among them are told from
// numbers only if asked, which takes some seconds.
func mutables(t *testing.T, typed bool) map[place]mutable {
	const dir = "checker"
	fset := token.NewFileSet()
	paths, err := filepath.Glob(dir + "/*.go")
	require.NoError(t, err)
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	content := map[*ast.File][]byte{}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		f, err := parser.ParseFile(fset, path, text, 0)
		require.NoError(t, err)
		files = append(files, f)
		content[f] = text
	}
	if typed {
		config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
		_, err = config.Check("zoosim/"+dir, fset, files, info)
		require.NoError(t, err)
	}
	found := map[place]mutable{}
	for _, f := range files {
		for _, d := range f.Decls {
			name := functionName(d)
			ast.Inspect(d, func(n ast.Node) bool {
				at := operator(n)
				if at == token.NoPos {
					return true
				}
				m := mutable{function: name, expression: nodeText(fset, content[f], n)}
				if e, ok := n.(*ast.BinaryExpr); ok && e.Op == token.ADD && typed {
					b, basic := info.TypeOf(e).Underlying().(*types.Basic)
					m.text = basic && b.Info()&types.IsString != 0
				}
				p := fset.Position(at)
				found[place{filepath.Base(p.Filename), p.Line, p.Column}] = m
				return true
			})
		}
	}
	return found
}

// operator is where the operator of a node stands.
func operator(n ast.Node) token.Pos {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.OpPos
	case *ast.UnaryExpr:
		return n.OpPos
	case *ast.IncDecStmt:
		return n.TokPos
	}
	return token.NoPos
}

// functionName is a function with its receiver's type, "" for other
// declarations.
func functionName(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok {
		return ""
	}
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
			continue
		case *ast.IndexExpr:
			of = x.X
			continue
		}
		return of.(*ast.Ident).Name + "." + f.Name.Name
	}
}

// nodeText is a node's text on one line.
func nodeText(fset *token.FileSet, content []byte, n ast.Node) string {
	from, to := fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset
	return strings.Join(strings.Fields(string(content[from:to])), " ")
}

// listedMutants reads the list: a line for each expression, with the types of
// its mutants that live.
func listedMutants(t *testing.T) []mutant {
	content, err := os.ReadFile(mutantList)
	require.NoError(t, err)
	line := regexp.MustCompile("^- (\\S+) (\\S+) `([^`]+)` \\(([a-z, ]+)\\)(: .+)?$")
	var list []mutant
	for text := range strings.Lines(string(content)) {
		text = strings.TrimRight(text, "\n")
		if !strings.HasPrefix(text, "- ") {
			continue
		}
		f := line.FindStringSubmatch(text)
		require.NotNil(t, f, "%s: %q is no entry: want - FILE FUNCTION `EXPRESSION` (TYPE, ...)", mutantList, text)
		for _, kind := range strings.Split(f[4], ", ") {
			require.Contains(t, mutantTypes, kind, text)
			list = append(list, mutant{f[1], f[2], f[3], mutantTypes[kind]})
		}
	}
	return list
}

// The list of mutants speaks about what is there.
func TestListedMutantsExist(t *testing.T) {
	there := map[mutant]bool{}
	for p, m := range mutables(t, false) {
		there[mutant{file: p.file, function: m.function, expression: m.expression}] = true
	}
	for _, m := range listedMutants(t) {
		m.kind = ""
		require.True(t, there[m], "%s names what is not in the checker: %s %s `%s`", mutantList, m.file, m.function, m.expression)
	}
}

// gremlinsReport is the part of gremlins' JSON that is read.
type gremlinsReport struct {
	Files []struct {
		Name      string `json:"file_name"`
		Mutations []struct {
			Type, Status string
			Line, Column int
		}
	}
}

// What gremlins has found (make mutation): at least 90 % of the checker's
// mutants are killed, and those that live are listed. Gremlins takes a mutant
// that does not compile for killed; here it does not count. One that runs into
// the time limit is killed.
func TestMutants(t *testing.T) {
	path := os.Getenv("ZOOSIM_MUTANTS")
	if path == "" {
		t.Skip("ZOOSIM_MUTANTS names no report of gremlins")
	}
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var report gremlinsReport
	require.NoError(t, json.Unmarshal(content, &report))
	listed := map[mutant]bool{}
	for _, m := range listedMutants(t) {
		listed[m] = true
	}
	there := mutables(t, true)
	count := map[string]int{}
	for _, f := range report.Files {
		for _, m := range f.Mutations {
			x, ok := there[place{f.Name, m.Line, m.Column}]
			require.True(t, ok, "the report is of another version: nothing to change at %s:%d:%d", f.Name, m.Line, m.Column)
			if x.text {
				count["NOT COMPILED"]++
				continue
			}
			count[m.Status]++
			if key := (mutant{f.Name, x.function, x.expression, m.Type}); m.Status == "LIVED" && !listed[key] {
				t.Errorf("%s:%d:%d: the mutant %s of `%s` in %s lives and is not in %s", f.Name, m.Line, m.Column, m.Type, x.expression, x.function, mutantList)
			}
		}
	}
	killed, lived := count["KILLED"]+count["TIMED OUT"], count["LIVED"]
	efficacy := 100 * float64(killed) / float64(max(killed+lived, 1))
	t.Logf("%v: %.1f %% killed", count, efficacy)
	require.GreaterOrEqual(t, efficacy, 90.0)
}
