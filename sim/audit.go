package sim

import (
	"fmt"
	"reflect"
)

// Audit has every history of a memo run once more and compares what its code
// does; see [AuditMemos].
func (m *Memo) Audit() error { return AuditMemos([]*Memo{m}, nil) }

// AuditMemos runs every history in the memos of a search once more on fresh
// processes, one that several memos hold only once, and compares what the code
// did each time. An error means that the code is no function of what it is told.
// each spreads the work over the memos; nil lets the first do all.
func AuditMemos(memos []*Memo, each Each) error {
	if each == nil {
		each = inTurn
	}
	a := auditor{memos: memos, first: map[uint64]place{}}
	for k := range memos {
		if err := a.compare(int32(k)); err != nil {
			return err
		}
	}
	todo := a.left()
	errs := make([]error, len(todo))
	each(len(todo), func(w, i int) { errs[i] = memos[w].runAgain(memos[todo[i].memo], todo[i].node) })
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// inTurn is an [Each] that lets the first do all.
func inTurn(n int, do func(w, i int)) {
	for i := range n {
		do(0, i)
	}
}

// place is a history in one of several memos.
type place struct{ memo, node int32 }

// auditor is the state of AuditMemos.
type auditor struct {
	memos []*Memo
	first map[uint64]place // by history, where it was met first
	known [][]bool         // by memo and node: a memo before it has it too
}

// compare compares the histories of a memo with those of the memos before it.
func (a *auditor) compare(k int32) error {
	m := a.memos[k]
	a.known = append(a.known, make([]bool, len(m.nodes)))
	if len(a.memos) == 1 {
		return nil
	}
	ids := make([]uint64, len(m.nodes))
	for i := range m.nodes {
		nd := &m.nodes[i]
		if nd.parent < 0 {
			ids[i] = rootHash(uint64(nd.obs.value))
		} else {
			ids[i] = after(after(ids[nd.parent], nd.key), uint64(nd.obs.value))
		}
		at, ok := a.first[ids[i]]
		switch {
		case !ok:
			a.first[ids[i]] = place{k, int32(i)}
		case at.memo == k: // at another checkpoint: it is run again
		case nd.parent >= 0 && !nd.does(&a.memos[at.memo].nodes[at.node]):
			_, path := m.path(int32(i))
			return errHidden(int32(i), len(path))
		default:
			a.known[k][i] = true
		}
	}
	return nil
}

// left lists the longest of the histories that are to be run again.
func (a *auditor) left() []place {
	var todo []place
	for k, m := range a.memos {
		inner := make([]bool, len(m.nodes))
		for i := range m.nodes {
			if p := m.nodes[i].parent; p >= 0 && !a.known[k][i] {
				inner[p] = true
			}
		}
		for i := range m.nodes {
			if !inner[i] && !a.known[k][i] && m.nodes[i].parent >= 0 {
				todo = append(todo, place{int32(k), int32(i)})
			}
		}
	}
	return todo
}

// runAgain runs a history of a memo, which may be another, on a fresh process.
func (m *Memo) runAgain(of *Memo, node int32) error {
	root, path := of.path(node)
	m.live = m.spawn(uint64(of.nodes[root].obs.value))
	m.live.side.shadow = true
	m.liveNode = -1
	for depth, n := range path {
		want := &of.nodes[n]
		if got := m.feed(&want.obs); !got.does(want) {
			return errHidden(node, depth+1)
		}
	}
	return nil
}

// does reports whether the code did the same at the end of two histories.
func (n *memoNode) does(want *memoNode) bool {
	return reflect.DeepEqual(n.outs, want.outs) && reflect.DeepEqual(n.segment, want.segment) &&
		n.end.want == want.end.want && n.end.over == want.end.over
}

func errHidden(history int32, step int) error {
	return fmt.Errorf("history %d does something else at its step %d: the code depends on what it was not told", history, step)
}
