package checker

import (
	"fmt"
	"sort"
	"strings"
)

// oracleNode is a znode of the oracle, which keeps the tree as one line a
// node: path data owner version cversion created.
type oracleNode struct {
	data                              string
	owner, version, cversion, created int64
}

func readTree(state string) map[string]*oracleNode {
	tree := map[string]*oracleNode{"/": {}}
	for _, line := range strings.Split(state, "\n") {
		var path string
		n := &oracleNode{}
		if k, _ := fmt.Sscanf(line, "%s %q %d %d %d %d", &path, &n.data, &n.owner, &n.version, &n.cversion, &n.created); k == 6 {
			tree[path] = n
		}
	}
	return tree
}

func writeTree(tree map[string]*oracleNode) string {
	var lines []string
	for path, n := range tree {
		lines = append(lines, fmt.Sprintf("%s %q %d %d %d %d", path, n.data, n.owner, n.version, n.cversion, n.created))
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func above(path string) string {
	if i := strings.LastIndex(path, "/"); i > 0 {
		return path[:i]
	}
	return "/"
}

func below(tree map[string]*oracleNode, path string) []string {
	var names []string
	for p := range tree {
		if p != "/" && above(p) == path {
			names = append(names, p[strings.LastIndex(p, "/")+1:])
		}
	}
	sort.Strings(names)
	return names
}

func drop(tree map[string]*oracleNode, path string) {
	delete(tree, path)
	tree[above(path)].cversion++
}

// oracleZnodes writes the rules of the fact sheet down once more, from the
// client's side.
func oracleZnodes(state string, op Operation) (string, Operation, bool) {
	tree := readTree(state)
	n := tree[op.Key]
	told := op
	told.Out, told.Out2, told.Result = 0, 0, ""
	fail := func(code int64) (string, Operation, bool) {
		told.Out2 = code
		return state, told, true
	}
	switch op.Kind {
	case OpClose:
		for path, n := range tree {
			if n.owner != 0 && n.owner == op.In {
				drop(tree, path)
			}
		}
	case OpCreate:
		parent := tree[above(op.Key)]
		if op.Key == "/" {
			return fail(-110)
		}
		if parent == nil {
			return fail(-101)
		}
		told.Result = op.Key
		if op.In2 == 1 {
			told.Result = fmt.Sprintf("%s%010d", op.Key, parent.created)
		}
		if tree[told.Result] != nil {
			return fail(-110)
		}
		if parent.owner != 0 {
			return fail(-108)
		}
		parent.created++
		parent.cversion++
		tree[told.Result] = &oracleNode{data: op.Data, owner: op.In}
	case OpDelete:
		if op.Key == "/" {
			return fail(-8)
		}
		if n == nil {
			return fail(-101)
		}
		if op.In != -1 && op.In != n.version {
			return fail(-103)
		}
		if len(below(tree, op.Key)) > 0 {
			return fail(-111)
		}
		drop(tree, op.Key)
	default:
		if n == nil {
			return fail(-101)
		}
		switch op.Kind {
		case OpSet:
			if op.In != -1 && op.In != n.version {
				return fail(-103)
			}
			n.data = op.Data
			n.version++
			told.Out = n.version
		case OpGet:
			told.Result, told.Out = n.data, n.version
		case OpExists:
			told.Out = n.version
		case OpChildren:
			told.Result, told.Out = strings.Join(below(tree, op.Key), ","), n.cversion
		}
	}
	return writeTree(tree), told, true
}
