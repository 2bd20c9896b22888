package sim

// memoEdge leads from a node of a [Memo] to the one behind it. Keys count from
// the last checkpoint, so they mean something else if another one took effect.
type memoEdge struct {
	key, marks uint64
	node, to   int32
}

// edgeTable finds edges by all but where they lead: a hash table with linear
// probing, since a search looks into it at every step. The zero edgeTable is
// ready.
type edgeTable struct {
	slots []memoEdge // a power of two of them; to is 0, which is a root, where empty
	n     int
}

// find returns where the edge leads, 0 if there is none.
func (t *edgeTable) find(node int32, key, marks uint64) int32 {
	if len(t.slots) == 0 {
		return 0
	}
	return t.slots[t.slot(node, key, marks)].to
}

// add enters an edge that is not there.
func (t *edgeTable) add(e memoEdge) {
	if 2*t.n >= len(t.slots) {
		old := t.slots
		t.slots = make([]memoEdge, max(64, 2*len(old)))
		for i := range old {
			if o := &old[i]; o.to != 0 {
				t.slots[t.slot(o.node, o.key, o.marks)] = *o
			}
		}
	}
	t.slots[t.slot(e.node, e.key, e.marks)] = e
	t.n++
}

// slot is where an edge is, or would be.
func (t *edgeTable) slot(node int32, key, marks uint64) int {
	last := uint64(len(t.slots) - 1)
	h := (key ^ marks*hashMul2 ^ uint64(uint32(node))) * hashMul1
	for i := h >> 32 & last; ; i = (i + 1) & last {
		e := &t.slots[i]
		if e.to == 0 || e.key == key && e.node == node && e.marks == marks {
			return int(i)
		}
	}
}
