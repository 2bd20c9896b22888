package tidy_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	spared               bool   // gremlins' default mutators leave the operator alone
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
				m := mutable{function: name, expression: nodeText(fset, content[f], n), spared: spares(n)}
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

// spares says whether gremlins' default mutators leave an operator alone.
func spares(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op == token.LAND || n.Op == token.LOR
	case *ast.UnaryExpr:
		return n.Op != token.SUB
	}
	return false
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
	Files []gremlinsFile
}

type gremlinsFile struct {
	Name      string `json:"file_name"`
	Mutations []gremlinsMutation
}

type gremlinsMutation struct {
	Type, Status string
	Line, Column int
}

// judge returns what is wrong with what gremlins has found: less than 90 % of
// the checker's mutants killed, or one that lives and is not listed. Gremlins
// takes a mutant that does not compile for killed; here it does not count. One
// that runs into the time limit is killed.
func (r *gremlinsReport) judge(listed []mutant, there map[place]mutable) (counts map[string]int, wrong []string) {
	counts = map[string]int{}
	for _, f := range r.Files {
		for _, m := range f.Mutations {
			x, ok := there[place{f.Name, m.Line, m.Column}]
			switch {
			case !ok:
				wrong = append(wrong, fmt.Sprintf("the report is of another version: nothing to change at %s:%d:%d", f.Name, m.Line, m.Column))
			case x.text:
				counts["NOT COMPILED"]++
			default:
				counts[m.Status]++
				if m.Status == "LIVED" && !slices.Contains(listed, mutant{f.Name, x.function, x.expression, m.Type}) {
					wrong = append(wrong, fmt.Sprintf("%s:%d:%d: the mutant %s of `%s` in %s lives and is not in %s",
						f.Name, m.Line, m.Column, m.Type, x.expression, x.function, mutantList))
				}
			}
		}
	}
	killed, lived := counts["KILLED"]+counts["TIMED OUT"], counts["LIVED"]
	if 100*killed < 90*(killed+lived) || killed == 0 {
		wrong = append(wrong, fmt.Sprintf("%d mutants killed, %d live; wanted: 90 %% killed", killed, lived))
	}
	return counts, wrong
}

// testMutantReports judges reports by all that can be wrong with one.
func testMutantReports(t *testing.T) {
	there := map[place]mutable{}
	var report gremlinsReport
	for line := 1; line <= 10; line++ {
		there[place{"a.go", line, 2}] = mutable{function: "f", expression: fmt.Sprintf("x > %d", line)}
	}
	there[place{"a.go", 11, 2}] = mutable{function: "f", expression: `s + "b"`, text: true}
	found := func(change func(ms []gremlinsMutation)) *gremlinsReport {
		var ms []gremlinsMutation
		for line := 1; line <= 10; line++ {
			ms = append(ms, gremlinsMutation{"CONDITIONALS_NEGATION", "KILLED", line, 2})
		}
		change(ms)
		return &gremlinsReport{Files: []gremlinsFile{{"a.go", append(ms, gremlinsMutation{"ARITHMETIC_BASE", "LIVED", 11, 2})}}}
	}
	listed := []mutant{{"a.go", "f", "x > 1", "CONDITIONALS_NEGATION"}, {"a.go", "f", "x > 2", "CONDITIONALS_BOUNDARY"}}
	for name, c := range map[string]struct {
		change func(ms []gremlinsMutation)
		wrong  string // in the first thing that is
	}{
		"all killed":         {func([]gremlinsMutation) {}, ""},
		"a listed one lives": {func(ms []gremlinsMutation) { ms[0].Status = "LIVED" }, ""},
		"a time limit":       {func(ms []gremlinsMutation) { ms[0].Status, ms[1].Status = "LIVED", "TIMED OUT" }, ""},
		"another type lives": {func(ms []gremlinsMutation) { ms[1].Status = "LIVED" }, "a.go:2:2: the mutant CONDITIONALS_NEGATION of `x > 2` in f lives"},
		"two of ten live":    {func(ms []gremlinsMutation) { ms[0].Status, ms[0].Line = "LIVED", 1; ms[9] = ms[0] }, "8 mutants killed, 2 live"},
		"another version":    {func(ms []gremlinsMutation) { ms[4].Column = 7 }, "nothing to change at a.go:5:7"},
		"nothing was covered": {func(ms []gremlinsMutation) {
			for i := range ms {
				ms[i].Status = "NOT COVERED"
			}
		}, "0 mutants killed"},
	} {
		_, wrong := found(c.change).judge(listed, there)
		if c.wrong == "" {
			require.Empty(t, wrong, name)
			continue
		}
		require.Len(t, wrong, 1, name)
		require.Contains(t, wrong[0], c.wrong, name)
	}
	_, wrong := report.judge(listed, there)
	require.Len(t, wrong, 1, "an empty report shows nothing")
}

// What gremlins has found: make mutation runs it, and names the directory with
// its reports. No file with something to change may be without one.
func TestMutants(t *testing.T) {
	testMutantReports(t)
	dir := os.Getenv("ZOOSIM_MUTANTS")
	if dir == "" {
		return
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	var report gremlinsReport
	reported := map[string]bool{}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		var part gremlinsReport
		require.NoError(t, json.Unmarshal(content, &part), path)
		for _, f := range part.Files {
			require.False(t, reported[f.Name], "%s is in two reports", f.Name)
			reported[f.Name] = true
		}
		report.Files = append(report.Files, part.Files...)
	}
	there := mutables(t, true)
	counts, wrong := report.judge(listedMutants(t), there)
	t.Logf("%v", counts)
	require.Empty(t, wrong)
	for p, m := range there {
		require.True(t, reported[p.file] || m.spared, "no report on %s, with `%s`", p.file, m.expression)
	}
}
