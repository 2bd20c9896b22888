package checker

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// The error codes of ZooKeeper's protocol that the model answers with
// (KeeperException.Code, release 3.8.0).
const (
	codeBadArguments  int64 = -8
	codeNoNode        int64 = -101
	codeBadVersion    int64 = -103
	codeEphemeralKids int64 = -108
	codeNodeExists    int64 = -110
	codeNotEmpty      int64 = -111
)

// znode is a node of the tree.
type znode struct {
	path, data string
	owner      int64 // the session of an ephemeral node, 0 for others
	version    int64
	cversion   int64
	created    int64 // children ever created: the next sequence number
}

// znodeState is the tree as a list sorted by path; the root is always there.
type znodeState []znode

// znodeModel is the tree of znodes of a standalone server, with the versions
// and the order of checks of ZooKeeper 3.8.0 (PrepRequestProcessor, DataTree).
// Access control, quotas, containers, times to live and sequence numbers
// beyond 2147483647 are not in it. Reads of a lagging follower need not be
// linearizable, and are to be left out. An Object may be the whole tree or a
// subtree whose root is created in the history.
func znodeModel() Model {
	return Model{
		name: "znodes", what: "a tree of znodes",
		kinds: kindsOf(OpCreate, OpDelete, OpSet, OpGet, OpExists, OpChildren, OpClose),
		check: checkPath,
		engine: &spec[znodeState]{
			start: func() znodeState { return znodeState{{path: "/"}} },
			step:  (*znodeState).step,
			fork:  func(s znodeState) znodeState { return slices.Clone(s) },
			equal: func(a, b *znodeState) bool { return slices.Equal(*a, *b) },
			hash: func(s *znodeState) uint64 {
				sum := uint64(len(*s))
				for i := range *s {
					n := &(*s)[i]
					sum = mix(mixString(mixString(sum, n.path), n.data) ^ uint64(n.version)<<32 ^ uint64(n.cversion))
				}
				return sum
			},
		},
	}
}

// checkPath refuses paths that no server takes.
func checkPath(op *Operation) string {
	if op.Kind != OpClose && !strings.HasPrefix(op.Key, "/") {
		return fmt.Sprintf("has the path %q, and paths begin with a slash", op.Key)
	}
	return ""
}

// find is where the path is or would be.
func (s znodeState) find(path string) (int, bool) {
	return slices.BinarySearchFunc(s, path, func(n znode, p string) int { return cmp.Compare(n.path, p) })
}

// parentOf is the path of the node above.
func parentOf(path string) string {
	return path[:max(strings.LastIndexByte(path, '/'), 1)]
}

// names is the names of a node's children, sorted.
func (s znodeState) names(path string) []string {
	prefix := strings.TrimSuffix(path, "/") + "/"
	var names []string
	for i := range s {
		rest, below := strings.CutPrefix(s[i].path, prefix)
		if below && rest != "" && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	return names
}

// answer is what an operation returns.
type answer struct {
	code   int64
	out    int64
	result string
	effect effect
}

// failure is an answer that is an error.
func failureAnswer(code int64) answer { return answer{code: code, out: None, effect: unchanged} }

func (s *znodeState) step(op *Operation) effect {
	// A certain operation may turn out to have answered otherwise, so the
	// answer comes before the change.
	a := s.answer(op)
	if op.certain() && !a.fits(op) {
		return refused
	}
	if a.effect == changed {
		s.apply(op, a.result)
	}
	return a.effect
}

// fits is true if the operation was told that answer.
func (a *answer) fits(op *Operation) bool {
	if a.code != op.Out2 {
		return false
	}
	if a.code != 0 {
		return true
	}
	switch op.Kind {
	case OpCreate:
		return op.In2 == 0 || op.Result == a.result
	case OpGet, OpChildren:
		return op.Result == a.result && (op.Out == None || op.Out == a.out)
	case OpSet, OpExists:
		return op.Out == None || op.Out == a.out
	}
	return true
}

// answer is what the operation is told here.
func (s znodeState) answer(op *Operation) answer {
	if op.Kind == OpCreate {
		return s.createAnswer(op)
	}
	if op.Kind == OpClose {
		if slices.ContainsFunc(s, func(n znode) bool { return n.owner == op.In && n.owner != 0 }) {
			return answer{effect: changed}
		}
		return answer{effect: unchanged}
	}
	at, found := s.find(op.Key)
	switch {
	case op.Kind == OpDelete && op.Key == "/":
		return failureAnswer(codeBadArguments)
	case !found:
		return failureAnswer(codeNoNode)
	}
	n := &s[at]
	switch op.Kind {
	case OpGet:
		return answer{result: n.data, out: n.version, effect: unchanged}
	case OpExists:
		return answer{out: n.version, effect: unchanged}
	case OpChildren:
		return answer{result: strings.Join(s.names(op.Key), ","), out: n.cversion, effect: unchanged}
	}
	switch {
	case op.In != -1 && op.In != n.version:
		return failureAnswer(codeBadVersion)
	case op.Kind == OpDelete && len(s.names(op.Key)) > 0:
		return failureAnswer(codeNotEmpty)
	}
	return answer{out: n.version + 1, effect: changed}
}

func (s znodeState) createAnswer(op *Operation) answer {
	if op.Key == "/" {
		return failureAnswer(codeNodeExists)
	}
	at, found := s.find(parentOf(op.Key))
	if !found {
		return failureAnswer(codeNoNode)
	}
	path := op.Key
	if op.In2 != 0 {
		path += fmt.Sprintf("%010d", s[at].created)
	}
	if _, exists := s.find(path); exists {
		return failureAnswer(codeNodeExists)
	}
	if s[at].owner != 0 {
		return failureAnswer(codeEphemeralKids)
	}
	return answer{result: path, effect: changed}
}

// apply does what an operation that succeeds here does.
func (s *znodeState) apply(op *Operation, path string) {
	switch op.Kind {
	case OpCreate:
		parent, _ := s.find(parentOf(path))
		(*s)[parent].cversion++
		(*s)[parent].created++
		at, _ := s.find(path)
		*s = slices.Insert(*s, at, znode{path: path, data: op.Data, owner: op.In})
	case OpSet:
		at, _ := s.find(op.Key)
		(*s)[at].data = op.Data
		(*s)[at].version++
	case OpDelete:
		s.remove(op.Key)
	case OpClose:
		for i := len(*s) - 1; i >= 0; i-- {
			if (*s)[i].owner == op.In {
				s.remove((*s)[i].path)
			}
		}
	}
}

// remove takes out a node that is there, which its parent counts.
func (s *znodeState) remove(path string) {
	at, _ := s.find(path)
	*s = slices.Delete(*s, at, at+1)
	parent, _ := s.find(parentOf(path))
	(*s)[parent].cversion++
}
